// Contacts between bodies as constraints: colours, so that those of one colour share no moving particle and can be
// projected in parallel; then one sweep per iteration, each contact with its friction.

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/parallel.h"
#include "solver/body_contact_pair.h"
#include "solver/body_contacts.h"

namespace pliant {

namespace {
constexpr int kColors = 64;  // the last one takes all that find no other, and is done in order
constexpr int64_t kContactsPerChunk = 128;
}  // namespace

/// Contacts in an order that follows from their corners alone, vertex-triangle first, each once. By the first corner:
/// particles that are near have near numbers, mostly.
template <class Real>
void BodyContacts<Real>::sort_contacts() {
  BodyContactData<Real>& c = contact_;
  std::size_t count = 0;
  const int64_t pairs_of[2] = {static_cast<int64_t>(pairs<1>().size()), static_cast<int64_t>(pairs<2>().size())};
  const auto each_found = [&](int kind, auto&& f) {
    const int64_t chunks = chunk_count(pairs_of[kind], kContactPairsPerChunk);
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      for (const BodyContactPoint<Real>& contact : c.found[kind][chunk].contacts) f(contact);
    }
  };
  c.sorted.clear();
  for (int kind = 0; kind < 2; ++kind) {
    std::fill(c.sorted_end.begin(), c.sorted_end.end(), 0);
    each_found(kind, [&](const auto& contact) { ++c.sorted_end[contact.corner[0]]; });
    const int32_t first = static_cast<int32_t>(count);  // of this kind
    int32_t sum = first;
    for (int32_t& end : c.sorted_end) {
      const int32_t many = end;
      end = sum;
      sum += many;
    }
    count = static_cast<std::size_t>(sum);
    if (c.sorted.capacity() < count) c.sorted.reserve(count * 2);
    c.sorted.resize(count);
    each_found(kind, [&](const auto& contact) {
      // Into its place among those with the same first corner, of which there are few.
      int32_t at = c.sorted_end[contact.corner[0]]++;
      for (; at > first && c.sorted[at - 1] && c.sorted[at - 1]->corner[0] == contact.corner[0] &&
             contact.corner < c.sorted[at - 1]->corner;
           --at) {
        c.sorted[at] = c.sorted[at - 1];
      }
      c.sorted[at] = &contact;
    });
  }
  const auto same = [](const auto* p, const auto* q) { return p->corner == q->corner; };
  c.sorted.erase(std::unique(c.sorted.begin(), c.sorted.end(), same), c.sorted.end());
}

/// First fit, then sorted by colour.
template <class Real>
void BodyContacts<Real>::color_contacts() {
  BodyContactData<Real>& c = contact_;
  sort_contacts();
  const std::size_t count = c.sorted.size();
  if (c.color.capacity() < count) c.color.reserve(count * 2);
  if (c.contacts.capacity() < count) c.contacts.reserve(count * 2);
  c.color.resize(count);
  c.contacts.resize(count);
  c.color_begin.assign(kColors + 1, 0);
  for (std::size_t k = 0; k < count; ++k) {
    const BodyContactPoint<Real>& contact = *c.sorted[k];
    uint64_t taken = 0;
    for (const int32_t i : contact.corner) taken |= c.colors_of[i];
    const int color = std::min(std::countr_one(taken), kColors - 1);
    c.color[k] = static_cast<uint8_t>(color);
    ++c.color_begin[color + 1];
    for (const int32_t i : contact.corner) {
      if (state_.offset[i].w > Real(0)) c.colors_of[i] |= uint64_t{1} << color;
    }
  }
  for (int color = 0; color < kColors; ++color) c.color_begin[color + 1] += c.color_begin[color];
  std::array<int, kColors> next;
  std::copy_n(c.color_begin.begin(), kColors, next.begin());
  for (std::size_t k = 0; k < count; ++k) {
    for (const int32_t i : c.sorted[k]->corner) c.colors_of[i] = 0;
    c.contacts[next[c.color[k]]++] = *c.sorted[k];
  }
}

namespace {

/// One contact: first the distance, then friction within Coulomb's cone, |friction| <= mu lambda.
template <class Real>
inline void project_contact(BodyContactPoint<Real>& contact, Quad<Real>* offset, const Quad<Real>* start, Real mu) {
  Vec3<Real> o[4];
  Real push[4], inertia = 0;  // inverse mass times weight; their sum with the weights once more
  for (int k = 0; k < 4; ++k) {
    const Quad<Real>& q = offset[contact.corner[k]];
    o[k] = {q.x, q.y, q.z};
    push[k] = q.w * contact.weight[k];
    inertia = mul_add(push[k], contact.weight[k], inertia);
  }
  if (!(inertia > Real(0))) return;
  const Vec3<Real> n = contact.normal;
  Vec3<Real> apart{};
  for (int k = 1; k < 4; ++k) apart = mul_add(o[k] - o[0], contact.weight[k], apart);
  const Real C = contact.gap + dot(n, apart);
  const Real change = std::max(-C / inertia, -contact.lambda);
  if (change == Real(0) && contact.lambda == Real(0)) return;
  if (!std::isfinite(change)) return;
  contact.lambda += change;
  for (int k = 0; k < 4; ++k) o[k] = mul_add(n, change * push[k], o[k]);
  if (mu > Real(0)) {
    Vec3<Real> slip{};
    for (int k = 0; k < 4; ++k) {
      const Quad<Real>& s = start[contact.corner[k]];
      slip = mul_add(o[k] - Vec3<Real>{s.x, s.y, s.z}, contact.weight[k], slip);
    }
    slip -= n * dot(n, slip);
    Vec3<Real> wanted = contact.friction - slip / inertia;
    const Real most = mu * contact.lambda, size = length(wanted);
    if (size > most) wanted = wanted * (most / size);
    const Vec3<Real> by = wanted - contact.friction;
    contact.friction = wanted;
    for (int k = 0; k < 4; ++k) o[k] = mul_add(by, push[k], o[k]);
  }
  for (int k = 0; k < 4; ++k) {
    Quad<Real>& q = offset[contact.corner[k]];
    if (q.w == Real(0)) continue;  // shared by contacts of this colour
    q.x = o[k].x;
    q.y = o[k].y;
    q.z = o[k].z;
  }
}

}  // namespace

template <class Real>
void BodyContacts<Real>::project() {
  BodyContactData<Real>& c = contact_;
  if (c.contacts.empty()) return;
  for (int color = 0; color < kColors; ++color) {
    const int first = c.color_begin[color];
    const int64_t count = c.color_begin[color + 1] - first;
    const int64_t grain = color == kColors - 1 ? std::max<int64_t>(count, 1) : kContactsPerChunk;
    parallel_for(*jobs_, count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        project_contact(c.contacts[first + k], state_.offset.data(), state_.start.data(), c.friction);
      }
    });
  }
}

template void BodyContacts<float>::color_contacts();
template void BodyContacts<float>::project();
template void BodyContacts<double>::color_contacts();
template void BodyContacts<double>::project();

}  // namespace pliant
