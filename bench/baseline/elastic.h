#pragma once
// The baseline's elastic tets, written with Eigen as the formulas stand: the block of six Green strains (tet_stvk,
// tet_neo_hookean) and bender14's energies (tet_energy_*). They do not look for inverted elements, which is in their
// favour.

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "baseline/constraints.h"

namespace pliant::baseline {

using Eigen::Matrix3f;
using Vector6f = Eigen::Matrix<float, 6, 1>;
using Matrix6f = Eigen::Matrix<float, 6, 6>;
using Gradients = Eigen::Matrix<float, 12, 6>;

struct TetRest {
  int particles[4];
  Matrix3f inverse_shape;  // Dm^-1
  float volume;            // [m^3]
  float lambda, mu;        // [Pa]

  Matrix3f deformation(const Particles& all) const {
    const Vector3f& x0 = all[particles[0]].position;
    Matrix3f Ds;
    for (int k = 0; k < 3; ++k) Ds.col(k) = all[particles[k + 1]].position - x0;
    return Ds * inverse_shape;
  }
};

constexpr int kRow[6] = {0, 1, 2, 1, 2, 0}, kColumn[6] = {0, 1, 2, 2, 0, 1};

inline Matrix3f matrix_of(const Vector6f& v) {
  Matrix3f m;
  m << v[0], v[5], v[4], v[5], v[1], v[3], v[4], v[3], v[2];
  return m;
}

/// A symmetric matrix as (00, 11, 22, 12, 20, 01), those beside the diagonal doubled.
inline Vector6f strain_vector(const Matrix3f& m) {
  Vector6f v;
  for (int e = 0; e < 6; ++e) v[e] = e < 3 ? m(e, e) : 2 * m(kRow[e], kColumn[e]);
  return v;
}

/// Solves (G^T W G + compliance) step = residual and moves the corners by W G step.
inline void move_block(const TetRest& tet, Particles& all, const Matrix3f& F, const Matrix6f& compliance,
                       const Vector6f& residual, Vector6f& multiplier) {
  Gradients G, WG;
  for (int e = 0; e < 6; ++e) {
    const Vector3f a = F.col(kRow[e]), b = F.col(kColumn[e]);
    Vector3f sum = Vector3f::Zero();
    for (int k = 0; k < 3; ++k) {
      Vector3f g = a * tet.inverse_shape(k, kColumn[e]);
      if (e >= 3) g += b * tet.inverse_shape(k, kRow[e]);
      G.block<3, 1>(3 * (k + 1), e) = g;
      sum += g;
    }
    G.block<3, 1>(0, e) = -sum;
  }
  for (int k = 0; k < 4; ++k) WG.middleRows<3>(3 * k) = all[tet.particles[k]].inverse_mass * G.middleRows<3>(3 * k);
  const Matrix6f A = G.transpose() * WG + compliance;
  const Vector6f step = A.llt().solve(residual);
  multiplier += step;
  const Eigen::Matrix<float, 12, 1> d = WG * step;
  for (int k = 0; k < 4; ++k) all[tet.particles[k]].position += d.segment<3>(3 * k);
}

/// The Green strain with Hooke's law.
struct TetStVK {
  TetRest rest;
  Vector6f multiplier = Vector6f::Zero();

  void project(Particles& all, float inverse_dt_squared) {
    const Matrix3f F = rest.deformation(all);
    const Vector6f C = strain_vector(0.5f * (F.transpose() * F - Matrix3f::Identity()));
    const float p = inverse_dt_squared / (2 * rest.mu * rest.volume);
    const float kappa = rest.lambda / (3 * rest.lambda + 2 * rest.mu);
    Matrix6f compliance = Matrix6f::Zero();
    compliance.topLeftCorner<3, 3>() = p * (Matrix3f::Identity() - kappa * Matrix3f::Ones());
    compliance.bottomRightCorner<3, 3>() = 2 * p * Matrix3f::Identity();
    move_block(rest, all, F, compliance, -(C + compliance * multiplier), multiplier);
  }
};

/// Newton's step for the Neo-Hookean stress, shortened where stretched (src/constraints/tet_neo_hookean.h).
struct TetNeoHookean {
  TetRest rest;
  Vector6f multiplier = Vector6f::Zero();

  void project(Particles& all, float inverse_dt_squared) {
    const Matrix3f F = rest.deformation(all);
    const Matrix3f C = F.transpose() * F;
    const float ratio = rest.lambda / rest.mu;
    const float volumetric = ratio * std::log(F.determinant());
    const float shear = std::max(1 - volumetric, 1.0f);
    const float kappa = ratio / (3 * ratio + 2 * shear);
    const float size = rest.mu * rest.volume / inverse_dt_squared;
    const float p = 1 / (2 * shear * size * std::max(C.trace() - 2, 1.0f));
    const Matrix3f stress = size * (C * C - C + volumetric * C) + C * matrix_of(multiplier) * C;  // C (S + L) C
    const float trace = size * (C.trace() - 3 + 3 * volumetric) + (C * matrix_of(multiplier)).trace();
    const Vector6f residual = -p * strain_vector(stress - kappa * trace * C);
    Matrix6f compliance;
    for (int e = 0; e < 6; ++e) {
      for (int g = 0; g < 6; ++g) {
        const int a = kRow[e], b = kColumn[e], c = kRow[g], d = kColumn[g];
        const float pair = C(a, c) * C(b, d) + C(a, d) * C(b, c);
        const float factor = (e < 3 ? 0.5f : 1.0f) * (g < 3 ? 1.0f : 2.0f);
        compliance(e, g) = p * (factor * pair - kappa * (e < 3 ? 1 : 2) * C(a, b) * (g < 3 ? 1 : 2) * C(c, d));
      }
    }
    move_block(rest, all, F, compliance, residual, multiplier);
  }
};

/// C = V psi with stiffness 1; P is the first Piola-Kirchhoff stress.
inline void move_energy(const TetRest& rest, Particles& all, float psi, const Matrix3f& P) {
  const Matrix3f H = rest.volume * P * rest.inverse_shape.transpose();
  const Vector3f gradient[4] = {-(H.col(0) + H.col(1) + H.col(2)), H.col(0), H.col(1), H.col(2)};
  float multiplier = 0;
  move(all, rest.particles, gradient, rest.volume * psi, 0, multiplier);
}

struct TetEnergyStVK {
  TetRest rest;
  float multiplier = 0;
  void project(Particles& all, float) {
    const Matrix3f F = rest.deformation(all);
    const Matrix3f E = 0.5f * (F.transpose() * F - Matrix3f::Identity());
    const float trace = E.trace();
    const Matrix3f S = 2 * rest.mu * E + rest.lambda * trace * Matrix3f::Identity();
    move_energy(rest, all, rest.mu * E.squaredNorm() + 0.5f * rest.lambda * trace * trace, F * S);
  }
};

struct TetEnergyNeoHookean {
  TetRest rest;
  float multiplier = 0;
  void project(Particles& all, float) {
    const Matrix3f F = rest.deformation(all);
    const float log_J = std::log(F.determinant());
    const float psi = rest.mu * (0.5f * (F.squaredNorm() - 3) - log_J) + 0.5f * rest.lambda * log_J * log_J;
    move_energy(rest, all, psi, rest.mu * F + (rest.lambda * log_J - rest.mu) * F.inverse().transpose());
  }
};

}  // namespace pliant::baseline
