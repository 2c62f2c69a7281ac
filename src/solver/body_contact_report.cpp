// What is told of contact between bodies: each kind of trouble once, with both bodies, the place, the cause and what to
// do (docs/contact_messages.md).

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "solver/body_contact_pair.h"
#include "solver/body_contacts.h"

namespace pliant {

namespace {
/// Steps in a row in which particles were held by their distances: half a second. What is over sooner was an impact.
constexpr int kCrowdedForLong = 30;
}  // namespace

template <class Real>
const std::string& BodyContacts<Real>::name_of(int32_t body) const {
  const int32_t with = contact_.surface.collider[static_cast<std::size_t>(body)];
  if (with < 0) return input_.bodies[static_cast<std::size_t>(body)].name;
  return input_.colliders[static_cast<std::size_t>(surfaces_[static_cast<std::size_t>(with)].collider)].name;
}

/// "'a' and 'b'", or "'a' and itself".
template <class Real>
std::string BodyContacts<Real>::names_of(int32_t p, int32_t q) const {
  const int32_t a = contact_.surface.body[p], b = contact_.surface.body[q];
  if (a == b) return fmt::format("'{}' and itself", name_of(a));
  return fmt::format("'{}' and '{}'", name_of(std::min(a, b)), name_of(std::max(a, b)));
}

template <class Real>
std::string BodyContacts<Real>::place_of(int32_t p) const {
  const Quad<Real>&b = state_.base[p], &o = state_.offset[p];
  const Vec3d x = state_.origin + Vec3d{double(b.x) + o.x, double(b.y) + o.y, double(b.z) + o.z};
  return fmt::format("({:.3g}, {:.3g}, {:.3g})", x.x, x.y, x.z);
}

/// At the end of a step.
template <class Real>
void BodyContacts<Real>::report(std::vector<Trouble>& troubles) {
  BodyContactData<Real>& c = contact_;
  const auto tell = [&](Trouble::Kind kind, int32_t particle, std::string message) {
    Trouble t;
    t.kind = kind;
    t.step = state_.steps;
    t.body = name_of(c.surface.body[particle]);
    t.message = std::move(message);
    troubles.push_back(std::move(t));
  };
  if (!c.tangles.empty() && !c.told_tangled) {
    c.told_tangled = true;
    const auto& first = c.tangles.front().corner;
    tell(Trouble::Kind::tangled_start, first[0],
         fmt::format("{} go through each other near {} in step {}: {} edges through triangles in all; these are moved "
                     "apart; place bodies farther apart to avoid it",
                     names_of(first[0], first[2]), place_of(first[0]), state_.steps, c.tangles.size()));
  }
  if (!c.nested.empty() && !c.told_tangled) {
    c.told_tangled = true;
    const int32_t inner = c.particles_begin[static_cast<std::size_t>(c.nested.front().inner)],
                  outer = c.particles_begin[static_cast<std::size_t>(c.nested.front().outer)];
    tell(Trouble::Kind::tangled_start, inner,
         fmt::format(
             "'{}' is inside of '{}' near {} in step {}; it is moved out; place bodies beside each other to avoid it",
             name_of(c.surface.body[inner]), name_of(c.surface.body[outer]), place_of(inner), state_.steps));
  }
  if (c.caught.exchange(0, std::memory_order_relaxed) > 0) {
    c.may_be_inside = true;
    c.looked_for_inside = -1;
  }
  c.crowded_steps = c.crowded ? c.crowded_steps + 1 : 0;
  c.crowded = false;
  if (c.crowded_steps >= kCrowdedForLong && !c.told_crowded && !c.crowded_elements.empty()) {
    c.told_crowded = true;
    const int32_t first = c.surface.elements[static_cast<std::size_t>(c.crowded_elements.front())].corner[0];
    tell(Trouble::Kind::crowded_contact, first,
         fmt::format("'{}' has been so crowded for {} steps, up to step {}, that its parts may move by half of their "
                     "distance in a substep and no more (near {}); nothing passes through anything, but it is slow and "
                     "sluggish; take more substeps, or bodies that are less stretched",
                     name_of(c.surface.body[first]), kCrowdedForLong, state_.steps, place_of(first)));
  }
  // The lowest corners of all chunks: the same for any number of threads.
  int pairs = 0;
  std::array<int32_t, 4> lowest{};
  for (auto& found : c.found) {
    if (found.forced > 0 && (pairs == 0 || found.first_forced < lowest)) lowest = found.first_forced;
    pairs += found.forced;
    found.forced = 0;
  }
  if (pairs == 0) return;
  c.may_be_tangled = true;
  if (c.told_forced) return;
  c.told_forced = true;
  // What moves and cannot be slowed.
  const auto driven = std::find_if(lowest.begin(), lowest.end(), [&](int32_t i) {
    return state_.offset[i].w == Real(0) &&
           c.motion[i].x * c.motion[i].x + c.motion[i].y * c.motion[i].y + c.motion[i].z * c.motion[i].z > Real(0);
  });
  const int32_t by = driven == lowest.end() ? lowest[0] : *driven;
  tell(Trouble::Kind::forced_contact, by,
       fmt::format("scripted pins of '{}' push {} into each other near {} in step {} ({} pairs); change their path, or "
                   "let what is in the way move",
                   name_of(c.surface.body[by]), names_of(lowest[0], lowest[3]), place_of(by), state_.steps, pairs));
}

#define PLIANT_INSTANTIATE(Real)                                             \
  template const std::string& BodyContacts<Real>::name_of(int32_t) const;    \
  template std::string BodyContacts<Real>::names_of(int32_t, int32_t) const; \
  template std::string BodyContacts<Real>::place_of(int32_t) const;          \
  template void BodyContacts<Real>::report(std::vector<Trouble>&);
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
