// Parameters of cloth: conversion, rotation and the checks of what a user gives.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/cloth.h"
#include "pliant/error.h"

namespace pliant {

namespace {

void require_positive(double value, const std::string& where, const char* unit) {
  if (value > 0 && std::isfinite(value)) return;
  throw Error(where, fmt::format("{} is not a positive number", value), fmt::format("give a value above 0 [{}]", unit));
}

void validate_orthotropic(const OrthotropicMembrane& c, const std::string& where) {
  require_positive(c.k_weft, where + ".k_weft", "N/m");
  require_positive(c.k_warp, where + ".k_warp", "N/m");
  require_positive(c.k_shear, where + ".k_shear", "N/m");
  const double one = c.k_weft * c.nu_warp, other = c.k_warp * c.nu_weft;
  // Published constants have three digits.
  if (!(std::abs(one - other) <= 1e-3 * std::max(std::abs(one), std::abs(other)))) {
    throw Error(where + ".nu_warp",
                fmt::format("k_weft nu_warp = {:.6g} and k_warp nu_weft = {:.6g} differ: the elasticity is not "
                            "symmetric, and a cycle of strains would give energy",
                            one, other),
                fmt::format("use nu_warp = {:.6g}", other / c.k_weft));
  }
  if (!(c.nu_weft * c.nu_warp < 1)) {
    throw Error(where + ".nu_weft",
                "the product of the two Poisson's ratios is not below 1: some strain would give energy back",
                "make them smaller");
  }
}

void validate_matrix(const MembraneMatrix& k, const std::string& where) {
  double largest = 0;
  for (const auto& row : k) {
    for (const double v : row) {
      if (!std::isfinite(v)) throw Error(where, "an entry is not a finite number", "give all nine entries [N/m]");
      largest = std::max(largest, std::abs(v));
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(k[i][j] - k[j][i]) > 1e-9 * largest) {
        throw Error(
            where, fmt::format("entries ({0}, {1}) and ({1}, {0}) differ: {2} and {3}", j + 1, i + 1, k[j][i], k[i][j]),
            "an elasticity matrix is symmetric");
      }
    }
  }
  const double minor = k[0][0] * k[1][1] - k[0][1] * k[0][1];
  const double det = k[2][2] * minor - k[1][2] * (k[0][0] * k[1][2] - k[0][1] * k[0][2]) +
                     k[0][2] * (k[0][1] * k[1][2] - k[1][1] * k[0][2]);
  constexpr double kRounding = 1e-12;  // below that it is rounding, not stiffness
  if (!(k[0][0] > 0 && minor > kRounding * k[0][0] * k[1][1] && det > kRounding * minor * k[2][2])) {
    throw Error(where, "the matrix is not positive definite: some strain would give energy back",
                "check the signs and that the shear entry belongs to the doubled shear strain");
  }
}

}  // namespace

void validate(const ClothMaterial& m, const std::string& name) {
  switch (m.model) {
    case ClothModel::isotropic:
      require_positive(m.young, name + ".young", "Pa");
      require_positive(m.thickness, name + ".thickness", "m");
      if (!(m.poisson > -1 && m.poisson < 1)) {
        throw Error(name + ".poisson", fmt::format("{} is outside of what a stable sheet can have", m.poisson),
                    "use a value above -1 and below 1; solids have at most 0.5");
      }
      break;
    case ClothModel::orthotropic:
      validate_orthotropic(m.orthotropic, name + ".orthotropic");
      break;
    case ClothModel::anisotropic:
      validate_matrix(m.elasticity, name + ".elasticity");
      break;
  }
  if (m.form == MaterialForm::cao22_density) {
    throw Error(name + ".form", "a cloth does not have it", "use xpbd or pbd-energy");
  }
  if (m.form == MaterialForm::pbd_energy && m.compression == ClothCompression::folds) {
    throw Error(name + ".compression", "the energy form resists compression", "use the form xpbd, or `resists`");
  }
  if (m.plasticity) {
    validate(*m.plasticity, name + ".plasticity");
    if (m.form != MaterialForm::xpbd || m.compression == ClothCompression::folds) {
      throw Error(name + ".plasticity", "only cloth of the form xpbd that resists compression flows",
                  "use the form xpbd and `resists`, or leave it out");
    }
  }
  if (m.bending && !(*m.bending >= 0 && std::isfinite(*m.bending))) {
    throw Error(name + ".bending", fmt::format("{} is not a stiffness", *m.bending), "give 0 or more [N m]");
  }
  if (!(std::isfinite(dot(m.weft, m.weft)) && dot(m.weft, m.weft) > 0)) {
    throw Error(name + ".weft", "it has no direction", "give a vector that is not zero");
  }
}

MembraneMatrix membrane_matrix(const ClothMaterial& m) {
  switch (m.model) {
    case ClothModel::isotropic: {
      // Plane stress: the sheet is free to change its thickness.
      const double k = m.young * m.thickness / (1 - m.poisson * m.poisson);
      return {{{k, k * m.poisson, 0}, {k * m.poisson, k, 0}, {0, 0, k * (1 - m.poisson) / 2}}};
    }
    case ClothModel::orthotropic: {
      const OrthotropicMembrane& c = m.orthotropic;
      const double d = 1 - c.nu_weft * c.nu_warp;
      const double side = 0.5 * (c.k_weft * c.nu_warp + c.k_warp * c.nu_weft) / d;  // equal to three digits or more
      return {{{c.k_weft / d, side, 0}, {side, c.k_warp / d, 0}, {0, 0, c.k_shear}}};
    }
    case ClothModel::anisotropic:
      break;
  }
  return m.elasticity;
}

MembraneMatrix rotated(const MembraneMatrix& k, double angle) {
  // Strains in the frame of the weft from those in the other: T; energies are equal, so that K becomes T^T K T.
  const double c = std::cos(angle), s = std::sin(angle);
  const double T[3][3] = {{c * c, s * s, c * s}, {s * s, c * c, -c * s}, {-2 * c * s, 2 * c * s, c * c - s * s}};
  MembraneMatrix out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) out[i][j] += T[a][i] * k[a][b] * T[b][j];
      }
    }
  }
  return out;
}

MembraneMatrix inverse(const MembraneMatrix& k) {
  MembraneMatrix out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      out[j][i] = k[a][c] * k[b][d] - k[a][d] * k[b][c];
    }
  }
  const double det = k[0][0] * out[0][0] + k[0][1] * out[1][0] + k[0][2] * out[2][0];
  for (auto& row : out) {
    for (double& v : row) v /= det;
  }
  return out;
}

double bending_stiffness(const ClothMaterial& m) {
  if (m.bending) return *m.bending;
  if (m.model != ClothModel::isotropic) return 0;
  return m.young * m.thickness * m.thickness * m.thickness / (12 * (1 - m.poisson * m.poisson));
}

}  // namespace pliant
