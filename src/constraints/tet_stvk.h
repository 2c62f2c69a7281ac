#pragma once
#include "constraints/stretches.h"
#include "constraints/tet_aligned.h"

namespace pliant {

/// Which lanes leave St. Venant-Kirchhoff in this projection, and what becomes of them (see TetGreenHooke).
template <class T>
struct StVKLanes {
  MaskOf<T> squeezed, forgotten;
  bool some_forgotten, some_squeezed = false;
  T stiffening{};  // of the corotated law, where squeezed

  /// Sets multipliers that are forgotten to zero, and changes `tet` and its strain entries to the corotated ones.
  /// `kappa` is that of HookeRest, null where the law is not Hooke's of the whole strain.
  template <class Frame>
  StVKLanes(DeformedTet<T, Frame>& tet, const T* kappa, const T (&w)[4], T (&lambda)[6], T (&strain)[6])
      : squeezed(find(tet, kappa, w)) {
    some_forgotten = tet.forget(squeezed, lambda, forgotten);
    if (!some_forgotten || !any(squeezed)) [[likely]]
      return;
    some_squeezed = true;
    stiffening = max(StVKStretches::stiffening(T(1)), tet.pulled_stiffening());
    tet.corotate(squeezed, strain);
  }
  template <class Frame>
  static MaskOf<T> find(const DeformedTet<T, Frame>& tet, const T* kappa, const T (&w)[4]) {
    return beyond(tet, kappa) & tet.moves(w);
  }
  /// Where an element is inverted, or squeezed below kLeastCorotated along an axis on which its stress is past its
  /// largest value. With P_i = s_i S_i that is
  ///
  ///   dP_i / ds_i = S_i + (lambda + 2 mu) s_i^2 <= 0   or, with m = mu / (lambda + 2 mu),
  ///   s_i^2 <= (m - (1 - 2 m) tr E) / (1 + m)
  ///
  /// and a third where the other axes have their rest length. What is thin because it is pulled long is far from it.
  template <class Frame>
  static MaskOf<T> beyond(const DeformedTet<T, Frame>& tet, const T* kappa) {
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
  static constexpr bool kFineStrain = true, kAlignedFrame = !kPlastic;
  static constexpr const char* kSummary = kPlastic
                                              ? "St. Venant-Kirchhoff elasticity of a tetrahedron with plastic strain"
                                              : "St. Venant-Kirchhoff elasticity of a tetrahedron";

  using Frame = std::conditional_t<kPlastic, RestFrame<T>, AlignedFrame<T>>;
  using Tet = DeformedTet<T, Frame>;
  struct Rest : HookeRest<T, Frame> {
    T plastic[6] = {};  // plastic entries, in the order of C
    template <class F>
    constexpr void each(F&& f) {
      HookeRest<T, Frame>::each(f);
      if constexpr (kPlastic) {
        constexpr const char* kNames[6] = {"p00", "p11", "p22", "p12", "p20", "p01"};
        for (int e = 0; e < 6; ++e) f(kNames[e], plastic[e]);
      }
    }
  };

  static Rest rest(const Vec3<T> (&x)[4], T lambda = T(1), T mu = T(1)) { return {HookeRest<T, Frame>(x, lambda, mu)}; }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[4], T (&C)[6], Vec3<T> (&gradient)[6][4]) {
    const Tet tet(rest.frame, x);
    elastic_strain(rest, tet, C);
    tet.gradients(gradient);
  }

  template <bool kGeneral, bool kAligned = false, class Push, class Strain = PlainStrain>
  PLIANT_HOT static void solve(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4], const T& damping, const T& dt,
                               const Vec3<T>* motion, T (&lambda)[6], Vec3<T> (&d)[4], const Push& push,
                               const Strain& known = {}) {
    solve_aligned_tet<TetGreenHooke, kGeneral, kAligned && !kPlastic>(rest, x, w, damping, dt, motion, lambda, d, push,
                                                                      known);
  }

  /// tet_aligned.h. Holds where a lane is not squeezed, stretched far or sheared.
  template <class Strain>
  PLIANT_HOT static MaskOf<T> solve_aligned(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4], const T& dt,
                                            bool wanted, const T (&lambda)[6], T (&next)[6], Vec3<T> (&d)[4],
                                            Vec3<T> (&total)[4], const Strain& known) {
    const Tet tet(rest.frame, x, known);
    const T(&C)[6] = tet.C;
    constexpr double s = StVKStretches::kLeastCorotated;
    const T least = min(min(C[0], C[1]), C[2]);
    const T shear = mul_add(C[5], C[5], mul_add(C[4], C[4], C[3] * C[3]));
    // With C_ab^2 that small against the least C_aa the least stretch is not far below that: by Gershgorin's circles
    // least (1 - sqrt(2 kMostShear)) at the least.
    const auto plain = ((shear <= number<T>(kMostShear) * (least * least)) & (least > number<T>(s * s / (1 - 0.41))) &
                        (tet.determinant() > T(0)) & (C[0] + C[1] + C[2] < number<T>(Tet::kLargestTrace))) |
                       nothing_moves(w);
    const T one(1), two(2);
    const T size = (dt * dt) / rest.shear;  // 2 mu V dt^2
    T q[3], pivot[6], b[6], step[6];
    mass_diagonal(tet, w, q);
    for (T& a : q) a = a * size;
    for (int a = 0; a < 3; ++a) pivot[a] = mul_add(C[a], q[a], one);
    pivot[3] = mul_add(C[1], q[2], mul_add(C[2], q[1], two));
    pivot[4] = mul_add(C[2], q[0], mul_add(C[0], q[2], two));
    pivot[5] = mul_add(C[0], q[1], mul_add(C[1], q[0], two));
    const T trace = (lambda[0] + lambda[1] + lambda[2]) * rest.kappa;
    for (int e = 0; e < 3; ++e) b[e] = trace - mul_add(size, tet.E[e], lambda[e]);
    for (int e = 3; e < 6; ++e) b[e] = -mul_add(two, lambda[e], size * tet.E[e]);
    NearlyDiagonal<T>(pivot, rest.kappa)
        .solve_with(
            [&](const T(&y)[6], T(&r)[6]) __attribute__((always_inline)) {
              const T s3 = C[3] * y[3], s4 = C[4] * y[4], s5 = C[5] * y[5];
              r[0] = neg_mul_add(q[0], s4 + s5, b[0]);
              r[1] = neg_mul_add(q[1], s5 + s3, b[1]);
              r[2] = neg_mul_add(q[2], s3 + s4, b[2]);
              const T p0 = q[0] * y[0], p1 = q[1] * y[1], p2 = q[2] * y[2];
              const auto less = [](const T& from, const T& a0, const T& b0, const T& a1, const T& b1, const T& a2,
                                   const T& b2) {
                return neg_mul_add(a0, b0, neg_mul_add(a1, b1, neg_mul_add(a2, b2, from)));
              };
              r[3] = less(b[3], C[3], p1 + p2, q[1], C[4] * y[5], q[2], C[5] * y[4]);
              r[4] = less(b[4], C[4], p2 + p0, q[2], C[5] * y[3], q[0], C[3] * y[5]);
              r[5] = less(b[5], C[5], p0 + p1, q[0], C[3] * y[4], q[1], C[4] * y[3]);
            },
            b, step);
    take_step(tet, step, w, wanted, lambda, next, d, total);
    return plain;
  }

  template <bool kGeneral, class Push, class Strain = PlainStrain>
  static void solve_whole(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4], const T& damping, const T& dt,
                          const Vec3<T>* motion, T (&lambda)[6], Vec3<T> (&d)[4], const Push& push,
                          const Strain& known = {}) {
    Tet tet(rest.frame, x, known);
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
    return StVKLanes<T>::find(Tet(rest.frame, x), kappa_of_law(rest), w);
  }

  /// V psi [J].
  static T energy(const Rest& rest, const Vec3<T> (&x)[4]) {
    const Tet tet(rest.frame, x);
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

  static void elastic_strain(const Rest& rest, const Tet& tet, T (&e)[6]) {
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
