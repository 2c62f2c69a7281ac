// Bodies that are inside of solids: no edge goes through anything, so the curve of intersection
// (body_contact_untangle.cpp) says nothing. They are found by where they are, by winding numbers, and move out as a
// whole on the shortest way from their middle, while pairs of the two bodies may pass. When half of a body is out, its
// contour does the rest.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "contact/triangle_tree.h"
#include "solver/body_contacts.h"

namespace pliant {

namespace {
/// Vertices of a body that are asked whether they are inside; more than half of them decide.
constexpr int kSamples = 16;
/// [s] in which a body gets out.
constexpr double kTime = 0.4;

struct Surface {
  std::vector<std::array<int32_t, 3>> triangles;
  Vec3d low{}, high{}, middle{};
  bool closed = false;
};

/// Turns of a surface around a point: about 1 inside of a closed one that faces outward.
double turns_around(const Surface& s, const std::vector<Vec3d>& x, const Vec3d& p) {
  double sum = 0;
  for (const auto& t : s.triangles) {
    const Vec3d a = x[static_cast<std::size_t>(t[0])] - p, b = x[static_cast<std::size_t>(t[1])] - p,
                c = x[static_cast<std::size_t>(t[2])] - p;
    const double la = length(a), lb = length(b), lc = length(c);
    sum += std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (2 * std::numbers::pi);  // solid angles are twice these
}

/// Each edge belongs to two triangles, once in each direction.
bool is_closed(const std::vector<std::array<int32_t, 3>>& triangles) {
  std::vector<std::array<int32_t, 2>> sides;
  for (const auto& t : triangles) {
    for (int k = 0; k < 3; ++k) sides.push_back({t[k], t[(k + 1) % 3]});
  }
  std::sort(sides.begin(), sides.end());
  for (const auto& [a, b] : sides) {
    if (!std::binary_search(sides.begin(), sides.end(), std::array<int32_t, 2>{b, a})) return false;
  }
  return !sides.empty();
}
}  // namespace

/// `x` has the places of all particles of surfaces.
template <class Real>
void BodyContacts<Real>::find_nested(const std::vector<Vec3d>& x) {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  c.nested.clear();
  c.freed.nested.clear();
  std::vector<Surface> bodies(s.collider.size());
  constexpr double kFar = std::numeric_limits<double>::max();
  for (const SurfaceElement& e : s.elements) {
    if (e.face && !s.is_collider(e.body)) {
      bodies[static_cast<std::size_t>(e.body)].triangles.push_back({e.corner[0], e.corner[1], e.corner[2]});
    }
  }
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    Surface& own = bodies[b];
    own.closed = b < input_.bodies.size() && !input_.bodies[b].tets.empty() && is_closed(own.triangles);
    own.low = {kFar, kFar, kFar};
    own.high = -own.low;
    const int many = s.body_begin[b + 1] - s.body_begin[b];
    for (int k = s.body_begin[b]; k < s.body_begin[b + 1]; ++k) {
      const Vec3d& p = x[static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(k)])];
      own.middle += p / static_cast<double>(many);
      for (int axis = 0; axis < 3; ++axis) {
        own.low[axis] = std::min(own.low[axis], p[axis]);
        own.high[axis] = std::max(own.high[axis], p[axis]);
      }
    }
  }
  for (std::size_t inner = 0; inner < bodies.size(); ++inner) {
    for (std::size_t outer = 0; outer < bodies.size(); ++outer) {
      const Surface &in = bodies[inner], &out = bodies[outer];
      if (inner == outer || !out.closed || s.body_begin[inner] == s.body_begin[inner + 1]) continue;
      if (!s.may_meet(static_cast<int32_t>(inner), static_cast<int32_t>(outer))) continue;
      bool apart = false;
      for (int axis = 0; axis < 3; ++axis) {
        apart |= in.low[axis] > out.high[axis] || in.high[axis] < out.low[axis];
      }
      if (apart || length(in.high - in.low) > length(out.high - out.low)) continue;
      const int begin = s.body_begin[inner], many = s.body_begin[inner + 1] - begin;
      const int samples = std::min(kSamples, many);
      int inside = 0;
      for (int k = 0; k < samples; ++k) {
        const int32_t i = s.vertices[static_cast<std::size_t>(begin + static_cast<int>(int64_t{k} * many / samples))];
        inside += std::abs(turns_around(out, x, x[static_cast<std::size_t>(i)])) > 0.5;
      }
      if (2 * inside <= samples) continue;
      // The way out: from the middle to the nearest point of the other surface, and past it.
      double nearest = kFar;
      Vec3d to{};
      for (const auto& t : out.triangles) {
        const Vec3d &p = x[static_cast<std::size_t>(t[0])], &q = x[static_cast<std::size_t>(t[1])],
                    &r = x[static_cast<std::size_t>(t[2])];
        const Vec3d w = contact::nearest_in_triangle(in.middle, p, q, r);
        const Vec3d way = p * w.x + q * w.y + r * w.z - in.middle;
        if (length(way) < nearest) nearest = length(way), to = way;
      }
      if (!(nearest > 0)) continue;
      Nested found;
      found.inner = static_cast<int32_t>(inner);
      found.outer = static_cast<int32_t>(outer);
      found.way = to / nearest * (0.5 * length(in.high - in.low) / kTime);
      double inertia[2] = {};  // [1/kg] of a whole body; 0: something of it is held
      for (int side = 0; side < 2; ++side) {
        const std::size_t b = side == 0 ? inner : outer;
        double mass = 0;
        bool held = false;
        for (int i = c.particles_begin[b]; i < c.particles_begin[b + 1]; ++i) {
          const double w = state_.offset[static_cast<std::size_t>(i)].w;
          held |= w == 0;
          if (w > 0) mass += 1 / w;
        }
        inertia[side] = held || mass == 0 ? 0 : 1 / mass;
      }
      const double sum = inertia[0] + inertia[1];
      if (!(sum > 0)) continue;
      for (int side = 0; side < 2; ++side) found.share[side] = inertia[side] / sum;
      c.nested.push_back(found);
      c.freed.nested.push_back({std::min(found.inner, found.outer), std::max(found.inner, found.outer)});
    }
  }
  std::sort(c.freed.nested.begin(), c.freed.nested.end());
}

/// Gives them what they lack of their speed, in each substep.
template <class Real>
void BodyContacts<Real>::part_nested() {
  for (const Nested& n : contact_.nested) {
    const double speed = length(n.way);
    const Vec3d along = n.way / speed;
    double going[2] = {};  // [m] of both in this substep, in the mean
    const auto particles = [&](int side, auto&& f) {
      const std::size_t b = static_cast<std::size_t>(side == 0 ? n.inner : n.outer);
      for (int i = contact_.particles_begin[b]; i < contact_.particles_begin[b + 1]; ++i)
        f(static_cast<std::size_t>(i));
    };
    for (int side = 0; side < 2; ++side) {
      int many = 0;
      particles(side, [&](std::size_t i) {
        const Quad<Real>&o = state_.offset[i], &from = state_.start[i];
        going[side] += dot(along, Vec3d{double(o.x) - from.x, double(o.y) - from.y, double(o.z) - from.z});
        ++many;
      });
      going[side] /= many;
    }
    const double missing = speed * double(dt_) - (going[0] - going[1]);
    if (!(missing > 0)) continue;
    for (int side = 0; side < 2; ++side) {
      if (n.share[side] == 0) continue;
      const Vec3<Real> by = cast<Real>(along * ((side == 0 ? 1 : -1) * n.share[side] * missing));
      particles(side, [&](std::size_t i) {
        Quad<Real>& o = state_.offset[i];
        o = {o.x + by.x, o.y + by.y, o.z + by.z, o.w};
      });
    }
  }
}

#define PLIANT_INSTANTIATE(Real)                                            \
  template void BodyContacts<Real>::find_nested(const std::vector<Vec3d>&); \
  template void BodyContacts<Real>::part_nested();
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
