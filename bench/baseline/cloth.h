#pragma once
// The baseline's cloth, written with Eigen as the formulas stand: the block of three Green strains (tri_stvk),
// bender14's energy of a triangle (tri_energy_stvk) and bending (isometric_bend), and mueller14's strains one after
// another (tri_strain).

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "baseline/constraints.h"

namespace pliant::baseline {

using Eigen::Matrix2f;
using Eigen::Matrix3f;
using Matrix32f = Eigen::Matrix<float, 3, 2>;
using Eigen::Vector2f;

struct TriRest {
  int particles[3];
  Matrix2f inverse_shape;  // Dm^-1
  float area;              // [m^2]
  Matrix3f elasticity;     // K [N/m]

  Matrix32f deformation(const Particles& all) const {
    const Vector3f& x0 = all[particles[0]].position;
    Matrix32f Ds;
    for (int k = 0; k < 2; ++k) Ds.col(k) = all[particles[k + 1]].position - x0;
    return Ds * inverse_shape;
  }
};

inline Vector3f plane_strain_vector(const Matrix2f& E) { return {E(0, 0), E(1, 1), 2 * E(0, 1)}; }

struct TriStVK {
  TriRest rest;
  Matrix3f compliance;  // (A K)^-1
  Vector3f multiplier = Vector3f::Zero();

  void project(Particles& all, float inverse_dt_squared) {
    const Matrix32f F = rest.deformation(all);
    const Vector3f C = plane_strain_vector(0.5f * (F.transpose() * F - Matrix2f::Identity()));
    const Matrix3f a = compliance * inverse_dt_squared;
    Eigen::Matrix<float, 9, 3> G, WG;
    for (int e = 0; e < 3; ++e) {
      Vector3f sum = Vector3f::Zero();
      for (int k = 0; k < 2; ++k) {
        const Vector3f g = e < 2 ? Vector3f(F.col(e) * rest.inverse_shape(k, e))
                                 : Vector3f(F.col(0) * rest.inverse_shape(k, 1) + F.col(1) * rest.inverse_shape(k, 0));
        G.block<3, 1>(3 * (k + 1), e) = g;
        sum += g;
      }
      G.block<3, 1>(0, e) = -sum;
    }
    for (int k = 0; k < 3; ++k) WG.middleRows<3>(3 * k) = all[rest.particles[k]].inverse_mass * G.middleRows<3>(3 * k);
    const Matrix3f A = G.transpose() * WG + a;
    const Vector3f step = A.llt().solve(-(C + a * multiplier));
    multiplier += step;
    const Eigen::Matrix<float, 9, 1> d = WG * step;
    for (int k = 0; k < 3; ++k) all[rest.particles[k]].position += d.segment<3>(3 * k);
  }
};

struct TriEnergyStVK {
  TriRest rest;
  float multiplier = 0;

  void project(Particles& all, float) {
    const Matrix32f F = rest.deformation(all);
    const Vector3f e = plane_strain_vector(0.5f * (F.transpose() * F - Matrix2f::Identity()));
    const Vector3f s = rest.elasticity * e;
    Matrix2f S;
    S << s[0], s[2], s[2], s[1];
    const Matrix32f H = rest.area * F * S * rest.inverse_shape.transpose();
    const Vector3f gradient[3] = {-(H.col(0) + H.col(1)), H.col(0), H.col(1)};
    multiplier = 0;
    move(all, rest.particles, gradient, 0.5f * rest.area * e.dot(s), 0, multiplier);
  }
};

/// C = sum b_i x_i, a vector.
template <int N>
struct LinearBend {
  int particles[N];
  float shares[N];
  float compliance;  // [1/(N m)]
  Vector3f multiplier = Vector3f::Zero();

  void project(Particles& all, float inverse_dt_squared) {
    Vector3f C = Vector3f::Zero();
    float weight = 0;
    for (int i = 0; i < N; ++i) {
      const Particle& p = all[particles[i]];
      C += shares[i] * p.position;
      weight += shares[i] * shares[i] * p.inverse_mass;
    }
    const float a = compliance * inverse_dt_squared;
    if (weight + a <= 0) return;
    const Vector3f step = -(C + a * multiplier) / (weight + a);
    multiplier += step;
    for (int i = 0; i < N; ++i) {
      Particle& p = all[particles[i]];
      p.position += (p.inverse_mass * shares[i]) * step;
    }
  }
};

/// Stretch along two directions, shear, area.
struct TriStrain {
  TriRest rest;
  float factors[4];  // root of area times modulus
  Eigen::Vector4f multiplier = Eigen::Vector4f::Zero();

  void project(Particles& all, float inverse_dt_squared) {
    for (int e = 0; e < 4; ++e) {
      const Matrix32f F = rest.deformation(all);
      const Vector3f f0 = F.col(0), f1 = F.col(1);
      Vector3f by0 = Vector3f::Zero(), by1 = Vector3f::Zero();
      float C;
      if (e == 0) {
        C = f0.norm() - 1;
        by0 = f0.normalized();
      } else if (e == 1) {
        C = f1.norm() - 1;
        by1 = f1.normalized();
      } else if (e == 2) {
        const Vector3f u0 = f0.normalized(), u1 = f1.normalized();
        C = u0.dot(u1);
        by0 = (u1 - C * u0) / f0.norm();
        by1 = (u0 - C * u1) / f1.norm();
      } else {
        const Vector3f n = f0.cross(f1);
        C = n.norm() - 1;
        by0 = f1.cross(n.normalized());
        by1 = n.normalized().cross(f0);
      }
      Vector3f gradient[3];
      for (int k = 0; k < 2; ++k) {
        gradient[k + 1] = factors[e] * (by0 * rest.inverse_shape(k, 0) + by1 * rest.inverse_shape(k, 1));
      }
      gradient[0] = -(gradient[1] + gradient[2]);
      move(all, rest.particles, gradient, factors[e] * C, inverse_dt_squared, multiplier[e]);
    }
  }
};

}  // namespace pliant::baseline
