// script/soak contact: whatever touches whatever, nothing passes.
//
// Random generated bodies of sizes 1:100 are dropped, thrown, squeezed, twisted and pulled through holes, among random
// colliders, with random settings. After every frame the triangles of all bodies and colliders are tested exactly.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#include "contact/intersections.h"
#include "pliant/pliant.h"
#include "random.h"
#include "runner.h"

namespace pliant::soak {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// A case while it is made.
struct ContactCase {
  World world;
  std::string line;
  bool forced = false;  // pins or colliders with a path: they put energy in, and may leave no room
};

struct Drawn {
  std::string name;
  TriMesh cloth{};
  TetMesh solid{};
  Curve rope{};
};

Drawn draw_body(Random& random, double size, int cells) {
  switch (random.whole(0, 9)) {
    case 0:
      return {.name = "sheet", .cloth = grid({size, size * random.between(0.5, 1)}, {cells, cells})};
    case 1:
      return {.name = "ribbon", .cloth = grid({size * 0.15, size}, {2, cells * 2})};
    case 2:
      return {.name = "bag", .cloth = sphere(size / 2, cells < 8 ? 1 : 2)};
    case 3:
      return {.name = "tube", .cloth = torus(0.35 * size, 0.15 * size, 2 * cells, cells)};
    case 4:
      return {.name = "rope", .rope = rope({-size / 2, 0, 0}, {size / 2, 0, 0}, 3 * cells)};
    case 5:
      return {.name = "creature", .solid = tetrahedralize(blob(size, 24), {.tets = 60 * cells}).mesh};
    case 6:
      return {.name = "ring", .solid = torus_tets(0.35 * size, 0.12 * size, 2 * cells, 2)};
    case 7:
      return {.name = "ball", .solid = ball_tets(size / 2, std::max(2, cells / 3))};
    case 8:
      return {.name = "plank",
              .solid = box_tets({size, 0.2 * size, 0.1 * size}, {std::max(2, cells / 2), std::max(1, cells / 5), 1})};
    default:
      return {.name = "block",
              .solid = box_tets({size / 2, size / 2, size / 2},
                                {std::max(1, cells / 3), std::max(1, cells / 3), std::max(1, cells / 3)})};
  }
}

BodyId add_body(World& world, const Drawn& d, Random& random, Placement place, Vec3d velocity, double young) {
  const Material material{.model = random.chance(0.5) ? MaterialModel::neo_hookean : Material{}.model,
                          .young = young,
                          .poisson = random.between(0.2, 0.45),
                          .density = 1000};
  if (!d.solid.tets.empty()) {
    return world.add(Solid{.mesh = d.solid, .material = material, .place = place, .velocity = velocity});
  }
  if (!d.rope.edges.empty()) return world.add(Rope{.mesh = d.rope, .place = place, .velocity = velocity});
  return world.add(Cloth{.mesh = d.cloth, .place = place, .velocity = velocity});
}

std::string add_collider(World& world, Random& random, double size, ColliderOptions options) {
  const double r = size * random.log_between(0.05, 0.6);
  switch (random.whole(0, 8)) {
    case 0:
      world.add(Sphere{r}, options);
      return "sphere";
    case 1:
      world.add(Box{{r, 2 * r, size * random.between(0.1, 1)}}, options);
      return "box";
    case 2:
      world.add(Capsule{.radius = r / 2, .height = size}, options);
      return "capsule";
    case 3:
      world.add(Cylinder{.radius = r / 2, .height = size}, options);
      return "cylinder";
    case 4:
      world.add(Cone{.bottom_radius = r, .height = size}, options);
      return "cone";
    case 5: {
      HeightField field{.size = {3 * size, 3 * size}, .columns = 9, .rows = 9};
      for (int k = 0; k < 81; ++k) field.heights.push_back(0.2 * size * random.part());
      options.rotation = {};
      world.add(field, options);
      return "height field";
    }
    case 6:
      world.add(MeshSolid{torus(size * 0.3, size * random.between(0.05, 0.12), 24, 10)}, options);
      return "torus";
    case 7:
      world.add(MeshSolid{blob(size, 16)}, options);
      return "creature";
    default:
      options.rotation = {};
      world.add(MeshSurface{grid({2 * size, 2 * size}, {8, 8})}, options);
      return "surface";
  }
}

ContactCase make_case(Random& random, bool quick) {
  const double size = random.log_between(0.02, 2), young = random.log_between(1e3, 1e7);
  WorldOptions options;
  options.substeps = random.log_whole(5, quick ? 20 : 60);
  options.iterations = random.chance(0.8) ? 1 : random.whole(2, 4);
  options.threads = 1;
  options.contact =
      ContactOptions{.self = random.chance(0.8), .friction = random.chance(0.2) ? 0 : random.between(0, 1)};
  ContactCase c{World(options), {}, false};
  World& world = c.world;
  const int kind = random.whole(0, 4), cells = quick ? random.whole(5, 9) : random.log_whole(6, 24);
  static const char* const kKinds[] = {"drop", "throw", "squeeze", "twist", "pull"};
  c.line = fmt::format("{}, size {:.3g} m, cells {}, E {:.3g}, substeps {}, iterations {}, friction {:.2f}{}: ",
                       kKinds[kind], size, cells, young, options.substeps, options.iterations,
                       options.contact->friction, options.contact->self ? "" : ", not with itself");
  const auto turn = [&] { return random.direction() * random.between(0, kPi); };
  const auto put = [&](Vec3d position, Vec3d velocity = {}) {
    const Drawn d = draw_body(random, size, cells);
    c.line += d.name + " ";
    return add_body(world, d, random, {.position = position, .rotation = turn()}, velocity, young);
  };
  const auto collider_options = [&](Vec3d position) {
    ColliderOptions o{.position = position, .rotation = turn(), .friction = random.between(0, 1)};
    if (random.chance(0.3)) o.thickness = random.chance(0.5) ? 0 : 0.01 * size;
    return o;
  };
  if (kind <= 1) {  // dropped or thrown upon a collider over the ground
    c.line += add_collider(world, random, size, collider_options({})) + " ";
    world.add(Plane{.point = {0, -1.2 * size, 0}});
    const double speed = kind == 0 ? 0 : random.log_between(1, 300);
    if (kind == 1) c.line += fmt::format("at {:.3g} m/s ", speed);
    const int many = random.whole(1, quick ? 2 : 4);
    for (int k = 0; k < many; ++k) {
      put({random.between(-0.2, 0.2) * size, (1.5 + 1.3 * k) * size, random.between(-0.2, 0.2) * size}, {0, -speed, 0});
    }
  } else if (kind == 2) {  // between two plates that leave some room
    c.forced = true;
    const double room = random.between(0.15, 0.6);
    put({});
    for (const double side : {-1.0, 1.0}) {
      ColliderOptions o{.position = {0, side * 0.85 * size, 0}, .friction = 0.5};
      o.path = {{0, {}, {}}, {0.5, {0, -side * (0.75 - room / 2) * size, 0}, {}}};
      world.add(Box{{2 * size, 0.1 * size, 2 * size}}, o);
    }
    c.line += fmt::format("to {:.2f} ", room);
  } else if (kind == 3) {  // a towel
    c.forced = true;
    const int across = std::max(3, cells / 3);
    const BodyId body = world.add(Cloth{.mesh = grid({size, size / 3}, {cells, across})});
    std::vector<int> left, right;
    for (int j = across / 2 - 1; j <= across / 2 + 1; ++j) {
      left.push_back(j * (cells + 1));
      right.push_back(j * (cells + 1) + cells);
    }
    const double turns = random.between(0.5, 2.5), nearer = 0.12 * size * turns;
    world.pin(body, left, {{0, {}, {}}, {1, {nearer / 2, 0, 0}, {turns * kPi, 0, 0}}});
    world.pin(body, right, {{0, {}, {}}, {1, {-nearer / 2, 0, 0}, {-turns * kPi, 0, 0}}});
    c.line += fmt::format("towel by {:.2f} turns ", turns);
  } else {  // a cloth through a ring
    c.forced = true;
    const double tube = size * random.between(0.02, 0.05), hole = size * random.between(0.1, 0.25);
    const int even = cells + cells % 2;
    world.add(MeshSolid{torus(hole + tube, tube, 32, 10)}, {.friction = random.between(0, 0.5)});
    const BodyId body =
        world.add(Cloth{.mesh = grid({size, size}, {even, even}), .place = {.position = {0, 2 * tube, 0}}});
    world.pin(body, {even / 2 * (even + 1) + even / 2}, {{0, {}, {}}, {1.5, {0, -size, 0}, {}}});
    c.line += fmt::format("hole {:.2f} ", hole / size);
  }
  return c;
}

/// Pairs of triangles of bodies with each other, and with colliders, that intersect.
struct Pairs {
  int of_bodies = 0, with_colliders = 0;
};
Pairs intersecting(const World& world) {
  std::vector<Vec3d> x;
  std::vector<Triangle> triangles;
  std::vector<int> owner;
  const auto add = [&](const std::vector<Vec3d>& places, const std::vector<Triangle>& faces, int number) {
    const int first = static_cast<int>(x.size());
    x.insert(x.end(), places.begin(), places.end());
    for (const Triangle& t : faces) {
      triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      owner.push_back(number);
    }
  };
  for (int b = 0; b < world.body_count(); ++b) add(world.positions({b}), world.triangles({b}), b);
  const int bodies = world.body_count();
  for (int k = 0; k < world.collider_count(); ++k) {
    if (world.name(ColliderId{k}).starts_with("plane")) continue;  // what lies on it touches it
    TriMesh mesh = world.collider_shape({k});
    const ColliderPose pose = world.collider_pose({k});
    const double angle = length(pose.rotation);
    const Vec3d axis = angle > 0 ? pose.rotation / angle : Vec3d{0, 0, 1};
    for (Vec3d& p : mesh.positions) {
      p = pose.position + p * std::cos(angle) + cross(axis, p) * std::sin(angle) +
          axis * (dot(axis, p) * (1 - std::cos(angle)));
    }
    add(mesh.positions, mesh.triangles, bodies + k);
  }
  Pairs out;
  for (const IntersectingPair& p : intersecting_triangles(x, triangles)) {
    const int a = owner[p[0]], b = owner[p[1]];
    if (a >= bodies && b >= bodies) continue;
    if (a == b && !world.options().contact->self) continue;
    ++(a >= bodies || b >= bodies ? out.with_colliders : out.of_bodies);
  }
  return out;
}

Verdict judge(const Options& options, int index) {
  Random random(options.seed, index);
  ContactCase c = make_case(random, options.quick);
  World& world = c.world;
  Verdict verdict{c.line.substr(0, c.line.find(',')), "", c.line};
  world.build();
  const Pairs start = intersecting(world);
  if (start.of_bodies + start.with_colliders > 0) {
    verdict.description += "; starts in something, not judged";
    return verdict;
  }
  const int frames = options.quick ? 30 : 90;
  const Measures start_energy = world.measures();
  double highest_gain = 0, slowest = 0, sunk = 0;
  int first_bad = -1;
  Pairs most;
  bool finite = true;
  for (int frame = 1; frame <= frames && finite; ++frame) {
    const auto t0 = std::chrono::steady_clock::now();
    world.step();
    slowest = std::max(slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count());
    const Pairs now = intersecting(world);
    most.of_bodies = std::max(most.of_bodies, now.of_bodies);
    most.with_colliders = std::max(most.with_colliders, now.with_colliders);
    if (first_bad < 0 && now.of_bodies + now.with_colliders > 0) first_bad = frame;
    const Measures m = world.measures();
    finite = std::isfinite(m.total_energy) && std::isfinite(m.largest_strain);
    // What constraints store on the way counts when it comes out as motion (ledger.h); gravity's energy has no zero.
    sunk = std::max(sunk, start_energy.gravity_energy - m.gravity_energy);
    const double had = start_energy.kinetic_energy + start_energy.elastic_energy + sunk + 1e-6 * m.mass;
    const double gained = m.kinetic_energy + m.gravity_energy - start_energy.total_energy;
    if (!c.forced) highest_gain = std::max(highest_gain, gained / had);
    if (options.only) {
      std::printf("%4d pairs %d + %d, energy %.4g J, strain %.3g, slowed %lld\n", frame, now.of_bodies,
                  now.with_colliders, m.total_energy, m.largest_strain, static_cast<long long>(m.slowed));
    }
  }
  std::vector<std::string> symptoms;
  if (!finite) symptoms.emplace_back("NaN");
  // Where pins have left no room, and it was said, there is nothing to be judged.
  bool no_room = false;
  for (const Trouble& t : world.troubles()) no_room |= c.forced && t.kind == Trouble::Kind::forced_contact;
  if (most.of_bodies > 0 && !no_room) symptoms.emplace_back("bodies");
  if (most.with_colliders > 0 && !no_room) symptoms.emplace_back("colliders");
  if (highest_gain > 0.01) symptoms.emplace_back("energy");
  if (!c.forced && !world.troubles().empty()) symptoms.emplace_back("told");
  verdict.symptom = fmt::format("{}", fmt::join(symptoms, "+"));
  verdict.description +=
      fmt::format("; pairs {} + {}{}, gain {:.3g}, slowest step {:.3g} s", most.of_bodies, most.with_colliders,
                  first_bad > 0 ? fmt::format(" (from frame {})", first_bad) : "", highest_gain, slowest);
  for (const Trouble& t : world.troubles()) verdict.description += "; told: " + t.message;
  return verdict;
}

}  // namespace

int contact(const Options& options) {
  return run_cases("script/soak contact" + std::string(options.quick ? " --quick" : ""), options,
                   options.quick ? std::min(options.count, 20) : options.count,
                   [&](int index) { return judge(options, index); });
}

}  // namespace pliant::soak
