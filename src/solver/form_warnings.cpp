#include "solver/form_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solver/fabric.h"

namespace pliant {

namespace {

/// What leaves lengths free.
bool needs_lengths(const std::string& type) {
  return type == "bend" || type == "isometric_bend_curved" || type == "tet_volume";
}

/// Holds all lengths of its elements, whatever they are.
bool holds_lengths(const TypeInfo& type) {
  return type.name == "distance" || type.name == "tri_strain" || type.name == "tet_strain" || type.material;
}

/// How stiff constraints are against the inertia of their corners in one substep, on average: what one projection
/// leaves of an error is 1 / (1 + this).
double stiffness_over_inertia(const BodyInput& body, const ConstraintInput& c, double dt) {
  const double k = std::min(c.settings.stiffness, 1.0);
  if (c.method == Method::pbd) return k < 1 ? k / (1 - k) : std::numeric_limits<double>::infinity();
  const auto points = static_cast<std::size_t>(c.type->points), fields = c.type->rest_fields.size();
  const std::size_t count = c.particles.size() / points;
  const std::size_t stride = std::max<std::size_t>(1, count / 1000);  // so many are enough for a mean
  std::vector<double> squares(points);
  std::vector<Vec3d> x(points);
  double sum = 0;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < count; i += stride, ++taken) {
    const auto vertex = [&](std::size_t corner) {
      return static_cast<std::size_t>(c.particles[i * points + corner] - body.first_particle);
    };
    for (std::size_t p = 0; p < points; ++p) x[p] = body.rest[vertex(p)];
    c.type->gradient_squares(&c.rest[i * fields], x.data(), squares.data());
    double s = 0;
    for (std::size_t p = 0; p < points; ++p) s += squares[p] / body.mass[vertex(p)];
    sum += dt * dt * s / (c.compliances.empty() ? c.settings.compliance : c.compliances[i]);
  }
  return taken > 0 ? sum / static_cast<double>(taken) : 0;
}

}  // namespace

std::vector<std::string> form_warnings(const BodyInput& body, const std::vector<ConstraintInput>& made,
                                       double sheet_modulus, double dt) {
  // Edges that take more than this to act let triangles collapse after a kick of a cell per substep; a bend that is
  // softer than that is harmless. Measured: edges of 0.02 gained energy, of 0.2 did not; bends of 0.01 hardly did.
  constexpr double kSoftLengths = 0.1, kSoftBend = 0.01;
  std::vector<std::string> out;
  for (const ConstraintInput& c : made) {
    if (c.type->name == "triangle_limit" && c.method == Method::pbd) {
      out.push_back(
          fmt::format("{}: triangle_limit by pbd may make energy where triangles are crushed; take xpbd", body.name));
    }
    // Their gradients vanish with them, or fall to pieces where a tet is turned inside out.
    if (c.type->name.starts_with("tet_density_") || c.type->name.starts_with("tet_energy_")) {
      out.push_back(
          fmt::format("{}: the energy forms may make energy where tets are crushed; take the form xpbd", body.name));
    }
    if (c.type->name == "tet_strain" && c.method == Method::pbd) {
      out.push_back(fmt::format("{}: strains by pbd may make energy where tets are crushed; take xpbd", body.name));
    }
    if (!needs_lengths(c.type->name)) continue;
    const ConstraintInput* holder = nullptr;
    double held = 0;
    for (const ConstraintInput& other : made) {
      if (!holds_lengths(*other.type)) continue;
      holder = &other;
      double stiffness = 1;  // of solids: what is squeezed flat is held by its volume
      if (other.type->name == "distance" || other.method == Method::pbd) {
        stiffness = stiffness_over_inertia(body, other, dt);
      } else if (sheet_modulus > 0) {
        const std::vector<double> all = membrane_resolutions(body, sheet_modulus, dt);
        stiffness = 2 * std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
      }
      held = std::max(held, stiffness);
    }
    const bool tets = c.type->stencil == Stencil::tets;
    const std::string calmer = tets ? "" : ", or isometric_bend in place of it, which is linear";
    if (!holder) {
      out.push_back(
          fmt::format("{}: {} alone leaves lengths free, elements grow without end and energy comes of it; add "
                      "distance{}",
                      body.name, c.type->name, calmer));
    } else if (!tets && held < kSoftLengths && stiffness_over_inertia(body, c, dt) > kSoftBend) {
      out.push_back(
          fmt::format("{}: {} is stiff and {} so soft that elements may collapse, and energy comes of it; take a "
                      "stiffer distance{}",
                      body.name, c.type->name, holder->type->name, calmer));
    }
  }
  return out;
}

}  // namespace pliant
