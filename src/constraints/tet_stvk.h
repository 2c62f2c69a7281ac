#pragma once
#include "constraints/stretches.h"
#include "constraints/tet_strain.h"

namespace pliant {

/// Which lanes leave St. Venant-Kirchhoff in this projection, and what becomes of them (see TetGreenHooke).
template <class T>
struct StVKLanes {
  MaskOf<T> squeezed, forgotten;
  bool some_forgotten, some_squeezed = false;
  T stiffening{};  // of the corotated law, where squeezed

  /// Sets multipliers that are forgotten to zero, and changes `tet` and its strain entries to the corotated ones.
  /// `kappa` is that of HookeRest, null where the law is not Hooke's of the whole strain.
  StVKLanes(DeformedTet<T>& tet, const T* kappa, const T (&w)[4], T (&lambda)[6], T (&strain)[6])
      : squeezed(find(tet, kappa, w)) {
    some_forgotten = tet.forget(squeezed, lambda, forgotten);
    if (!some_forgotten || !any(squeezed)) [[likely]]
      return;
    some_squeezed = true;
    stiffening = max(StVKStretches::stiffening(T(1)), tet.pulled_stiffening());
    tet.corotate(squeezed, strain);
  }
  static MaskOf<T> find(const DeformedTet<T>& tet, const T* kappa, const T (&w)[4]) {
    return beyond(tet, kappa) & tet.moves(w);
  }
  /// Where an element is inverted, or squeezed below kLeastCorotated along an axis on which its stress is past its
  /// largest value. With P_i = s_i S_i that is
  ///
  ///   dP_i / ds_i = S_i + (lambda + 2 mu) s_i^2 <= 0   or, with m = mu / (lambda + 2 mu),
  ///   s_i^2 <= (m - (1 - 2 m) tr E) / (1 + m)
  ///
  /// and a third where the other axes have their rest length. What is thin because it is pulled long is far from it.
  static MaskOf<T> beyond(const DeformedTet<T>& tet, const T* kappa) {
    constexpr double s = StVKStretches::kLeastCorotated;
    MaskOf<T> out = !tet.stretched_above(number<T>(s * s));
    if (kappa && any(out)) [[unlikely]] {
      const T one(1), two(2), half(ScalarOf<T>(0.5));
      const T m = half * (one - T(3) * *kappa) / (one - two * *kappa);
      const T trace = half * (tet.C[0] + tet.C[1] + tet.C[2] - T(3));
      out = out & !tet.stretched_above((m - (one - two * m) * trace) / (one + m));
    }
    return out;
  }
  const MaskOf<T>* forgotten_or_null() const { return some_forgotten ? &forgotten : nullptr; }
};

/// St. Venant-Kirchhoff tetrahedron whose potential is exactly V psi(F).      bender14 3, 4.1
///
///   psi = mu |E|^2 + lambda/2 tr(E)^2,  E = (F^T F - I) / 2 the Green strain
///   C   = the six entries of E (tet_strain.h), dimensionless
///
/// XPBD with the compliance matrix (V K)^-1, K the matrix of Hooke's law, and all six entries solved at
/// once: the fixed point is the finite-element solution, and the local step is Newton's.
///
/// The single constraint C = sqrt(2 V psi) has the same potential, but its gradient turns with every
/// iteration; it settles badly or not at all. bender14's own form C = V psi is `tet_energy_stvk`.
///
/// StVK resists less and less when squeezed below 58 % of the rest length, and the Green strain does not tell an
/// element from its mirror image. A lane that is squeezed below half, its stress past its largest value, or inverted,
/// therefore takes the corotated strain (tet_strain.h) instead, softened so that the stress goes on from where StVK is
/// left. Its multipliers start and end at zero. Only batches with such a lane pay for the decomposition. An element
/// that is stretched far forgets its multipliers too: StVK's stiffness grows with the square of the stretch, beyond
/// what a substep resolves.
///
/// With kPlastic a part of the Green strain is plastic (bender14 4.2): C = E - E_plastic, with the plastic strain
/// beside the rest data. It flows once per step (src/solver/plastic.cpp), not in the projection.
template <class T, bool kPlastic>
struct TetGreenHooke : ElasticTet {
  using Number = T;
  static constexpr bool kFineStrain = true;
  static constexpr const char* kSummary = kPlastic
                                              ? "St. Venant-Kirchhoff elasticity of a tetrahedron with plastic strain"
                                              : "St. Venant-Kirchhoff elasticity of a tetrahedron";

  struct Rest : HookeRest<T> {
    T plastic[6] = {};  // plastic entries, in the order of C
    template <class F>
    constexpr void each(F&& f) {
      HookeRest<T>::each(f);
      if constexpr (kPlastic) {
        constexpr const char* kNames[6] = {"p00", "p11", "p22", "p12", "p20", "p01"};
        for (int e = 0; e < 6; ++e) f(kNames[e], plastic[e]);
      }
    }
  };

  static Rest rest(const Vec3<T> (&x)[4], T lambda = T(1), T mu = T(1)) { return {HookeRest<T>(x, lambda, mu)}; }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[4], T (&C)[6], Vec3<T> (&gradient)[6][4]) {
    const DeformedTet<T> tet(rest.frame, x);
    elastic_strain(rest, tet, C);
    tet.gradients(gradient);
  }

  template <bool kGeneral, class Push, class Strain = PlainStrain>
  static void solve(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4], const T& damping, const T& dt,
                    const Vec3<T>* motion, T (&lambda)[6], Vec3<T> (&d)[4], const Push& push,
                    const Strain& known = {}) {
    DeformedTet<T> tet(rest.frame, x, known);
    T Q[6], A[6][6], step[6], before[6];
    elastic_strain(rest, tet, step);
    T size = (dt * dt) / rest.shear;  // 2 mu V dt^2
    const StVKLanes<T> lanes(tet, kappa_of_law(rest), w, lambda, step);
    if (lanes.some_squeezed) [[unlikely]]
      size = select(lanes.squeezed, size * lanes.stiffening, size);
    tet.mass_metric(w, Q);
    for (T& q : Q) q = q * size;
    tet.gram(Q, A);
    if constexpr (kGeneral) tet.add_damping(rest.frame, motion, damping / dt, A, step, before);
    for (T& e : step) e = e * size;
    tet.add_hooke_compliance(rest.kappa, lambda, A, step);
    tet.template finish<true>(A, step, w, lambda, d, push, lanes.forgotten_or_null(), [&](T(&kept)[6]) {
      if constexpr (kGeneral) {
        T at_start[6];
        tet.hooke_multipliers(size, rest.kappa, before, at_start);
        detail::forget_strong_damping<3>(damping / dt, at_start, ((Q[0] + Q[1]) + Q[2]) / size, kept);
      }
    });
  }

  /// Where the corotated strain is taken; its projection gives up angular momentum (tet_corotated.h).
  static MaskOf<T> squeezed(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4]) {
    return StVKLanes<T>::find(DeformedTet<T>(rest.frame, x), kappa_of_law(rest), w);
  }

  /// V psi [J].
  static T energy(const Rest& rest, const Vec3<T> (&x)[4]) {
    const DeformedTet<T> tet(rest.frame, x);
    T e[6];
    elastic_strain(rest, tet, e);
    const T own = hooke_energy(rest.shear, rest.kappa, e);
    const T mu_V = T(ScalarOf<T>(0.5)) / rest.shear;
    const T ratio = T(2) * rest.kappa / (T(1) - T(3) * rest.kappa);
    const Vec3<T> s = svd(Mat3<T>{tet.f[0], tet.f[1], tet.f[2]}).s;
    return select(StVKLanes<T>::beyond(tet, kappa_of_law(rest)), mu_V * energy_with_corotation<StVKStretches>(s, ratio),
                  own);
  }

 private:
  /// Stress and strain do not belong together where a part of the strain is plastic.
  static const T* kappa_of_law(const Rest& rest) { return kPlastic ? nullptr : &rest.kappa; }

  static void elastic_strain(const Rest& rest, const DeformedTet<T>& tet, T (&e)[6]) {
    tet.strain(e);
    if constexpr (kPlastic) {
      for (int k = 0; k < 6; ++k) e[k] = e[k] - rest.plastic[k];
    }
  }
};

template <class T>
using TetStVK = TetGreenHooke<T, false>;
template <class T>
using TetStVKPlastic = TetGreenHooke<T, true>;

}  // namespace pliant
