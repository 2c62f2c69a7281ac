#pragma once
// Scenes of the benchmarks: one description from which both the engine's World and the baseline's
// Simulation are made, so that both simulate the same thing.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "baseline/simulation.h"
#include "pliant/world.h"

namespace pliant::bench {

struct SceneBody {
  std::variant<TriMesh, TetMesh, Curve> mesh;  // a cloth, a solid, a rope
  Constraints constraints;
  std::vector<int> pins = {};
  std::vector<Vec3d> start = {};             // [m] positions at the start; empty: the rest shape
  std::optional<Material> material = {};     // of a solid; its density counts
  std::optional<ClothMaterial> fabric = {};  // of a cloth, isotropic
  std::optional<ClothStrain> strain = {};    // of a cloth, along x
  std::optional<SolidStrain> solid_strain = {};
};

/// Ties a vertex of body 0 to a fixed point, or to corners of body 1.
struct SceneAttachment {
  int vertex = 0;
  Vec3d point{};  // [m] used when there are no corners
  std::vector<int> corners = {};
  std::vector<double> weights = {};
};

struct Scene {
  WorldOptions options;
  std::vector<SceneBody> bodies;
  std::vector<SceneAttachment> attachments = {};
  double attachment_compliance = 0;  // [m/N]
};

/// The World at its start. With `threads` in place of the scene's own number.
World make_world(const Scene& scene, int threads = 1);
/// Nothing if the baseline does not have one of the scene's constraint types.
std::optional<baseline::Simulation> make_baseline(const Scene& scene);

/// The positions of all bodies, one after another [m].
std::vector<Vec3d> all_positions(const World& world);
std::vector<Vec3d> all_positions(const baseline::Simulation& simulation, const Scene& scene);

/// Positions moved by smooth waves, so that every constraint has something to do: `strain` is about the largest
/// relative change of length, `wavelength` in metres.
std::vector<Vec3d> with_waves(std::vector<Vec3d> positions, double wavelength, double strain);

// ------------------------------------------------------------------ meshes

/// A square cloth of cells of one centimetre.
TriMesh cloth_mesh(int cells);
/// A beam of cells of two centimetres, five tets each.
TetMesh beam_mesh(std::array<int, 3> cells);
/// The vertices of a beam at its end of smallest x.
std::vector<int> beam_end(const TetMesh& beam);

/// A mesh of realistic size with waves and nothing but constraints of this type, out of all of its elements.
/// Throws Error when the type is made from pairs and nobody has said here how.
Scene scene_of_type(const std::string& type);

}  // namespace pliant::bench
