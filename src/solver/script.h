#pragma once
// Scripted motion of pins and colliders.

#include <algorithm>
#include <vector>

#include "pliant/keyframe.h"

namespace pliant {

/// The pose of a scripted motion at a time: linear between keys, constant outside.
inline Keyframe pose_at(const std::vector<Keyframe>& path, double time) {
  if (time <= path.front().time) return path.front();
  if (time >= path.back().time) return path.back();
  const auto next =
      std::upper_bound(path.begin(), path.end(), time, [](double t, const Keyframe& key) { return t < key.time; });
  const Keyframe &a = *(next - 1), &b = *next;
  const double s = (time - a.time) / (b.time - a.time);
  return {time, a.move + (b.move - a.move) * s, a.turn + (b.turn - a.turn) * s};
}

}  // namespace pliant
