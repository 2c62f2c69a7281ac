#pragma once
// A bar that is twisted at one end.

#include <cmath>

#include "pliant/world.h"

namespace pliant::test {

struct TwistedBar {
  World world{{.substeps = 20, .gravity = {}, .point_damping = 3, .threads = 1}};
  BodyId bar;
  TetMesh mesh;
  std::vector<int> held, turned;

  /// A quarter of a turn within the first second.
  TwistedBar(const Material& material, int cells) : mesh(box_tets({1, 0.2, 0.2}, {cells, 2, 2})) {
    bar = world.add(Solid{.mesh = mesh, .material = material});
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      if (mesh.positions[v].x < -0.499) held.push_back(static_cast<int>(v));
      if (mesh.positions[v].x > 0.499) turned.push_back(static_cast<int>(v));
    }
    world.pin(bar, held);
    world.pin(bar, turned, {{.time = 0}, {.time = 1, .turn = {1.5707963267948966, 0, 0}}});
  }
  void run(int steps) {
    for (int k = 0; k < steps; ++k) world.step();
  }
  /// Of the turned end [degrees].
  double twist() const {
    const std::vector<Vec3d> x = world.positions(bar);
    double sine = 0, cosine = 0;
    for (int v : turned) {
      const Vec3d& from = mesh.positions[v];
      sine += from.y * x[v].z - from.z * x[v].y;
      cosine += from.y * x[v].y + from.z * x[v].z;
    }
    return std::atan2(sine, cosine) * 57.29577951308232;
  }
};

inline Material plastic_material(MaterialModel model, const Plasticity& plasticity) {
  return {.model = model, .young = 1e5, .poisson = 0.4, .plasticity = plasticity};
}

}  // namespace pliant::test
