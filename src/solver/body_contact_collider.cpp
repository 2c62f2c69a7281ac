// Bodies against the surfaces of colliders (collider_surface.h): what is special to these pairs.
//
// A collider's thickness counts, not the body's. Vertices of bodies have contacts of their own with the collider's
// shape (collider_find.cpp); edges, and triangles at its corners, get theirs here, and colliders project them
// (collider_project.cpp), which know friction, forces and rigid bodies. The guard looks at all of them.
//
// What is behind a surface or goes through it, because it was put there or pinned there, is let alone as long as that
// is so: its vertices are pushed out, and nothing must hold them.

#include <algorithm>

#include "contact/intersections.h"
#include "solver/body_contact_pair.h"
#include "solver/body_contacts.h"

namespace pliant {

template <class Real>
int32_t BodyContacts<Real>::collider_of(const std::array<int32_t, 4>& corner) const {
  const ContactSurface& s = contact_.surface;
  return std::max(s.collider[s.body[corner[0]]], s.collider[s.body[corner[3]]]);
}

/// What the two sides of a pair keep between them [m].
template <class Real>
Real BodyContacts<Real>::thickness_of(const std::array<int32_t, 4>& corner) const {
  const ContactSurface& s = contact_.surface;
  const int32_t with = collider_of(corner);
  if (with >= 0) return static_cast<Real>(surfaces_[static_cast<std::size_t>(with)].thickness);
  return static_cast<Real>(s.half_thickness[corner[0]] + s.half_thickness[corner[3]]);
}

template <class Real>
bool BodyContacts<Real>::is_inside(const std::array<int32_t, 4>& corner) const {
  const auto& t = contact_.inside;
  return t[corner[0]] || t[corner[1]] || t[corner[2]] || t[corner[3]];
}

/// Looks once per step, while there may be any, for particles of bodies that are inside of a closed collider or belong
/// to an edge or a triangle that goes through a surface.
template <class Real>
void BodyContacts<Real>::find_inside() {
  BodyContactData<Real>& c = contact_;
  if (surfaces_.empty() || !c.may_be_inside || c.looked_for_inside == state_.steps) return;
  // After the first time only what was there before can still be there.
  const bool all = !c.any_inside || c.looked_for_inside < 0;
  c.looked_for_inside = state_.steps;
  const ContactSurface& s = c.surface;
  const SubstepMotion<Real> motion(state_, options_);
  std::vector<Vec3d> x(s.body.size());
  std::vector<uint8_t> looked_at(s.body.size(), 0);
  for (const int32_t i : s.vertices) {
    const Quad<Real>& b = state_.base[i];
    x[i] = Vec3d{double(b.x), double(b.y), double(b.z)} + cast<double>(motion.from(i));
    looked_at[i] = s.meets_colliders[s.body[i]] && (all || c.inside[i]);
  }
  std::fill(c.inside.begin(), c.inside.end(), uint8_t{0});
  for (const ColliderSurface& surface : surfaces_) {
    for (const int32_t i : s.vertices) {
      if (looked_at[i] && colliders_.starts_inside(surface.collider, i)) c.inside[i] = 1;
    }
  }
  std::vector<Triangle> of_bodies, of_colliders;
  std::vector<Edge> body_edges, collider_edges;
  for (const SurfaceElement& e : s.elements) {
    const bool collider = s.is_collider(e.body);
    if (!collider && !looked_at[e.corner[0]] && !looked_at[e.corner[1]] && !looked_at[e.corner[2]]) continue;
    if (e.face) (collider ? of_colliders : of_bodies).push_back({e.corner[0], e.corner[1], e.corner[2]});
    for (int k = 0; k < (e.face ? 3 : 1); ++k) {
      (collider ? collider_edges : body_edges).push_back({e.corner[k], e.corner[(k + 1) % 3]});
    }
  }
  const std::size_t most = kMostTangles * (body_edges.size() + collider_edges.size());
  for (const Piercing& p : piercing_edges(x, body_edges, of_colliders, most)) {
    for (const int v : body_edges[p.edge]) c.inside[v] = 1;
  }
  for (const Piercing& p : piercing_edges(x, collider_edges, of_bodies, most)) {
    for (const int v : of_bodies[p.triangle]) c.inside[v] = 1;
  }
  c.any_inside = c.may_be_inside = std::find(c.inside.begin(), c.inside.end(), 1) != c.inside.end();
}

/// The contacts with colliders that are in use, by pairs of parts: the same order for any number of threads.
template <class Real>
void BodyContacts<Real>::collect_with_colliders() {
  BodyContactData<Real>& c = contact_;
  c.with_colliders.clear();
  if (surfaces_.empty()) return;
  c.of_set.clear();
  std::size_t count = 0;
  for (std::size_t k = 0; k < c.of_parts.size(); ++k) {
    const auto& own = c.of_parts[k];
    if (own.substep != c.substep || !own.collider) continue;
    const std::size_t here = own.contacts[0].size() + own.contacts[1].size();
    if (here > 0) c.of_set.push_back(static_cast<int32_t>(k));
    count += here;
  }
  const auto parts = [&](int32_t k) { return std::pair(c.of_parts[k].parts.a, c.of_parts[k].parts.b); };
  std::sort(c.of_set.begin(), c.of_set.end(), [&](int32_t k, int32_t m) { return parts(k) < parts(m); });
  if (c.with_colliders.capacity() < count) c.with_colliders.reserve(count * 2);
  for (const int32_t k : c.of_set) {
    for (int kind = 0; kind < 2; ++kind) {
      for (const BodyContactPoint<Real>& contact : c.of_parts[k].contacts[kind]) {
        ColliderTouch& touch = c.with_colliders.emplace_back();
        touch.surface = collider_of(contact.corner);
        const ColliderSurface& surface = surfaces_[static_cast<std::size_t>(touch.surface)];
        int own = 0;
        double sign = 1;  // of the body's weights
        for (int m = 0; m < 4; ++m) {
          const int32_t i = contact.corner[m];
          const double weight = contact.weight[m];
          if (i >= surface.first_particle && i < surface.end_particle()) {
            touch.point += surface.mesh.positions[i - surface.first_particle] * std::abs(weight);
          } else {
            touch.particles[own] = i;
            touch.weights[own++] = std::abs(weight);
            if (m <= kind) continue;
            sign = -1;
          }
        }
        // It points from the second side to the first.
        touch.normal = cast<double>(contact.normal) * sign;
      }
    }
  }
}

/// Where the collider that takes a particle along brings it in this substep, from its start [m].
template <class Real>
Quad<Real> BodyContacts<Real>::carried(int32_t i) const {
  const int32_t by = contact_.carrier.empty() ? -1 : contact_.carrier[i];
  if (by < 0) return {};
  const Vec3<Real> u = cast<Real>(colliders_.carried(surfaces_[static_cast<std::size_t>(by)].collider, i));
  return {u.x, u.y, u.z, Real(0)};
}

#define PLIANT_INSTANTIATE(Real)                                                         \
  template int32_t BodyContacts<Real>::collider_of(const std::array<int32_t, 4>&) const; \
  template Real BodyContacts<Real>::thickness_of(const std::array<int32_t, 4>&) const;   \
  template bool BodyContacts<Real>::is_inside(const std::array<int32_t, 4>&) const;      \
  template void BodyContacts<Real>::find_inside();                                       \
  template void BodyContacts<Real>::collect_with_colliders();                            \
  template Quad<Real> BodyContacts<Real>::carried(int32_t) const;
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
