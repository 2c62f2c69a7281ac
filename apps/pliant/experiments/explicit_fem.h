#pragma once
// Explicit finite elements, as fast as the engine's own kernels: linear tets of one material, lumped masses, leapfrog.
// What position-based methods have to be better than where a step is small anyway (bender14 appendix A).
//
//   v(t + dt/2) = v(t - dt/2) + dt (g + f(u(t)) / m),   u(t + dt) = u(t) + dt v(t + dt/2),   v(-dt/2) = -g dt/2
//
// second order in dt. Stable for dt < 2 / w, w the highest frequency of the mesh.

#include <cstdint>
#include <vector>

#include "core/aligned.h"
#include "math/quads.h"
#include "pliant/material.h"
#include "pliant/mesh.h"

namespace pliant::experiments {

/// Displacements from rest are stored, and H = F - I is made of them: no digits are lost at any dt. Elements stand in
/// batches of kBatch that share no vertex; forces are gathered, added to and scattered like the engine's corrections.
template <class Real>
class ExplicitFem {
 public:
  /// stvk or neo_hookean; vertices in `held` do not move.
  ExplicitFem(const TetMesh& mesh, const Material& material, const std::vector<int>& held, Vec3d gravity);

  /// Advances by `steps` of dt [s]; the first call says how long steps are, the others must repeat it.
  void advance(int steps, double dt);

  /// Displacement of a vertex [m].
  Vec3d displacement(int vertex) const;
  bool finite() const;

 private:
  static constexpr int kBatch = 16;
  static constexpr int kFields = 10;  // M, nine numbers by rows [1/m], and V [m^3]

  template <MaterialModel kModel>
  void add_forces();

  MaterialModel model_;
  Real lambda_, mu_;  // [Pa]
  Vec3d gravity_;
  std::vector<int> place_;  // of a vertex: in the order in which elements meet them
  int vertices_ = 0;        // behind them stands one that takes what padding pushes
  int batches_ = 0;
  AlignedVector<QuadAt> corners_;        // [batch][4][kBatch]
  AlignedVector<Real> rest_;             // [batch][kFields][kBatch]
  AlignedVector<Quad<Real>> u_, v_, f_;  // [m] [m/s] [N]; w of u: 1 / mass [1/kg], 0: held
  bool started_ = false;
};

}  // namespace pliant::experiments
