#include "solver/kept.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/resolution.h"

namespace pliant {

namespace {

/// The largest strength [1 / compliance] that a constraint's settings can give it, damping included.
double most_strength(const ConstraintSettings& s, double dt) {
  double compliance = s.compliance;
  if (s.compression_compliance) compliance = std::min(compliance, *s.compression_compliance);
  return (1 + s.damping / dt) / compliance;  // infinite where it is rigid
}

}  // namespace

std::optional<NotKept> add_kept_where_resolved(const BodyInput& body, const ConstraintInput& all, double dt,
                                               double limit, std::vector<ConstraintInput>& made) {
  constexpr double kCornersOfCell = 12;
  const auto points = static_cast<std::size_t>(all.type->points), fields = all.type->rest_fields.size();
  const std::size_t count = all.particles.size() / points;
  const auto is_vertex = [&](int32_t particle) { return particle >= body.first_particle; };
  const auto vertex = [&](int32_t particle) { return static_cast<std::size_t>(particle - body.first_particle); };

  // triangle_bend has its stiffness in its rest data. An area's gradient turns with the triangle and grows without end
  // where nothing else holds it, so that a push that is kept is as much too large: no stiffness was low enough.
  const double strength = all.type->name == "triangle_area"   ? std::numeric_limits<double>::infinity()
                          : all.type->name == "triangle_bend" ? 1 + all.settings.damping / dt
                                                              : most_strength(all.settings, dt);
  std::vector<double> at(body.rest.size(), 0), squares(points);
  std::vector<Vec3d> x(points);
  for (std::size_t k = 0; k < count; ++k) {
    const int32_t* corner = &all.particles[k * points];
    for (std::size_t i = 0; i < points; ++i) {  // a corner without a place of its own has no part in it
      x[i] = body.rest[vertex(is_vertex(corner[i]) ? corner[i] : corner[0])];
    }
    all.type->gradient_squares(&all.rest[k * fields], x.data(), squares.data());
    for (std::size_t i = 0; i < points; ++i) {
      if (is_vertex(corner[i])) at[vertex(corner[i])] += squares[i];
    }
  }
  std::vector<uint8_t> reset(count);
  NotKept found{0, static_cast<int64_t>(count), 0, limit, std::isinf(most_strength(all.settings, dt))};
  for (std::size_t k = 0; k < count; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < points; ++i) {
      if (const int32_t p = all.particles[k * points + i]; is_vertex(p)) sum += at[vertex(p)] / body.mass[vertex(p)];
    }
    // Limits have no gradient at rest: they come and go, and keep nothing.
    const double resolution =
        sum > 0 ? strength * (sum * dt * dt / kCornersOfCell) : std::numeric_limits<double>::infinity();
    found.largest = std::max(found.largest, resolution);
    reset[k] = !(resolution <= limit);
    found.constraints += reset[k];
  }
  add_kept_and_reset(all, reset, made);
  if (found.constraints == 0) return {};
  return found;
}

std::string warning_of(const NotKept& found, const std::string& body, const std::string& type, int substeps) {
  const std::string remedy =
      std::isfinite(found.largest)
          ? fmt::format("take {:.0f} substeps, or {:.3g} times the compliance",
                        std::ceil(substeps * std::sqrt(found.largest / found.limit)), found.largest / found.limit)
      : found.rigid ? "give it a compliance above 0"
                    : "leave it out";
  return fmt::format(
      "{}: keep_multipliers of {} does not act on {} of {} constraints: the substeps do not follow them, and energy "
      "would come of it; {}",
      body, type, found.constraints, found.of, remedy);
}

}  // namespace pliant
