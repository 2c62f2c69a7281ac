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

/// Adds what kept multipliers push to the particles' carry.
template <class T>
struct AddToCarry {
  bool wanted;
  Quad<ScalarOf<T>>* carry;
  const QuadAt* at;
  const T* w;
  void operator()(int i, const Vec3<T>& push) const { scatter_add_where<T>(carry, at + i * kLanes, push, w[i]); }
};

/// Projects batches [begin, end), which must be of one colour. A few of them at a time go through
/// three short loops: gather all, solve all, scatter all. In one loop the processor's window of waiting
/// instructions is filled by one constraint's divisions and square roots, and the loads of the next do
/// not get in; apart, each loop runs at its own rate. (Measured on AVX2: bend 15.9 -> 11.6 ns, tet_volume
/// 10.7 -> 7.4 ns. Gathering one constraint ahead in a single loop is 6 % faster still for two corners,
/// and slower than no help at all for four: it takes 4 N - 3 registers.)
template <template <class> class Type, class Real, int W, bool kCompliant, bool kGeneral>
void project_batches(const GroupView<Real>& group, const ParticlesView<Real>& particles,
                     const SweepSettings<Real>& settings, int begin, int end) {
  using T = Wide<Real, W>;
  using C = Type<T>;
  constexpr int N = C::kPoints;
  constexpr int E = entries_of<C>();
  constexpr int kRest = rest_fields_of<Type<double>>();
  constexpr int kStrength = kGeneral ? 3 : 1;
  constexpr int kParts = kLanes / W;  // of a batch
  constexpr int kSlots = 4;           // in flight; their memory (below 4 KB) stays in the nearest cache
  const T dt(settings.dt);
  const GroupView<Real> g = group;
  const ParticlesView<Real> p = particles;
  const bool fresh = settings.fresh;
  const bool accumulate = kCompliant && settings.accumulate;
  const auto corners_at = [&](int64_t part) {
    return g.particles + (part / kParts) * N * kLanes + (part % kParts) * W;
  };

  struct Slot {
    Vec3<T> x[N];  // relative to corner 0
    T w[N];
    Vec3<T> d[N];
  } slots[kSlots];
  const int64_t past = int64_t{end} * kParts;
  for (int64_t first = int64_t{begin} * kParts; first < past; first += kSlots) {
    const int count = static_cast<int>(std::min<int64_t>(kSlots, past - first));
    for (int k = 0; k < count; ++k) {
      Vec3<T> x[N];
      T w[N];
      gather_relative<N, T>(p.base, p.offset, corners_at(first + k), kLanes, x, w);
      for (int i = 1; i < N; ++i) slots[k].x[i] = x[i];
      for (int i = 0; i < N; ++i) slots[k].w[i] = w[i];
    }
    for (int k = 0; k < count; ++k) {
      const int64_t b = (first + k) / kParts, l = ((first + k) % kParts) * W;
      const QuadAt* at = corners_at(first + k);
      Vec3<T> x[N], d[N], motion[N];
      T w[N], lambda[E];
      x[0] = {T(Real(0)), T(Real(0)), T(Real(0))};
      for (int i = 1; i < N; ++i) x[i] = slots[k].x[i];
      for (int i = 0; i < N; ++i) w[i] = slots[k].w[i];
      const auto rest = load_rest<C>(g.rest + b * kRest * kLanes + l);
      const auto strength = load_strength<T, kGeneral>(g.strength + b * kStrength * kLanes + l);
      Real* multipliers = g.multipliers + b * E * kLanes + l;
      if constexpr (kCompliant) {
        for (int e = 0; e < E; ++e) lambda[e] = fresh ? T(Real(0)) : load<T>(multipliers + e * kLanes);
      }
      if constexpr (kCompliant && kGeneral) {
        for (int i = 0; i < N; ++i) {
          motion[i] = gather<T>(p.offset, at + i * kLanes) - gather<T>(p.start, at + i * kLanes);
        }
      }
      solve_constraint<C, kCompliant, kGeneral>(rest, x, w, strength, dt, motion, lambda, d,
                                                AddToCarry<T>{accumulate, p.carry, at, slots[k].w});
      if constexpr (kCompliant) {
        for (int e = 0; e < E; ++e) store(lambda[e], multipliers + e * kLanes);
      }
      for (int i = 0; i < N; ++i) slots[k].d[i] = d[i];
    }
    for (int k = 0; k < count; ++k) {
      const QuadAt* at = corners_at(first + k);
      if (g.has_static[(first + k) / kParts]) {
        for (int i = 0; i < N; ++i) scatter_add_where<T>(p.offset, at + i * kLanes, slots[k].d[i], slots[k].w[i]);
      } else {
        for (int i = 0; i < N; ++i) scatter_add<T>(p.offset, at + i * kLanes, slots[k].d[i]);
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
      gather_relative<N, Real>(particles.base, particles.offset, at + l, kLanes, x, w);
      for (int i = 0; i < N; ++i) v[i] = gather<Real>(particles.velocity, at + i * kLanes + l);
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
  const int strengths = general ? 3 : 1;
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
          for (int e = 0; e < E; ++e) out.strain = std::max(out.strain, std::fabs(C::strain(rest, value[e])));
          continue;
        }
      }
      const Real* strength = group.strength + b * strengths * kLanes + l;
      for (int e = 0; e < E; ++e) {
        double alpha = strength[0];
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
        out.strain = std::max(out.strain, std::fabs(C::strain(rest, value[e])));
      }
    }
  }
}

}  // namespace pliant
