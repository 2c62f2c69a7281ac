// Elastic tets that are swept twice: where one sweep is not enough.
//
// Multipliers are kept from substep to substep where kappa = E dt^2 / (density h^2) is small enough (resolution.h). A
// sweep takes the corners of an element for free, and contacts then put some of them back to where they were: what the
// sweep has not done comes back in the next substep. Links of a chain ring from kappa 1.3 to 1.8 on
// (docs/contact_self.md). A second sweep over the elements concerned, after the contacts, ends it; what they come to
// rest at is the same.
//
// The same helps bodies whose shape or pressure one sweep does not follow, contact or not (sweep_limits()): all of
// their batches. Their strength is above the limit of the resolution (elastic.cpp).

#include <algorithm>
#include <atomic>

#include "core/parallel.h"
#include "solver/body_contacts.h"
#include "solver/resolution.h"
#include "solver/solver.h"

namespace pliant {

namespace {
constexpr int64_t kBatchesPerChunk = 256;
/// Of kappa, times what it may be without contact: 1.
constexpr double kInContact = 0.5;
}  // namespace

/// Elastic tets that touch something or need two sweeps by themselves; with several iterations everything is swept
/// often enough.
template <class Real>
bool Solver<Real>::may_be_pressed(const Group<Real>& group) const {
  const TypeInfo& type = *group.type;
  if (options_.iterations > 1 || !group.keep || !type.material || type.stencil != Stencil::tets || type.entries != 6) {
    return false;
  }
  if (options_.contact) return true;
  const auto limit = static_cast<Real>(resolved_limit(options_));
  const std::size_t each = (group.general ? 3 : 1) * kLanes;
  for (std::size_t at = 0; at < group.strength.size(); at += each) {
    const auto first = group.strength.begin() + static_cast<std::ptrdiff_t>(at);
    if (std::any_of(first, first + kLanes, [&](Real kappa) { return kappa > limit; })) return true;
  }
  return false;
}

/// After the contacts of the first substep are found, which follow from positions and velocities alone.
template <class Real>
void Solver<Real>::find_pressed() {
  if (std::ranges::all_of(pressed_, [](const auto& batches) { return batches.empty(); })) return;
  touching_.assign(state_.offset.size(), 0);
  if (body_contacts_) body_contacts_->mark_touching(touching_);
  const auto limit = static_cast<Real>(resolved_limit(options_)), in_contact = static_cast<Real>(kInContact) * limit;
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const Group<Real>& group = model_.groups[g];
    std::vector<uint8_t>& pressed = pressed_[g];
    if (pressed.empty()) continue;
    const GroupView<Real> batches = view(g);
    const int strengths = group.general ? 3 : 1;
    std::atomic<bool> some{false};
    parallel_for(*jobs_, group.batches(), kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const QuadAt* at = batches.particles + b * 4 * kLanes;
        const Real* kappa = batches.strength_of(b, strengths);
        bool found = false;
        for (int k = 0; k < 4 * kLanes && !found; ++k) {
          const Real own = kappa[k % kLanes];
          found = own > limit || (own > in_contact && touching_[at[k] / sizeof(Quad<Real>)]);
        }
        pressed[static_cast<std::size_t>(b)] = found;
        if (found) some.store(true, std::memory_order_relaxed);
      }
    });
    any_pressed_[g] = some;
  }
}

template bool Solver<float>::may_be_pressed(const Group<float>&) const;
template bool Solver<double>::may_be_pressed(const Group<double>&) const;
template void Solver<float>::find_pressed();
template void Solver<double>::find_pressed();

}  // namespace pliant
