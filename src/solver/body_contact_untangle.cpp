// Bodies that go through each other at the start, or that scripted pins push there, and how they get free.
//
// Where an edge goes through a triangle there is a curve of intersection. Moving the edge by d and the triangle by -d
// moves the end of that curve; with E the edge's direction, N the triangle's normal and R the direction in which the
// curve runs on into a triangle A of the edge, its end moves by d - E (d . N) / (E . N), and the curve gets shorter by
//
//   R . d - (R . E) (N . d) / (E . N),      so fastest along   G = sum over A of R - (R . E) / (E . N) N
//
// (the idea of Volino and Magnenat-Thalmann 2006, "Resolving surface collisions through intersection contour
// minimization"; their factor of two before the second term does not follow from this). It needs no history and no
// inside. Particles of an edge and a triangle that intersect have no contacts until they are free, and the guard lets
// pass pairs of which both sides have such a particle (contact/freed_pairs.h), and no others: nothing beside them gets
// into an intersection.
//
// What goes through itself at rest is how the body is: it is let be.

#include <algorithm>
#include <cmath>

#include "contact/intersections.h"
#include "solver/body_contact_pair.h"
#include "solver/body_contacts.h"

namespace pliant {

namespace {
/// [1/s] Mean edge lengths per second at which tangled parts move past each other.
constexpr double kUntanglingSpeed = 10;
/// Of more intersections than that it is asked once in a step only where they are: the search would take longer than
/// all the rest.
constexpr std::size_t kFewTangles = 2000;

/// An edge and a triangle in one form, whichever way round they come.
std::array<int32_t, 5> crossing(Edge e, Triangle t) {
  std::sort(e.begin(), e.end());
  std::sort(t.begin(), t.end());
  return {e[0], e[1], t[0], t[1], t[2]};
}
}  // namespace

/// Edges of bodies that go through triangles of the same body at rest.
template <class Real>
void BodyContacts<Real>::find_crossings_at_rest() {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  c.crossings.clear();
  std::vector<Vec3d> x;
  std::vector<Triangle> triangles;
  std::vector<Edge> edges;
  for (std::size_t begin = 0; begin < s.elements.size();) {
    const int32_t body = s.elements[begin].body;
    std::size_t end = begin;
    triangles.clear();
    edges.clear();
    for (; end < s.elements.size() && s.elements[end].body == body; ++end) {
      const SurfaceElement& e = s.elements[end];
      if (!e.face) continue;
      triangles.push_back({e.corner[0], e.corner[1], e.corner[2]});
      for (int k = 0; k < 3; ++k) {
        if (e.edges >> k & 1) edges.push_back({e.corner[k], e.corner[(k + 1) % 3]});
      }
    }
    begin = end;
    if (triangles.empty() || s.is_collider(body) || !s.touches_itself[static_cast<std::size_t>(body)]) continue;
    if (x.empty()) {
      for (const auto& r : s.rest) x.push_back({r[0], r[1], r[2]});
    }
    for (const Piercing& p : piercing_edges(x, edges, triangles, kMostTangles * edges.size())) {
      const Edge& e = edges[p.edge];
      const Triangle& t = triangles[p.triangle];
      c.freed.add_at_rest({e[0], e[1]}, {t[0], t[1], t[2]});
      c.crossings.push_back(crossing(e, t));
    }
  }
  c.freed.finish();
  std::sort(c.crossings.begin(), c.crossings.end());
}

/// Looks for intersections while there may be any, and marks what has to do with them: everywhere at the start of a
/// step; where there were some, in its other substeps, since they go on from there only.
template <class Real>
void BodyContacts<Real>::find_tangles(int substep) {
  BodyContactData<Real>& c = contact_;
  if (!options_.contact) return;
  const bool everywhere = c.may_be_tangled && c.looked_for_tangles != state_.steps;
  if (!everywhere && !(c.freed.any_tangled && substep > 0 && c.tangles.size() < kFewTangles)) return;
  c.looked_for_tangles = state_.steps;
  const ContactSurface& s = c.surface;
  const auto is_near = [&](int32_t i) { return everywhere || c.freed.tangled[i] != 0; };
  const SubstepMotion<Real> motion(state_, options_);
  std::vector<Vec3d> x(s.body.size());
  for (const int32_t i : s.vertices) {
    const Quad<Real>& b = state_.base[i];
    x[i] = Vec3d{double(b.x), double(b.y), double(b.z)} + cast<double>(motion.from(i));
  }
  std::vector<Triangle> triangles;
  std::vector<Edge> edges;
  std::vector<std::array<int32_t, 2>> opposite;  // of each edge: the third corners of its triangles, or -1
  std::vector<std::array<int32_t, 4>> sides;     // (lower, higher, third corner), to find them
  for (const SurfaceElement& e : s.elements) {
    if (s.is_collider(e.body)) continue;
    if (!is_near(e.corner[0]) && !is_near(e.corner[1]) && !is_near(e.corner[2])) continue;
    if (e.face) triangles.push_back({e.corner[0], e.corner[1], e.corner[2]});
    for (int k = 0; k < (e.face ? 3 : 1); ++k) {
      const int32_t a = e.corner[k], b = e.corner[(k + 1) % 3];
      if (!is_near(a) && !is_near(b)) continue;
      sides.push_back({std::min(a, b), std::max(a, b), e.face ? e.corner[(k + 2) % 3] : -1, 0});
    }
  }
  std::sort(sides.begin(), sides.end());
  for (std::size_t k = 0; k < sides.size();) {
    edges.push_back({sides[k][0], sides[k][1]});
    opposite.push_back({sides[k][2], -1});
    const std::size_t first = k++;
    for (; k < sides.size() && sides[k][0] == sides[first][0] && sides[k][1] == sides[first][1]; ++k) {
      opposite.back()[1] = sides[k][2];
    }
  }
  std::fill(c.freed.tangled.begin(), c.freed.tangled.end(), uint8_t{0});
  c.tangles.clear();
  for (const Piercing& p : piercing_edges(x, edges, triangles, kMostTangles * (edges.size() + triangles.size()))) {
    const Edge& e = edges[p.edge];
    const Triangle& t = triangles[p.triangle];
    if (s.body[e[0]] == s.body[t[0]] && !s.touches_itself[s.body[t[0]]]) continue;
    bool tied = false;
    for (const int v : e) {
      for (const int w : t) tied |= s.are_tied(v, w);
    }
    if (tied || (!c.crossings.empty() && std::binary_search(c.crossings.begin(), c.crossings.end(), crossing(e, t)))) {
      continue;
    }
    for (const int v : e) c.freed.tangled[v] = 1;
    for (const int v : t) c.freed.tangled[v] = 1;
    c.tangles.push_back({{e[0], e[1], t[0], t[1], t[2]}, opposite[p.edge]});
  }
  c.freed.any_tangled = !c.tangles.empty();
  if (everywhere) find_nested(x);
  c.may_be_tangled = c.freed.any_tangled || !c.nested.empty();
}

/// Moves what is tangled towards the shorter curve, a little in each substep.
template <class Real>
void BodyContacts<Real>::untangle() {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  part_nested();
  for (const Tangle& tangle : c.tangles) {
    const auto place = [&](int32_t i) {
      const Quad<Real>&b = state_.base[i], &o = state_.offset[i];
      return Vec3d{double(b.x) + o.x, double(b.y) + o.y, double(b.z) + o.z};
    };
    Vec3d x[5];
    for (int k = 0; k < 5; ++k) x[k] = place(tangle.corner[k]);
    const Vec3d along = x[1] - x[0], normal = cross(x[3] - x[2], x[4] - x[2]);
    const double through = dot(along, normal);
    if (!(std::abs(through) > 1e-12 * length(along) * length(normal))) continue;
    const double at = dot(x[2] - x[0], normal) / through;
    if (!(at >= 0 && at <= 1)) continue;  // free
    const Vec3d point = x[0] + along * at, N = normal / length(normal), E = along / length(along);
    // Where the point is in the triangle.
    double weight[5] = {1 - at, at, 0, 0, 0}, sum = 0;
    for (int k = 0; k < 3; ++k) {
      weight[2 + k] = dot(normal, cross(x[2 + (k + 2) % 3] - x[2 + (k + 1) % 3], point - x[2 + (k + 1) % 3]));
      sum += weight[2 + k];
    }
    if (!(weight[2] >= 0 && weight[3] >= 0 && weight[4] >= 0 && sum > 0)) continue;
    for (int k = 2; k < 5; ++k) weight[k] = -weight[k] / sum;
    Vec3d G{};
    for (const int32_t third : tangle.opposite) {
      if (third < 0) continue;
      const Vec3d o = place(third) - x[0];
      const Vec3d inward = o - E * dot(E, o);  // from the edge into its triangle
      Vec3d R = cross(N, cross(E, o));
      const double size = length(R);
      if (!(size > 0)) continue;
      R = R / (dot(R, inward) > 0 ? size : -size);
      G += R - N * (dot(E, R) / dot(E, N));
    }
    const double size = length(G);
    if (!(size > 0)) continue;
    double inertia = 0;
    for (int k = 0; k < 5; ++k) inertia += double(state_.offset[tangle.corner[k]].w) * weight[k] * weight[k];
    if (!(inertia > 0)) continue;
    const double edge = std::min(s.edge_length[s.body[tangle.corner[0]]], s.edge_length[s.body[tangle.corner[2]]]);
    const Vec3d by = G * (kUntanglingSpeed * edge * double(dt_) / (size * inertia));
    for (int k = 0; k < 5; ++k) {
      Quad<Real>& o = state_.offset[tangle.corner[k]];
      const double part = double(o.w) * weight[k];
      o = {static_cast<Real>(o.x + by.x * part), static_cast<Real>(o.y + by.y * part),
           static_cast<Real>(o.z + by.z * part), o.w};
    }
  }
}

#define PLIANT_INSTANTIATE(Real)                              \
  template void BodyContacts<Real>::find_crossings_at_rest(); \
  template void BodyContacts<Real>::find_tangles(int);        \
  template void BodyContacts<Real>::untangle();
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
