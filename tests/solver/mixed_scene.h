#pragma once
// One scene with a bit of everything that a Solver can do, for tests of properties that must hold for
// all of it together: same bits for any number of threads and lanes, no allocation, snapshots.
//
//   sheet      cloth, compliant distance with damping along the edges, bend, area; pinned on moving paths
//   ball       cloth balloon with pressure; soft         beach ball: the same with pbd
//   block      solid that keeps its multipliers; two-sided strengths
//   brick      solid by pbd
//   line       rope that goes slack, with Rayleigh damping
//   star       a hub of 400 springs that keep their multipliers, another of 400 by pbd
//   attachments to points, triangles, tets and vertices; long range attachments of the sheet and the line
//   fur        hair that rides on the ball;              tuft: hair with a rest shape, on a moving path
//   skin       tets that hover over the gel
//   wind with gusts
//   ground, a pole on a path, and a rigid ball on the sheet; contact of bodies with each other and with themselves
//
// With either integrator: mixed_options(Integrator::bdf2).

#include <cmath>
#include <numeric>
#include <vector>

#include "pliant/world.h"

namespace pliant::test {

/// Points of a sphere that are spread evenly (golden spiral), behind a first one in its middle.
inline Curve star_curve(int rays, double radius) {
  Curve curve;
  curve.positions.push_back({});
  for (int k = 0; k < rays; ++k) {
    const double z = 1 - (2 * k + 1.0) / rays, r = std::sqrt(1 - z * z), angle = k * 2.399963229728653;
    curve.positions.push_back({radius * r * std::cos(angle), radius * z, radius * r * std::sin(angle)});
  }
  for (int k = 1; k <= rays; ++k) curve.edges.push_back({0, k});
  return curve;
}

/// What the scene is stepped with unless a test changes it.
inline WorldOptions mixed_options(Integrator integrator = Integrator::euler) {
  return {.step = 1.0 / 60,
          .substeps = 2,
          .iterations = 2,
          .integrator = integrator,
          .wind = Wind{.velocity = {3, 0, 1}, .gust_strength = 0.5},
          .point_damping = 0.1,
          .global_damping = 0.5,
          .threads = 1,
          .contact = ContactOptions{}};
}

/// About 20000 constraints. `size` scales the number of cells of the sheet and the solids.
inline World mixed_world(WorldOptions options = mixed_options(), int size = 4) {
  World world(options);
  const int cells = 11 * size;
  const BodyId sheet = world.add(Cloth{.name = "sheet",
                                       .mesh = grid({2, 2}, {cells, cells}),
                                       .place = {.position = {0, 1, 0}},
                                       .constraints = {{"distance", {.compliance = 1e-6, .velocity_damping = 2}},
                                                       {"bend", {.compliance = 10, .damping = 0.01}},
                                                       {"triangle_area", {.compliance = 1e-5}},
                                                       {"edge_limit", {.stretch_max = 1.05}},
                                                       {"triangle_limit", {}}},
                                       .long_range = LongRange{.ties = 1}});
  const BodyId ball = world.add(Cloth{.name = "ball",
                                      .mesh = sphere(0.3, 2),
                                      .self_contact = false,  // it is blown up in no time
                                      .place = {.position = {0, 1.5, 0}, .rotation = {0.1, 0.2, 0.3}},
                                      .velocity = {1, 0, 0},
                                      .constraints = {{"distance", {.compliance = 1e-4}},
                                                      {"bend", {.compliance = 1}},
                                                      {"balloon", {.compliance = 1e-7, .pressure = 1.3}}}});
  const BodyId beach_ball = world.add(
      Cloth{.name = "beach ball",
            .mesh = sphere(0.2, 2),
            .self_contact = false,
            .place = {.position = {-1.2, 0.55, 1.2}},
            .method = Method::pbd,
            .constraints = {{"distance", {.stiffness = 0.5}}, {"balloon", {.stiffness = 0.9, .pressure = 1.5}}}});
  const BodyId block =
      world.add(Solid{.name = "block",
                      .mesh = box_tets({0.8, 0.4, 0.4}, {2 * size, size, size}),
                      .place = {.position = {-1, 0, 1}},
                      .constraints = {{"distance", {.compliance = 1e-4, .keep_multipliers = true}},
                                      {"tet_volume", {.compliance = 1e-9, .compression_compliance = 1e-10}}}});
  const BodyId brick = world.add(Solid{.name = "brick",
                                       .mesh = box_tets({0.5, 0.5, 0.5}, {size, size, size}, CellSplit::six),
                                       .place = {.position = {1, 0, -1}, .rotation = {0.5, 0, 0}},
                                       .method = Method::pbd,
                                       .constraints = {{"distance", {.stiffness = 0.7, .compression_stiffness = 0.2}},
                                                       {"tet_volume", {.stiffness = 1}}}});
  // Elastic ones: one whose multipliers are kept and one too stiff for that, flying freely.
  Material gel;
  gel.young = 1e4;
  gel.density = 100;
  const BodyId gel_body = world.add(Solid{.name = "gel",
                                          .mesh = box_tets({0.4, 0.4, 0.4}, {size / 2, size / 2, size / 2}),
                                          .material = gel,
                                          .place = {.position = {2, 1, -2}},
                                          .velocity = {0, 2, 0},
                                          .constraints = {{"tet_stvk", {.damping = 0.002}}}});
  Material rubber;
  rubber.model = MaterialModel::neo_hookean;
  rubber.fibers = {{.direction = {1, 0.5, 0}, .stiffness = 1e4}};
  rubber.young = 1e6;
  rubber.poisson = 0.45;
  const BodyId gum = world.add(Solid{.name = "gum",
                                     .mesh = box_tets({0.6, 0.2, 0.2}, {size, size / 2, size / 2}),
                                     .material = rubber,
                                     .place = {.position = {-2, 1, -2}}});
  std::vector<Vec3d> spin = world.rest_positions(gum);
  for (Vec3d& v : spin) v = cross(Vec3d{1, 2, 0}, v) + v * 0.3;
  const BodyId line =
      world.add(Rope{.name = "line",
                     .mesh = rope({0, 0, 0}, {1, 0.2, 0}, 40),
                     .place = {.position = {-1, 1.2, -1}},
                     .constraints = {{"distance", {.compliance = 1e-5, .unilateral = true, .damping = 0.002}}},
                     .long_range = LongRange{}});
  const BodyId hub = world.add(
      Rope{.name = "star",
           .mesh = star_curve(400, 0.4),
           .self_contact = false,
           .place = {.position = {2, 0, 2}},
           .velocity = {0, 1, 0},
           .constraints = {{"distance", {.compliance = 1e-3, .velocity_damping = 1, .keep_multipliers = true}}}});
  world.add(Rope{.name = "pbd star",
                 .mesh = star_curve(400, 0.3),
                 .self_contact = false,
                 .place = {.position = {-2, 0, 2}},
                 .method = Method::pbd,
                 .constraints = {{"distance", {.stiffness = 0.6}}}});
  const TriMesh head = sphere(0.3, 2);
  world.add(Hair{.name = "fur",
                 .mesh = grow(head, scatter(head, 70), {.length = 0.2, .segments = 8}),
                 .shape_frequency = 2,
                 .on = ball});
  const TriMesh plate = grid({0.2, 0.2}, {6, 4});
  const BodyId tuft = world.add(Hair{
      .name = "tuft",
      .mesh = grow(plate, vertex_points(plate), {.length = 0.3, .segments = 9, .curl_radius = 0.01, .curl_turns = 3}),
      .place = {.position = {0, 2.5, 1}},
      .shape_frequency = 4});
  std::vector<int> roots;
  for (int v = 0; v < world.vertex_count(tuft); v += 10) roots.push_back(v);
  world.pin(tuft, roots, {{0, {}, {}}, {0.5, {0.1, 0, 0}, {0, 1, 0.5}}});
  const BodyId skin = world.add(Solid{.name = "skin",
                                      .mesh = skin_layer(sphere(0.1, 2), 0.03),
                                      .place = {.position = {2, 1.4, -2}},
                                      .constraints = {{"distance", {.compliance = 1e-3}}, {"tet_volume", {}}}});
  std::vector<int> inner(sphere(0.1, 2).positions.size());
  std::iota(inner.begin(), inner.end(), 0);
  world.ride(skin, inner, gel_body);
  // The other materials, started from a mirrored and flattened shape so that inverted elements take part.
  Material other;
  other.young = 1e5;
  std::vector<Material> materials(9, other);
  materials[0].model = MaterialModel::corotated;
  materials[1].plasticity = Plasticity{.model = PlasticModel::additive, .yield = 0.01};
  materials[2].model = MaterialModel::neo_hookean;
  materials[2].plasticity = Plasticity{.yield = 0.01};
  materials[3].model = MaterialModel::orthotropic;
  for (std::size_t k = 4; k < 8; ++k) {
    materials[k].model = k % 2 == 0 ? MaterialModel::stvk : MaterialModel::neo_hookean;
    materials[k].form = k < 6 ? MaterialForm::pbd_energy : MaterialForm::cao22_density;
  }
  materials[8].model = MaterialModel::neo_hookean_stable;
  std::vector<BodyId> crushed;
  for (const Material& material : materials) {
    const double place = -2 + 0.5 * static_cast<double>(crushed.size());
    crushed.push_back(world.add(Solid{.name = "crushed " + std::to_string(crushed.size()),
                                      .mesh = box_tets({0.3, 0.2, 0.2}, {4, 3, 3}),
                                      .material = material,
                                      .self_contact = false,  // it starts inside out
                                      .place = {.position = {place, 3, 0}}}));
  }

  // Cloth with materials: each form and each kind of bending, taut ones and slack ones, and strains.
  struct Fabric {
    ClothMaterial material;
    Method method = Method::xpbd;
  };
  const Fabric fabrics[] = {
      {{.young = 1e5, .bending = 1e-4}},
      {{.young = 1e6,
        .compression = ClothCompression::folds,
        .bending = 1e-5,
        .bending_model = BendingModel::isometric}},
      {{.form = MaterialForm::pbd_energy, .bending = 1e-4, .bending_model = BendingModel::isometric_curved},
       Method::pbd},
      {{.young = 2e4, .plasticity = Plasticity{.yield = 0.002, .creep = 20, .max = 0.5}, .bending = 1e-4}},
  };
  std::vector<BodyId> fallen;
  for (const Fabric& fabric : fabrics) {
    const double place = -3 + 1.0 * static_cast<double>(fallen.size());
    fallen.push_back(world.add(Cloth{.name = "fabric " + std::to_string(fallen.size()),
                                     .mesh = grid({0.6, 0.4}, {size + 1, size}),
                                     .material = fabric.material,
                                     .place = {.position = {place, 4, 0}, .rotation = {0.3, 0, 0.2}},
                                     .method = fabric.method}));
  }
  ClothStrain strain;
  strain.area = {0.5, 100};
  world.add(Cloth{.name = "strained cloth",
                  .mesh = grid({0.6, 0.4}, {size, size}),
                  .strain = strain,
                  .place = {.position = {1, 4, 0}}});
  SolidStrain strains;
  strains.volume = {0.1, 1000};
  for (StrainStrength& s : strains.stretch) s.stiffness = 0.2;
  for (StrainStrength& s : strains.shear) s.stiffness = 0.2;
  world.add(Solid{.name = "strained solid",
                  .mesh = box_tets({0.4, 0.3, 0.3}, {size, 3, 3}),
                  .strain = strains,
                  .place = {.position = {2, 4, 0}},
                  .velocity = {0, 1, 1},
                  .method = Method::pbd});

  world.add(Plane{.point = {0, -0.35, 0}}, {.friction = 0.3});
  world.add(Capsule{.radius = 0.1, .height = 0.5},
            {.position = {-2.1, 0.8, -2}, .restitution = 0.3, .path = {{0, {}, {}}, {1, {1, 0.2, 0}, {0, 0, 1}}}});
  world.add(Sphere{.radius = 0.15}, {.position = {-0.5, 1.17, 0.4}, .density = 30, .spin = {3, 0, 0}});

  std::vector<int> edge(static_cast<std::size_t>(cells) + 1);
  std::iota(edge.begin(), edge.end(), 0);
  world.pin(sheet, edge, {{0, {}, {}}, {1, {0.2, 0.1, 0}, {0, 0, 0.4}}, {3, {0, 0.5, 0.1}, {0.3, 0, 0}}});
  world.pin(sheet, {(cells + 1) * (cells + 1) - 1});
  world.pin(line, {0});
  for (const BodyId body : fallen) world.pin(body, {0, size + 1});
  world.attach(ball, 0, {0, 1.85, 0}, {.compliance = 1e-2});
  world.attach(brick, 0, {1, 1, -1}, {.compliance = 1e-3, .damping = 0.01});
  world.attach_nearest(line, 40, sheet, {.compliance = 1e-5});
  world.attach_nearest(beach_ball, 3, block, {.compliance = 1e-2});
  world.attach(line, 20, ball, std::array{5}, std::array{1.0}, {.compliance = 1e-1});
  const Tet corners = world.tets(brick)[0];
  world.attach(hub, 1, brick, corners, std::array{0.25, 0.25, 0.25, 0.25}, {.compliance = 1, .keep_multipliers = true});
  world.set_acceleration(ball, {0, 3, 0});
  world.set_force(brick, {0, 0, 5});
  std::vector<Vec3d> wind(static_cast<std::size_t>(world.vertex_count(sheet)), Vec3d{0, 1e-4, 0});
  for (std::size_t v = 0; v < wind.size(); v += 7) wind[v].z = 2e-4;
  world.set_vertex_forces(sheet, wind);
  world.set_velocities(gum, spin);
  for (const BodyId body : crushed) {
    std::vector<Vec3d> x = world.positions(body);
    for (Vec3d& p : x) p.y = 3 - 0.2 * (p.y - 3);
    world.set_positions(body, x);
  }
  return world;
}

}  // namespace pliant::test
