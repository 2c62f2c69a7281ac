#pragma once
// Conjugate gradients without a matrix, for set-up: where a few per cent are exact enough, and large bodies stop early.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pliant/vec.h"

namespace pliant {

inline double dot(double a, double b) { return a * b; }  // beside that of vectors

/// Solves K u = load until the residual, weighted by the diagonal, is `tolerance` times what it was, with at most
/// `iterations`, from which it takes off those that were made. `multiply(p, f)` adds K p to f. `diagonal` is about that
/// of K, which is all that a preconditioner needs, and zero where u is. Where K has a negative eigenvalue in the way,
/// what was found so far is returned, or else the direction of the load: both lead downhill.
template <class Value, class Multiply>
std::vector<Value> conjugate_gradients(const std::vector<Value>& load, const std::vector<double>& diagonal,
                                       double tolerance, int64_t& iterations, Multiply&& multiply) {
  const std::size_t size = load.size();
  std::vector<Value> u(size), r(size), p(size), f(size);
  for (std::size_t v = 0; v < size; ++v) {
    if (diagonal[v] > 0) r[v] = load[v];
  }
  double before = 0, first = 0;
  for (bool begins = true; iterations > 0; begins = false, --iterations) {
    double now = 0, work = 0;
    for (std::size_t v = 0; v < size; ++v) {
      if (diagonal[v] > 0) now += dot(r[v], r[v]) / diagonal[v];
    }
    if (begins) first = now;
    if (!(now > tolerance * tolerance * first)) break;
    for (std::size_t v = 0; v < size; ++v) {
      if (diagonal[v] > 0) p[v] = r[v] / diagonal[v] + p[v] * (begins ? 0 : now / before);
    }
    std::fill(f.begin(), f.end(), Value{});
    multiply(p, f);
    for (std::size_t v = 0; v < size; ++v) work += dot(p[v], f[v]);
    if (!(work > 0)) {
      if (begins) u = p;
      break;
    }
    const double step = now / work;
    for (std::size_t v = 0; v < size; ++v) {
      if (diagonal[v] == 0) continue;
      u[v] += p[v] * step;
      r[v] -= f[v] * step;
    }
    before = now;
  }
  return u;
}

}  // namespace pliant
