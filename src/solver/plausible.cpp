#include "solver/plausible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "solver/world_impl.h"

namespace pliant {

namespace {

// Bounds, each with its reason. docs/plausibility.md is the same list.
constexpr double kLongStep = 0.5;       // [s] in which all that falls falls more than a metre
constexpr double kShortSubstep = 1e-6;  // [s] in which sound goes 5 mm in steel
constexpr double kCentrifuge = 1e7;     // [m/s^2] in the fastest of them
constexpr double kSticky = 10;          // friction: rubber has 1 to 2, soft silicone on glass about 4
constexpr double kStill = 17;           // exp(-17) = 4e-8: what is left of a velocity is below its rounding
constexpr double kMountain = 1e4;       // [m] rock does not bear higher ones
constexpr double kLightWave = 1e-6;     // [m] of which a body is no continuum any more
constexpr double kExplosive = 2900;     // [m/s] v^2 / 2 = 4.2 MJ/kg, the energy of TNT
constexpr double kSound = 343;          // [m/s] in air
constexpr double kLeap = 100;           // sizes in a substep
constexpr double kOsmium = 22600;       // [kg/m^3] the heaviest matter on Earth
constexpr double kAerographene = 0.16;  // [kg/m^3] the lightest solid
constexpr double kOsmiumPlate = 226;    // [kg/m^2] a centimetre of it
constexpr double kGraphene = 7.6e-7;    // [kg/m^2] one layer of atoms
constexpr double kBridgeCable = 5000;   // [kg/m] of the Golden Gate Bridge, 0.92 m thick
constexpr double kSpiderThread = 1e-9;  // [kg/m] a tenth of the thinnest
constexpr double kDiamond = 1.2e12;     // [Pa] Young's modulus
constexpr double kPuddle = 100;         // density g size / E: it would lie there with a hundredth of its height
constexpr double kMinute = 60;          // [s] that a push takes to the other end
constexpr double kLocks = 0.4999;       // Poisson's ratio: volume is kept 1700 times as strongly as shape
constexpr double kFoam = -0.7;          // Poisson's ratio of foams that widen when they are pulled
constexpr double kDigits = 1e-3;        // of an edge, that positions should be known to

/// Doubts about one field of one owner, a body or a collider; the world itself has no name. What copies of a body have
/// in common is told once.
struct Doubts {
  struct Line {
    std::string owner, rest;
    int more = 0;  // owners of which the same is true
  };
  std::vector<Line> lines;
  std::string owner{};

  void add_if(bool doubtful, const std::string& field, const std::string& found, const std::string& why,
              const std::string& remedy) {
    if (!doubtful) return;
    const std::string rest = fmt::format("{}: {}: {}; {}", field, found, why, remedy);
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& l) { return l.rest == rest; });
    if (same == lines.end()) {
      lines.push_back({owner, rest});
    } else {
      same->more += same->owner != owner;
    }
  }
};

struct Box {
  Vec3d low, high;
  double size() const { return std::max({high.x - low.x, high.y - low.y, high.z - low.z}); }
  double reach() const { return std::max(length(low), length(high)); }
};
Box box_of(const std::vector<Vec3d>& points) {
  Box box{points.front(), points.front()};
  for (const Vec3d& x : points) {
    box.low = {std::min(box.low.x, x.x), std::min(box.low.y, x.y), std::min(box.low.z, x.z)};
    box.high = {std::max(box.high.x, x.x), std::max(box.high.y, x.y), std::max(box.high.z, x.z)};
  }
  return box;
}

double mean_edge(const BodyInput& body) {
  double sum = 0;
  for (const Edge& e : body.edges) sum += length(body.rest[e[0]] - body.rest[e[1]]);
  return body.edges.empty() ? 0 : sum / static_cast<double>(body.edges.size());
}

/// Volume of a solid, area of a cloth, length of a line.
double measure_of(const BodyInput& body) {
  double sum = 0;
  const auto& x = body.rest;
  for (const Tet& t : body.tets) sum += dot(x[t[1]] - x[t[0]], cross(x[t[2]] - x[t[0]], x[t[3]] - x[t[0]])) / 6;
  if (!body.tets.empty()) return sum;
  for (const Triangle& t : body.triangles) sum += length(cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]])) / 2;
  if (!body.triangles.empty()) return sum;
  return mean_edge(body) * static_cast<double>(body.edges.size());
}

constexpr const char* kNoCentrifuge = "that is more than in the fastest centrifuges, a million times gravity";
constexpr const char* kNothingSticks = "rubber has 1 to 2, and no dry things have more than 10";

void check_world(const WorldOptions& o, const Loads& loads, Doubts& out) {
  const double substep = o.step / o.substeps, gravity = length(loads.gravity);
  out.add_if(o.step > kLongStep, "step", fmt::format("{:g} s", o.step), "all that falls falls more than a metre in it",
             "it is in seconds, such as 1/60 (fps 60)");
  out.add_if(substep < kShortSubstep, "step", fmt::format("a substep has {:.3g} s", substep),
             "in a microsecond sound goes 5 mm in steel, and a second takes a million of them",
             "step is in seconds; or use fewer substeps");
  out.add_if(gravity > kCentrifuge, "gravity", fmt::format("{:.4g} m/s^2", gravity), kNoCentrifuge,
             "the Earth has 9.81");
  if (o.contact) {
    out.add_if(o.contact->friction > kSticky, "contact.friction", fmt::format("{:g}", o.contact->friction),
               kNothingSticks, "give a coefficient such as 0.5");
  }
  if (loads.wind) {
    const double speed = length(loads.wind->velocity);
    out.add_if(speed > kSound, "wind.velocity", fmt::format("{:.4g} m/s", speed),
               "that is faster than sound, where drag follows other laws", "a storm has 30 m/s");
  }
  out.add_if(o.point_damping * o.step > kStill, "point_damping", fmt::format("{:g} 1/s", o.point_damping),
             "of a velocity less than its rounding is left after a step, so that nothing moves",
             "1/s takes two thirds out of it in a second");
}

void check_velocity(const std::string& where, double speed, double size, double substep, Doubts& out) {
  out.add_if(speed > kExplosive, where, fmt::format("{:.4g} m/s", speed),
             "its energy is more than that of its weight in TNT", "it is in metres per second");
  out.add_if(speed <= kExplosive && speed * substep > kLeap * size, where, fmt::format("{:.4g} m/s", speed),
             fmt::format("it moves {:.0f} times its size in a substep", speed * substep / size),
             "use a lower speed, or more substeps");
}

/// `size` of what is moved.
void check_motion(const std::string& where, const std::vector<Keyframe>& path, double size, const WorldOptions& o,
                  Doubts& out) {
  const double substep = o.step / o.substeps;
  for (std::size_t k = 0; k < path.size(); ++k) {
    // Before its first key a path stands still; where that is not the start, the first substep goes there at once.
    const bool first = k == 0;
    const double time = first ? substep : path[k].time - path[k - 1].time;
    const Vec3d move = first ? path[0].move : path[k].move - path[k - 1].move;
    const Vec3d turn = first ? Vec3d{} : path[k].turn - path[k - 1].turn;
    const double speed = length(move) / std::max(time, substep);
    const bool leaps = speed > kSound || speed * substep > kLeap * size;
    out.add_if(leaps, fmt::format("{}[{}].move", where, k),
               fmt::format("{:.4g} m within {:.3g} s", length(move), std::max(time, substep)),
               "that is a jump, which pulls apart what hangs on it",
               first ? "begin with a key that does not move" : "leave more time between the keys, or move less");
    const double turned = length(turn) / std::max(time, o.step) * o.step;
    out.add_if(turned > std::numbers::pi, fmt::format("{}[{}].turn", where, k),
               fmt::format("{:.3g} turns in a step", turned / (2 * std::numbers::pi)),
               "nobody sees which way something turns that goes farther than half a turn from picture to picture",
               "leave more time between the keys, or turn less");
  }
}

void check_density(const BodyInput& body, Doubts& out) {
  struct Bounds {
    double least, most;
    const char *unit, *light, *heavy, *remedy;
  };
  constexpr Bounds kSolid{0.1 * kAerographene,
                          10 * kOsmium,
                          "kg/m^3",
                          "a tenth of the lightest solid there is",
                          "ten times osmium, the heaviest matter",
                          "water has 1000 kg/m^3"};
  constexpr Bounds kCloth{kGraphene,
                          kOsmiumPlate,
                          "kg/m^2",
                          "less than a single layer of atoms",
                          "more than a centimetre of osmium, the heaviest metal",
                          "a cloth has 0.1 to 1 kg/m^2"};
  constexpr Bounds kLine{kSpiderThread,
                         kBridgeCable,
                         "kg/m",
                         "a tenth of the thinnest spider thread",
                         "more than a cable of the Golden Gate Bridge",
                         "a rope has 0.1 kg/m, a hair 1e-5"};
  const Bounds& b = !body.tets.empty() ? kSolid : !body.triangles.empty() ? kCloth : kLine;
  const double density = std::accumulate(body.mass.begin(), body.mass.end(), 0.0) / measure_of(body);
  const bool heavy = density > b.most * (1 + 1e-9);
  out.add_if(heavy || density < b.least * (1 - 1e-9), "density", fmt::format("{:.4g} {}", density, b.unit),
             heavy ? b.heavy : b.light, b.remedy);
}

void check_material(const BodyInput& body, double size, double gravity, Doubts& out) {
  const Material& m = *body.material;
  const std::string where = "material";
  const ElasticityMatrix k = elasticity_matrix(m);
  const double soft = std::min({k[0][0], k[1][1], k[2][2]}), stiff = std::max({k[0][0], k[1][1], k[2][2]});
  const bool isotropic = m.model != MaterialModel::orthotropic && m.model != MaterialModel::anisotropic;
  const double young = isotropic ? m.young : soft;
  const std::string field = isotropic ? where + ".young" : where;
  const std::string given = fmt::format("{:.3g} Pa", young);
  const std::string soft_remedy = "it is in pascals: jelly has 1e4, rubber 1e6, steel 2e11";
  out.add_if(gravity > 0 && m.density * gravity * size > kPuddle * young, field, given,
             fmt::format("under its weight it would lie as a puddle, as it bears {:.2g} m of itself and is {:.3g} m "
                         "large",
                         young / (m.density * gravity), size),
             soft_remedy);
  out.add_if(!(gravity > 0) && size > kMinute * std::sqrt(young / m.density), field, given,
             fmt::format("a push takes {:.2g} s to its other end", size / std::sqrt(young / m.density)), soft_remedy);
  const double hard = isotropic ? m.young : stiff;
  out.add_if(hard > kDiamond, field, fmt::format("{:.3g} Pa", hard), "that is stiffer than diamond, 1.2e12",
             soft_remedy);
  if (!isotropic) return;
  out.add_if(m.poisson > kLocks, where + ".poisson", fmt::format("{:.6g}", m.poisson),
             "volume is kept 1700 times as strongly as shape, and tets lock",
             "0.49 keeps the volume of rubber well enough");
  out.add_if(m.poisson < kFoam, where + ".poisson", fmt::format("{:g}", m.poisson),
             "no foam widens as much when it is pulled", "most materials have 0.2 to 0.45");
}

void check_fabric(const BodyInput& body, const ClothMaterial& m, double gravity, Doubts& out) {
  const double size = box_of(body.rest).size();
  const MembraneMatrix k = membrane_matrix(m);
  const double mass = std::accumulate(body.mass.begin(), body.mass.end(), 0.0);
  const double soft = std::min(k[0][0], k[1][1]), bears = soft * measure_of(body) / (mass * gravity);
  out.add_if(gravity > 0 && size > kPuddle * bears, "material", fmt::format("{:.3g} N/m", soft),
             fmt::format("it bears {:.2g} m of itself and is {:.3g} m large, so that it would only fall", bears, size),
             "a cloth has 100 to 1e5 N/m, Young's modulus [Pa] times thickness [m]");
  if (m.model != ClothModel::isotropic) return;
  out.add_if(m.young > kDiamond, "material.young", fmt::format("{:.3g} Pa", m.young),
             "that is stiffer than diamond, 1.2e12", "it is in pascals: rubber has 1e6, nylon 3e9");
  out.add_if(m.thickness > size, "material.thickness", fmt::format("{:g} m", m.thickness),
             "it is thicker than it is wide", "it is in metres: a shirt has 5e-4");
}

void check_body(const BodyInput& body, Vec3d acceleration, double gravity, const WorldOptions& o, Doubts& out) {
  const double size = box_of(body.rest).size(), edge = mean_edge(body);
  const double away = box_of(body.start).reach();
  out.add_if(size > kMountain, "shape", fmt::format("it is {:.3g} m large", size), "no mountain is higher than 10 km",
             "all lengths are in metres; `place.scale` makes it smaller");
  out.add_if(size < kLightWave, "shape", fmt::format("it is {:.3g} m large", size),
             "that is shorter than a wave of light", "all lengths are in metres; `place.scale` makes it larger");
  // Positions are pairs of floats, which have 48 binary digits, or doubles.
  const double rounding = away * (computes_in_double(o) ? std::numeric_limits<double>::epsilon() : 0x1p-48);
  out.add_if(rounding > kDigits * edge, "place.position", fmt::format("it is {:.3g} m away", away),
             fmt::format("numbers end at {:.1g} m there, and its edges have {:.1g} m", rounding, edge),
             "put the scene near the origin");
  out.add_if(length(acceleration) > kCentrifuge, "acceleration", fmt::format("{:.4g} m/s^2", length(acceleration)),
             kNoCentrifuge, "gravity is 9.81");
  check_velocity("velocity", length(body.velocity), size, o.step / o.substeps, out);
  check_density(body, out);
  if (body.material) check_material(body, size, gravity, out);
}

void check_collider(const ColliderInput& collider, const WorldOptions& o, Doubts& out) {
  const ColliderOptions& c = collider.options;
  out.add_if(std::max(c.friction, c.static_friction.value_or(0)) > kSticky, "friction",
             fmt::format("{:g}", std::max(c.friction, c.static_friction.value_or(0))), kNothingSticks,
             "give a coefficient such as 0.5");
  check_velocity("velocity", length(c.velocity), INFINITY, o.step / o.substeps, out);
  check_motion("path", c.path, INFINITY, o, out);
  if (collider.rigid < 0) return;
  const double density = 1 / (collider.body.inverse_mass * collider.shape->mass().volume);
  out.add_if(density > 10 * kOsmium * (1 + 1e-9), c.mass ? "mass" : "density", fmt::format("{:.4g} kg/m^3", density),
             "ten times osmium, the heaviest matter", "steel has 7800 kg/m^3");
}

}  // namespace

std::vector<std::string> doubts(const ModelInput& input, const std::vector<std::optional<ClothMaterial>>& fabrics,
                                const WorldOptions& options, const Loads& loads) {
  Doubts out;
  check_world(options, loads, out);
  const double gravity = length(loads.gravity);
  for (std::size_t b = 0; b < input.bodies.size(); ++b) {
    out.owner = input.bodies[b].name + ".";
    check_body(input.bodies[b], loads.acceleration[b], gravity, options, out);
    if (fabrics[b]) check_fabric(input.bodies[b], *fabrics[b], gravity, out);
  }
  for (const PinInput& pin : input.pins) {
    if (pin.path.empty() || pin.particles.empty()) continue;
    const auto of = std::find_if(input.bodies.begin(), input.bodies.end(), [&](const BodyInput& b) {
      return pin.particles[0] < b.first_particle + b.vertices();
    });
    out.owner = of->name + ".";
    check_motion("pin.path", pin.path, box_of(of->rest).size(), options, out);
  }
  for (const ColliderInput& collider : input.colliders) {
    out.owner = collider.name + ".";
    check_collider(collider, options, out);
  }
  std::vector<std::string> lines;
  for (const Doubts::Line& line : out.lines) {
    lines.push_back(line.owner + line.rest);
    if (line.more > 0) lines.back() += fmt::format(" (and {} more like it)", line.more);
  }
  return lines;
}

}  // namespace pliant
