#pragma once
// The baseline as a whole: particles, constraints in the order of the mesh, one thread, Gauss-Seidel.

#include <tuple>
#include <vector>

#include "baseline/cloth.h"
#include "baseline/constraints.h"
#include "baseline/elastic.h"

namespace pliant::baseline {

class Simulation {
 public:
  /// Constraints by type, projected in this order, which is the engine's.
  using Constraints =
      std::tuple<std::vector<Distance>, std::vector<Bend>, std::vector<LinearBend<4>>, std::vector<TriStVK>,
                 std::vector<TriEnergyStVK>, std::vector<TriStrain>, std::vector<TriangleArea>, std::vector<TetVolume>,
                 std::vector<TetStVK>, std::vector<TetNeoHookean>, std::vector<TetEnergyStVK>,
                 std::vector<TetEnergyNeoHookean>, std::vector<Attachment<1>>, std::vector<Attachment<3>>,
                 std::vector<Attachment<4>>>;

  Particles particles;
  Constraints constraints;
  float step_size = 1.0f / 60;  // [s]
  int substeps = 1;
  int iterations = 1;
  Vector3f gravity{0, 0, 0};  // [m/s^2]

  void step();
};

}  // namespace pliant::baseline
