#pragma once
// The sweep of elastic tets in float. An edge of 1 m is rounded to 3e-8 m when it is made from bases and offsets, and
// so is the strain: a thousandth of a strain of 5e-5. But bases change only every few substeps, and what they
// contribute,
//
//   E_B = (F_B^T F_B - I) / 2,   F_B = [base edges] M
//
// can be computed in double then and kept as six floats, which are good to 6e-8 of themselves. With G = [offset edges]
// M the strain is exactly
//
//   E = E_B + sym((F_B + G / 2)^T G)
//
// where G is as small as the motion of a few substeps, and so is what is rounded of it (tet_strain.h has the sum).
// Measured on tets of a box strained by 5e-5: error of the strain 4.0e-8 from edges, 1.0e-8 like this; what is left is
// the rounding of M. Frames that are turned to the masses are rounded in all of their numbers (those of a box used to
// have exact ones), so that it is known for them how much: the strain that M finds in the rest shape. It is taken off.
// docs/experiments/README.md (validation) has what follows for bodies at rest.

#include "constraints/sweep.h"
#include "constraints/tet_strain.h"

namespace pliant {

/// Does the sweep in this precision give the type a FineStrain? In double there are digits enough.
template <class C, class Real>
constexpr bool has_fine_strain() {
  return sizeof(Real) == 4 && requires { C::kFineStrain; };
}

/// The unit of GroupView::frame_rounding, [batch][entry][kLanes]: up to 3e-5.
inline constexpr double kRoundingUnit = 0x1p-30;

inline constexpr int kBaseStrain = 6;  // numbers of GroupView::base_edges per tet: [batch][entry][kLanes]

/// E_B of batches [begin, end), from bases and rest frames that are as they are used, in float.
template <template <class> class Type>
PLIANT_FLAT void write_base_strains(const GroupView<float>& group, const Quad<float>* base, float* strains, int begin,
                                    int end) {
  constexpr int W = kDefaultWidth<double>, N = 4, kFrame = has_aligned_frame<Type<double>>() ? 9 : 6;
  using T = Wide<double, W>;
  using Frame = std::conditional_t<has_aligned_frame<Type<double>>(), AlignedFrame<T>, RestFrame<T>>;
  for (int64_t batch = begin; batch < end; ++batch) {
    const QuadAt* at = group.particles + batch * N * kLanes;
    const float* rest = group.rest + batch * rest_fields_of<Type<double>>() * kLanes;
    alignas(64) double edge[N - 1][3][kLanes], frame[kFrame][kLanes];
    for (int i = 1; i < N; ++i) {
      for (int l = 0; l < kLanes; ++l) {
        const Quad<float>&b = quad(base, at[i * kLanes + l]), &b0 = quad(base, at[l]);
        edge[i - 1][0][l] = double(b.x) - b0.x;
        edge[i - 1][1][l] = double(b.y) - b0.y;
        edge[i - 1][2][l] = double(b.z) - b0.z;
      }
    }
    for (int k = 0; k < kFrame; ++k) {
      for (int l = 0; l < kLanes; ++l) frame[k][l] = rest[k * kLanes + l];
    }
    for (int lane = 0; lane < kLanes; lane += W) {
      Vec3<T> x[N] = {};
      for (int i = 1; i < N; ++i) {
        x[i] = {load<T>(&edge[i - 1][0][lane]), load<T>(&edge[i - 1][1][lane]), load<T>(&edge[i - 1][2][lane])};
      }
      Frame m;
      int k = 0;
      m.each([&](const char*, T& field) { field = load<T>(&frame[k++][lane]); });
      const DeformedTet<T, Frame> tet(m, x);
      for (int e = 0; e < kBaseStrain; ++e) store(tet.E[e], &frame[e][lane]);  // the frame has been read
    }
    if (group.frame_rounding) {
      const int16_t* rounding = group.frame_rounding + batch * kBaseStrain * kLanes;
      for (int e = 0; e < kBaseStrain; ++e) {
        for (int l = 0; l < kLanes; ++l) frame[e][l] -= kRoundingUnit * rounding[e * kLanes + l];
      }
    }
    float* out = strains + batch * kBaseStrain * kLanes;
    for (int e = 0; e < kBaseStrain; ++e) {
      for (int l = 0; l < kLanes; ++l) out[e * kLanes + l] = static_cast<float>(frame[e][l]);
    }
  }
}

/// ProjectCorners for them: offset edges are wanted by themselves, too.
template <template <class> class Type, class Real, int W, bool kGeneral>
struct ProjectStrained {
  using T = Wide<Real, W>;
  using C = Type<T>;
  using P = Part<Type<double>, Real, true, kGeneral>;
  static constexpr int N = C::kPoints, E = entries_of<C>();

  template <class Case>
  PLIANT_HOT static inline void batch(const GroupView<Real>& g, const ParticlesView<Real>& p,
                                      const SweepSettings<Real>& settings, int64_t batch) {
    const T dt(settings.dt);
    for (int lane = 0; lane < kLanes; lane += W) {
      const P part(g, batch, lane);
      Quads<T> offset[N];
      Vec3<T> x[N], d[N], motion[N];
      T w[N], lambda[E];
      FineStrain<T> fine;
      offset[0] = Quads<T>::gather(p.offset, part.at);
      w[0] = offset[0].w();
      x[0] = {T(Real(0)), T(Real(0)), T(Real(0))};
      const auto offset0 = offset[0].without_w(), base0 = Quads<T>::gather(p.base, part.at);
#pragma GCC unroll 8
      for (int i = 1; i < N; ++i) {
        offset[i] = Quads<T>::gather(p.offset, part.at + i * kLanes);
        (offset[i] - offset0).get(fine.moved[i - 1], w[i]);
        x[i] = fine.moved[i - 1] + (Quads<T>::gather(p.base, part.at + i * kLanes) - base0).xyz();
      }
      for (int e = 0; e < kBaseStrain; ++e)
        fine.base[e] = load<T>(g.base_edges + (batch * kBaseStrain + e) * kLanes + lane);
      const auto rest = load_rest<C>(part.rest);
      const auto strength = load_strength<T, kGeneral>(part.strength);
      for (int e = 0; e < E; ++e) lambda[e] = settings.fresh ? T(Real(0)) : load<T>(part.multipliers + e * kLanes);
      if constexpr (kGeneral) {
        for (int i = 0; i < N; ++i) {
          motion[i] = (offset[i] - Quads<T>::gather(p.start, part.at + i * kLanes)).xyz();
        }
      }
      const AddToCarry<Case, T> push{settings.accumulate, p.carry, part.at, w, g.statics[batch]};
      if constexpr (has_aligned_frame<C>()) {
        C::template solve<kGeneral, Case::kAligned>(rest, x, w, strength.damping, dt, motion, lambda, d, push, fine);
      } else {
        C::template solve<kGeneral>(rest, x, w, strength.damping, dt, motion, lambda, d, push, fine);
      }
      for (int e = 0; e < E; ++e) store(lambda[e], part.multipliers + e * kLanes);
#pragma GCC unroll 8
      for (int i = 0; i < N; ++i) {
        scatter_moving<Case>(offset[i] + Quads<T>::from(d[i]), p.offset, part.at, i, w[i], g.statics[batch]);
      }
    }
  }
};

/// project_batches for them.
template <template <class> class Type, class Real, int W, bool kGeneral>
PLIANT_FLAT void project_fine_batches(const GroupView<Real>& group, const ParticlesView<Real>& particles,
                                      const SweepSettings<Real>& settings, int begin, int end) {
  using Project = ProjectStrained<Type, Real, W, kGeneral>;
  const GroupView<Real> g = group;  // by value, as in project_batches
  const ParticlesView<Real> p = particles;
  const SweepSettings<Real> s = settings;
  constexpr int kAhead = 4;  // batches
  for (int64_t batch = begin; batch < end; ++batch) {
    prefetch_batch<Type<double>, Real, true, kGeneral>(g, batch + kAhead);
    for (int e = 0; e < kBaseStrain; ++e)
      __builtin_prefetch(g.base_edges + ((batch + kAhead) * kBaseStrain + e) * kLanes);
    if (g.statics[batch] != 0) {
      project_unusual<Project, has_aligned_frame<Type<double>>() && !kGeneral>(group, particles, settings, batch);
    } else {
      Project::template batch<Pushing>(g, p, s, batch);
    }
  }
}

/// Bodies whose strains are not small have no strains of bases: they cost time (Neo-Hookean: a fifth) and 24 bytes per
/// tet.
template <template <class> class Type, class Real, int W, bool kGeneral>
void project_strained_batches(const GroupView<Real>& group, const ParticlesView<Real>& particles,
                              const SweepSettings<Real>& settings, int begin, int end) {
  if (group.base_edges != nullptr) {
    project_fine_batches<Type, Real, W, kGeneral>(group, particles, settings, begin, end);
  } else {
    project_batches<Type, Real, W, true, kGeneral>(group, particles, settings, begin, end);
  }
}

}  // namespace pliant
