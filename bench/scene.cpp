#include "scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "constraints/isometric_bend.h"
#include "constraints/registry.h"
#include "mesh/topology.h"
#include "solver/elastic.h"
#include "solver/fabric.h"

namespace pliant::bench {

namespace {

using baseline::Vector3f;

constexpr double kClothCell = 0.01;                                                    // [m]
constexpr double kBeamCell = 0.02;                                                     // [m]
constexpr double kDensityOfCloth = 0.2, kDensityOfSolid = 1000, kDensityOfRope = 0.1;  // [kg/m^2, kg/m^3, kg/m]

const std::vector<Vec3d>& positions_of(const SceneBody& body) {
  return std::visit([](const auto& mesh) -> const std::vector<Vec3d>& { return mesh.positions; }, body.mesh);
}

Vector3f to_eigen(const Vec3d& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

template <class Kind, class Mesh>
BodyId add_as(World& world, const Mesh& mesh, double density, const SceneBody& from) {
  Kind body;
  body.mesh = mesh;
  body.density = density;
  body.constraints = from.constraints;
  if constexpr (std::is_same_v<Kind, Solid>) {
    body.material = from.material;
    body.strain = from.solid_strain;
  }
  if constexpr (std::is_same_v<Kind, Cloth>) {
    body.material = from.fabric;
    body.strain = from.strain;
  }
  return world.add(body);
}

BodyId add_to(World& world, const SceneBody& body) {
  if (const auto* cloth = std::get_if<TriMesh>(&body.mesh)) {
    return add_as<Cloth>(world, *cloth, kDensityOfCloth, body);
  }
  if (const auto* solid = std::get_if<TetMesh>(&body.mesh)) {
    return add_as<Solid>(world, *solid, kDensityOfSolid, body);
  }
  return add_as<Rope>(world, std::get<Curve>(body.mesh), kDensityOfRope, body);
}

/// The parts of a mesh that the baseline's constraints are made from, in mesh order.
struct Elements {
  std::vector<Edge> edges;
  std::vector<Triangle> triangles;
  std::vector<Tet> tets;
  std::vector<double> mass;  // [kg]
};

Elements elements_of(const SceneBody& body) {
  const std::vector<Vec3d>& x = positions_of(body);
  if (const auto* cloth = std::get_if<TriMesh>(&body.mesh)) {
    return {edges_of(cloth->triangles), cloth->triangles, {}, lumped_masses(cloth->triangles, x, kDensityOfCloth)};
  }
  if (const auto* solid = std::get_if<TetMesh>(&body.mesh)) {
    return {edges_of(solid->tets), surface_of(*solid), solid->tets, lumped_masses(solid->tets, x, kDensityOfSolid)};
  }
  const auto& rope = std::get<Curve>(body.mesh);
  return {rope.edges, {}, {}, lumped_masses(rope.edges, x, kDensityOfRope)};
}

/// The signed angle that Bend keeps, at rest.
double hinge_angle(const Hinge& h, const std::vector<Vec3d>& x) {
  const Vec3d e = x[h.edge1] - x[h.edge0], d2 = x[h.opposite0] - x[h.edge0], d3 = x[h.opposite1] - x[h.edge0];
  const Vec3d n2 = cross(e, d2), n3 = cross(d3, e);
  return std::atan2(-length(e) * dot(d2, n3), dot(n2, n3));
}

/// Rest data of triangles that lie in space, the first direction along x as far as their planes allow.
baseline::TriRest triangle_rest(const Triangle& t, const std::vector<Vec3d>& x, const MembraneMatrix& k, int first) {
  const auto vector = [&](int v) { return Eigen::Vector3d(x[v].x, x[v].y, x[v].z); };
  const Eigen::Vector3d e1 = vector(t[1]) - vector(t[0]), e2 = vector(t[2]) - vector(t[0]);
  const Eigen::Vector3d normal = e1.cross(e2).normalized(), axis = Eigen::Vector3d::UnitX();
  const Eigen::Vector3d weft = (axis - normal * normal.dot(axis)).normalized(), warp = normal.cross(weft);
  Eigen::Matrix2d Dm;
  Dm << weft.dot(e1), weft.dot(e2), warp.dot(e1), warp.dot(e2);
  Eigen::Matrix3f K;
  for (int i = 0; i < 9; ++i) K(i / 3, i % 3) = static_cast<float>(k[i / 3][i % 3]);
  return {{first + t[0], first + t[1], first + t[2]},
          Dm.inverse().cast<float>(),
          static_cast<float>(Dm.determinant() / 2),
          K};
}

/// The shares of a type that is linear in the positions.
template <template <class> class Type, int N>
baseline::LinearBend<N> linear_bend(const std::array<int, N>& corners, const std::vector<Vec3d>& x, float compliance,
                                    int first) {
  Vec3d at[N];
  for (int i = 0; i < N; ++i) at[i] = x[corners[i]];
  const auto rest = Type<double>::rest(at);
  double b[N];
  Type<double>::shares(rest, b);
  baseline::LinearBend<N> out{};
  for (int i = 0; i < N; ++i) {
    out.particles[i] = first + corners[i];
    out.shares[i] = static_cast<float>(b[i]);
  }
  out.compliance = compliance;
  return out;
}

/// False if the baseline does not have this cloth's constraints.
bool add_cloth(baseline::Simulation& out, const SceneBody& body, const std::vector<Triangle>& triangles,
               const std::vector<Vec3d>& rest, int first) {
  if (body.fabric) {
    const std::string type = membrane_type(*body.fabric);
    for (const Triangle& t : triangles) {
      const baseline::TriRest r = triangle_rest(t, rest, membrane_matrix(*body.fabric), first);
      if (type == "tri_stvk") {
        std::get<std::vector<baseline::TriStVK>>(out.constraints).push_back({r, (r.area * r.elasticity).inverse()});
      } else if (type == "tri_energy_stvk") {
        std::get<std::vector<baseline::TriEnergyStVK>>(out.constraints).push_back({r});
      } else {
        return false;
      }
    }
  }
  if (body.strain) {
    const ClothStrain& s = *body.strain;
    for (const Triangle& t : triangles) {
      baseline::TriStrain made{triangle_rest(t, rest, {}, first), {}};
      const double moduli[4] = {s.weft.modulus, s.warp.modulus, s.shear.modulus, s.area.modulus};
      for (int e = 0; e < 4; ++e) made.factors[e] = static_cast<float>(std::sqrt(moduli[e] * made.rest.area));
      std::get<std::vector<baseline::TriStrain>>(out.constraints).push_back(made);
    }
  }
  return true;
}

/// False if the baseline has no such type.
bool add_constraints(baseline::Simulation& out, const std::string& type, float compliance, const Elements& elements,
                     const std::vector<Vec3d>& rest, int first) {
  if (type == "distance") {
    for (const Edge& e : elements.edges) {
      const auto l = static_cast<float>(length(rest[e[1]] - rest[e[0]]));
      std::get<std::vector<baseline::Distance>>(out.constraints)
          .push_back({{first + e[0], first + e[1]}, l, compliance});
    }
  } else if (type == "bend") {
    for (const Hinge& h : hinges_of(elements.triangles)) {
      std::get<std::vector<baseline::Bend>>(out.constraints)
          .push_back({{first + h.edge0, first + h.edge1, first + h.opposite0, first + h.opposite1},
                      static_cast<float>(hinge_angle(h, rest)),
                      compliance});
    }
  } else if (type == "isometric_bend") {
    for (const Hinge& h : hinges_of(elements.triangles)) {
      std::get<std::vector<baseline::LinearBend<4>>>(out.constraints)
          .push_back(
              linear_bend<IsometricBend, 4>({h.edge0, h.edge1, h.opposite0, h.opposite1}, rest, compliance, first));
    }
  } else if (type == "triangle_area") {
    for (const Triangle& t : elements.triangles) {
      const double area = 0.5 * length(cross(rest[t[1]] - rest[t[0]], rest[t[2]] - rest[t[0]]));
      std::get<std::vector<baseline::TriangleArea>>(out.constraints)
          .push_back({{first + t[0], first + t[1], first + t[2]}, static_cast<float>(area), compliance});
    }
  } else if (type == "tet_volume") {
    for (const Tet& t : elements.tets) {
      const Vec3d& x0 = rest[t[0]];
      const double volume = dot(rest[t[1]] - x0, cross(rest[t[2]] - x0, rest[t[3]] - x0)) / 6;
      std::get<std::vector<baseline::TetVolume>>(out.constraints)
          .push_back(
              {{first + t[0], first + t[1], first + t[2], first + t[3]}, static_cast<float>(volume), compliance});
    }
  } else {
    return false;
  }
  return true;
}

template <class Type>
void add_tets(baseline::Simulation& out, const std::vector<Tet>& tets, const std::vector<Vec3d>& rest,
              const Material& material, int first) {
  const Lame constants = lame(material.young, material.poisson);
  for (const Tet& t : tets) {
    Eigen::Matrix3d Dm;
    for (int k = 0; k < 3; ++k) {
      const Vec3d edge = rest[t[k + 1]] - rest[t[0]];
      Dm.col(k) << edge.x, edge.y, edge.z;
    }
    Type tet;
    tet.rest = {{first + t[0], first + t[1], first + t[2], first + t[3]},
                Dm.inverse().cast<float>(),
                static_cast<float>(Dm.determinant() / 6),
                static_cast<float>(constants.lambda),
                static_cast<float>(constants.mu)};
    std::get<std::vector<Type>>(out.constraints).push_back(tet);
  }
}

/// False if the baseline does not have this material's constraint.
bool add_material(baseline::Simulation& out, const Material& material, const std::vector<Tet>& tets,
                  const std::vector<Vec3d>& rest, int first) {
  const std::string type = elastic_type(material);
  if (type == "tet_stvk") {
    add_tets<baseline::TetStVK>(out, tets, rest, material, first);
  } else if (type == "tet_neo_hookean") {
    add_tets<baseline::TetNeoHookean>(out, tets, rest, material, first);
  } else if (type == "tet_energy_stvk") {
    add_tets<baseline::TetEnergyStVK>(out, tets, rest, material, first);
  } else if (type == "tet_energy_neo_hookean") {
    add_tets<baseline::TetEnergyNeoHookean>(out, tets, rest, material, first);
  } else {
    return false;
  }
  return true;
}

template <int kCorners>
void add_attachment(baseline::Simulation& out, const SceneAttachment& from, float compliance, int first_other) {
  baseline::Attachment<kCorners> made{};
  made.particles[0] = from.vertex;
  for (int j = 0; j < kCorners; ++j) {
    made.particles[1 + j] = first_other + from.corners[j];
    made.weights[j] = static_cast<float>(from.weights[j]);
  }
  made.compliance = compliance;
  std::get<std::vector<baseline::Attachment<kCorners>>>(out.constraints).push_back(made);
}

}  // namespace

World make_world(const Scene& scene, int threads) {
  WorldOptions options = scene.options;
  options.threads = threads;
  options.precision = Precision::float32;  // also in a build whose standard is double: the baseline is float
  World world(options);
  std::vector<BodyId> ids;
  for (const SceneBody& body : scene.bodies) {
    ids.push_back(add_to(world, body));
    if (!body.pins.empty()) world.pin(ids.back(), body.pins);
  }
  ConstraintSettings settings;
  settings.compliance = scene.attachment_compliance;
  for (const SceneAttachment& a : scene.attachments) {
    if (a.corners.empty()) {
      world.attach(ids[0], a.vertex, a.point, settings);
    } else {
      world.attach(ids[0], a.vertex, ids[1], a.corners, a.weights, settings);
    }
  }
  world.build();
  for (std::size_t b = 0; b < ids.size(); ++b) {
    if (!scene.bodies[b].start.empty()) world.set_positions(ids[b], scene.bodies[b].start);
  }
  return world;
}

std::optional<baseline::Simulation> make_baseline(const Scene& scene) {
  baseline::Simulation out;
  out.step_size = static_cast<float>(scene.options.step);
  out.substeps = scene.options.substeps;
  out.iterations = scene.options.iterations;
  out.gravity = to_eigen(scene.options.gravity);
  std::vector<int> first;
  for (const SceneBody& body : scene.bodies) {
    const std::vector<Vec3d>& rest = positions_of(body);
    const std::vector<Vec3d>& start = body.start.empty() ? rest : body.start;
    const Elements elements = elements_of(body);
    first.push_back(static_cast<int>(out.particles.size()));
    for (std::size_t v = 0; v < rest.size(); ++v) {
      const Vector3f x = to_eigen(start[v]);
      out.particles.push_back({x, x, Vector3f::Zero(), static_cast<float>(1 / elements.mass[v])});
    }
    for (int v : body.pins) out.particles[first.back() + v].inverse_mass = 0;
    if (body.solid_strain) return std::nullopt;
    if (!add_cloth(out, body, elements.triangles, rest, first.back())) return std::nullopt;
    if (body.material && !add_material(out, *body.material, elements.tets, rest, first.back())) return std::nullopt;
    for (const auto& [type, settings] : body.constraints) {
      const auto compliance = static_cast<float>(settings.compliance);
      if (!add_constraints(out, type, compliance, elements, rest, first.back())) return std::nullopt;
    }
  }
  const auto compliance = static_cast<float>(scene.attachment_compliance);
  for (const SceneAttachment& a : scene.attachments) {
    if (a.corners.empty()) {
      SceneAttachment to_anchor = a;
      to_anchor.corners = {static_cast<int>(out.particles.size())};
      to_anchor.weights = {1.0};
      out.particles.push_back({to_eigen(a.point), to_eigen(a.point), Vector3f::Zero(), 0});
      add_attachment<1>(out, to_anchor, compliance, 0);
    } else if (a.corners.size() == 3) {
      add_attachment<3>(out, a, compliance, first[1]);
    } else {
      add_attachment<4>(out, a, compliance, first[1]);
    }
  }
  return out;
}

std::vector<Vec3d> all_positions(const World& world) {
  std::vector<Vec3d> out;
  for (int b = 0; b < world.body_count(); ++b) {
    const std::vector<Vec3d> x = world.positions({b});
    out.insert(out.end(), x.begin(), x.end());
  }
  return out;
}

std::vector<Vec3d> all_positions(const baseline::Simulation& simulation, const Scene& scene) {
  std::size_t count = 0;  // without the anchors, which stand behind the bodies
  for (const SceneBody& body : scene.bodies) count += positions_of(body).size();
  std::vector<Vec3d> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3f& x = simulation.particles[i].position;
    out[i] = {x.x(), x.y(), x.z()};
  }
  return out;
}

std::vector<Vec3d> with_waves(std::vector<Vec3d> positions, double wavelength, double strain) {
  const double k = 2 * std::numbers::pi / wavelength;
  const double amplitude = strain / k;
  for (Vec3d& x : positions) {
    const Vec3d from = x;
    // Directions that are no multiples of one another: no row of the mesh sees the same phase twice.
    x.x += amplitude * std::sin(k * (from.x + 0.7 * from.z + 0.3 * from.y));
    x.y += amplitude * std::sin(k * (0.6 * from.x - from.z + 0.5 * from.y));
    x.z += amplitude * std::sin(k * (from.z - 0.4 * from.x - 0.8 * from.y) + 1);
  }
  return positions;
}

TriMesh cloth_mesh(int cells) { return grid({kClothCell * cells, kClothCell * cells}, {cells, cells}); }

TetMesh beam_mesh(std::array<int, 3> cells) {
  return box_tets({kBeamCell * cells[0], kBeamCell * cells[1], kBeamCell * cells[2]}, cells);
}

std::vector<int> beam_end(const TetMesh& beam) {
  double low = beam.positions[0].x;
  for (const Vec3d& x : beam.positions) low = std::min(low, x.x);
  std::vector<int> out;
  for (std::size_t v = 0; v < beam.positions.size(); ++v) {
    if (beam.positions[v].x < low + 0.5 * kBeamCell) out.push_back(static_cast<int>(v));
  }
  return out;
}

Scene scene_of_type(const std::string& type) {
  // Ten cells per wave: neighbours differ, and the surface is still smooth. Strains of 5 % leave no doubt about
  // the direction of any correction.
  constexpr double kStrain = 0.05;
  constexpr double kClothWave = 10 * kClothCell, kBeamWave = 10 * kBeamCell;
  Scene scene;
  // Many iterations of one substep: what is measured is the projection, the share of prediction and velocity
  // update is about 2 %.
  scene.options.step = 1.0 / 600;
  scene.options.substeps = 1;
  scene.options.iterations = 100;
  scene.options.gravity = {0, 0, 0};
  const TriMesh cloth = cloth_mesh(200);
  const TetMesh beam = beam_mesh({49, 9, 9});
  const TypeInfo* info = find_type(type);
  if (!info) throw Error("scene_of_type", "there is no constraint '" + type + "'", "name a registered type");

  if (const std::optional<ClothMaterial> fabric = cloth_of_type(type)) {
    // young thickness dt^2 / (density h^2) = 1.26: what a substep resolves.
    scene.bodies.push_back({cloth, {}, {}, with_waves(cloth.positions, kClothWave, kStrain)});
    scene.bodies.back().fabric = fabric;
    scene.bodies.back().fabric->young = 9e3;
    scene.bodies.back().fabric->bending = 0;
  } else if (type == "tri_strain") {
    scene.bodies.push_back({cloth, {}, {}, with_waves(cloth.positions, kClothWave, kStrain)});
    scene.bodies.back().strain = ClothStrain{.weft = {1, 10}, .warp = {1, 10}, .shear = {1, 4}, .area = {1, 10}};
  } else if (type == "tet_strain") {
    scene.bodies.push_back({beam, {}, {}, with_waves(beam.positions, kBeamWave, kStrain)});
    scene.bodies.back().solid_strain = SolidStrain{};
  } else if (info->material) {
    // E dt^2 / (density h^2) = 0.7: what a substep resolves. The material brings its constraint with it. Gravity tells
    // the engine that strains are not tiny, as in most scenes: strains of bases in double would cost a fifth more.
    scene.options.gravity = {0, -9.81, 0};
    Material material = material_of_type(type);
    material.young = 1e5;
    material.poisson = 0.4;
    scene.bodies.push_back({beam, {}, {}, with_waves(beam.positions, kBeamWave, kStrain), material});
  } else if (info->stencil == Stencil::tets) {
    scene.bodies.push_back({beam, {{type, {}}}, {}, with_waves(beam.positions, kBeamWave, kStrain)});
  } else if (info->stencil != Stencil::pairs) {
    scene.bodies.push_back({cloth,
                            {{type, {.compliance = type == "triangle_bend" ? 1e4 : 0}}},
                            {},
                            with_waves(cloth.positions, kClothWave, kStrain)});
  } else if (type == "attach_point") {
    scene.bodies.push_back({cloth, {}, {}, with_waves(cloth.positions, kClothWave, kStrain)});
    // Not to the flat shape itself: towards a coordinate that is exactly zero the error would shrink by a factor of
    // 1e-7 per iteration into the denormal numbers, where processors are slow (five times, in the baseline).
    const Vec3d aside{0.0123, 0.0234, 0.0345};
    for (std::size_t v = 0; v < cloth.positions.size(); ++v) {
      scene.attachments.push_back({static_cast<int>(v), cloth.positions[v] + aside});
    }
  } else if (type == "attach_triangle") {
    // Each vertex to a triangle of the cloth below it, the one with the vertex's number in proportion.
    scene.bodies.push_back({cloth, {}, {}, with_waves(cloth.positions, kClothWave, kStrain)});
    scene.bodies.push_back({cloth, {}, {}, with_waves(cloth.positions, 1.7 * kClothWave, kStrain)});
    for (std::size_t v = 0; v < cloth.positions.size(); ++v) {
      const Triangle& t = cloth.triangles[v * cloth.triangles.size() / cloth.positions.size()];
      scene.attachments.push_back({static_cast<int>(v), {}, {t.begin(), t.end()}, {0.2, 0.3, 0.5}});
    }
  } else if (type == "attach_tet") {
    // One cloth vertex per tet of the beam.
    scene.bodies.push_back({cloth, {}, {}, with_waves(cloth.positions, kClothWave, kStrain)});
    scene.bodies.push_back({beam, {}, {}, with_waves(beam.positions, kBeamWave, kStrain)});
    for (std::size_t k = 0; k < beam.tets.size(); ++k) {
      const Tet& t = beam.tets[k];
      scene.attachments.push_back({static_cast<int>(k), {}, {t.begin(), t.end()}, {0.1, 0.2, 0.3, 0.4}});
    }
  } else {
    throw Error("constraint " + type, "it is made from pairs, and the benchmark does not know of which",
                "give it a scene in scene_of_type, bench/scene.cpp");
  }
  return scene;
}

}  // namespace pliant::bench
