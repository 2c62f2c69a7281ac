#pragma once
// Loops over a range of batches of one colour: project, damp velocities, measure. The batches of a
// colour share no moving particle, so any thread may take any range.

#include <algorithm>

#include "constraints/solve.h"

namespace pliant {

/// Rest data of W lanes of a batch.
template <class C>
inline typename C::Rest load_rest(const ScalarOf<typename C::Number>* fields) {
  using T = typename C::Number;
  typename C::Rest rest{};
  rest.each([&](const char*, T& field) {
    field = load<T>(fields);
    fields += kLanes;
  });
  return rest;
}

template <class T, bool kGeneral>
inline Strength<T> load_strength(const ScalarOf<T>* strength) {
  if constexpr (kGeneral) {
    return {load<T>(strength), load<T>(strength + kLanes), load<T>(strength + 2 * kLanes)};
  } else {
    return {load<T>(strength), T(0), T(0)};
  }
}

/// What a batch may meet. In most batches all particles move and nothing is pushed ahead; these must not pay
/// for the others: code that is never reached still takes registers, and a call that takes packs by address
/// keeps them in memory everywhere.
struct Plain {
  static constexpr bool kStatic = false;  // some particles do not move
  static constexpr bool kPush = false;    // settings.accumulate may be set
  static constexpr bool kAligned = true;  // frames are turned to the masses (kAlignedFrame)
};
struct Pushing {
  static constexpr bool kStatic = false, kPush = true, kAligned = true;
};
struct Anything {
  static constexpr bool kStatic = true, kPush = true, kAligned = true;
};
struct NotAligned {
  static constexpr bool kStatic = true, kPush = true, kAligned = false;
};

/// An unusual batch of a loop Project.
template <class Project, bool kMayBeUnaligned, class Real>
[[gnu::noinline]] void project_unusual(const GroupView<Real>& g, const ParticlesView<Real>& p,
                                       const SweepSettings<Real>& settings, int64_t batch) {
  if constexpr (kMayBeUnaligned) {
    if (g.statics[batch] & kNotAligned) {
      Project::template batch<NotAligned>(g, p, settings, batch);
      return;
    }
  }
  Project::template batch<Anything>(g, p, settings, batch);
}

/// Writes gathered particles back: those that move.
template <class Case, class T>
inline void scatter_moving(const Quads<T>& q, Quad<ScalarOf<T>>* to, const QuadAt* at, int corner, const T& w,
                           uint16_t statics) {
  const QuadAt* corner_at = at + corner * kLanes;
  if constexpr (Case::kStatic) {
    const StaticLanes lanes = static_lanes(statics, corner);
    if (lanes == kAllLanes) return;
    if (lanes == kSomeLanes) {
      q.scatter_where(to, corner_at, w);
      return;
    }
  }
  q.scatter(to, corner_at);
}

/// Adds what kept multipliers push to the particles' carry.
template <class Case, class T>
struct AddToCarry {
  bool wanted;
  Quad<ScalarOf<T>>* carry;
  const QuadAt* at;
  const T* w;
  uint16_t statics;
  void operator()(int i, const Vec3<T>& push) const {
    const auto sum = Quads<T>::gather(carry, at + i * kLanes) + Quads<T>::from(push);
    scatter_moving<Case>(sum, carry, at, i, w[i], statics);
  }
};

/// Where the data of W lanes of a batch begins.
template <class Type, class Real, bool kCompliant, bool kGeneral>
struct Part {
  static constexpr int kRest = rest_fields_of<Type>();
  static constexpr int kStrength = kGeneral ? 3 : parts_of<Type>();
  static constexpr int kMultipliers = kCompliant ? entries_of<Type>() : 0;
  Part(const GroupView<Real>& g, int64_t batch, int lane)
      : at(g.particles + batch * Type::kPoints * kLanes + lane),
        rest(g.rest + batch * kRest * kLanes + lane),
        strength(g.strength_of(batch, kStrength) + lane) {
    if constexpr (kCompliant) multipliers = g.multipliers + batch * kMultipliers * kLanes + lane;
  }
  const QuadAt* at;
  const Real *rest, *strength;
  Real* multipliers = nullptr;
};

/// Projects one batch.
///
/// The offsets stay in registers (or on the stack) between gather and scatter: reading them again for the
/// sum costs 10 to 15 %. (Measured on AVX2. Rejected: several batches at a time in three loops, gather all,
/// solve all, scatter all, which was best while the scatter read again: bend 11.7 -> 10.9 ns, tet_volume
/// 7.0 -> 6.8 ns without it. Base edges read in order instead of gathered bases are 7 % faster in cache for
/// four corners and 10 to 30 % slower out of it: 48 bytes per constraint.)
template <template <class> class Type, class Real, int W, bool kCompliant, bool kGeneral>
struct ProjectCorners {
  using T = Wide<Real, W>;
  using C = Type<T>;
  static constexpr int N = C::kPoints;
  static constexpr int E = entries_of<C>();

  template <class Case>
  PLIANT_HOT static inline void batch(const GroupView<Real>& g, const ParticlesView<Real>& p,
                                      const SweepSettings<Real>& settings, int64_t batch) {
    const T dt(settings.dt);
    for (int lane = 0; lane < kLanes; lane += W) {
      const Part<Type<double>, Real, kCompliant, kGeneral> part(g, batch, lane);
      Quads<T> offset[N];
      Vec3<T> x[N], d[N], motion[N];
      T w[N], lambda[E];
      offset[0] = Quads<T>::gather(p.offset, part.at);
      w[0] = offset[0].w();
      x[0] = {T(Real(0)), T(Real(0)), T(Real(0))};
      const auto offset0 = offset[0].without_w(), base0 = Quads<T>::gather(p.base, part.at);
#pragma GCC unroll 8
      for (int i = 1; i < N; ++i) {
        offset[i] = Quads<T>::gather(p.offset, part.at + i * kLanes);
        ((offset[i] - offset0) + (Quads<T>::gather(p.base, part.at + i * kLanes) - base0)).get(x[i], w[i]);
      }
      const auto rest = load_rest<C>(part.rest);
      const auto strength = load_strength<T, kGeneral>(part.strength);
      if constexpr (kCompliant) {
        for (int e = 0; e < E; ++e) lambda[e] = settings.fresh ? T(Real(0)) : load<T>(part.multipliers + e * kLanes);
      }
      if constexpr (kCompliant && kGeneral) {
        for (int i = 0; i < N; ++i) {
          motion[i] = (offset[i] - Quads<T>::gather(p.start, part.at + i * kLanes)).xyz();
        }
      }
      const AddToCarry<Case, T> push{kCompliant && Case::kPush && settings.accumulate, p.carry, part.at, w,
                                     g.statics[batch]};
      solve_constraint<C, kCompliant, kGeneral, true, Case::kAligned>(rest, x, w, strength, dt, motion, lambda, d,
                                                                      push);
      if constexpr (kCompliant) {
        for (int e = 0; e < E; ++e) store(lambda[e], part.multipliers + e * kLanes);
      }
#pragma GCC unroll 8
      for (int i = 0; i < N; ++i) {
        scatter_moving<Case>(offset[i] + Quads<T>::from(d[i]), p.offset, part.at, i, w[i], g.statics[batch]);
      }
    }
  }
};

/// The same for types that pull along the edge between their two corners (see constraint.h). The edge is
/// needed as it was gathered, so the corrections take no transpose back, and the differences of the bases
/// are read in order. Two parts of a batch are gathered before the first is finished: the second's loads
/// fill the time of the first's square root and division. (distance: 3.5 -> 2.2 ns.)
template <template <class> class Type, class Real, int W, bool kCompliant>
struct ProjectEdges {
  using T = Wide<Real, W>;
  using C = Type<T>;
  using P = Part<Type<double>, Real, kCompliant, false>;

  struct Edge {
    Quads<T> offset0, offset1, edge;
    Vec3<T> x;
    T w0, w1;
  };

  PLIANT_HOT static inline Edge gather(const GroupView<Real>& g, const ParticlesView<Real>& p, int64_t batch,
                                       int lane) {
    const P part(g, batch, lane);
    Edge e;
    e.offset0 = Quads<T>::gather(p.offset, part.at);
    e.offset1 = Quads<T>::gather(p.offset, part.at + kLanes);
    e.w0 = e.offset0.w();
    const auto edge = (e.offset1 - e.offset0) +
                      Quads<T>::stream(reinterpret_cast<const Quad<Real>*>(g.base_edges) + batch * kLanes, lane);
    edge.get(e.x, e.w1);
    e.w1 = e.w1 + e.w0;  // that of the difference is w_1 - w_0; exact where one of them is zero
    e.edge = edge.without_w();
    return e;
  }

  template <class Case>
  PLIANT_HOT static inline void finish(const GroupView<Real>& g, const ParticlesView<Real>& p,
                                       const SweepSettings<Real>& settings, int64_t batch, int lane, const Edge& e) {
    const P part(g, batch, lane);
    const auto rest = load_rest<C>(part.rest);
    const MaskOf<T> not_fresh = T(Real(settings.fresh ? 1 : 0)) == T(Real(0));  // no branch in the loop
    T lambda(Real(0));
    if constexpr (kCompliant) lambda = zero_unless(not_fresh, load<T>(part.multipliers));
    const T q = C::template pull<kCompliant>(rest, e.x, e.w0 + e.w1, load<T>(part.strength), T(settings.dt), lambda);
    if constexpr (kCompliant) {
      store(lambda, part.multipliers);
      if (Case::kPush && settings.accumulate) {
        const T w[2] = {e.w0, e.w1};
        const AddToCarry<Case, T> push{true, p.carry, part.at, w, g.statics[batch]};
        const Vec3<T> x[2] = {{T(Real(0)), T(Real(0)), T(Real(0))}, e.x};
        Vec3<T> gradient[2];
        C::evaluate(rest, x, gradient);
        for (int i = 0; i < 2; ++i) push(i, gradient[i] * (w[i] * lambda));
      }
    }
    scatter_moving<Case>(mul_add(e.edge, e.w0 * q, e.offset0), p.offset, part.at, 0, e.w0, g.statics[batch]);
    scatter_moving<Case>(neg_mul_add(e.edge, e.w1 * q, e.offset1), p.offset, part.at, 1, e.w1, g.statics[batch]);
  }

  template <class Case>
  PLIANT_HOT static inline void batch(const GroupView<Real>& g, const ParticlesView<Real>& p,
                                      const SweepSettings<Real>& settings, int64_t batch) {
    if constexpr (W == kLanes) {
      finish<Case>(g, p, settings, batch, 0, gather(g, p, batch, 0));
    } else {
#pragma GCC unroll 1
      for (int lane = 0; lane < kLanes; lane += 2 * W) {
        const Edge a = gather(g, p, batch, lane);
        const Edge b = gather(g, p, batch, lane + W);
        finish<Case>(g, p, settings, batch, lane, a);
        finish<Case>(g, p, settings, batch, lane + W, b);
      }
    }
  }
};

/// Numbers of GroupView::base_edges per constraint.
template <class Type>
constexpr int base_edge_numbers() {
  if constexpr (is_cluster<Type>()) {
    return is_linear<typename Type::Part>() ? entries_of<Type>() : 3 * (Type::kPoints - 1);
  } else {
    return pulls_along_edge<Type>() ? 4 : 0;
  }
}

/// The same for clusters: the parts are solved one after another while the corners' offsets stay in registers, as
/// packs of x, y, z and w, and what the bases contribute is read in order. Parts that are linear in the positions need
/// no base at all: C = (sum b_i base_i) + sum b_i offset_i, the first of which changes only with the bases.
template <template <class> class Type, class Real, int W, bool kCompliant>
struct ProjectParts {
  using T = Wide<Real, W>;
  using C = Type<T>;
  using PartType = typename C::Part;
  using P = Part<Type<double>, Real, kCompliant, false>;
  static constexpr int N = C::kPoints, n = PartType::kPoints, E = C::kPartEntries;
  static constexpr int kRest = rest_fields_of<typename Type<double>::Part>();
  static constexpr bool kLinear = is_linear<PartType>();
  static constexpr int kBases = base_edge_numbers<C>() * kLanes;  // of a batch
  // Parts that are projected only, without a stiffness of their own, are moved as places relative to the cluster's
  // first base: one addition per corner instead of two or three per edge of each part. What that moves a corner is
  // rounded to 1e-7 of an edge; where nothing moves it the offset stays as it was, to the bit. (tet_energy_stvk: 10 %
  // of its time.)
  static constexpr bool kPlaces = !kLinear && !solved_by<PartType>(true);
  // Each part waits for the division of the one before; a second pack fills that time where both fit into what a core
  // looks ahead: edges, triangles, linear hinges and places of tets gain 2 to 30 %, bends nothing. (Two packs of tets
  // are 16 kB of code, more than the cache of decoded instructions of an Intel core; one at a time, which fits, is
  // slower there all the same.)
  static constexpr int kAtOnce = (n <= 3 || kLinear || kPlaces) && 2 * W <= kLanes ? 2 : 1;

  struct Corners {
    Vec3<T> offset[N], base[kLinear || kPlaces ? 1 : N], place[kPlaces ? N : 1];
    T w[N];
  };

  PLIANT_HOT static inline void gather(Corners& c, const GroupView<Real>& g, const ParticlesView<Real>& p,
                                       int64_t batch, int lane) {
    const P part(g, batch, lane);
    const Real* base = g.base_edges + batch * kBases + lane;
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) {
      Quads<T>::gather(p.offset, part.at + i * kLanes).get(c.offset[i], c.w[i]);
      if constexpr (kPlaces) c.place[i] = place(c.offset[i], base, i);
    }
    if constexpr (!kLinear && !kPlaces) {
#pragma GCC unroll 8
      for (int i = 1; i < N; ++i) c.base[i] = load_vector(base + 3 * (i - 1) * kLanes);
    }
  }

  PLIANT_HOT static inline Vec3<T> load_vector(const Real* from) {
    return {load<T>(from), load<T>(from + kLanes), load<T>(from + 2 * kLanes)};
  }

  /// Of corner i, relative to the base of the first corner.
  PLIANT_HOT static inline Vec3<T> place(const Vec3<T>& offset, const Real* base, int i) {
    return i == 0 ? offset : offset + load_vector(base + 3 * (i - 1) * kLanes);
  }

  /// With kHasty by the type's quick way, if it has one; `sure` loses the lanes where that does not do.
  template <int I, bool kHasty>
  PLIANT_HOT static inline void solve_part(Corners& c, const Real* base, const typename PartType::Rest& rest,
                                           const T& strength, const T& dt, T (&lambda)[E], MaskOf<T>& sure) {
    constexpr auto& at = C::kCorners[I];
    T w[n];
    if constexpr (kLinear) {
      T b[n];
      PartType::shares(rest, b);
      Vec3<T> gap = load_vector(base + I * E * kLanes);
      for (int k = 0; k < n; ++k) {
        gap = mul_add(c.offset[at[k]], b[k], gap);
        w[k] = c.w[at[k]];
      }
      const Vec3<T> step = detail::linear_step<kCompliant, false, !kHasty>(
          b, w, gap, Strength<T>{strength, T(Real(0)), T(Real(0))}, dt, nullptr, lambda);
      for (int k = 0; k < n; ++k) c.offset[at[k]] = mul_add(step, w[k] * b[k], c.offset[at[k]]);
      return;
    }
    Vec3<T> x[n];
    x[0] = {T(Real(0)), T(Real(0)), T(Real(0))};
    w[0] = c.w[at[0]];
    if constexpr (kPlaces) {
      Vec3<T>* place[n] = {&c.place[at[0]]};
      for (int k = 1; k < n; ++k) {
        x[k] = c.place[at[k]] - c.place[at[0]];
        w[k] = c.w[at[k]];
        place[k] = &c.place[at[k]];
      }
      project_to_zero<PartType, kHasty>(rest, x, w, strength, place, sure);
      return;
    }
    for (int k = 1; k < n; ++k) {
      const Vec3<T> edge = at[0] == 0 ? c.base[at[k]] : at[k] == 0 ? -c.base[at[0]] : c.base[at[k]] - c.base[at[0]];
      x[k] = (c.offset[at[k]] - c.offset[at[0]]) + edge;
      w[k] = c.w[at[k]];
    }
    if constexpr (pulls_along_edge<PartType>()) {
      constexpr bool kGuarded = !kHasty || kCompliant;  // a multiplier would keep what is not finite
      const T q = PartType::template pull<kCompliant, kGuarded>(rest, x[1], w[0] + w[1], strength, dt, lambda[0]);
      c.offset[at[0]] = mul_add(x[1], w[0] * q, c.offset[at[0]]);
      c.offset[at[1]] = mul_add(x[1], -(w[1] * q), c.offset[at[1]]);
    } else {
      Vec3<T> d[n];
      solve_constraint<PartType, kCompliant, false, false>(rest, x, w, Strength<T>{strength, T(Real(0)), T(Real(0))},
                                                           dt, nullptr, lambda, d);
      for (int k = 0; k < n; ++k) c.offset[at[k]] = c.offset[at[k]] + d[k];
    }
  }

  template <class Case>
  PLIANT_HOT static inline void batch(const GroupView<Real>& g, const ParticlesView<Real>& p,
                                      const SweepSettings<Real>& settings, int64_t batch) {
#pragma GCC unroll 1
    for (int lane = 0; lane < kLanes; lane += kAtOnce * W) {
      packs<Case, kAtOnce, !Case::kStatic>(g, p, settings, batch, lane);
    }
  }

  /// Two batches that share nothing that moves, in turn, part by part: edges wait more than they work, and twice as
  /// many packs fill that time. (Distances in cache 1.67 to 1.53 ns. Triangles and linear hinges lose a tenth: their
  /// corners do not fit into registers.)
  static constexpr bool kPairs = W >= 8 && n == 2;
  template <class Case>
  PLIANT_HOT static inline void two_batches(const GroupView<Real>& g, const ParticlesView<Real>& p,
                                            const SweepSettings<Real>& settings, int64_t batch) {
    packs<Case, 2 * kLanes / W, !Case::kStatic>(g, p, settings, batch, 0);
  }

 private:
  /// Solves kPacks packs from lane `from` of batch `first` on, in turn, part by part.
  template <class Case, int kPacks, bool kHasty>
  PLIANT_HOT static inline void packs(const GroupView<Real>& g, const ParticlesView<Real>& p,
                                      const SweepSettings<Real>& settings, int64_t first, int from) {
    const T dt(settings.dt);
    const MaskOf<T> not_fresh = T(Real(settings.fresh ? 1 : 0)) == T(Real(0));  // no branch in the loop
    Corners c[kPacks];
    MaskOf<T> good[kPacks];
#pragma GCC unroll 8  // a loop would keep all corners in memory
    for (int k = 0; k < kPacks; ++k) {
      gather(c[k], g, p, first + (from + k * W) / kLanes, (from + k * W) % kLanes);
      good[k] = T(Real(0)) == T(Real(0));
    }
    const auto solve = [&]<int I>(std::integral_constant<int, I>) __attribute__((always_inline)) {
#pragma GCC unroll 8
      for (int k = 0; k < kPacks; ++k) {
        const int64_t batch = first + (from + k * W) / kLanes;
        const int lane = (from + k * W) % kLanes;
        const P part(g, batch, lane);
        T lambda[E];
        for (int e = 0; e < E; ++e) {
          lambda[e] = T(Real(0));
          if constexpr (kCompliant) {
            lambda[e] = zero_unless(not_fresh, load<T>(part.multipliers + (I * E + e) * kLanes));
          }
        }
        solve_part<I, kHasty>(c[k], g.base_edges + batch * kBases + lane,
                              load_rest<PartType>(part.rest + I * kRest * kLanes), load<T>(part.strength + I * kLanes),
                              dt, lambda, good[k]);
        if constexpr (kCompliant) {
          for (int e = 0; e < E; ++e) store(lambda[e], part.multipliers + (I * E + e) * kLanes);
        }
      }
    };
    [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      (solve(std::integral_constant<int, I>()), ...);
    }
    (std::make_integer_sequence<int, parts_of<C>()>());
#pragma GCC unroll 8
    for (int k = 0; k < kPacks; ++k) {
      const int64_t batch = first + (from + k * W) / kLanes;
      const int lane = (from + k * W) % kLanes;
      const P part(g, batch, lane);
      if constexpr (kPlaces) {
        const Real* base = g.base_edges + batch * kBases + lane;
#pragma GCC unroll 8
        for (int i = 0; i < N; ++i) {
          c[k].offset[i] = c[k].offset[i] + (c[k].place[i] - place(c[k].offset[i], base, i));
        }
      }
      T sum = c[k].offset[0].x + c[k].offset[0].y + c[k].offset[0].z;
#pragma GCC unroll 8
      for (int i = 1; i < N; ++i) sum = sum + (c[k].offset[i].x + c[k].offset[i].y + c[k].offset[i].z);
      good[k] = good[k] & is_finite(sum);
      if (!all(good[k])) [[unlikely]] {
        if constexpr (kHasty && !kCompliant) {  // nothing is written yet: once more, with care
          carefully(g, p, settings, batch, lane);
        } else {
          // A part that overflows would pass it on to the next one and so through the body: such lanes are not written.
          for (int i = 0; i < N; ++i) {
            const T w = c[k].w[i];
            Quads<T>::from(c[k].offset[i], w).scatter_where(p.offset, part.at + i * kLanes, zero_unless(good[k], w));
          }
        }
        continue;
      }
#pragma GCC unroll 8
      for (int i = 0; i < N; ++i) {
        scatter_moving<Case>(Quads<T>::from(c[k].offset[i], c[k].w[i]), p.offset, part.at, i, c[k].w[i],
                             g.statics[batch]);
      }
    }
  }

  /// One pack with degenerate or overflowing lanes. A call of its own: what it needs is not taken from the hot loop.
  [[gnu::noinline, gnu::cold]] static void carefully(const GroupView<Real>& g, const ParticlesView<Real>& p,
                                                     const SweepSettings<Real>& settings, int64_t batch, int lane) {
    packs<Anything, 1, false>(g, p, settings, batch, lane);
  }
};

/// Asks for what is read in order of a batch that comes soon. In caches it costs nothing; a cloth of 640 000
/// particles, which does not fit, gains 15 %. (Hints that bypass the second cache lose 30 %.)
template <class Type, class Real, bool kCompliant, bool kGeneral>
PLIANT_HOT inline void prefetch_batch(const GroupView<Real>& g, int64_t batch) {
  using P = Part<Type, Real, kCompliant, kGeneral>;
  const P part(g, batch, 0);
  constexpr int kPerLine = 64 / sizeof(Real);
  const auto lines = [](const Real* from, int numbers) __attribute__((always_inline)) {
    for (int k = 0; k < numbers; k += kPerLine) __builtin_prefetch(from + k);
  };
  for (int i = 0; i < Type::kPoints; ++i) __builtin_prefetch(part.at + i * kLanes);
  lines(part.rest, P::kRest * kLanes);
  if (!g.equal_strength) lines(part.strength, P::kStrength * kLanes);
  lines(part.multipliers, P::kMultipliers * kLanes);
  constexpr int kBase = kGeneral ? 0 : base_edge_numbers<Type>() * kLanes;
  if constexpr (kBase > 0) lines(g.base_edges + batch * kBase, kBase);
}

/// Which of the loops above a type takes.
template <template <class> class Type, class Real, int W, bool kCompliant, bool kGeneral>
struct ProjectWay {
  static auto choose() {
    if constexpr (is_cluster<Type<double>>()) {
      return std::type_identity<ProjectParts<Type, Real, W, kCompliant>>();
    } else if constexpr (pulls_along_edge<Type<double>>() && !kGeneral) {
      return std::type_identity<ProjectEdges<Type, Real, W, kCompliant>>();
    } else {
      return std::type_identity<ProjectCorners<Type, Real, W, kCompliant, kGeneral>>();
    }
  }
  using type = typename decltype(choose())::type;
};

template <class Project>
constexpr bool takes_pairs() {
  if constexpr (requires { Project::kPairs; }) {
    return Project::kPairs;
  } else {
    return false;
  }
}

/// Projects batches [begin, end), one after another. Flattened: one call in the loop (of evaluate(), which a
/// compiler leaves alone because others call it too) sends all packs through memory, 25 % for bend.
template <template <class> class Type, class Real, int W, bool kCompliant, bool kGeneral>
PLIANT_FLAT void project_batches(const GroupView<Real>& group, const ParticlesView<Real>& particles,
                                 const SweepSettings<Real>& settings, int begin, int end) {
  using Project = typename ProjectWay<Type, Real, W, kCompliant, kGeneral>::type;
  // By value: the compiler then knows that no store changes them.
  const GroupView<Real> g = group;
  const ParticlesView<Real> p = particles;
  const SweepSettings<Real> s = settings;
  // Elastic types keep their multipliers as a rule: they push in the hot loop.
  using Usual = std::conditional_t<pushes_as_a_rule<Type<double>>(), Pushing, Plain>;
  constexpr int kAhead = 4;  // batches: 150 ns or more
  const bool all_unusual = s.accumulate && !Usual::kPush;
  const auto is_usual = [&](int64_t batch) { return !all_unusual && (g.statics[batch] & ~kSharesWithNext) == 0; };
  for (int64_t batch = begin; batch < end; ++batch) {
    prefetch_batch<Type<double>, Real, kCompliant, kGeneral>(g, batch + kAhead);
    if constexpr (takes_pairs<Project>()) {
      if (batch + 1 < end && is_usual(batch) && is_usual(batch + 1) && !(g.statics[batch] & kSharesWithNext)) {
        prefetch_batch<Type<double>, Real, kCompliant, kGeneral>(g, batch + 1 + kAhead);
        Project::template two_batches<Usual>(g, p, s, batch);
        ++batch;
        continue;
      }
    }
    if (is_usual(batch)) {
      Project::template batch<Usual>(g, p, s, batch);
    } else {
      project_unusual<Project, has_aligned_frame<Type<double>>() && !kGeneral>(group, particles, settings, batch);
    }
  }
}

/// What ProjectEdges and ProjectParts read in order, see GroupView::base_edges.
template <template <class> class Type, class Real>
PLIANT_FLAT void write_base_edges(const GroupView<Real>& group, const Quad<Real>* base, Real* edges, int begin,
                                  int end) {
  using C = Type<double>;
  constexpr int W = kDefaultWidth<Real>, N = C::kPoints, kNumbers = base_edge_numbers<C>();
  using T = Wide<Real, W>;
  for (int64_t batch = begin; batch < end; ++batch) {
    for (int lane = 0; lane < kLanes; lane += W) {
      const QuadAt* at = group.particles + N * batch * kLanes + lane;
      Real* out = edges + batch * kNumbers * kLanes;
      const auto base0 = Quads<T>::gather(base, at);
      Vec3<T> edge[N] = {};
      for (int i = 1; i < N; ++i) {
        const auto e = Quads<T>::gather(base, at + i * kLanes) - base0;
        if constexpr (is_cluster<C>()) {
          edge[i] = e.xyz();
        } else {
          e.stream_out(reinterpret_cast<Quad<Real>*>(out), lane);
        }
      }
      if constexpr (is_cluster<C>()) {
        const auto write = [&](const Vec3<T>& v, int place) {
          for (int k = 0; k < 3; ++k) store(v[k], out + (3 * place + k) * kLanes + lane);
        };
        if constexpr (is_linear<typename C::Part>()) {
          using Part = typename Type<T>::Part;
          constexpr int kRest = rest_fields_of<typename C::Part>();
          for (int part = 0; part < parts_of<C>(); ++part) {
            const auto& corner = C::kCorners[part];
            T b[Part::kPoints];
            Part::shares(load_rest<Part>(group.rest + (batch * rest_fields_of<C>() + part * kRest) * kLanes + lane), b);
            // Relative to the part's first corner, so that what is added up is not larger than the element.
            Vec3<T> gap = (edge[corner[1]] - edge[corner[0]]) * b[1];
            for (int k = 2; k < Part::kPoints; ++k) gap = mul_add(edge[corner[k]] - edge[corner[0]], b[k], gap);
            write(gap, part);
          }
        } else {
          for (int i = 1; i < N; ++i) write(edge[i], i - 1);
        }
      }
    }
  }
}

/// Takes velocity out along each constraint, v_i -= k w_i grad_i (sum_j grad_j . v_j) / s with
/// k = 1 - exp(-rate dt). This is mueller14 eq. 23 with w grad C in place of the printed unit vectors
/// n_i = d_p_i / |d_p_i|: those do not sum to zero when corners move by different amounts, so that
/// the printed form changes momentum.
template <template <class> class Type, class Real>
void damp_batches(const GroupView<Real>& group, const ParticlesView<Real>& particles,
                  const SweepSettings<Real>& settings, int begin, int end) {
  using C = Type<Real>;
  constexpr int N = C::kPoints;
  constexpr int E = entries_of<C>();
  constexpr int kRest = rest_fields_of<Type<double>>();
  for (int64_t b = begin; b < end; ++b) {
    const QuadAt* at = group.particles + b * N * kLanes;
    for (int l = 0; l < kLanes; ++l) {
      const Real rate = group.velocity_damping[b * kLanes + l];
      if (rate == Real(0)) continue;
      const Real k = static_cast<Real>(-std::expm1(-static_cast<double>(rate) * static_cast<double>(settings.dt)));
      Vec3<Real> x[N], v[N], gradient[E][N];
      Real w[N], value[E];
      for (int i = 0; i < N; ++i) {
        const QuadAt corner = at[i * kLanes + l];
        const Quad<Real>&o = quad(particles.offset, corner), &o0 = quad(particles.offset, at[l]);
        const Quad<Real>&c = quad(particles.base, corner), &c0 = quad(particles.base, at[l]);
        const Quad<Real>& u = quad(particles.velocity, corner);
        x[i] = {(o.x - o0.x) + (c.x - c0.x), (o.y - o0.y) + (c.y - c0.y), (o.z - o0.z) + (c.z - c0.z)};
        v[i] = {u.x, u.y, u.z};
        w[i] = o.w;
      }
      const auto rest = load_rest<C>(group.rest + b * kRest * kLanes + l);
      evaluate_all<C>(rest, x, value, gradient);
      for (int e = 0; e < E; ++e) {
        Real s(0), speed(0);
        for (int i = 0; i < N; ++i) {
          s = mul_add(w[i], dot(gradient[e][i], gradient[e][i]), s);
          speed = speed + dot(gradient[e][i], v[i]);
        }
        const Real step = -k * speed / s;
        if (!is_finite(step)) continue;
        for (int i = 0; i < N; ++i) v[i] = mul_add(gradient[e][i], w[i] * step, v[i]);
      }
      for (int i = 0; i < N; ++i) {
        if (w[i] == Real(0)) continue;
        Quad<Real>& out = quad(particles.velocity, at[i * kLanes + l]);
        out = {v[i].x, v[i].y, v[i].z, out.w};
      }
    }
  }
}

/// Energy, strain and residual, evaluated in double.
template <template <class> class Type, class Real>
void measure_batches(const GroupView<Real>& group, const ParticlesView<Real>& particles, double dt, bool compliant,
                     bool general, int begin, int end, GroupMeasure& out) {
  using C = Type<double>;
  constexpr int N = C::kPoints;
  constexpr int E = entries_of<C>();
  constexpr int kRest = rest_fields_of<C>();
  const int strengths = general ? 3 : parts_of<C>();
  for (int64_t b = begin; b < end; ++b) {
    const QuadAt* at = group.particles + b * N * kLanes;
    for (int l = 0; l < kLanes; ++l) {
      Vec3d x[N], gradient[E][N];
      double value[E];
      bool same = true;  // padding names the same particle everywhere
      const Quad<Real>& b0 = quad(particles.base, at[l]);
      const Quad<Real>& o0 = quad(particles.offset, at[l]);
      for (int i = 0; i < N; ++i) {
        const Quad<Real>& bi = quad(particles.base, at[i * kLanes + l]);
        const Quad<Real>& oi = quad(particles.offset, at[i * kLanes + l]);
        same = same && at[i * kLanes + l] == at[l];
        x[i] = {double(bi.x) - b0.x + (double(oi.x) - o0.x), double(bi.y) - b0.y + (double(oi.y) - o0.y),
                double(bi.z) - b0.z + (double(oi.z) - o0.z)};
      }
      if (same) continue;
      typename C::Rest rest{};
      const Real* fields = group.rest + b * kRest * kLanes + l;
      rest.each([&](const char*, double& field) {
        field = *fields;
        fields += kLanes;
      });
      evaluate_all<C>(rest, x, value, gradient);
      if constexpr (requires { C::energy(rest, x); }) {  // a material: stress and not a compliance per entry
        if (compliant) {
          out.energy += C::energy(rest, x);
          for (int e = 0; e < E; ++e)
            out.strain = std::max(out.strain, std::fabs(strain_of_entry<C>(rest, e, value[e])));
          continue;
        }
      }
      const Real* strength = group.strength_of(b, strengths) + l;
      for (int e = 0; e < E; ++e) {
        double alpha = strength[is_cluster<C>() ? e * parts_of<C>() / E * kLanes : 0];
        bool active = true;
        if (general && value[e] < 0) {
          alpha = strength[kLanes];
          active = compliant ? alpha >= 0 : alpha > 0;
        }
        if (!active) continue;
        const double lambda = compliant ? double(group.multipliers[(b * E + e) * kLanes + l]) : 0;
        if (compliant && alpha > 0) out.energy += 0.5 * value[e] * value[e] / alpha;
        const double residual = std::fabs(compliant ? value[e] + alpha * lambda / (dt * dt) : value[e]);
        out.residual = std::max(out.residual, residual);
        out.strain = std::max(out.strain, std::fabs(strain_of_entry<C>(rest, e, value[e])));
      }
    }
  }
}

}  // namespace pliant
