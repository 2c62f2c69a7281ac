#pragma once
#include "constraints/constraint.h"
#include "materials/logarithm.h"
#include "math/matrix.h"

namespace pliant {

/// Fibers that run through a tetrahedron in one direction and make it stiffer along it.             cao22 4.3
///
///        3         y = F b, the deformed fiber; b its direction at rest, |b| = 1
///       /|\        a = |y|^2 - 1
///      / | \       C = sqrt(V) g(a),  g = sign(a) sqrt(a - log(1 + a))          [m^1.5], compliance 1 / beta
///     0-~|~-2      grad_k C = 2 sqrt(V) g'(a) y s_k,  g' = a / (2 g (1 + a))
///      \ | /
///       \|/        F = Ds Dm^-1, so y = s_1 e_1 + s_2 e_2 + s_3 e_3 with the shares s = Dm^-1 b and the edges e
///        1         from corner 0; s_0 = -(s_1 + s_2 + s_3).
///
/// C^2 / (2 compliance) is cao22's energy V beta/2 (a - log(1 + a)) exactly, so this stands beside the constraint of
/// any material and adds its stress. For small strains C = sqrt(2 V) e, with e the strain along the fiber.
///
/// Degenerate: where the fiber is shorter than kShortest of its length g goes on along its tangent, with no
/// singularity; where it has no length left, or kLongest times its length, the gradient is zero and nothing moves.
template <class T>
struct TetFiber {
  using Number = T;
  static constexpr int kPoints = 4;
  static constexpr Stencil kStencil = Stencil::pairs;
  static constexpr bool kOnlyCompliant = true;
  static constexpr const char* kSummary = "makes a tetrahedron stiffer along a direction";
  static constexpr const char* kComplianceUnit = "1/Pa";
  static constexpr double kShortest = 0.03;  // a stress of 1000 beta
  static constexpr double kLongest = 1e6;

  struct Rest {
    T s1, s2, s3;  // [1/m]
    T size;        // sqrt(V) [m^1.5]
    template <class F>
    constexpr void each(F&& f) {
      f("s1", s1);
      f("s2", s2);
      f("s3", s3);
      f("size", size);
    }
  };

  /// Fibers along b.
  static Rest rest(const Vec3<T> (&x)[4], const Vec3<T>& b) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0], e3 = x[3] - x[0];
    const Vec3<T> n1 = cross(e2, e3), n2 = cross(e3, e1), n3 = cross(e1, e2);
    const T det = dot(e1, n1);  // 6 V; the rows of Dm^-1 are n / det
    return {dot(n1, b) / det, dot(n2, b) / det, dot(n3, b) / det, sqrt(abs(det) / T(6))};
  }
  static Rest rest(const Vec3<T> (&x)[4]) { return rest(x, {T(1), T(0), T(0)}); }

  static T evaluate(const Rest& rest, const Vec3<T> (&x)[4], Vec3<T> (&gradient)[4]) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0], e3 = x[3] - x[0];
    Vec3<T> y = mul_add(e3, rest.s3, mul_add(e2, rest.s2, e1 * rest.s1));
    T square = dot(y, y);
    const auto broken = !(square <= number<T>(kLongest * kLongest));
    const T one(1), half(ScalarOf<T>(0.5)), zero(0);
    y = select(broken, Vec3<T>{zero, zero, zero}, y);
    square = select(broken, one, square);
    const T bound = number<T>(kShortest * kShortest);
    const T u = max(square, bound);
    const T a = u - one;
    // h = (a - log(1 + a)) / a^2, which is 1/2 - a/3 + a^2/4 ... near rest, where a^2 could underflow.
    const auto near = abs(a) <= number<T>(1e-8);
    const T far = select(near, one, a);
    const T at_rest = neg_mul_add(a, number<T>(1.0 / 3), half);
    const T h = select(near, at_rest, excess_over_log(far, log(one_plus(far))) / (far * far));
    const T root = sqrt(h);
    const T slope = rest.size / (T(2) * root * u);
    const T C = mul_add(slope, square - u, rest.size * (a * root));
    const Vec3<T> g = y * (slope + slope);
    gradient[1] = g * rest.s1;
    gradient[2] = g * rest.s2;
    gradient[3] = g * rest.s3;
    gradient[0] = -((gradient[1] + gradient[2]) + gradient[3]);
    return C;
  }

  /// The strain along the fiber, where it is small.
  static T strain(const Rest& rest, T C) { return C / (rest.size * number<T>(1.4142135623730951)); }
};

}  // namespace pliant
