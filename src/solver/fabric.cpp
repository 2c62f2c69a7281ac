#include "solver/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "constraints/isometric_bend.h"
#include "constraints/tri_energy.h"
#include "mesh/topology.h"
#include "solver/resolution.h"

namespace pliant {

namespace {

struct FabricType {
  MaterialForm form;
  ClothCompression compression;
  const char* type;
};
constexpr FabricType kFabricTypes[] = {
    {MaterialForm::xpbd, ClothCompression::resists, "tri_stvk"},
    {MaterialForm::xpbd, ClothCompression::folds, "tri_stvk_slack"},
    {MaterialForm::pbd_energy, ClothCompression::resists, "tri_energy_stvk"},
};
constexpr const char* kPlasticType = "tri_stvk_plastic";

/// The sum over a triangle's corners of stiffness / mass in grid(), times density h^2 / k: the unit of resolutions.
constexpr double kCornersOfCell = 12;

struct RestTriangle {
  Vec3d corner[3];
  Vec3d along, across;  // the frame of TriangleRest::from
  double area;
};

RestTriangle rest_triangle(const BodyInput& body, const Triangle& t) {
  RestTriangle out;
  for (std::size_t k = 0; k < 3; ++k) out.corner[k] = body.rest[static_cast<std::size_t>(t[k])];
  const Vec3d e1 = out.corner[1] - out.corner[0], e2 = out.corner[2] - out.corner[0];
  out.along = e1 / length(e1);
  const Vec3d rest = e2 - out.along * dot(out.along, e2);
  out.across = rest / length(rest);
  out.area = 0.5 * length(e1) * length(rest);
  return out;
}

/// A |grad N|^2 of a corner: its stiffness over that of the material.
double corner_stiffness(const RestTriangle& t, std::size_t corner) {
  const Vec3d opposite = t.corner[(corner + 2) % 3] - t.corner[(corner + 1) % 3];
  return dot(opposite, opposite) / (4 * t.area);
}

/// The part of `direction` in the plane of a triangle, of unit length; empty if there is next to none.
std::optional<Vec3d> in_plane(const RestTriangle& t, const Vec3d& direction) {
  const Vec3d d = t.along * dot(t.along, direction) + t.across * dot(t.across, direction);
  constexpr double kRightAngle = 1e-3;  // [rad]
  if (length(d) < kRightAngle * length(direction)) return {};
  return d / length(d);
}

/// The largest of the moduli that pull along a direction or shear, as a Young's modulus times thickness [N/m].
double largest_modulus(const MembraneMatrix& stiffness) {
  const MembraneMatrix s = inverse(stiffness);
  constexpr double kShear = 2.6;  // Young's modulus over shear modulus at a Poisson's ratio of 0.3
  return std::max({1 / s[0][0], 1 / s[1][1], kShear / s[2][2]});
}

/// What a sweep has to follow of a sheet [N/m]: the root of the sum of the squared eigenvalues of K for strains as
/// tensors, over 1.2. Undamped kicks of wide sheets begin to grow at 2.35 to 2.8 of that sum's root times
/// dt^2 / (density h^2), whatever Poisson's ratio (0 to 0.9), shear and directions (docs/constraints/tri_stvk.md).
double modulus_to_follow(const MembraneMatrix& K) {
  constexpr double kScale = 1.2;  // a limit of 2 is at 2.4
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) squares += K[i][j] * K[i][j] * (i == 2 ? 2 : 1) * (j == 2 ? 2 : 1);
  }
  return std::sqrt(squares) / kScale;
}

/// Which part of a limit is left for the shape of a sheet. Strips of less than four cells bend slowly in their plane,
/// and the stress of that comes late: of one, two and three cells they have a half, two thirds and five sixths.
double part_for_shape(const BodyInput& body) {
  const double triangles = static_cast<double>(body.triangles.size());
  const double sides = static_cast<double>(edges_of(body.triangles).size());
  // A triangle has three sides; those inside are shared by two.
  const double border = std::max(1.0, 2 * sides - 3 * triangles);
  return std::min(1.0, 0.35 + 0.36 * (triangles / 2) / border);
}

}  // namespace

bool is_flat(const BodyInput& body) {
  constexpr double kFlat = 1e-4;  // [rad]
  for (const Hinge& h : hinges_of(body.triangles)) {
    const Vec3d &x0 = body.rest[h.edge0], &x1 = body.rest[h.edge1];
    const Vec3d n0 = cross(x1 - x0, body.rest[h.opposite0] - x0), n1 = cross(body.rest[h.opposite1] - x0, x1 - x0);
    if (!(length(cross(n0, n1)) <= kFlat * length(n0) * length(n1)) || dot(n0, n1) < 0) return false;
  }
  return true;
}

std::string membrane_type(const ClothMaterial& material) {
  if (material.plasticity) return kPlasticType;
  for (const FabricType& t : kFabricTypes) {
    if (t.form == material.form && t.compression == material.compression) return t.type;
  }
  return "";
}

std::optional<ClothMaterial> cloth_of_type(const std::string& type) {
  if (type == kPlasticType) {
    ClothMaterial material;
    material.plasticity.emplace();
    return material;
  }
  for (const FabricType& t : kFabricTypes) {
    if (t.type != type) continue;
    ClothMaterial material;
    material.form = t.form;
    material.compression = t.compression;
    return material;
  }
  return {};
}

std::vector<std::array<Vec2d, 3>> texture_of_corners(const BodyInput& body, const std::vector<Vec2d>& of_vertices,
                                                     bool of_mesh, const std::string& name) {
  if (of_vertices.empty()) {
    if (of_mesh && body.texture_coordinates.empty()) {
      throw Error(name + ".weft_from_texture", "the mesh has no texture coordinates",
                  "give it some (`vt` in an .obj), or give the direction of the weft");
    }
    return of_mesh ? body.texture_coordinates : std::vector<std::array<Vec2d, 3>>{};
  }
  if (of_vertices.size() != body.rest.size()) {
    throw Error(body.name + ".texture",
                fmt::format("there are {} coordinates for {} vertices", of_vertices.size(), body.rest.size()),
                "give one per vertex, or none");
  }
  std::vector<std::array<Vec2d, 3>> out;
  for (const Triangle& t : body.triangles) out.push_back({of_vertices[t[0]], of_vertices[t[1]], of_vertices[t[2]]});
  return out;
}

std::vector<WeftAndWarp> weft_and_warp(const BodyInput& body, Vec3d direction,
                                       const std::vector<std::array<Vec2d, 3>>& texture) {
  std::vector<WeftAndWarp> out;
  out.reserve(body.triangles.size());
  for (std::size_t k = 0; k < body.triangles.size(); ++k) {
    const Triangle& corners = body.triangles[k];
    const RestTriangle t = rest_triangle(body, corners);
    const Vec3d normal = cross(t.along, t.across);
    WeftAndWarp frame;
    if (texture.empty()) {
      std::optional<Vec3d> weft = in_plane(t, direction);
      Vec3d next = direction;
      while (!weft) {
        next = {next.z, next.x, next.y};
        weft = in_plane(t, next);
        if (!weft && next.x == direction.x && next.y == direction.y && next.z == direction.z) weft = t.along;
      }
      frame.weft = *weft;
      frame.warp = cross(normal, *weft);
    } else {
      const auto& [u0, u1, u2] = texture[k];
      const double a = u1.x - u0.x, b = u2.x - u0.x, c = u1.y - u0.y, d = u2.y - u0.y;
      const double det = a * d - b * c;
      const double size = std::hypot(a, c) * std::hypot(b, d);
      if (!(std::abs(det) > 1e-9 * size)) {
        throw Error(body.name + ".texture", fmt::format("triangle {} has no area in the texture", k),
                    "give coordinates that map every triangle, or none and a direction of the weft");
      }
      // (t_u, t_v) = (x1 - x0, x2 - x0) (u1 - u0, u2 - u0)^-1; the warp is what is left of t_v at a right angle.
      const Vec3d e1 = t.corner[1] - t.corner[0], e2 = t.corner[2] - t.corner[0];
      const Vec3d tu = (e1 * d - e2 * c) / det, tv = (e2 * a - e1 * b) / det;
      frame.weft = tu / length(tu);
      const Vec3d rest = tv - frame.weft * dot(frame.weft, tv);
      frame.warp = rest / length(rest);
      frame.mirrored = dot(cross(frame.weft, frame.warp), normal) < 0;
    }
    out.push_back(frame);
  }
  return out;
}

std::vector<double> membrane_resolutions(const BodyInput& body, double k, double dt) {
  // The sum over an element's corners of (stiffness at the corner) / (mass at the corner), with the stiffness
  // k sum A |grad N|^2 over all triangles there, bounds the eigenvalues of M^-1 K.
  std::vector<double> at(body.rest.size(), 0);
  for (const Triangle& t : body.triangles) {
    const RestTriangle r = rest_triangle(body, t);
    for (std::size_t c = 0; c < 3; ++c) at[t[c]] += corner_stiffness(r, c);
  }
  std::vector<double> out;
  out.reserve(body.triangles.size());
  for (const Triangle& t : body.triangles) {
    double sum = 0;
    for (const int v : t) sum += at[v] / body.mass[v];
    out.push_back(k * dt * dt * sum / kCornersOfCell);
  }
  return out;
}

/// Of a triangle that is pulled along a direction d: f_i = A sigma grad N_i . d, f . u = A sigma epsilon, in the mean
/// over the directions. Which triangles carry how much is not known before the cloth hangs; they count by their area.
/// The slowest stretching is that of a strip as long as the cloth, held at one end: omega = pi/2 sqrt(k / density) /
/// length.
double membrane_softness(const BodyInput& body, double k, const std::vector<uint8_t>& reset, const Substep& substep) {
  double alone = 0, area = 0;
  for (std::size_t i = 0; i < reset.size(); ++i) {
    const RestTriangle r = rest_triangle(body, body.triangles[i]);
    area += r.area;
    for (std::size_t c = 0; reset[i] && c < 3; ++c) {
      alone += r.area * k * corner_stiffness(r, c) / 2 / body.mass[body.triangles[i][c]];
    }
  }
  Vec3d low = body.rest[0], high = low;
  for (const Vec3d& x : body.rest) {
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
  }
  const double extent = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  const double density = std::accumulate(body.mass.begin(), body.mass.end(), 0.0) / area;
  const double omega_squared = std::numbers::pi * std::numbers::pi / 4 * k / (density * extent * extent);
  const double dt2 = substep.dt * substep.dt;
  return softness_of(dt2 * alone / area, dt2 * omega_squared, substep.iterations);
}

std::optional<UnresolvedCloth> add_membrane(const BodyInput& body, const ClothMaterial& material,
                                            const std::vector<WeftAndWarp>& frames, const ConstraintInput& given,
                                            const Substep& substep, std::vector<ConstraintInput>& made) {
  ConstraintInput all = given;
  const bool is_energy = material.form == MaterialForm::pbd_energy;
  all.method = is_energy ? Method::pbd : Method::xpbd;  // the form brings its method with it
  const MembraneMatrix stiffness = membrane_matrix(material);
  constexpr std::size_t kFrame = 3;  // fields of the rest shape; the matrix stands behind them, row by row
  const std::size_t fields = all.type->rest_fields.size();
  for (std::size_t k = 0; k < body.triangles.size(); ++k) {
    const RestTriangle t = rest_triangle(body, body.triangles[k]);
    MembraneMatrix own = stiffness;
    if (frames[k].mirrored) {
      // Seen from the back the warp is turned round: shear changes its sign.
      for (std::size_t i = 0; i < 2; ++i) own[i][2] = own[2][i] = -own[i][2];
    }
    own = rotated(own, std::atan2(dot(t.across, frames[k].weft), dot(t.along, frames[k].weft)));
    double* out = &all.rest[k * fields];
    if (is_energy) {
      const TriangleRest<double> frame = TriangleRest<double>::from(t.corner, 1, 1);
      double AK[3][3];
      for (std::size_t i = 0; i < 9; ++i) AK[i / 3][i % 3] = own[i / 3][i % 3] * t.area;
      TriEnergyStVK<double>::from(frame.m00, frame.m01, frame.m11, AK).each([&](const char*, double& field) {
        *out++ = field;
      });
      continue;
    }
    own = inverse(own);
    out += kFrame;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j <= i; ++j) *out++ = own[i][j] / t.area;
    }
  }
  if (is_energy) {
    made.push_back(std::move(all));
    return {};
  }
  all.plasticity = material.plasticity;
  const double k_largest = largest_modulus(stiffness);
  const std::vector<double> resolution = membrane_resolutions(body, modulus_to_follow(stiffness), substep.dt);
  const bool comes_late = substep.iterations == 1 || substep.integrator == Integrator::bdf2;
  const double limit = comes_late ? substep.limit * part_for_shape(body) : substep.limit;
  std::vector<uint8_t> reset(body.triangles.size());
  for (std::size_t k = 0; k < reset.size(); ++k) reset[k] = resolution[k] > limit;
  add_kept_and_reset(all, reset, made);
  const double largest = *std::max_element(resolution.begin(), resolution.end());
  if (largest <= limit) return {};
  return UnresolvedCloth{largest, limit, membrane_softness(body, k_largest, reset, substep)};
}

std::string bending_type(const BodyInput& body, const ClothMaterial& material) {
  if (!(bending_stiffness(material) > 0)) return "";
  BendingModel model = BendingModel::triangles;
  if (material.bending_model) {
    model = *material.bending_model;
  } else if (!is_flat(body)) {
    model = BendingModel::dihedral;
  }
  switch (model) {
    case BendingModel::isometric:
      return "isometric_bend";
    case BendingModel::isometric_curved:
      return "isometric_bend_curved";
    case BendingModel::dihedral:
      return "bend";
    case BendingModel::triangles:
      break;
  }
  return "triangle_bend";
}

void scale_rest(ConstraintInput& constraints, double factor) {
  for (double& field : constraints.rest) field *= factor;
}

/// D of a plate from the stiffness of a constraint: on a lattice of right or of equilateral triangles a cylinder of
/// curvature c has D/2 c^2 per area when each hinge of angle a has D/2 |e|^2 a^2 / (A_0 + A_1), a third of what
/// bender14 has (docs/constraints/bending.md).
std::optional<UnresolvedCloth> add_bending(const BodyInput& body, double stiffness, const ConstraintInput& given,
                                           const Substep& substep, std::vector<ConstraintInput>& made) {
  ConstraintInput all = given;
  const std::size_t points = static_cast<std::size_t>(all.type->points), fields = all.type->rest_fields.size();
  const std::size_t count = all.particles.size() / points;
  const bool is_angle = all.type->name == "bend";
  const bool is_triangle = all.type->name == "triangle_bend";
  all.settings.compliance = is_triangle ? 1 : 3 / stiffness;
  if (is_triangle) scale_rest(all, std::sqrt(stiffness));
  const auto vertex = [&](int32_t particle) { return static_cast<std::size_t>(particle - body.first_particle); };
  const auto is_vertex = [&](int32_t particle) { return particle >= body.first_particle; };

  // The stiffness that the constraints give to each vertex: strength times squares of the gradients at rest.
  const double dt2 = substep.dt * substep.dt;
  std::vector<double> at(body.rest.size(), 0), alone(count, 0);
  for (std::size_t k = 0; k < count; ++k) {
    double b[6] = {}, square[6] = {};
    const int32_t* corner = &all.particles[k * points];
    if (is_angle) {
      const Vec3d x0 = body.rest[vertex(corner[0])], e = body.rest[vertex(corner[1])] - x0;
      double area0, area1, K[3];
      detail::hinge_shares(e, body.rest[vertex(corner[2])] - x0, body.rest[vertex(corner[3])] - x0, K, area0, area1);
      for (std::size_t i = 0; i < 3; ++i) b[i + 1] = K[i] / length(e);
      all.compliances.push_back((area0 + area1) / (dot(e, e) * stiffness));
    } else {
      for (std::size_t i = 1; i < points; ++i) b[i] = all.rest[k * fields + i - 1];
    }
    const std::size_t rows = is_triangle ? 3 : 1;
    for (std::size_t row = 0; row < rows; ++row) {
      if (is_triangle) std::copy_n(&all.rest[k * fields + row * 5], 5, b + 1);
      b[0] = -std::accumulate(b + 1, b + points, 0.0);
      for (std::size_t i = 0; i < points; ++i) square[i] += b[i] * b[i];
    }
    const double strength = 1 / (is_angle ? all.compliances.back() : all.settings.compliance);
    for (std::size_t i = 0; i < points; ++i) {
      if (!is_vertex(corner[i])) continue;
      const std::size_t v = vertex(corner[i]);
      at[v] += strength * square[i];
      alone[k] += dt2 * strength * square[i] / body.mass[v] / static_cast<double>(rows);
    }
  }
  std::vector<uint8_t> reset(count);
  UnresolvedCloth found{0, substep.limit, 0};
  double soft = 0;
  for (std::size_t k = 0; k < count; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < points; ++i) {
      if (const int32_t p = all.particles[k * points + i]; is_vertex(p)) sum += at[vertex(p)] / body.mass[vertex(p)];
    }
    const double resolution = sum * dt2 / kCornersOfCell;
    found.largest = std::max(found.largest, resolution);
    reset[k] = resolution > substep.limit;
    if (reset[k]) soft += alone[k] / static_cast<double>(count);
  }
  add_kept_and_reset(all, reset, made);
  if (found.largest <= substep.limit) return {};
  constexpr double kSpeed = 0.5;  // bending spreads more slowly over a mesh than stretch does
  found.softness = softness_of(soft, 0, substep.iterations, kSpeed);
  return found;
}

}  // namespace pliant
