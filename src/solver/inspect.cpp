// Looks at the constraints of a body as they stand in the model: for pictures and files, not for the step.

#include <array>
#include <vector>

#include "solver/solver.h"

namespace pliant {

template <class Real>
void Solver<Real>::visit_constraints(int body, const std::function<void(const ConstraintAt&)>& visit) const {
  const BodyInput& in = input_.bodies[static_cast<std::size_t>(body)];
  const std::vector<double> plastic = plastic_state();
  std::vector<int> vertex_of(state_.base.size(), -1);  // engine's number -> vertex of the body
  for (int v = 0; v < in.vertices(); ++v) vertex_of[model_.to_engine[in.first_particle + v]] = v;
  for (const Group<Real>& group : model_.groups) {
    std::vector<int> of_group = vertex_of;
    for (const Hub& hub : group.hubs) {  // a ghost stands for its hub
      for (int g = 0; g < hub.ghosts; ++g) of_group[hub.first_ghost + g] = vertex_of[hub.particle];
    }
    const int points = group.type->points;
    std::vector<int> vertices(points);
    for (int64_t b = 0; b < group.batches(); ++b) {
      for (int64_t l = 0; l < kLanes; ++l) {
        bool inside = true;  // what fills up a batch has particles of no body
        for (int i = 0; i < points && inside; ++i) {
          const QuadAt at = group.particles[(b * points + i) * kLanes + l];
          vertices[i] = of_group[at / sizeof(Quad<Real>)];
          inside = vertices[i] >= 0;
        }
        if (!inside) continue;
        const int64_t number = group.plastic_number.empty() ? -1 : group.plastic_number[b * kLanes + l];
        visit({vertices, static_cast<int>(b), number < 0 ? nullptr : &plastic[number * 6]});
      }
    }
  }
}

template void Solver<float>::visit_constraints(int, const std::function<void(const ConstraintAt&)>&) const;
template void Solver<double>::visit_constraints(int, const std::function<void(const ConstraintAt&)>&) const;

}  // namespace pliant
