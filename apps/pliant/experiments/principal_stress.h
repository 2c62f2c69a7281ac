#pragma once
// Stress as a function of the principal stretches alone, and ways to change it for flat and inverted elements.
//
//   F = U diag(s) V^T,  P = U diag(p(s)) V^T       bender14 4.2 (after Irving et al. 2004), cao22 4.2
//
// An inverted element has one negative stretch, the smallest in size.

#include <functional>

#include "materials/elastic_law.h"
#include "math/svd.h"
#include "pliant/material.h"

namespace pliant::experiments {

/// Principal stresses [Pa] from principal stretches.
using PrincipalStress = std::function<Vec3d(const Vec3d& stretches)>;

/// That of a material as it is.
PrincipalStress unchanged(const Material& material);
/// Stretches below the threshold count as the threshold, so that the stress stays as it is there.      bender14 fig. 2
PrincipalStress clamped(const Material& material, double threshold);
/// The corotated linear model's own stress as soon as a stretch is below the threshold.                cao22 4.2
PrincipalStress switched_to_corotated(const Material& material, double threshold);
/// The same without its jump: the stress at the threshold plus what corotated adds from there on.
PrincipalStress continued_by_corotated(const Material& material, double threshold);

/// P(F) by way of the singular values.
Mat3<double> stress(const PrincipalStress& principal, const Mat3<double>& F);

/// The first principal stress of an element that is turned, stretched by s along one axis, and turned again, the
/// other two stretches being 1. The turns must not show. For s > -1: beyond that another axis counts as inverted.
double uniaxial_stress(const PrincipalStress& principal, double s);

}  // namespace pliant::experiments
