// Projection: one sweep over all groups, phase by phase, then the global constraints.

#include "core/parallel.h"
#include "solver/solver.h"

namespace pliant {

namespace {

/// Calls f(flag, first, end) for neighbouring batches with equal flags.
template <class F>
void each_run(const std::vector<uint8_t>& flags, int begin, int end, F&& f) {
  for (int from = begin; from < end;) {
    int to = from + 1;
    while (to < end && flags[to] == flags[from]) ++to;
    f(flags[from], from, to);
    from = to;
  }
}

}  // namespace

template <class Real>
void Solver<Real>::project(int iteration) {
  if (ledger_.attributes()) ledger_.start_sweeps(dt_);
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    sweep_group(g, iteration);
    if (ledger_.attributes()) ledger_.swept(g, dt_);
  }
  const ParticlesView<Real> p = particles();
  for (std::size_t b = 0; b < model_.balloons.size(); ++b) {
    if (iteration == 0) state_.balloon_multipliers[b] = 0;
    model_.balloons[b].project(p, dt_, state_.balloon_multipliers[b], *jobs_);
    if (ledger_.attributes()) ledger_.swept(model_.groups.size() + b, dt_);
  }
}

template <class Real>
void Solver<Real>::sweep_group(std::size_t index, int iteration) {
  const Group<Real>& group = model_.groups[index];
  const bool last = iteration == options_.iterations - 1;
  SweepSettings<Real> settings;
  settings.dt = dt_;
  settings.fresh = iteration == 0 && !group.keep;
  settings.accumulate = group.keep && last;
  const auto sweep = group.type->template kernels<Real>().project[width_slot(width_)][group.compliant][group.general];
  const GroupView<Real> batches = view(index);
  const ParticlesView<Real> p = particles();

  split_group(index, settings.accumulate);
  if (iteration == 0) turn_tension(index);
  const auto project_range = [&](const SweepSettings<Real>& s, int begin, int end) {
    if (!ledger_.pulls(index)) return sweep(batches, p, s, begin, end);
    ledger_.sweep(index, begin, end, dt_, [&](int from, int to) { sweep(batches, p, s, from, to); });
  };
  if (!any_pressed_[index]) {
    group.each_phase(*jobs_, [&](int begin, int end) { project_range(settings, begin, end); });
  } else {
    // Of these batches the multipliers count after the second time.
    SweepSettings<Real> first = settings;
    first.accumulate = false;
    group.each_phase(*jobs_, [&](int begin, int end) {
      each_run(pressed_[index], begin, end,
               [&](bool pressed, int from, int to) { project_range(pressed ? first : settings, from, to); });
    });
  }
  merge_group(index, settings.accumulate);
}

/// The second time of batches that other bodies press upon, after contacts have put them back, and of those that need
/// it anyway. Whether there are any.
template <class Real>
bool Solver<Real>::project_pressed() {
  bool found = false;
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    if (!any_pressed_[g]) continue;
    found = true;
    const Group<Real>& group = model_.groups[g];
    SweepSettings<Real> settings;
    settings.dt = dt_;
    settings.fresh = false;
    settings.accumulate = true;
    const auto sweep = group.type->template kernels<Real>().project[width_slot(width_)][group.compliant][group.general];
    const GroupView<Real> batches = view(g);
    const ParticlesView<Real> p = particles();
    split_group(g, true);
    group.each_phase(*jobs_, [&](int begin, int end) {
      each_run(pressed_[g], begin, end, [&](bool pressed, int from, int to) {
        if (!pressed) return;
        if (!ledger_.pulls(g)) return sweep(batches, p, settings, from, to);
        ledger_.sweep(g, from, to, dt_, [&](int a, int b) { sweep(batches, p, settings, a, b); });
      });
    });
    merge_group(g, true);
  }
  return found;
}

/// Ghosts of a group's hubs, before a sweep.
template <class Real>
void Solver<Real>::split_group(std::size_t index, bool accumulate) {
  const Group<Real>& group = model_.groups[index];
  if (group.hubs.empty()) return;
  if (base_edges_[index].empty() || group.type->template kernels<Real>().gathers_bases) {
    split_hubs(group, state_.base, false);
  }
  split_hubs(group, state_.start, false);
  split_hubs(group, state_.offset, true);
  // Ghosts add to what the hub carries already (from other groups), not to what they held last time.
  if (accumulate) split_hubs(group, state_.carry, false);
}

template <class Real>
void Solver<Real>::merge_group(std::size_t index, bool accumulate) {
  const Group<Real>& group = model_.groups[index];
  if (group.hubs.empty()) return;
  merge_hubs(group, state_.offset);
  if (accumulate) merge_hubs(group, state_.carry);
}

/// Gives each ghost its hub's values; n ghosts of a hub have its mass / n each.
template <class Real>
void Solver<Real>::split_hubs(const Group<Real>& group, AlignedVector<Quad<Real>>& values, bool masses) {
  for (const Hub& hub : group.hubs) {
    Quad<Real> value = values[hub.particle];
    if (masses) value.w *= static_cast<Real>(hub.ghosts);
    parallel_for(*jobs_, hub.ghosts, 4096, [&](int64_t begin, int64_t end) {
      for (int64_t g = begin; g < end; ++g) values[hub.first_ghost + g] = value;
    });
  }
}

/// A hub moves by the mean motion of its ghosts; see Hub for why that is exact. The sum runs in four
/// fixed strands, in the same order for any number of threads.
template <class Real>
void Solver<Real>::merge_hubs(const Group<Real>& group, AlignedVector<Quad<Real>>& values) {
  for (const Hub& hub : group.hubs) {
    Quad<Real>& at = values[hub.particle];
    if (state_.offset[hub.particle].w == Real(0)) continue;  // held
    const Quad<Real> from = at;
    Vec3<Real> sum[4] = {};
    for (int g = 0; g < hub.ghosts; ++g) {
      const Quad<Real>& ghost = values[hub.first_ghost + g];
      sum[g % 4] += Vec3<Real>{ghost.x - from.x, ghost.y - from.y, ghost.z - from.z};
    }
    const Vec3<Real> mean = ((sum[0] + sum[1]) + (sum[2] + sum[3])) / static_cast<Real>(hub.ghosts);
    at.x += mean.x;
    at.y += mean.y;
    at.z += mean.z;
  }
}

template void Solver<float>::project(int);
template void Solver<float>::sweep_group(std::size_t, int);
template bool Solver<float>::project_pressed();
template void Solver<float>::split_group(std::size_t, bool);
template void Solver<float>::merge_group(std::size_t, bool);
template void Solver<float>::split_hubs(const Group<float>&, AlignedVector<Quad<float>>&, bool);
template void Solver<float>::merge_hubs(const Group<float>&, AlignedVector<Quad<float>>&);
template void Solver<double>::project(int);
template void Solver<double>::sweep_group(std::size_t, int);
template bool Solver<double>::project_pressed();
template void Solver<double>::split_group(std::size_t, bool);
template void Solver<double>::merge_group(std::size_t, bool);
template void Solver<double>::split_hubs(const Group<double>&, AlignedVector<Quad<double>>&, bool);
template void Solver<double>::merge_hubs(const Group<double>&, AlignedVector<Quad<double>>&);

}  // namespace pliant
