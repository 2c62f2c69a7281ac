// Elastic tets that have become stiffer than the substeps follow with one sweep.
//
// Multipliers are kept from substep to substep where kappa = E dt^2 / (density h^2) is small enough at rest
// (resolution.h). Materials that carry the Green strain grow stiffer when pulled: the gradients of the strain grow with
// the stretch s, the tension turns with the element and adds to its stiffness, and what one sweep leaves undone comes
// back in the next substep. Such bodies ring on, without end, although they did not at rest. A second sweep over the
// elements concerned ends it; what they come to rest at is the same. Measured with the problems of tests/reference and
// with bars that are pulled by 5 to 50 % (docs/constraints/tet_elastic.md), St. Venant-Kirchhoff rings where kappa s^8
// is above 2.5 to 5, s the stretch of the body, Neo-Hookean at larger values.
//
// The same holds for elements that other bodies press upon: the sweep takes a corner for free that contacts then put
// back to where it was. Links of a chain ring from kappa 1.3 to 1.8 on (docs/contact_self.md).

#include <algorithm>
#include <atomic>

#include "constraints/tet_strain.h"
#include "core/parallel.h"
#include "solver/body_contacts.h"
#include "solver/resolution.h"
#include "solver/solver.h"

namespace pliant {

namespace {
constexpr int64_t kBatchesPerChunk = 256;

/// Of kappa s^8, times what kappa may be at rest: 4. The largest stretch of an element is larger than that of the body,
/// near where it is held.
constexpr double kAboveRest = 2;
/// Of kappa where something is in contact, times what it may be without: 1.
constexpr double kInContact = 0.5;
/// Its rest data begins with a RestFrame.
bool grows_stiffer(const TypeInfo& type) { return type.name != "tet_corotated"; }
}  // namespace

/// Types whose law is one of the Green strain, since they grow stiffer, and all elastic ones where bodies touch. With
/// several iterations everything is swept often enough.
template <class Real>
bool Solver<Real>::may_sweep_twice(const Group<Real>& group) const {
  const TypeInfo& type = *group.type;
  const bool elastic = type.material && type.stencil == Stencil::tets && type.entries == 6;
  return elastic && (options_.contact || grows_stiffer(type)) && group.keep && options_.iterations == 1;
}

template <class Real>
void Solver<Real>::find_stretched() {
  constexpr int W = kDefaultWidth<Real>, N = 4;
  using T = Wide<Real, W>;
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const Group<Real>& group = model_.groups[g];
    std::vector<uint8_t>& again = again_[g];
    if (again.empty()) continue;
    may_ring_[g] = true;
    if (!grows_stiffer(*group.type)) {
      std::fill(again.begin(), again.end(), uint8_t{kOnce});
      continue;
    }
    const GroupView<Real> batches = view(g);
    const int64_t fields = static_cast<int64_t>(group.type->rest_fields.size()), strengths = group.general ? 3 : 1;
    const T limit(static_cast<Real>(kAboveRest * resolved_limit(options_)));
    split_hubs(group, state_.base, false);
    std::atomic<bool> tangled{false};
    parallel_for(*jobs_, group.batches(), kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        uint8_t found = kOnce;
        for (int lane = 0; lane < kLanes; lane += W) {
          const QuadAt* at = batches.particles + b * N * kLanes + lane;
          const Real* rest = batches.rest + b * fields * kLanes + lane;
          const auto base0 = Quads<T>::gather(state_.base.data(), at);
          Vec3<T> x[N] = {};
          for (int i = 1; i < N; ++i) x[i] = (Quads<T>::gather(state_.base.data(), at + i * kLanes) - base0).xyz();
          RestFrame<T> frame;
          int k = 0;
          frame.each([&](const char*, T& field) { field = load<T>(rest + k++ * kLanes); });
          const DeformedTet<T> tet(frame, x);
          // The largest eigenvalue of C is at most q + 2 p, and that where the others are equal, with q their mean and
          // 6 p^2 = |C - q I|^2. Padding has C = 0.
          const T* C = tet.C;
          const T trace = C[0] + C[1] + C[2], q = trace * T(Real(1.0 / 3));
          const T off = mul_add(C[5], C[5], mul_add(C[4], C[4], C[3] * C[3]));
          const T d[3] = {C[0] - q, C[1] - q, C[2] - q};
          const T deviation = mul_add(d[2], d[2], mul_add(d[1], d[1], d[0] * d[0])) + (off + off);
          const T largest = mul_add(T(Real(2)), sqrt(deviation * T(Real(1.0 / 6))), q), square = largest * largest;
          const T kappa = load<T>(batches.strength + b * strengths * kLanes + lane);
          if (any(kappa * (square * square) > limit)) found = kTwice;
          // Those beyond tr C = 12 and inverted ones have no multipliers to keep.
          const auto lost = (trace >= T(Real(12))) | ((tet.determinant() <= T(Real(0))) & (trace > T(Real(0))));
          if (any(lost)) tangled.store(true, std::memory_order_relaxed);
        }
        again[static_cast<std::size_t>(b)] = found;
      }
    });
    // Bodies with inverted elements are on the way to their shape, not ringing near it, and come apart better when
    // soft: swept twice, a mirrored block of 960 Neo-Hookean tets stayed tangled.
    if (tangled) std::fill(again.begin(), again.end(), uint8_t{kOnce});
    may_ring_[g] = !tangled;
  }
}

/// After the contacts of the first substep are found, which follow from positions and velocities alone.
template <class Real>
void Solver<Real>::find_touching() {
  if (!body_contacts_) return;
  touching_.assign(state_.offset.size(), 0);
  body_contacts_->mark_touching(touching_);
  const Real limit = static_cast<Real>(kInContact * resolved_limit(options_));
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const Group<Real>& group = model_.groups[g];
    std::vector<uint8_t>& again = again_[g];
    if (again.empty() || !may_ring_[g]) continue;
    const GroupView<Real> batches = view(g);
    const int64_t strengths = group.general ? 3 : 1;
    parallel_for(*jobs_, group.batches(), kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const QuadAt* at = batches.particles + b * 4 * kLanes;
        const Real* kappa = batches.strength + b * strengths * kLanes;
        bool found = false;
        for (int k = 0; k < 4 * kLanes && !found; ++k) {
          found = kappa[k % kLanes] > limit && touching_[at[k] / sizeof(Quad<Real>)];
        }
        if (found) again[static_cast<std::size_t>(b)] = kAfterContacts;
      }
    });
  }
}

template bool Solver<float>::may_sweep_twice(const Group<float>&) const;
template bool Solver<double>::may_sweep_twice(const Group<double>&) const;
template void Solver<float>::find_stretched();
template void Solver<double>::find_stretched();
template void Solver<float>::find_touching();
template void Solver<double>::find_touching();

}  // namespace pliant
