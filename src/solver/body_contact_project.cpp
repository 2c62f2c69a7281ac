// Contacts between bodies as constraints: colours, so that those of one colour share no moving particle and can be
// projected in parallel; then one sweep per iteration, each contact with its friction.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "solver/body_contact_pair.h"
#include "solver/body_contacts.h"

namespace pliant {

namespace {
constexpr int kColors = 64;  // the last one takes all that find no other, and is done in order
constexpr int64_t kBlocksPerChunk = 16;
constexpr int kSlabs = 64;  // more than threads, so that each has as many contacts
}  // namespace

/// The contacts of a set in an order that follows from their corners alone: vertex-triangle first, by pairs of parts,
/// of which each has its own in order.
template <class Real>
void BodyContacts<Real>::sort_contacts(int set) {
  BodyContactData<Real>& c = contact_;
  c.of_set.clear();
  std::size_t count = 0;
  for (int64_t k = 0; k < c.broad_phase.part_pairs(); ++k) {
    const int32_t number = c.broad_phase.meeting(k).number;
    const auto& own = c.of_parts[static_cast<std::size_t>(number)];
    if (own.set != set || own.collider) continue;
    if (own.contacts[0].empty() && own.contacts[1].empty()) continue;
    c.of_set.push_back(number);
    count += own.contacts[0].size() + own.contacts[1].size();
  }
  const auto parts = [&](int32_t k) { return std::pair(c.of_parts[k].parts.a, c.of_parts[k].parts.b); };
  std::sort(c.of_set.begin(), c.of_set.end(), [&](int32_t k, int32_t m) { return parts(k) < parts(m); });
  if (c.sorted.capacity() < count) c.sorted.reserve(count * 2);
  c.sorted.clear();
  for (int kind = 0; kind < 2; ++kind) {
    for (const int32_t k : c.of_set) {
      for (const auto& contact : c.of_parts[k].contacts[kind]) c.sorted.push_back(&contact);
    }
  }
}

/// Slabs of the scene across its longest axis. Threads take the blocks of a colour from its beginning and from its
/// middle: with contacts by slabs a thread has one side of the scene in every colour, and particles seldom go from one
/// core to another. (By parts they did so all the time, and two threads took as long as one.) The contacts of a colour
/// share nothing, so their order does not change a bit.
template <class Real>
void BodyContacts<Real>::order_by_slabs() {
  BodyContactData<Real>& c = contact_;
  const std::size_t count = c.sorted.size();
  const auto place = [&](std::size_t k) -> const Quad<Real>& { return state_.base[c.sorted[k]->corner[0]]; };
  constexpr Real kFar = std::numeric_limits<Real>::max();
  Vec3<Real> low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};
  for (std::size_t k = 0; k < count; ++k) {
    const Quad<Real>& x = place(k);
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
  }
  const Vec3<Real> size = high - low;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  if (c.slab.capacity() < count) c.slab.reserve(count * 2);
  c.slab.resize(count);
  if (c.by_slab.capacity() < count) c.by_slab.reserve(count * 2);
  c.by_slab.resize(count);
  std::array<int32_t, kSlabs + 1> begin{};
  const Real scale = size[axis] > Real(0) ? kSlabs / size[axis] : Real(0);
  for (std::size_t k = 0; k < count; ++k) {
    const Quad<Real>& x = place(k);
    const Real at = ((axis == 0 ? x.x : axis == 1 ? x.y : x.z) - low[axis]) * scale;
    c.slab[k] = static_cast<uint8_t>(at < Real(kSlabs - 1) ? static_cast<int>(at) : kSlabs - 1);
    ++begin[c.slab[k] + 1];
  }
  for (int s = 0; s < kSlabs; ++s) begin[s + 1] += begin[s];
  for (std::size_t k = 0; k < count; ++k)
    c.by_slab[static_cast<std::size_t>(begin[c.slab[k]]++)] = static_cast<int32_t>(k);
}

/// First fit, then sorted by colour, in blocks.
template <class Real>
void BodyContacts<Real>::color_contacts(int number) {
  constexpr int W = kContactLanes<Real>;
  BodyContactData<Real>& c = contact_;
  auto& set = c.sets[static_cast<std::size_t>(number)];
  sort_contacts(number);
  const std::size_t count = c.sorted.size();
  if (c.color.capacity() < count) c.color.reserve(count * 2);
  c.color.resize(count);
  set.contacts = static_cast<int64_t>(count);
  std::array<int, kColors> many{};
  for (std::size_t k = 0; k < count; ++k) {
    const BodyContactPoint<Real>& contact = *c.sorted[k];
    uint64_t taken = 0;
    for (const int32_t i : contact.corner) taken |= c.colors_of[i];
    const int color = std::min(std::countr_one(taken), kColors - 1);
    c.color[k] = static_cast<uint8_t>(color);
    ++many[color];
    for (const int32_t i : contact.corner) {
      if (state_.offset[i].w > Real(0)) c.colors_of[i] |= uint64_t{1} << color;
    }
  }
  // Lanes of a block are done at once: contacts of the last colour, which may share particles, have one each.
  set.color_begin.assign(kColors + 1, 0);
  for (int color = 0; color < kColors; ++color) {
    const int blocks = color == kColors - 1 ? many[color] : (many[color] + W - 1) / W;
    set.color_begin[color + 1] = set.color_begin[color] + blocks;
  }
  const std::size_t blocks = static_cast<std::size_t>(set.color_begin[kColors]);
  if (set.blocks.capacity() < blocks) set.blocks.reserve(blocks * 2);
  set.blocks.resize(blocks);
  for (BodyContactBlock<Real>& block : set.blocks) {
    block.used = 0;
    for (auto& weights : block.weight) std::fill_n(weights, W, Real(0));
    for (auto& normals : block.normal) std::fill_n(normals, W, Real(0));
    std::fill_n(block.keep, W, Real(0));
    for (auto& at : block.at) std::fill_n(at, W, QuadAt{0});
  }
  std::array<int, kColors> next;
  std::copy_n(set.color_begin.begin(), kColors, next.begin());
  const auto put = [&](std::size_t k) {
    const BodyContactPoint<Real>& contact = *c.sorted[k];
    const int color = c.color[k];
    BodyContactBlock<Real>& block = set.blocks[static_cast<std::size_t>(next[color])];
    const int l = block.used++;
    for (int m = 0; m < 4; ++m) {
      block.at[m][l] = quad_at<Real>(contact.corner[m]);
      block.weight[m][l] = contact.weight[m];
    }
    for (int axis = 0; axis < 3; ++axis) block.normal[axis][l] = contact.normal[axis];
    block.keep[l] = contact.keep;
    if (block.used == W || color == kColors - 1) ++next[color];
  };
  order_by_slabs();
  for (const int32_t k : c.by_slab) {
    if (c.color[static_cast<std::size_t>(k)] != kColors - 1) put(static_cast<std::size_t>(k));
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (c.color[k] == kColors - 1) put(k);  // these are done in order
    for (const int32_t i : c.sorted[k]->corner) c.colors_of[i] = 0;
  }
}

namespace {

/// A contact that a sweep moves by less than this part of its thickness counts as settled. Contacts of a loaded patch
/// share particles: one sweep leaves each of them where its neighbours have pushed it. What is left of the push of kept
/// multipliers comes back as a velocity, in every substep. Measured: docs/contact_self.md.
constexpr double kSettled = 0.01;

/// First the distance, then friction within Coulomb's cone, |friction| <= mu lambda. Whether a contact was moved by
/// more than kSettled.
template <class Real>
inline bool project_block(BodyContactBlock<Real>& block, Quad<Real>* offset, const Quad<Real>* start, Real mu) {
  constexpr int W = kContactLanes<Real>;
  using T = Pack<Real, W>;
  const T zero(Real(0));
  Vec3<T> o[4];
  T mass[4], weight[4], push[4], inertia = zero;  // inverse mass times weight; their sum with the weights once more
  for (int k = 0; k < 4; ++k) {
    Quads<T>::gather(offset, block.at[k]).get(o[k], mass[k]);
    weight[k] = load<T>(block.weight[k]);
    push[k] = mass[k] * weight[k];
    inertia = mul_add(push[k], weight[k], inertia);
  }
  const Vec3<T> n{load<T>(block.normal[0]), load<T>(block.normal[1]), load<T>(block.normal[2])};
  Vec3<T> apart{zero, zero, zero};
  for (int k = 1; k < 4; ++k) apart = mul_add(o[k] - o[0], weight[k], apart);
  const T C = load<T>(block.gap) + dot(n, apart), last = load<T>(block.lambda);
  T change = max(-C / inertia, -last);
  const auto acts =
      (inertia > zero) & !((change == zero) & (last == zero)) & (abs(change) <= T(std::numeric_limits<Real>::max()));
  if (!any(acts)) return false;
  change = zero_unless(acts, change);
  const T lambda = last + change;
  store(lambda, block.lambda);
  for (int k = 0; k < 4; ++k) o[k] = mul_add(n, change * push[k], o[k]);
  if (mu > Real(0)) {
    Vec3<T> slip{zero, zero, zero};
    for (int k = 0; k < 4; ++k) {
      slip = mul_add(o[k] - Quads<T>::gather(start, block.at[k]).xyz(), weight[k], slip);
    }
    slip -= n * dot(n, slip);
    const Vec3<T> before{load<T>(block.friction[0]), load<T>(block.friction[1]), load<T>(block.friction[2])};
    Vec3<T> wanted = before - slip / inertia;
    const T most = T(mu) * lambda, size = length(wanted);
    const T part = select(size > most, most / size, T(Real(1)));
    for (int axis = 0; axis < 3; ++axis) {
      wanted[axis] = select(acts, wanted[axis] * part, before[axis]);
      store(wanted[axis], block.friction[axis]);
    }
    const Vec3<T> by = wanted - before;
    for (int k = 0; k < 4; ++k) o[k] = mul_add(by, push[k], o[k]);
  }
  // Particles without a mass may be shared by contacts of this colour, and empty lanes name any. Contacts that do not
  // act leave theirs as they are.
  for (int k = 0; k < 4; ++k) {
    const auto moved = Quads<T>::from(o[k], mass[k]);
    if (block.used == W && all(mass[k] > zero)) {
      moved.scatter(offset, block.at[k]);
    } else {
      moved.scatter_where(offset, block.at[k], zero_unless(acts, mass[k]));
    }
  }
  return any(abs(change) * inertia > load<T>(block.keep) * T(Real(kSettled)));
}

}  // namespace

template <class Real>
bool BodyContacts<Real>::project() {
  BodyContactData<Real>& c = contact_;
  std::atomic<bool> moved{false};
  for (auto& set : c.sets) {
    if (set.contacts == 0) continue;
    for (int color = 0; color < kColors; ++color) {
      const int first = set.color_begin[color];
      const int64_t count = set.color_begin[color + 1] - first;
      const int64_t grain = color == kColors - 1 ? std::max<int64_t>(count, 1) : kBlocksPerChunk;
      parallel_for(*jobs_, count, grain, [&](int64_t begin, int64_t end) {
        bool far = false;
        for (int64_t k = begin; k < end; ++k) {
          far |= project_block(set.blocks[static_cast<std::size_t>(first + k)], state_.offset.data(),
                               state_.start.data(), c.friction);
        }
        if (far) moved.store(true, std::memory_order_relaxed);
      });
    }
  }
  return moved;
}

template void BodyContacts<float>::order_by_slabs();
template void BodyContacts<double>::order_by_slabs();
template void BodyContacts<float>::color_contacts(int);
template bool BodyContacts<float>::project();
template void BodyContacts<double>::color_contacts(int);
template bool BodyContacts<double>::project();

}  // namespace pliant
