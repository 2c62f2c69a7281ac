#include "agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scene.h"
#include "solver/elastic.h"
#include "solver/fabric.h"

namespace pliant::bench {

namespace {

// Engine and baseline visit the constraints of a mesh in different orders. Two kinds of scenes do not depend on the
// order:
//
// - One constraint alone: steps of one iteration must give the same to rounding. This sees every factor (a second
//   iteration would hide a wrong weight, which only makes the way to the limit longer).
constexpr double kBoundOfRounding = 1e-4;  // of motions of 1e-4 m and more at positions of 1e-2 m, in float
//
// - A mesh in the limit of many iterations. Where a compliance makes a = alpha / dt^2 about as large as
//   s = sum w |grad C|^2, each sweep reduces the error by about two, and 60 sweeps go below the rounding of float.
//   Xpbd takes the gradients at the place of each iteration, so that the way to the limit, and with it the limit,
//   still depends on the order in proportion to the strain (measured: 0.2 to 0.7 times the strain, for strains of
//   0.3 % to 3 %). So waves of 0.3 % and a bound of 0.6 %; at smaller strains the rounding of the baseline's absolute
//   positions takes over. This sees that the constraints are the same ones and work together.
constexpr int kIterations = 60;
constexpr double kStrain = 0.003;
constexpr double kBoundOfLimit = 2 * kStrain;
// Attachments are linear: their limit does not depend on the order, only on rounding.
constexpr double kBoundOfLinearLimit = 1e-5;
// In motion strains are larger, and differences add up over the steps.
constexpr double kBoundOfMotion = 0.005;

/// [s] Compliances follow from it (see below); this one makes them those of springs stiff enough to carry the bodies'
/// own weight.
constexpr double kSubstep = 1.0 / 1200;

double largest_distance(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = length(a[i] - b[i]);
    if (!std::isfinite(d)) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, d);
  }
  return largest;
}

Agreement compare(const std::string& name, const Scene& scene, int steps, double bound) {
  World world = make_world(scene);
  std::optional<baseline::Simulation> simulation = make_baseline(scene);
  if (!simulation) throw Error("check " + name, "the baseline lacks a constraint of this scene", "add it to baseline/");
  const std::vector<Vec3d> start = all_positions(world);
  for (int s = 0; s < steps; ++s) {
    world.step();
    simulation->step();
  }
  const std::vector<Vec3d> end = all_positions(world);
  return {name, largest_distance(end, all_positions(*simulation, scene)) / largest_distance(end, start), bound};
}

// The scenes: cells of h = 1 cm (cloth, 0.2 kg/m^2) and H = 2 cm (beam, 1000 kg/m^3), and compliances with
// alpha / dt^2 = s from the inverse masses w, W of a vertex and the sizes of the gradients: 1 (distance), 1 / h
// (angle), h / 2 (area), h^2 / 6 (volume).
constexpr double h = 0.01, H = 0.02;                                 // [m]
constexpr double w = 1 / (0.2 * h * h), W = 1 / (1000 * H * H * H);  // [1/kg]
constexpr double dt2 = kSubstep * kSubstep;                          // [s^2]
constexpr double kDistanceOfCloth = dt2 * 2 * w;                     // [m/N]
constexpr double kDistanceOfBeam = dt2 * 2 * W;                      // [m/N]
constexpr double kBend = dt2 * 4 * w / (h * h);                      // [rad^2/J]
constexpr double kIsometric = dt2 * 4 * w / (h * h) * 10;            // [1/(N m)]
constexpr double kArea = dt2 * 3 * w * h * h / 4;                    // [m^4/J]
constexpr double kVolume = dt2 * 4 * W * H * H * H * H / 36;         // [m^6/J]

ConstraintSettings with_compliance(double compliance) {
  ConstraintSettings settings;
  settings.compliance = compliance;
  return settings;
}

/// One substep without gravity: all motion comes from the constraints.
Scene one_step(std::vector<SceneBody> bodies, int iterations) {
  Scene scene;
  scene.options.step = kSubstep;
  scene.options.substeps = 1;
  scene.options.iterations = iterations;
  scene.options.gravity = {0, 0, 0};
  scene.bodies = std::move(bodies);
  return scene;
}

// Meshes that are irregular at rest: in a regular one a mistake may cancel by symmetry.
TriMesh small_cloth() {
  TriMesh mesh = cloth_mesh(8);
  mesh.positions = with_waves(mesh.positions, 3.3 * h, 0.2);
  return mesh;
}
TetMesh small_beam() {
  TetMesh mesh = beam_mesh({6, 3, 3});
  mesh.positions = with_waves(mesh.positions, 3.3 * H, 0.2);
  return mesh;
}

SceneBody wavy_cloth(const Constraints& constraints, double cells_per_wave) {
  const TriMesh mesh = small_cloth();
  return {mesh, constraints, {0}, with_waves(mesh.positions, cells_per_wave * h, kStrain)};
}
SceneBody wavy_beam(const Constraints& constraints, double cells_per_wave) {
  const TetMesh mesh = small_beam();
  return {mesh, constraints, {0}, with_waves(mesh.positions, cells_per_wave * H, kStrain)};
}

/// The corners of a body of one or two elements, and the same deformed.
const std::vector<Vec3d> kCorners = {
    {0.001, 0.002, 0.003}, {0.012, 0.003, 0.001}, {0.004, 0.011, 0.002}, {0.002, 0.001, 0.015}};
std::vector<Vec3d> deformed(const std::vector<Vec3d>& x) { return with_waves(x, 2.1 * h, 0.3); }

/// Every vertex of a small cloth, to the element of the same number.
template <class Element, class Weights>
std::vector<SceneAttachment> attachments_to(const std::vector<Element>& elements, const Weights& weights) {
  std::vector<SceneAttachment> out;
  const int vertices = static_cast<int>(small_cloth().positions.size());
  for (int v = 0; v < vertices; ++v) {
    const Element& e = elements[static_cast<std::size_t>(v) % elements.size()];
    out.push_back({v, {}, {e.begin(), e.end()}, {weights.begin(), weights.end()}});
  }
  return out;
}

void compare_single_constraints(std::vector<Agreement>& out) {
  const auto alone = [&](const std::string& type, const auto& mesh, const ConstraintSettings& settings) {
    const Scene scene = one_step({{mesh, {{type, settings}}, {}, deformed(mesh.positions)}}, 1);
    out.push_back(compare("one " + type, scene, 2, kBoundOfRounding));
  };
  alone("distance", Curve{{kCorners[0], kCorners[1]}, {{0, 1}}}, with_compliance(kDistanceOfCloth));
  alone("bend", TriMesh{kCorners, {{0, 1, 2}, {1, 0, 3}}}, with_compliance(kBend));
  alone("triangle_area", TriMesh{{kCorners[0], kCorners[1], kCorners[2]}, {{0, 1, 2}}}, with_compliance(kArea));
  alone("tet_volume", TetMesh{kCorners, {{0, 1, 2, 3}}}, with_compliance(kVolume));

  // One step: in the next the engine would go on with its multipliers, the baseline starts anew.
  for (const MaterialModel model : {MaterialModel::stvk, MaterialModel::neo_hookean}) {
    for (const MaterialForm form : {MaterialForm::xpbd, MaterialForm::pbd_energy}) {
      const Material material{.model = model, .form = form, .young = 1e5, .poisson = 0.4};
      const TetMesh tet{kCorners, {{0, 1, 2, 3}}};
      const Scene scene = one_step({{tet, {}, {}, deformed(tet.positions), material}}, 1);
      out.push_back(compare("one " + elastic_type(material), scene, 1, kBoundOfRounding));
    }
  }

  const TriMesh triangle{{kCorners[0], kCorners[1], kCorners[2]}, {{0, 1, 2}}};
  for (const MaterialForm form : {MaterialForm::xpbd, MaterialForm::pbd_energy}) {
    SceneBody body{triangle, {}, {}, deformed(triangle.positions)};
    body.fabric = ClothMaterial{.form = form, .young = 1e4, .poisson = 0.4, .bending = 0};
    out.push_back(compare("one " + membrane_type(*body.fabric), one_step({body}, 1), 1, kBoundOfRounding));
  }
  SceneBody strained{triangle, {}, {}, deformed(triangle.positions)};
  strained.strain = ClothStrain{.weft = {1, 10}, .warp = {1, 20}, .shear = {1, 4}, .area = {1, 8}};
  out.push_back(compare("one tri_strain", one_step({strained}, 1), 2, kBoundOfRounding));
  alone("isometric_bend", TriMesh{kCorners, {{0, 1, 2}, {1, 0, 3}}}, with_compliance(kIsometric));

  const auto attached = [&](const std::string& name, const auto& other, const SceneAttachment& attachment) {
    const Curve tied{{kCorners[0], kCorners[1]}, {{0, 1}}};
    Scene scene = one_step({{tied, {}, {}, {}}, {other, {}, {}, {}}}, 1);
    scene.attachments = {attachment};
    scene.attachment_compliance = kDistanceOfCloth;
    out.push_back(compare("one " + name, scene, 2, kBoundOfRounding));
  };
  attached("attach_point", Curve{{kCorners[2], kCorners[3]}, {{0, 1}}}, {1, {0.01, 0.02, 0.03}, {}, {}});
  attached("attach_triangle", TriMesh{kCorners, {{0, 1, 2}, {1, 0, 3}}}, {1, {}, {0, 1, 3}, {0.2, 0.3, 0.5}});
  attached("attach_tet", TetMesh{kCorners, {{0, 1, 2, 3}}}, {1, {}, {0, 1, 2, 3}, {0.1, 0.2, 0.3, 0.4}});
}

void compare_meshes(std::vector<Agreement>& out) {
  const auto meshes = [&](const char* name, std::vector<SceneBody> bodies) {
    out.push_back(compare(name, one_step(std::move(bodies), kIterations), 1, kBoundOfLimit));
  };
  meshes("distance", {wavy_cloth({{"distance", with_compliance(kDistanceOfCloth)}}, 5)});
  meshes("bend", {wavy_cloth({{"bend", with_compliance(kBend)}}, 5)});
  meshes("isometric_bend", {wavy_cloth({{"isometric_bend", with_compliance(kIsometric)}}, 5)});
  meshes("triangle_area", {wavy_cloth({{"triangle_area", with_compliance(kArea)}}, 5)});
  meshes("tet_volume", {wavy_beam({{"tet_volume", with_compliance(kVolume)}}, 5)});

  Scene attached = one_step({wavy_cloth({}, 5)}, kIterations);
  attached.attachment_compliance = kDistanceOfCloth;
  for (int v = 0; v < 81; ++v) attached.attachments.push_back({v, {0.001 * v, 0.02, 0}, {}, {}});
  out.push_back(compare("attach_point", attached, 1, kBoundOfLinearLimit));
  attached.bodies.push_back(wavy_cloth({}, 7));
  attached.attachments = attachments_to(small_cloth().triangles, std::array{0.2, 0.3, 0.5});
  out.push_back(compare("attach_triangle", attached, 1, kBoundOfLinearLimit));
  attached.bodies.back() = wavy_beam({}, 7);
  attached.attachments = attachments_to(small_beam().tets, std::array{0.1, 0.2, 0.3, 0.4});
  out.push_back(compare("attach_tet", attached, 1, kBoundOfLinearLimit));
}

/// A quarter of a second under gravity, held at one end: prediction and velocities take part.
Agreement compare_motion(const std::string& name, const SceneBody& body) {
  Scene scene;
  scene.options.step = 20 * kSubstep;
  scene.options.substeps = 20;
  scene.options.iterations = kIterations;
  scene.bodies = {body};
  return compare(name, scene, 15, kBoundOfMotion);
}

}  // namespace

std::vector<Agreement> compare_with_baseline() {
  std::vector<Agreement> out;
  compare_single_constraints(out);
  compare_meshes(out);
  const TriMesh cloth = small_cloth();
  const TetMesh beam = small_beam();
  out.push_back(compare_motion(
      "cloth in motion",
      {cloth, {{"distance", with_compliance(kDistanceOfCloth)}, {"bend", with_compliance(kBend)}}, {0, 8}, {}}));
  out.push_back(compare_motion(
      "beam in motion", {beam,
                         {{"distance", with_compliance(kDistanceOfBeam)}, {"tet_volume", with_compliance(kVolume)}},
                         beam_end(beam_mesh({6, 3, 3})),
                         {}}));
  return out;
}

}  // namespace pliant::bench
