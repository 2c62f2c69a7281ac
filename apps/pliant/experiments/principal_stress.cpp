#include "experiments/principal_stress.h"

#include <algorithm>

#include "math/quaternion.h"

namespace pliant::experiments {
namespace {

Mat3<double> diagonal(const Vec3d& d) { return {{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}; }

Vec3d at_least(const Vec3d& s, double threshold) {
  return {std::max(s.x, threshold), std::max(s.y, threshold), std::max(s.z, threshold)};
}

Material corotated(Material material) {
  material.model = MaterialModel::corotated;
  return material;
}

}  // namespace

PrincipalStress unchanged(const Material& material) {
  return [law = ElasticLaw(material)](const Vec3d& s) {
    const Mat3<double> P = law.stress(diagonal(s));
    return Vec3d{P(0, 0), P(1, 1), P(2, 2)};
  };
}

PrincipalStress clamped(const Material& material, double threshold) {
  return [p = unchanged(material), threshold](const Vec3d& s) { return p(at_least(s, threshold)); };
}

PrincipalStress switched_to_corotated(const Material& material, double threshold) {
  return [p = unchanged(material), q = unchanged(corotated(material)), threshold](const Vec3d& s) {
    return std::min({s.x, s.y, s.z}) < threshold ? q(s) : p(s);
  };
}

PrincipalStress continued_by_corotated(const Material& material, double threshold) {
  return [p = unchanged(material), q = unchanged(corotated(material)), threshold](const Vec3d& s) {
    const Vec3d held = at_least(s, threshold);
    return p(held) + q(s) - q(held);
  };
}

Mat3<double> stress(const PrincipalStress& principal, const Mat3<double>& F) {
  const Svd3<double> parts = svd(F);
  return parts.u * diagonal(principal(parts.s)) * transpose(parts.v);
}

double uniaxial_stress(const PrincipalStress& principal, double s) {
  static const Mat3<double> U = to_matrix(from_rotation_vector(Vec3d{0.3, -1.1, 0.7}));
  static const Mat3<double> V = to_matrix(from_rotation_vector(Vec3d{-0.8, 0.2, 1.9}));
  const Mat3<double> P = stress(principal, U * diagonal({s, 1, 1}) * transpose(V));
  return (transpose(U) * P * V)(0, 0);
}

}  // namespace pliant::experiments
