// Bodies that are in a collider, because they were put there or a scripted one has come over them. Each vertex for
// itself would go out by the nearest way, to all sides, and tear the body apart. So a body goes out in one direction:
// the mean of these ways, by their depth, or, where they cancel, the nearest way of their middle. It follows from
// places alone.

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/collider_stage.h"

namespace pliant {

namespace {
/// Of the sum of all ways: what is shorter points nowhere.
constexpr double kClear = 0.5;
}  // namespace

/// At the start of a step. What was not inside of anything does not get there but by force.
template <class Real>
void ColliderStage<Real>::find_exits() {
  const bool all = std::exchange(may_be_inside_, false);
  if (!all && exits_.empty()) return;
  const std::vector<Exit> before = std::exchange(exits_, {});
  for (std::size_t n = 0; n < placed_.size(); ++n) {
    const int c = static_cast<int>(n);
    const ColliderInput& in = collider(c);
    if (in.shape->two_sided()) continue;
    const contact::Pose at = in.rigid >= 0 ? rigid_pose(in, state_.rigid[in.rigid]) : scripted(in, state_.time);
    const contact::Bounds box = in.shape->bounds();
    if (!std::isfinite(length(box.max - box.min))) continue;  // a plane: all go out in one direction
    for (std::size_t b = 0; b < input_.bodies.size(); ++b) {
      const int body = static_cast<int>(b);
      const auto is_same = [&](const Exit& e) { return e.body == body && e.collider == c; };
      if (!all && std::none_of(before.begin(), before.end(), is_same)) continue;
      const int32_t begin = model_.body_begin[b], end = model_.body_begin[b + 1];
      double depth = 0;
      int inside = 0;
      Vec3d sum{}, middle{};
      for (int32_t i = begin; i < end; ++i) {
        const Vec3d x = at.to_local(position(i));
        if (box.distance_squared(x) > 0) continue;
        const contact::Nearest near = in.shape->nearest(x, 0);
        if (!(near.distance < 0)) continue;
        ++inside;
        depth -= near.distance;
        sum -= near.normal * near.distance;
        middle += x;
      }
      if (inside == 0) continue;
      Exit exit{body, c, {}, 2 * inside > end - begin};
      exit.direction = length(sum) > kClear * depth ? sum / length(sum) : in.shape->nearest(middle / inside, 0).normal;
      exits_.push_back(exit);
    }
  }
}

template <class Real>
const typename ColliderStage<Real>::Exit* ColliderStage<Real>::exit_of(int body, int c) const {
  for (const Exit& exit : exits_) {
    if (exit.body == body && exit.collider == c) return &exit;
  }
  return nullptr;
}

template <class Real>
const typename ColliderStage<Real>::Exit* ColliderStage<Real>::exit_of_particle(int32_t i, int c) const {
  if (exits_.empty()) return nullptr;
  const auto body = std::upper_bound(model_.body_begin.begin(), model_.body_begin.end(), i) - model_.body_begin.begin();
  return exit_of(static_cast<int>(body) - 1, c);
}

#define PLIANT_MEMBERS(Real)                                                                       \
  template void ColliderStage<Real>::find_exits();                                                 \
  template const typename ColliderStage<Real>::Exit* ColliderStage<Real>::exit_of(int, int) const; \
  template const typename ColliderStage<Real>::Exit* ColliderStage<Real>::exit_of_particle(int32_t, int) const;
PLIANT_MEMBERS(float)
PLIANT_MEMBERS(double)
#undef PLIANT_MEMBERS

}  // namespace pliant
