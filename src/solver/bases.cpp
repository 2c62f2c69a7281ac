// The two parts of a position: when digits move from the offsets to the bases, and the origin after the scene.

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "solver/solver.h"

namespace pliant {

namespace {
constexpr int64_t kParticlesPerChunk = 4096;
constexpr int64_t kBatchesPerChunk = 256;

/// sum = fl(a + b) and error = a + b - sum, exactly (Knuth). Needs IEEE arithmetic without contraction.
template <class T>
inline void two_sum(T a, T b, T& sum, T& error) {
  const T s = a + b;
  const T bb = s - a;
  error = (a - (s - bb)) + (b - bb);
  sum = s;
}

/// Moves as many digits as fit from the offset into the base.
template <class Real>
inline void renormalise(Quad<Real>& base, Quad<Real>& offset) {
  using V = Pack<Real, 4>;
  const V b = V::load(&base.x), o = V::load(&offset.x);
  const Real w = offset.w;
  V sum, error;
  two_sum(b, o, sum, error);
  sum.store(&base.x);
  error.store(&offset.x);
  base.w = Real(0);
  offset.w = w;  // the inverse mass is no coordinate
}
}  // namespace

/// Gives particles a new base when the old one has served, or when one has moved farther from it than an
/// element is large: what is lost then is 1e-7 of an element's size.
template <class Real>
void Solver<Real>::renew_bases() {
  if (state_.substeps_on_base >= kSubstepsOnBase) {
    state_.substeps_on_base = 0;
    edges_stale_ = true;
    parallel_for(*jobs_, model_.body_begin.back(), kParticlesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) renormalise(state_.base[i], state_.offset[i]);
    });
  }
  ++state_.substeps_on_base;
  if (!edges_stale_) return;
  edges_stale_ = false;
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    if (base_edges_[g].empty()) continue;
    const Group<Real>& group = model_.groups[g];
    split_hubs(group, state_.base, false);
    const GroupView<Real> batches = view(g);
    const auto write = group.type->template kernels<Real>().write_base_edges;
    parallel_for(*jobs_, group.batches(), kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      write(batches, state_.base.data(), base_edges_[g].data(), static_cast<int>(begin), static_cast<int>(end));
    });
  }
}

/// When the scene has moved far from the origin of its coordinates, moves the origin after it. Far is
/// where the last digit of a base is larger than the motion of many small substeps. Where the scene is
/// is told by the median of some particles: a few that fly away do not take the origin with them.
template <class Real>
void Solver<Real>::follow_scene() {
  constexpr double kFar = 256;  // [m] float: last digit 3e-5 m in the base, 2e-12 m in the offset
  constexpr int kSamples = 31;
  const int64_t count = model_.body_begin.back();
  const int samples = static_cast<int>(std::min<int64_t>(count, kSamples));
  if (samples == 0) return;
  Vec3<Real> shift;  // in the numbers of the State, so that what the origin gains is what the bases lose
  for (int axis = 0; axis < 3; ++axis) {
    Real sample[kSamples] = {};
    for (int k = 0; k < samples; ++k) {
      const Quad<Real>& p = state_.base[count * k / samples];
      sample[k] = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
    }
    std::nth_element(sample, sample + samples / 2, sample + samples);
    shift[axis] = std::round(sample[samples / 2]);
  }
  if (!(length(cast<double>(shift)) > kFar)) return;
  edges_stale_ = true;
  state_.origin += cast<double>(shift);
  for (int i = 0; i < model_.particles; ++i) {
    Quad<Real>&b = state_.base[i], &o = state_.offset[i];
    Quad<Real> rest{};
    two_sum(b.x, -shift.x, b.x, rest.x);
    two_sum(b.y, -shift.y, b.y, rest.y);
    two_sum(b.z, -shift.z, b.z, rest.z);
    o = {o.x + rest.x, o.y + rest.y, o.z + rest.z, o.w};
    renormalise(b, o);
  }
}

template void Solver<float>::renew_bases();
template void Solver<float>::follow_scene();
template void Solver<double>::renew_bases();
template void Solver<double>::follow_scene();

}  // namespace pliant
