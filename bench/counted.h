#pragma once
// A number that counts what is done with it. Kernels are written over any number type, so that running one on this type
// tells how many operations it takes, exactly and without a processor's counters.

#include <cmath>
#include <cstdint>

#include "math/simd.h"

namespace pliant::bench {

/// Operations so far, each of them one instruction of a vector unit. Comparisons, selections, signs and copies are not
/// counted: they are not what limits a kernel.
struct Operations {
  int64_t sums = 0;       // + - min max round
  int64_t products = 0;   // * and fused multiply-adds
  int64_t divisions = 0;  // / and square roots, which take several times as long
  int64_t all() const { return sums + products + divisions; }
};

struct Counted {
  float value = 0;

  Counted() = default;
  template <class S>
    requires std::is_arithmetic_v<S> Counted(S v)
        : value(static_cast<float>(v)) {}  // NOLINT(google-explicit-constructor): as packs are made of numbers

    static inline Operations tally;

    friend Counted operator+(Counted a, Counted b) { return sum(a.value + b.value); }
    friend Counted operator-(Counted a, Counted b) { return sum(a.value - b.value); }
    friend Counted operator*(Counted a, Counted b) { return product(a.value * b.value); }
    friend Counted operator/(Counted a, Counted b) { return division(a.value / b.value); }
    friend Counted operator-(Counted a) { return {-a.value}; }
    friend bool operator<(Counted a, Counted b) { return a.value < b.value; }
    friend bool operator<=(Counted a, Counted b) { return a.value <= b.value; }
    friend bool operator>(Counted a, Counted b) { return a.value > b.value; }
    friend bool operator>=(Counted a, Counted b) { return a.value >= b.value; }
    friend bool operator==(Counted a, Counted b) { return a.value == b.value; }

    friend Counted mul_add(Counted a, Counted b, Counted c) {
      return product(pliant::mul_add(a.value, b.value, c.value));
    }
    friend Counted neg_mul_add(Counted a, Counted b, Counted c) {
      return product(pliant::neg_mul_add(a.value, b.value, c.value));
    }
    friend Counted sqrt(Counted a) { return division(std::sqrt(a.value)); }
    friend Counted abs(Counted a) { return {std::fabs(a.value)}; }
    friend Counted min(Counted a, Counted b) { return sum(pliant::min(a.value, b.value)); }
    friend Counted max(Counted a, Counted b) { return sum(pliant::max(a.value, b.value)); }
    friend Counted round(Counted a) { return sum(pliant::round(a.value)); }
    friend Counted copy_sign(Counted a, Counted s) { return {std::copysign(a.value, s.value)}; }
    friend Counted select(bool m, Counted a, Counted b) { return m ? a : b; }
    friend Counted zero_unless(bool m, Counted a) { return m ? a : Counted(0); }
    friend Counted power_of_two(Counted a) { return {pliant::power_of_two(a.value)}; }
    friend Counted exponent_of(Counted a) { return {pliant::exponent_of(a.value)}; }
    friend Counted mantissa_of(Counted a) { return {pliant::mantissa_of(a.value)}; }

   private:
    static Counted sum(float v) { return ++tally.sums, Counted(v); }
    static Counted product(float v) { return ++tally.products, Counted(v); }
    static Counted division(float v) { return ++tally.divisions, Counted(v); }
};

}  // namespace pliant::bench

namespace pliant {
template <>
struct NumberTraits<bench::Counted> {
  using Scalar = float;
  using Mask = bool;
  static constexpr int kWidth = 1;
};
}  // namespace pliant
