// Tension that turns with an element.
//
// The push of a kept multiplier is W grad C^T lambda, made along the gradient at the end of a substep and used in the
// prediction of the next. Meanwhile the element moves and its gradient turns. For elastic tets, whose push at corner k
// is w_k F L m_k (tet_strain.h), what is missing after the prediction is
//
//   d_k = w_k U L m_k,      U = F - F at the start of the substep
//
// the force of the geometric stiffness. Left to the next substep it is integrated explicitly: elements whose
// tau = -tr(L Q) (below) is above 0.4 to 0.5 ring without end, and blow up, however many iterations there are. (Bars
// pulled by 10 to 50 %, any Poisson's ratio: docs/constraints/tet_elastic.md.) So it is taken into
// account here, implicitly: d changes U by sum_k d_k m_k^T = D, which is to be in the force,
//
//   D = (U + D) L Q,   Q = sum_k w_k m_k m_k^T     hence     d_k = w_k U Y m_k,   Y = (I - L Q)^-1 L,  symmetric
//
// With the part of L that is tension (L = -dt^2 V S, so the negative one) all eigenvalues of I - L Q are 1 or more.
// Corotated elements push by w_k R L m_k, with the rotation R of F in place of F; U is taken for them, too, which has
// the turn of R and the change of the stretch. At rest U is zero, and nothing changes. Linear momentum is kept: the m_k
// sum to zero. Angular momentum is lost as with implicit Euler: a tense body that spins by an angular velocity of w
// loses about w^2 dt of its spin in a second.

#include <algorithm>
#include <atomic>

#include "constraints/tet_strain.h"
#include "core/parallel.h"
#include "math/eigen.h"
#include "solver/solver.h"

namespace pliant {

namespace {
constexpr int64_t kBatchesPerChunk = 256;
constexpr int kPoints = 4, kEntries = 6;

/// Of tau: half of the least that was seen to ring.
constexpr double kMost = 0.2;

/// Inverse masses aside, what an elastic tet's tension is made of: its frame and multipliers.
template <class T>
struct TenseTet {
  Sym3<T> tension;  // the part of L that pulls
  Sym3<T> Q;

  template <class Real>
  TenseTet(const DeformedTet<T>& tet, const T (&w)[kPoints], const Real* multipliers) {
    T l[kEntries], q[kEntries];
    for (int e = 0; e < kEntries; ++e) l[e] = load<T>(multipliers + e * kLanes);
    tet.mass_metric(w, q);
    Q = {q[0], q[1], q[2], q[5], q[4], q[3]};
    const Eigen3<T> parts = symmetric_eigen(Sym3<T>{l[0], l[1], l[2], l[5], l[4], l[3]});
    const Vec3<T>& value = parts.values;
    const Mat3<T>& v = parts.vectors;
    const T zero(0);
    tension = symmetric_part(
        mul_transpose(Mat3<T>{v.c0 * min(value.x, zero), v.c1 * min(value.y, zero), v.c2 * min(value.z, zero)}, v));
  }
};

template <class T, class Real>
RestFrame<T> load_frame(const Real* rest) {
  RestFrame<T> frame;
  frame.each([&](const char*, T& field) {
    field = load<T>(rest);
    rest += kLanes;
  });
  return frame;
}

}  // namespace

/// Elastic tets: their rest data begins with a RestFrame.
template <class Real>
bool Solver<Real>::may_be_tense(const Group<Real>& group) const {
  const TypeInfo& type = *group.type;
  return group.keep && type.material && type.stencil == Stencil::tets && type.entries == kEntries;
}

/// Once in a step: which batches have elements whose tension counts.
template <class Real>
void Solver<Real>::find_tension() {
  constexpr int W = kDefaultWidth<Real>;
  using T = Wide<Real, W>;
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const Group<Real>& group = model_.groups[g];
    std::vector<uint8_t>& tense = tense_[g];
    if (tense.empty()) continue;
    const GroupView<Real> batches = view(g);
    const int64_t fields = static_cast<int64_t>(group.type->rest_fields.size());
    split_hubs(group, state_.offset, true);
    split_hubs(group, state_.base, false);
    std::atomic<bool> some{false}, tangled{false};
    parallel_for(*jobs_, group.batches(), kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      bool found = false, inverted = false;
      for (int64_t b = begin; b < end; ++b) {
        bool own = false;
        for (int lane = 0; lane < kLanes; lane += W) {
          const QuadAt* at = batches.particles + b * kPoints * kLanes + lane;
          T w[kPoints];
          Vec3<T> x[kPoints];
          for (int i = 0; i < kPoints; ++i) {
            w[i] = Quads<T>::gather(state_.offset.data(), at + i * kLanes).w();
            x[i] = Quads<T>::gather(state_.base.data(), at + i * kLanes).xyz();
          }
          const DeformedTet<T> tet(load_frame<T>(batches.rest + b * fields * kLanes + lane), x);
          inverted = inverted || any((tet.determinant() <= T(0)) & tet.moves(w));
          const TenseTet<T> tense_tet(tet, w, batches.multipliers + b * kEntries * kLanes + lane);
          own = own || any(-dot(tense_tet.tension, tense_tet.Q) > T(static_cast<Real>(kMost)));
        }
        tense[static_cast<std::size_t>(b)] = own;
        found = found || own;
      }
      if (found) some.store(true, std::memory_order_relaxed);
      if (inverted) tangled.store(true, std::memory_order_relaxed);
    });
    // Bodies with inverted elements are on the way to their shape, not ringing near it. What takes motion out of them
    // lets tangles freeze: a block of 960 Neo-Hookean tets that starts as a point would keep some.
    any_tense_[g] = some && !tangled;
  }
}

/// After prediction: moves the corners of tense batches by d.
template <class Real>
void Solver<Real>::turn_tension(std::size_t g) {
  if (!any_tense_[g]) return;
  constexpr int W = kDefaultWidth<Real>;
  using T = Wide<Real, W>;
  const Group<Real>& group = model_.groups[g];
  const GroupView<Real> batches = view(g);
  const ParticlesView<Real> p = particles();
  const int64_t fields = static_cast<int64_t>(group.type->rest_fields.size());
  group.each_phase(*jobs_, [&](int begin, int end) {
    for (int64_t b = begin; b < end; ++b) {
      if (!tense_[g][static_cast<std::size_t>(b)]) continue;
      for (int lane = 0; lane < kLanes; lane += W) {
        const QuadAt* at = batches.particles + b * kPoints * kLanes + lane;
        Quads<T> offset[kPoints];
        Vec3<T> moved[kPoints], d[kPoints];
        T w[kPoints];
        for (int i = 0; i < kPoints; ++i) {
          offset[i] = Quads<T>::gather(p.offset, at + i * kLanes);
          w[i] = offset[i].w();
          moved[i] = (offset[i] - Quads<T>::gather(p.start, at + i * kLanes)).xyz();
        }
        const DeformedTet<T> change(load_frame<T>(batches.rest + b * fields * kLanes + lane), moved);  // its F is U
        const TenseTet<T> tet(change, w, batches.multipliers + b * kEntries * kLanes + lane);
        const Mat3<T> L = to_matrix(tet.tension);
        const Sym3<T> Y = symmetric_part(inverse(Mat3<T>::identity() - L * to_matrix(tet.Q)) * L);
        change.push({Y.xx, Y.yy, Y.zz, Y.yz, Y.xz, Y.xy}, w, d);
        detail::drop_unless_finite(d);
        for (int i = 0; i < kPoints; ++i) {
          (offset[i] + Quads<T>::from(d[i])).scatter_where(p.offset, at + i * kLanes, w[i]);
        }
      }
    }
  });
}

template bool Solver<float>::may_be_tense(const Group<float>&) const;
template bool Solver<double>::may_be_tense(const Group<double>&) const;
template void Solver<float>::find_tension();
template void Solver<double>::find_tension();
template void Solver<float>::turn_tension(std::size_t);
template void Solver<double>::turn_tension(std::size_t);

}  // namespace pliant
