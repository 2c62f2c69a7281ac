// Particles that ride on triangles of other bodies: one way, like pins whose path is the other body's motion.
//
//   x = sum b_j x_j + R offset,   R = [e, n x e, n],  e along the first edge, n the normal
//
// A triangle without area keeps its riders at sum b_j x_j.

#include "solver/riders.h"
#include "core/parallel.h"
#include "solver/solver.h"

namespace pliant {

template <class Real>
void Solver<Real>::move_riders() {
  constexpr int64_t kRidersPerChunk = 512;
  parallel_for(*jobs_, static_cast<int64_t>(model_.riders.size()), kRidersPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const Rider& rider = model_.riders[k];
      const Vec3d x[3] = {position(rider.corners[0]), position(rider.corners[1]), position(rider.corners[2])};
      const Vec3d at = rider_point(rider.weights, x) + rotate(triangle_frame(x), rider.offset) - state_.origin;
      const Quad<Real>& b = state_.base[rider.particle];
      Quad<Real>& o = state_.offset[rider.particle];
      o.x = static_cast<Real>(at.x - b.x);
      o.y = static_cast<Real>(at.y - b.y);
      o.z = static_cast<Real>(at.z - b.z);
    }
  });
}

template void Solver<float>::move_riders();
template void Solver<double>::move_riders();

}  // namespace pliant
