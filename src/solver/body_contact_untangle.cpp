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
// inside. Pairs that have to do with an intersection are no contacts, and the guard lets them pass, until they are
// free.

#include <algorithm>
#include <cmath>

#include "contact/intersections.h"
#include "solver/body_contact_pair.h"
#include "solver/body_contacts.h"

namespace pliant {

namespace {
/// [1/s] Mean edge lengths per second at which tangled parts move past each other.
constexpr double kUntanglingSpeed = 5;
}  // namespace

/// Looks for intersections, once per step while there may be any, and marks what has to do with them.
template <class Real>
void BodyContacts<Real>::find_tangles() {
  BodyContactData<Real>& c = contact_;
  if (!options_.contact || !c.may_be_tangled || c.looked_for_tangles == state_.steps) return;
  c.looked_for_tangles = state_.steps;
  const ContactSurface& s = c.surface;
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
    if (e.face) triangles.push_back({e.corner[0], e.corner[1], e.corner[2]});
    for (int k = 0; k < (e.face ? 3 : 1); ++k) {
      const int32_t a = e.corner[k], b = e.corner[(k + 1) % 3];
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
  std::fill(c.tangled.begin(), c.tangled.end(), uint8_t{0});
  c.tangles.clear();
  for (const Piercing& p : piercing_edges(x, edges, triangles, kMostTangles * (edges.size() + triangles.size()))) {
    const Edge& e = edges[p.edge];
    const Triangle& t = triangles[p.triangle];
    if (s.body[e[0]] == s.body[t[0]] && !s.touches_itself[s.body[t[0]]]) continue;
    bool tied = false;
    for (const int v : e) {
      for (const int w : t) tied |= s.are_tied(v, w);
    }
    if (tied) continue;
    for (const int v : e) c.tangled[v] = 1;
    for (const int v : t) c.tangled[v] = 1;
    c.tangles.push_back({{e[0], e[1], t[0], t[1], t[2]}, opposite[p.edge]});
  }
  c.any_tangled = c.may_be_tangled = !c.tangles.empty();
  c.most_tangles = std::max(c.most_tangles, static_cast<int>(c.tangles.size()));
}

/// Moves what is tangled towards the shorter curve, a little in each substep.
template <class Real>
void BodyContacts<Real>::untangle() {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
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

/// Tells of scripted pins that push bodies into each other, and of intersections, once each.
template <class Real>
void BodyContacts<Real>::report(std::vector<Trouble>& troubles) {
  BodyContactData<Real>& c = contact_;
  const auto tell = [&](Trouble::Kind kind, const std::string& message) {
    Trouble t;
    t.kind = kind;
    t.step = state_.steps;
    t.message = message;
    troubles.push_back(std::move(t));
  };
  if (c.most_tangles > 0 && !c.told_tangled) {
    c.told_tangled = true;
    tell(Trouble::Kind::tangled_start,
         "bodies go through each other in step " + std::to_string(state_.steps) + ": " +
             std::to_string(c.most_tangles) +
             " edges through triangles; these are moved apart, slowly; place bodies farther apart to avoid it");
  }
  if (c.caught.exchange(0, std::memory_order_relaxed) > 0) {
    c.may_be_inside = true;
    c.looked_for_inside = -1;
  }
  if (c.broad_phase.crowded() && !c.told_crowded) {
    c.told_crowded = true;
    tell(Trouble::Kind::crowded_contact,
         "so many parts of bodies are in the same place in step " + std::to_string(state_.steps) +
             " that contact looks at a part of them only; a body has blown up, or bodies were placed in each other");
  }
  const int pairs = c.forced.exchange(0, std::memory_order_relaxed);
  if (pairs == 0) return;
  c.may_be_tangled = true;
  if (c.told_forced) return;
  c.told_forced = true;
  tell(Trouble::Kind::forced_contact, "scripted pins push bodies into each other in step " +
                                          std::to_string(state_.steps) + " (" + std::to_string(pairs) +
                                          " pairs); change their path, or let what is in the way move");
}

#define PLIANT_INSTANTIATE(Real)                    \
  template void BodyContacts<Real>::find_tangles(); \
  template void BodyContacts<Real>::untangle();     \
  template void BodyContacts<Real>::report(std::vector<Trouble>&);
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
