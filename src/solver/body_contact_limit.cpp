// Where so much is near that pairs cannot be told apart, particles are held by their distances: no two of them can meet
// (contact/distance_bound.h). That is so for all pairs of crowded parts together; pairs of which one part is not
// crowded are looked at one by one, as ever, with what is left of the motions.

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/body_contact_pair.h"
#include "solver/body_contacts.h"

namespace pliant {

/// Lowers the parts of their motions that particles of crowded parts may make.
template <class Real>
void BodyContacts<Real>::limit_crowded(typename BodyContactData<Real>::Found& found) {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  c.crowded_elements.clear();
  for (std::size_t e = 0; e < s.elements.size(); ++e) {
    if (c.broad_phase.is_crowded(c.broad_phase.part_of_element(e))) {
      c.crowded_elements.push_back(static_cast<int32_t>(e));
    }
  }
  const std::size_t particles = s.body.size();
  c.places.resize(particles);
  c.ways.resize(particles);
  c.limits.resize(particles);
  c.stays.resize(particles);
  const Quad<Real>* from = this->from();
  constexpr double kFree = std::numeric_limits<double>::max();
  const auto surface_of = [&](int32_t i) -> int32_t { return s.collider.empty() ? -1 : s.collider[s.body[i]]; };
  for (const int32_t e : c.crowded_elements) {
    for (const int32_t i : s.elements[static_cast<std::size_t>(e)].corner) {
      const Quad<Real>&b = state_.base[i], &f = from[i], &o = state_.offset[i];
      const Vec3d start{double(f.x), double(f.y), double(f.z)};
      c.places[i] = Vec3d{double(b.x), double(b.y), double(b.z)} + start;
      const double way = length(Vec3d{double(o.x), double(o.y), double(o.z)} - start);
      c.ways[i] = std::isfinite(way) ? way : 0;  // it will be put back (velocities.cpp)
      const int32_t with = surface_of(i);
      c.stays[i] = with >= 0 ? surfaces_[static_cast<std::size_t>(with)].rigid < 0 : state_.offset[i].w == Real(0);
      c.limits[i] = kFree;
    }
  }
  c.bound.lower(
      *jobs_, s, c.crowded_elements,
      {c.places, c.ways, c.stays, c.any_inside ? std::span<const uint8_t>(c.inside) : std::span<const uint8_t>()},
      c.freed, c.limits);
  for (const int32_t e : c.crowded_elements) {
    for (const int32_t i : s.elements[static_cast<std::size_t>(e)].corner) {
      const double limit = c.limits[i];
      c.limits[i] = kFree;
      if (!(limit < c.ways[i]) || c.stays[i]) continue;
      const uint32_t to = static_cast<uint32_t>(c.last_scale[i] * (limit / c.ways[i]));
      const int32_t with = surface_of(i);
      std::atomic<uint32_t>& scale = with >= 0 ? c.rigid_scale[static_cast<std::size_t>(with)] : c.scale[i];
      if (to < scale.load(std::memory_order_relaxed)) scale.store(to, std::memory_order_relaxed);
      if (with < 0) found.touched.push_back(i);
    }
  }
}

template void BodyContacts<float>::limit_crowded(BodyContactData<float>::Found&);
template void BodyContacts<double>::limit_crowded(BodyContactData<double>::Found&);

}  // namespace pliant
