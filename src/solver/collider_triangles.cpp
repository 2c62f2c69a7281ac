// Triangles against colliders: what is smaller than a triangle touches it between its corners.
//
// The point of a triangle that is deepest in the collider is found by descending its signed distance over the
// triangle: a step against the gradient, then back to the nearest point of the triangle (Macklin et al. 2020, Local
// Optimization for Robust Signed Distance Field Collision, 3, with projected gradients). The first step is as long as
// the way to the middle of the shape, which hits the deepest point of a ball at once. Corners themselves are particles
// and found elsewhere.

#include <algorithm>
#include <cmath>

#include "contact/triangle_tree.h"
#include "solver/collider_stage.h"

namespace pliant {

using contact::Bounds;
using contact::HalfSpace;
using contact::Nearest;

namespace {

constexpr double kMarginOfWay = 0.5;
constexpr double kMarginOfEdge = 0.05;  // of the triangle's longest side
constexpr double kWorthwhile = 1e-3;    // of that side: so much nearer than all corners must the point be
constexpr double kLongest = 1.5;        // of its rest size: what a triangle may be stretched to
constexpr double kFlat = 0.95;          // cosine between normals: no edge of the shape lies between the points
constexpr int kMostDescents = 12;

struct Deepest {
  Vec3d weights{};
  Nearest at{};
};

Deepest find_deepest(const contact::Shape& shape, const Vec3d& middle, const Vec3d (&x)[3], double size,
                     double within) {
  const auto at = [&](const Vec3d& w) { return x[0] * w.x + x[1] * w.y + x[2] * w.z; };
  Vec3d w = contact::nearest_in_triangle(middle, x[0], x[1], x[2]);
  Nearest now = shape.nearest(at(w), within);
  if (now.distance > within) {  // the middle of a large shape says little
    w = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    now = shape.nearest(at(w), within);
  }
  if (now.distance > within) return {w, now};
  double step = std::abs(now.distance) + (shape.core() > 0 ? shape.core() : 0.25 * size);
  for (int k = 0; k < kMostDescents && step > 1e-4 * size; ++k) {
    const Vec3d next = contact::nearest_in_triangle(at(w) - now.normal * step, x[0], x[1], x[2]);
    if (length_squared(at(next) - at(w)) < 1e-8 * size * size) break;
    const Nearest there = shape.nearest(at(next), within);
    if (there.distance < now.distance) {
      w = next;
      now = there;
    } else {
      step *= 0.5;
    }
  }
  return {w, now};
}

}  // namespace

template <class Real>
void ColliderStage<Real>::find_triangle_contacts(TriangleChunk& chunk) {
  chunk.coupled.clear();
  constexpr int kGroups = kTrianglesPerChunk / kGroup;
  Swept groups[kGroups], all;
  bool measured = false;
  for (std::size_t n = 0; n < placed_.size(); ++n) {
    const int c = static_cast<int>(n);
    const contact::Shape& shape = *collider(c).shape;
    // A surface with two sides has no depth to descend to. Where a round shape is large, corners are enough: an arc
    // over a side s of a triangle is s^2 / (8 r) high, here less than 3 % of it.
    // Those made of triangles meet edges and triangles by their own (collider_surface.h).
    if (has_surface_[n] || shape.two_sided() || chunk.size < 0.25 * shape.roundness()) continue;
    if (!measured) {
      for (int g = 0; chunk.begin + g * kGroup < chunk.end; ++g) {
        const int32_t* corners = triangle_corners_.data() + chunk.corners[g];
        groups[g] = swept(chunk.corners[g + 1] - chunk.corners[g], [&](int32_t k) { return corners[k]; });
        all.add(groups[g]);
      }
      measured = true;
    }
    // No side is longer than the box's diagonal.
    const auto far = [&](const Swept& s) {
      const double beside = kMarginOfEdge * length(s.box.max - s.box.min);
      return is_hollow(c, s, beside) || is_far(c, s, beside);
    };
    if (far(all)) continue;
    Bounds reach = placed_[n].box;
    reach.grow(kLongest * chunk.size);
    for (int32_t t = chunk.begin; t < chunk.end; ++t) {
      if ((t - chunk.begin) % kGroup == 0 && far(groups[(t - chunk.begin) / kGroup])) {
        t += kGroup - 1;
        continue;
      }
      const int32_t first = triangles_[t][0];
      Bounds way;
      way.add(begin_position(first));
      way.add(position(first));
      if (reach.overlaps(way)) find_triangle_contact(triangles_[t], c, chunk.coupled);
    }
  }
}

template <class Real>
void ColliderStage<Real>::find_triangle_contact(const std::array<int32_t, 3>& corners, int c,
                                                std::vector<CoupledContact>& out) const {
  const ColliderInput& in = collider(c);
  const Placed& placed = placed_[c];
  Vec3d a[3], b[3];
  Bounds box;
  for (int k = 0; k < 3; ++k) {
    const Vec3d from = begin_position(corners[k]), to = position(corners[k]);
    box.add(from);
    box.add(to);
    a[k] = from;
    b[k] = to;
  }
  box.grow(kMarginOfEdge * length(a[1] - a[0]));
  if (!placed.box.overlaps(box)) return;
  const Swept ways{
      box,
      std::sqrt(std::max({length_squared(b[0] - a[0]), length_squared(b[1] - a[1]), length_squared(b[2] - a[2])}))};
  const double beside = kMarginOfEdge * length(box.max - box.min);
  if (is_hollow(c, ways, beside) || is_far(c, ways, beside)) return;
  double way = 0;
  for (int k = 0; k < 3; ++k) {
    a[k] = placed.begin.to_local(a[k]);
    b[k] = placed.end.to_local(b[k]);
    way = std::max(way, length(b[k] - a[k]));
  }
  const double size = std::max({length(b[1] - b[0]), length(b[2] - b[1]), length(b[0] - b[2])});
  const double reach = in.thickness + kMarginOfWay * way + kMarginOfEdge * size;

  const Bounds local = in.shape->bounds();
  const Vec3d middle = (local.min + local.max) * 0.5;
  // A fast triangle is looked at so often on its way that it cannot pass the middle of the shape unseen.
  constexpr int kMostLooks = 32;
  const double core = std::max(in.shape->core(), 0.25 * size);
  const int looks = std::clamp(static_cast<int>(std::ceil(way / (0.5 * core))), 1, kMostLooks);
  for (int look = 1; look <= looks; ++look) {
    const double time = static_cast<double>(look) / looks;
    Vec3d x[3];
    for (int k = 0; k < 3; ++k) x[k] = a[k] + (b[k] - a[k]) * time;
    // No point of a triangle is farther from its centre than two thirds of the longest side.
    const Vec3d center = (x[0] + x[1] + x[2]) / 3.0;
    const double beyond = reach + 0.67 * size;
    const Nearest at_center = in.shape->nearest(center, beyond);
    if (at_center.distance > beyond) continue;
    double nearest_corner = contact::kInfinity;
    bool bulges = false;
    for (int k = 0; k < 3; ++k) {
      const Nearest at = in.shape->nearest(x[k], reach + size);
      nearest_corner = std::min(nearest_corner, at.distance);
      bulges = bulges || dot(at.normal, at_center.normal) < kFlat ||
               dot(at_center.normal, at.point - at_center.point) < -kWorthwhile * size;
    }
    if (!bulges) continue;  // it is flat or hollow where the triangle is: corners are nearest
    const Deepest deepest = find_deepest(*in.shape, middle, x, size, reach + size);
    const double limit = look == looks ? reach : in.thickness;
    if (deepest.at.distance > limit || deepest.at.distance > nearest_corner - kWorthwhile * size) continue;

    const Vec3d w = deepest.weights;
    const Vec3d begin = a[0] * w.x + a[1] * w.y + a[2] * w.z;
    const HalfSpace half{deepest.at.point, deepest.at.normal, in.shape->nearest(begin, contact::kInfinity).distance,
                         time};
    Vec3d velocity{};
    for (int k = 0; k < 3; ++k) {
      const Quad<Real>& v = state_.velocity[corners[k]];
      velocity += Vec3d{double(v.x), double(v.y), double(v.z)} * w[k];
    }
    CoupledContact found = coupled_contact(c, half, velocity);
    for (int k = 0; k < 3; ++k) {
      found.particles[k] = corners[k];
      found.weights[k] = w[k];
    }
    if (corners[1] == corners[2]) {  // a segment
      found.particles[2] = -1;
      found.weights[1] += found.weights[2];
    }
    out.push_back(found);
    return;
  }
}

template void ColliderStage<float>::find_triangle_contacts(TriangleChunk&);
template void ColliderStage<double>::find_triangle_contacts(TriangleChunk&);

}  // namespace pliant
