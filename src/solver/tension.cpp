// Tension that turns with an element.
//
// The push of a kept multiplier is W grad C^T lambda, made along the gradient at the end of a substep and used in the
// prediction of the next. Meanwhile the element moves and its gradient turns. For elastic tets and triangles, whose
// push at corner k is w_k F L m_k (tet_strain.h, tri_strain_block.h), what is missing after the prediction is
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
#include <cmath>

#include "constraints/sweep.h"
#include "constraints/tet_strain.h"
#include "constraints/tri_strain_block.h"
#include "core/parallel.h"
#include "math/eigen.h"
#include "solver/resolution.h"
#include "solver/solver.h"

namespace pliant {

namespace {
constexpr int64_t kBatchesPerChunk = 256;
constexpr int32_t kNotTense = -1;

/// Of tau. Euler: half of the least that was seen to ring. What comes late adds energy, and BDF2 takes none out, so
/// there next to nothing may: with 0.002 a body that spins gained a per cent of its spin per second, and crumpled cloth
/// rang on; iterations do not help, they find multipliers and not where these pull to.
double most_tension(const WorldOptions& options) { return options.integrator == Integrator::euler ? 0.2 : 2e-5; }

/// Of the eigenvalues of L Q. BDF2: pressure that comes late brakes as much as tension drives, and is solved as well as
/// far as that is no matter of buckling.
double most_pressure(const WorldOptions& options) { return options.integrator == Integrator::euler ? 0 : 0.02; }

/// Of rest data in a batch.
struct RestLayout {
  int64_t count;  // of fields
  bool aligned;   // an AlignedFrame
  explicit RestLayout(const TypeInfo& type) : count(type.packed_fields), aligned(type.aligned_frame) {}
};

/// Rows m_k of the inverse rest shape of W lanes of tets (N = 4) or triangles (N = 3, in the plane of the first two
/// axes) of a batch.
template <int N, class T>
struct TenseShape {
  using Real = ScalarOf<T>;
  const QuadAt* at;
  uint16_t statics;
  Vec3<T> m[N];

  TenseShape(const GroupView<Real>& g, const RestLayout& fields, int64_t batch, int lane)
      : at(g.particles + batch * N * kLanes + lane), statics(g.statics[batch]) {
    const T zero(0);
    const Real* rest = g.rest + batch * fields.count * kLanes + lane;
    const auto field = [&](int k) { return load<T>(rest + k * kLanes); };
    if constexpr (N == 4) {  // begins with a RestFrame or an AlignedFrame
      m[1] = {field(0), field(1), field(2)};
      m[2] = {zero, field(3), field(4)};
      m[3] = {zero, zero, field(5)};
      if (fields.aligned) {
        m[2].x = field(6);
        m[3].x = field(7);
        m[3].y = field(8);
      }
      m[0] = -(m[1] + m[2] + m[3]);
    } else {  // is a TriangleRest
      m[1] = {field(0), field(1), zero};
      m[2] = {zero, field(2), zero};
      m[0] = -(m[1] + m[2]);
    }
  }

  /// sum of x_k m_k^T for places relative to that of the first corner
  Mat3<T> gradient(const Vec3<T> (&x)[N]) const {
    Mat3<T> sum = outer(x[1], m[1]);
    for (int k = 2; k < N; ++k) sum = sum + outer(x[k], m[k]);
    return sum;
  }

  /// Turned inside out, and on the way back.
  bool any_inverted(const Quad<Real>* base, const Quad<Real>* offset) const {
    if constexpr (N == 3) return false;
    Vec3<T> x[N];
    T moving(0);
    const auto first = Quads<T>::gather(base, at);
    for (int k = 0; k < N; ++k) {
      x[k] = (Quads<T>::gather(base, at + k * kLanes) - first).xyz();
      moving = moving + Quads<T>::gather(offset, at + k * kLanes).w();
    }
    return any((determinant(gradient(x)) <= T(0)) & (moving > T(0)));
  }

  /// Adds d, for Y. With BDF2 `start` is not where the last substep has ended: it lies a third of that substep's
  /// motion, `last_motion`, ahead (bdf2.cpp); null otherwise.
  template <class Case>
  void turn(const ParticlesView<Real>& p, const Sym3<T>& Y, const Quad<Real>* last_motion) const {
    Quads<T> offset[N];
    Vec3<T> moved[N], d[N];
    T w[N];
    for (int k = 0; k < N; ++k) {
      offset[k] = Quads<T>::gather(p.offset, at + k * kLanes);
      w[k] = offset[k].w();
      moved[k] = (offset[k] - Quads<T>::gather(p.start, at + k * kLanes)).xyz();
      if (last_motion) moved[k] += Quads<T>::gather(last_motion, at + k * kLanes).xyz() * T(Real(1) / Real(3));
    }
    for (int k = N - 1; k >= 0; --k) moved[k] = moved[k] - moved[0];  // what all do leaves no rounding
    const Mat3<T> UY = gradient(moved) * to_matrix(Y);
    for (int k = 1; k < N; ++k) d[k] = UY * m[k];
    d[0] = -d[1];
    for (int k = 2; k < N; ++k) d[0] = d[0] - d[k];
    for (int k = 0; k < N; ++k) d[k] = d[k] * w[k];
    detail::drop_unless_finite(d);
    for (int k = 0; k < N; ++k) {
      scatter_moving<Case>(offset[k] + Quads<T>::from(d[k]), p.offset, at, k, w[k], statics);
    }
  }
};

/// The same with their tension.
template <int N, class T>
struct TenseElements : TenseShape<N, T> {
  using typename TenseShape<N, T>::Real;
  using TenseShape<N, T>::m, TenseShape<N, T>::at;
  static constexpr int kEntries = N == 4 ? 6 : 3;
  T w[N];
  Sym3<T> L, Q;  // the part of the multipliers that pulls; sum of w m m^T

  /// Of pressure up to `pressure` is taken into L as well, as a part of what would make I - L Q singular.
  TenseElements(const GroupView<Real>& g, const RestLayout& fields, const Quad<Real>* offset, int64_t batch, int lane,
                Real pressure)
      : TenseShape<N, T>(g, fields, batch, lane) {
    const T zero(0);
    const Real* multipliers = g.multipliers + batch * kEntries * kLanes + lane;
    const auto lambda = [&](int e) { return load<T>(multipliers + e * kLanes); };
    Sym3<T> all;
    if constexpr (N == 4) {
      all = {lambda(0), lambda(1), lambda(2), lambda(5), lambda(4), lambda(3)};
    } else {
      all = {lambda(0), lambda(1), zero, lambda(2), zero, zero};
    }
    Q = {zero, zero, zero, zero, zero, zero};
    for (int k = 0; k < N; ++k) {
      w[k] = Quads<T>::gather(offset, at + k * kLanes).w();
      const Vec3<T> wm = m[k] * w[k];
      Q = Q + Sym3<T>{wm.x * m[k].x, wm.y * m[k].y, wm.z * m[k].z, wm.x * m[k].y, wm.x * m[k].z, wm.y * m[k].z};
    }
    const Eigen3<T> parts = symmetric_eigen(all);
    const Vec3<T>& value = parts.values;
    const Mat3<T>& v = parts.vectors;
    const T most = pressure == Real(0) ? zero : T(pressure) / (Q.xx + Q.yy + Q.zz);
    const auto part = [&](const T& l) { return min(l, max(zero, most + most - l)); };
    L = symmetric_part(mul_transpose(Mat3<T>{v.c0 * part(value.x), v.c1 * part(value.y), v.c2 * part(value.z)}, v));
  }

  T tau() const { return -dot(L, Q); }

  /// Y
  Sym3<T> implicit_pull() const {
    const Mat3<T> pull = to_matrix(L);
    return symmetric_part(inverse(Mat3<T>::identity() - pull * to_matrix(Q)) * pull);
  }
};

constexpr int kPullNumbers = 6;  // of Y, per element

template <class T>
void store_pull(const Sym3<T>& Y, ScalarOf<T>* to) {
  const T numbers[kPullNumbers] = {Y.xx, Y.yy, Y.zz, Y.xy, Y.xz, Y.yz};
  for (int k = 0; k < kPullNumbers; ++k) store(numbers[k], to + k * kLanes);
}
template <class T>
Sym3<T> load_pull(const ScalarOf<T>* from) {
  const auto number = [&](int k) { return load<T>(from + k * kLanes); };
  return {number(0), number(1), number(2), number(3), number(4), number(5)};
}

}  // namespace

/// Elastic tets and triangles.
template <class Real>
bool Solver<Real>::may_be_tense(const Group<Real>& group) const {
  const TypeInfo& type = *group.type;
  return group.keep && type.material &&
         ((type.stencil == Stencil::tets && type.entries == 6) ||
          (type.stencil == Stencil::triangles && type.entries == 3));
}

/// Y of the elements of a batch, [number][lane]; null where they are not tense.
template <class Real>
Real* Solver<Real>::pulls_of(std::size_t g, int64_t batch) {
  const int32_t place = tense_[g][static_cast<std::size_t>(batch)];
  return place == kNotTense ? nullptr : &pulls_[g][static_cast<std::size_t>(place) * kPullNumbers * kLanes];
}

/// Once in a step: which batches have elements whose tension counts, and their Y. It may be that of the step's start
/// for all substeps: tension changes little in a step, and at rest, where U is zero, it does not matter at all. (Made
/// anew in each substep it took a third of the time of a body whose elements are all tense.)
template <class Real>
void Solver<Real>::find_tension() {
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    if (tense_[g].empty()) continue;
    if (model_.groups[g].type->points == 4) {
      find_tension_of<4>(g);
    } else {
      find_tension_of<3>(g);
    }
  }
}

/// tau is at most |L| |Q|, and Q does not grow: most elements are known by their multipliers alone.
template <class Real>
void Solver<Real>::prepare_tension(std::size_t g) {
  const Group<Real>& group = model_.groups[g];
  if (!may_be_tense(group)) return;
  const int64_t batches = group.batches();
  tense_[g].assign(static_cast<std::size_t>(batches), kNotTense);
  slack_[g].assign(static_cast<std::size_t>(batches), Real(0));
  if (!group.plastic.empty()) return;  // rest shapes change
  const int points = group.type->points;
  const std::size_t fields = static_cast<std::size_t>(group.type->packed_fields);
  const double most = most_tension(options_);
  constexpr double kMostSquare = 1e30;  // in range when squared; padding has no size
  for (int64_t b = 0; b < batches; ++b) {
    double least = kMostSquare;
    for (int l = 0; l < kLanes; ++l) {
      const Real* rest = &group.rest[static_cast<std::size_t>(b) * fields * kLanes + static_cast<std::size_t>(l)];
      const auto field = [&](int k) { return double(rest[k * kLanes]); };
      Vec3d m[4];
      if (points == 4) {
        m[1] = {field(0), field(1), field(2)};
        m[2] = {0, field(3), field(4)};
        m[3] = {0, 0, field(5)};
        if (group.type->aligned_frame) {
          m[2].x = field(6);
          m[3].x = field(7);
          m[3].y = field(8);
        }
      } else {
        m[1] = {field(0), field(1), 0};
        m[2] = {0, field(2), 0};
      }
      m[0] = -(m[1] + m[2] + m[3]);
      Mat3<double> Q{};
      for (int k = 0; k < points; ++k) {
        const auto particle = static_cast<std::size_t>(
            group.particles[static_cast<std::size_t>((b * points + k) * kLanes + l)] / sizeof(Quad<Real>));
        // Ghosts of a hub have a part of its mass: not known here.
        const bool known = particle < model_.inverse_mass.size();
        Q = Q + outer(m[k], m[k]) * (known ? double(model_.inverse_mass[particle]) : INFINITY);
      }
      const double size = std::sqrt(norm_squared(Q));
      const double slack = std::isnan(size) ? 0 : most / size * (1 - 1e-5);
      least = std::min(least, slack * slack);
    }
    slack_[g][static_cast<std::size_t>(b)] = static_cast<Real>(least);
  }
}

template <class Real>
template <int N>
void Solver<Real>::find_tension_of(std::size_t g) {
  constexpr int W = kDefaultWidth<Real>;
  using T = Wide<Real, W>;
  using Elements = TenseElements<N, T>;
  const Group<Real>& group = model_.groups[g];
  const GroupView<Real> batches = view(g);
  const RestLayout fields(*group.type);
  const T most(static_cast<Real>(most_tension(options_)));
  const Real pressure = static_cast<Real>(most_pressure(options_));
  split_hubs(group, state_.offset, true);
  std::atomic<bool> some{false}, tangled{false};
  parallel_for(*jobs_, group.batches(), kBatchesPerChunk, [&](int64_t begin, int64_t end) {
    bool found = false;
    for (int64_t b = begin; b < end; ++b) {
      bool own = false;
      for (int lane = 0; lane < kLanes; lane += W) {
        T square(0);
        for (int e = 0; e < Elements::kEntries; ++e) {
          const T l = load<T>(batches.multipliers + (b * Elements::kEntries + e) * kLanes + lane);
          square = mul_add(l, e < N - 1 ? l : l + l, square);
        }
        if (all(square <= T(slack_[g][static_cast<std::size_t>(b)]))) continue;
        own = own || pressure > Real(0) ||
              any(Elements(batches, fields, state_.offset.data(), b, lane, Real(0)).tau() > most);
      }
      tense_[g][static_cast<std::size_t>(b)] = own ? 0 : kNotTense;
      found = found || own;
    }
    if (found) some.store(true, std::memory_order_relaxed);
  });
  if (some) {
    int32_t tense = 0;
    for (int32_t& place : tense_[g]) {
      if (place != kNotTense) place = tense++;
    }
    pulls_[g].resize(static_cast<std::size_t>(tense) * kPullNumbers * kLanes);
    split_hubs(group, state_.base, false);
    const auto make_pulls = [&](Real with_pressure) {
      parallel_for(*jobs_, group.batches(), kBatchesPerChunk, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          for (int lane = 0; lane < kLanes; lane += W) {
            const Quad<Real>* offset = state_.offset.data();
            if (TenseShape<N, T>(batches, fields, b, lane).any_inverted(state_.base.data(), offset)) {
              tangled.store(true, std::memory_order_relaxed);
            }
            if (Real* to = pulls_of(g, b)) {
              store_pull(Elements(batches, fields, offset, b, lane, with_pressure).implicit_pull(), to + lane);
            }
          }
        }
      });
    };
    make_pulls(pressure);
    if (tangled && pressure > Real(0)) make_pulls(Real(0));
  }
  // Bodies with inverted elements are on the way to their shape, not ringing near it. What takes motion out of them
  // lets tangles freeze: a block of 960 Neo-Hookean tets that starts as a point would keep some. BDF2 has no motion to
  // spare: tension that comes late made inverted St. Venant-Kirchhoff elements gain a hundred times their energy.
  any_tense_[g] = some && (!tangled || options_.integrator == Integrator::bdf2);
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
  const RestLayout fields(*group.type);
  // Ghosts of hubs have no history of their own.
  const bool shifted = state_.start_is_ahead(options_.integrator) && group.hubs.empty();
  const Quad<Real>* last_motion = shifted ? state_.last_motion.data() : nullptr;
  const auto turn = [&]<int N>(std::integral_constant<int, N>) {
    const auto turn_batches = [&](int begin, int end) {
      for (int64_t b = begin; b < end; ++b) {
        const Real* pull = pulls_of(g, b);
        if (!pull) continue;
        for (int lane = 0; lane < kLanes; lane += W) {
          const TenseShape<N, T> shape(batches, fields, b, lane);
          const Sym3<T> Y = load_pull<T>(pull + lane);
          if (shape.statics != 0) {
            shape.template turn<Anything>(p, Y, last_motion);
          } else {
            shape.template turn<Plain>(p, Y, last_motion);
          }
        }
      }
    };
    group.each_phase(*jobs_, [&](int begin, int end) {
      if (!ledger_.pulls(g)) return turn_batches(begin, end);
      ledger_.sweep(g, begin, end, dt_, turn_batches);
    });
  };
  if (group.type->points == 4) {
    turn(std::integral_constant<int, 4>());
  } else {
    turn(std::integral_constant<int, 3>());
  }
}

template bool Solver<float>::may_be_tense(const Group<float>&) const;
template bool Solver<double>::may_be_tense(const Group<double>&) const;
template void Solver<float>::prepare_tension(std::size_t);
template void Solver<double>::prepare_tension(std::size_t);
template float* Solver<float>::pulls_of(std::size_t, int64_t);
template double* Solver<double>::pulls_of(std::size_t, int64_t);
template void Solver<float>::find_tension();
template void Solver<double>::find_tension();
template void Solver<float>::turn_tension(std::size_t);
template void Solver<double>::turn_tension(std::size_t);

}  // namespace pliant
