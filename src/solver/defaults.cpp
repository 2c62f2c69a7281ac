#include "solver/defaults.h"

#include <algorithm>
#include <cmath>

#include "constraints/isometric_bend.h"
#include "constraints/registry.h"
#include "core/suggest.h"
#include "mesh/topology.h"
#include "solver/fabric.h"
#include "solver/world_impl.h"

namespace pliant {

namespace {

/// Gravity that sizes of stiffness are reckoned with [m/s^2], also where a scene has another one or none.
constexpr double kGravity = 9.81;

/// sum w |grad C|^2 dt^2 / compliance of one constraint, up to which a sweep gives back no more energy than was put in,
/// for each sweep of a substep: boxes of 8 and 20 cells, thrown and squeezed, gained at 0.5 and did not at 0.2.
constexpr double kFollowed = 0.2;
/// The same of linear bending, which adds no energy at any ratio: one projection takes four fifths of a bend. More is
/// hardly stiffer, and energy on paper only.
constexpr double kFollowedOfLinear = 4;

/// The extent of a body along its longest axis [m].
double extent_of(const BodyInput& body) {
  Vec3d low = body.rest[0], high = low;
  for (const Vec3d& x : body.rest) {
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
  }
  return std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

double middle_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A spring of a compliance that one sweep follows: at least `followed`. Its stiffness in pbd is the part of an error
/// that one projection with this compliance removes.
class Springs {
 public:
  explicit Springs(const WorldOptions& options)
      : dt2_(implicit_step(options) * implicit_step(options)), sweeps_(options.iterations) {}

  /// `weight`: sum w |grad C|^2 of the constraints in the middle.
  ConstraintSettings settings(double compliance, double weight, double limit = kFollowed) {
    const double followed = weight * dt2_ / (limit * sweeps_);
    softened = std::max(softened, followed / compliance);
    ConstraintSettings out;
    out.compliance = std::max(compliance, followed);
    const double ratio = weight * dt2_ / out.compliance;
    out.stiffness = ratio / (1 + ratio);
    return out;
  }

  double softened = 1;

 private:
  double dt2_;
  int sweeps_;
};

/// A constraint that looks across the edges of triangles resists bending.
bool bends(const std::string& type) {
  const TypeInfo* info = find_type(type);
  return info && (info->stencil == Stencil::hinges || (info->stencil == Stencil::triangles && info->points > 3));
}

/// Woven cloth bends under its own weight over a length of about a fiftieth of its size: Peirce's bending length c,
/// with D = weight per area c^3.
constexpr double kBendingLength = 1.0 / 50;

void add_bending(const BodyInput& body, const std::vector<double>& mass, const WorldOptions& options,
                 DefaultConstraints& out) {
  std::vector<double> weights;
  double area = 0, total = 0;
  for (const double m : mass) total += m;
  for (const Triangle& t : body.triangles) {
    area += length(cross(body.rest[t[1]] - body.rest[t[0]], body.rest[t[2]] - body.rest[t[0]])) / 2;
  }
  for (const Hinge& h : hinges_of(body.triangles)) {
    const int corner[4] = {h.edge0, h.edge1, h.opposite0, h.opposite1};
    const Vec3d x0 = body.rest[corner[0]];
    double K[3], area0, area1;
    detail::hinge_shares(body.rest[corner[1]] - x0, body.rest[corner[2]] - x0, body.rest[corner[3]] - x0, K, area0,
                         area1);
    const double K0 = -(K[0] + K[1] + K[2]);
    const double sum = K0 * K0 / mass[corner[0]] + K[0] * K[0] / mass[corner[1]] + K[1] * K[1] / mass[corner[2]] +
                       K[2] * K[2] / mass[corner[3]];
    weights.push_back(3 / (area0 + area1) * sum);
  }
  if (weights.empty()) return;
  const double stiffness = total / area * kGravity * std::pow(kBendingLength * extent_of(body), 3);
  Springs springs(options);
  constexpr double kOfPlate = 3;  // isometric_bend.h: a sheet is three times as stiff as 1 / compliance
  const bool flat = is_flat(body);
  out.constraints[flat ? "isometric_bend" : "isometric_bend_curved"] =
      springs.settings(kOfPlate / stiffness, middle_of(std::move(weights)), flat ? kFollowedOfLinear : kFollowed);
}

/// Stiffness of a spring per length over the weight per area that the body stands on: it sags by about a hundredth of
/// its height.
constexpr double kStiffnessOverWeight = 10;
/// Bulk modulus over that stiffness: volumes change by a tenth of what shapes do.
constexpr double kBulkOverStiffness = 20;

void add_springs(const BodyInput& body, const std::vector<double>& mass, const WorldOptions& options,
                 DefaultConstraints& out) {
  std::vector<double> lengths, edge_weights, volumes, volume_weights;
  for (const Edge& e : body.edges) {
    lengths.push_back(length(body.rest[e[1]] - body.rest[e[0]]));
    edge_weights.push_back(1 / mass[e[0]] + 1 / mass[e[1]]);
  }
  double volume = 0, total = 0;
  for (const double m : mass) total += m;
  for (const Tet& t : body.tets) {
    const Vec3d a = body.rest[t[1]] - body.rest[t[0]], b = body.rest[t[2]] - body.rest[t[0]],
                c = body.rest[t[3]] - body.rest[t[0]];
    const Vec3d g1 = cross(b, c) / 6, g2 = cross(c, a) / 6, g3 = cross(a, b) / 6, g0 = -(g1 + g2 + g3);
    volumes.push_back(std::abs(dot(a, g1)));
    volume += volumes.back();
    volume_weights.push_back(dot(g0, g0) / mass[t[0]] + dot(g1, g1) / mass[t[1]] + dot(g2, g2) / mass[t[2]] +
                             dot(g3, g3) / mass[t[3]]);
  }
  const double stiffness = kStiffnessOverWeight * (total / volume) * kGravity * extent_of(body);  // [Pa]
  Springs springs(options), pressures(options);
  out.constraints["distance"] =
      springs.settings(1 / (stiffness * middle_of(std::move(lengths))), middle_of(std::move(edge_weights)));
  out.constraints["tet_volume"] = pressures.settings(middle_of(std::move(volumes)) / (kBulkOverStiffness * stiffness),
                                                     middle_of(std::move(volume_weights)));
  out.softened = springs.softened;
}

/// Ties over 4 edges, and over 16 where more than 64 edges lie side by side: up to there a second level costs a fifth
/// of a step and gains nothing, and so does a third one from there on.
int levels_of_ties(const BodyInput& body) {
  constexpr double kEdgesOfOneLevel = 64;
  std::vector<double> lengths;
  for (const Edge& e : body.edges) lengths.push_back(length(body.rest[e[1]] - body.rest[e[0]]));
  return extent_of(body) > kEdgesOfOneLevel * middle_of(std::move(lengths)) ? 2 : 1;
}

}  // namespace

DefaultConstraints default_constraints(const BodyInput& body, const std::vector<double>& mass, const Constraints& given,
                                       const std::vector<std::string>& without, const WorldOptions& options,
                                       const std::string& where) {
  DefaultConstraints out;
  const bool has_edges = given.contains("distance");
  if (!body.tets.empty()) {
    add_springs(body, mass, options, out);
  } else {
    out.constraints["distance"] = {};
    if (!body.triangles.empty()) add_bending(body, mass, options, out);
    if (!has_edges) out.long_range = LongRange{.count = 2, .ties = levels_of_ties(body)};
  }
  const bool bends_itself = std::any_of(given.begin(), given.end(), [](const auto& c) { return bends(c.first); });
  std::vector<std::string> parts{"long_range"};
  for (const auto& [type, settings] : out.constraints) parts.push_back(type);
  for (const std::string& part : without) {
    if (part == "long_range") {
      out.long_range.reset();
    } else if (part == "distance") {
      out.long_range.reset();
      out.constraints.erase(part);
    } else if (bends(part)) {
      std::erase_if(out.constraints, [](const auto& c) { return bends(c.first); });
    } else if (find_type(part) || part == "balloon") {
      out.constraints.erase(part);
    } else {
      throw Error(where + ".without", "there is no '" + part + "' in what this body has by default",
                  did_you_mean(part, parts));
    }
  }
  std::erase_if(out.constraints,
                [&](const auto& c) { return given.contains(c.first) || (bends_itself && bends(c.first)); });
  return out;
}

}  // namespace pliant
