#pragma once
// Cloth balloons: a closed surface that keeps a volume.                 bender13 3.4.5
//
//   C = V - p V0  [m^3],   V = (1/6) sum over triangles of x_a . (x_b x x_c)
//   grad_i = (1/6) sum over the triangles (i, b, c) around i of x_b x x_c
//
// with p the pressure factor. The survey sums without the 1/6, which is six times the volume and must
// be compared with 6 p V0. A global constraint: one value that all vertices of a body take part in. It
// is evaluated vertex by vertex (no two threads write the same place) and its sums are formed over
// fixed chunks in order, so that the bits do not depend on the number of threads.
//
// Compliance in m^6/J. Positions are taken relative to the body's first vertex.

#include <cstdint>
#include <vector>

#include "constraints/constraint.h"
#include "core/aligned.h"
#include "pliant/jobs.h"

namespace pliant {

template <class Real>
struct Balloon {
  // constant
  int body = 0;
  std::vector<int32_t> vertices;   // particles that take part
  std::vector<int32_t> fan_begin;  // per vertex: its pairs in `fan`
  std::vector<int32_t> fan;        // the two other corners of each of its triangles, in order
  Real target = 0;                 // p V0 [m^3]
  bool compliant = true;
  Real strength = 0;  // compliance, or pbd stiffness per iteration
  // working memory
  mutable AlignedVector<Quad<Real>> gradient;
  mutable std::vector<double> partial;

  /// One projection. `lambda` is the multiplier of this substep.
  void project(const ParticlesView<Real>& particles, Real dt, Real& lambda, JobSystem& jobs) const;
  /// Volume enclosed at present [m^3].
  double volume(const ParticlesView<Real>& particles) const;
};

}  // namespace pliant
