// Parameters of materials: conversion, rotation and the checks of what a user gives.

#include "pliant/material.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "pliant/error.h"

namespace pliant {

namespace {

constexpr std::size_t kRow[6] = {0, 1, 2, 1, 2, 0};  // entry k of a stress vector is S(kRow[k], kColumn[k])
constexpr std::size_t kColumn[6] = {0, 1, 2, 2, 0, 1};

std::string field(const std::string& name, const char* member) { return name.empty() ? member : name + "." + member; }

void require_positive(double value, const std::string& where, const char* unit) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(where, fmt::format("{} is not a positive number", value),
                fmt::format("give a value above 0 [{}]", unit));
  }
}

void validate_poisson(double poisson, const std::string& where) {
  if (poisson == 0.5) throw Error(where, "0.5 is incompressible", "use at most 0.499");
  if (!(poisson > -1 && poisson < 0.5)) {
    throw Error(where, fmt::format("{} is outside of what a stable material can have", poisson),
                "use a value above -1 and at most 0.499");
  }
}

/// Poisson's ratio of an orthotropic material: nu_ij^2 < E_i / E_j, or pulling would give energy back.
void validate_poisson(double poisson, double young_i, double young_j, const std::string& where) {
  const double limit = std::sqrt(young_i / young_j);
  if (!(std::abs(poisson) < limit)) {
    throw Error(where, fmt::format("{} is not possible beside these two moduli", poisson),
                fmt::format("use a value between -{0:.6g} and {0:.6g}, the square root of their ratio", limit));
  }
}

/// Smallest pivot of the Cholesky factorisation of a symmetric matrix, relative to its diagonal entry: positive
/// exactly if the matrix is positive definite.
double smallest_relative_pivot(const ElasticityMatrix& matrix) {
  double factor[6][6] = {};
  double smallest = 1;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= factor[i][k] * factor[j][k];
      if (i != j) {
        factor[i][j] = sum / factor[j][j];
      } else {
        if (!(matrix[i][i] > 0)) return -1;
        smallest = std::min(smallest, sum / matrix[i][i]);
        if (!(sum > 0)) return smallest;
        factor[i][i] = std::sqrt(sum);
      }
    }
  }
  return smallest;
}

/// A relative pivot below this is rounding, not stiffness.
constexpr double kSmallestPivot = 1e-12;

void validate_elasticity(const ElasticityMatrix& matrix, const std::string& where) {
  double largest = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      if (!std::isfinite(matrix[i][j])) {
        throw Error(where, fmt::format("entry ({}, {}) is not a finite number", i + 1, j + 1),
                    "give all 36 entries [Pa]");
      }
      largest = std::max(largest, std::abs(matrix[i][j]));
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      // Published constants have a few digits; computed ones more. Nine are asked of the symmetry.
      if (std::abs(matrix[i][j] - matrix[j][i]) > 1e-9 * largest) {
        throw Error(where,
                    fmt::format("entries ({0}, {1}) and ({1}, {0}) differ: {2} and {3}", j + 1, i + 1, matrix[j][i],
                                matrix[i][j]),
                    "an elasticity matrix is symmetric");
      }
    }
  }
  if (!(smallest_relative_pivot(matrix) > kSmallestPivot)) {
    throw Error(where, "the matrix is not positive definite: some strain would give energy back",
                "check the signs and that shear entries belong to doubled shear strains");
  }
}

void validate_orthotropic(const OrthotropicElasticity& c, const std::string& where) {
  require_positive(c.young_1, where + ".young_1", "Pa");
  require_positive(c.young_2, where + ".young_2", "Pa");
  require_positive(c.young_3, where + ".young_3", "Pa");
  require_positive(c.shear_12, where + ".shear_12", "Pa");
  require_positive(c.shear_13, where + ".shear_13", "Pa");
  require_positive(c.shear_23, where + ".shear_23", "Pa");
  validate_poisson(c.poisson_12, c.young_1, c.young_2, where + ".poisson_12");
  validate_poisson(c.poisson_13, c.young_1, c.young_3, where + ".poisson_13");
  validate_poisson(c.poisson_23, c.young_2, c.young_3, where + ".poisson_23");
  // The determinant of the compliance's upper left block times E1 E2 E3.
  const double poisson_21 = c.poisson_12 * c.young_2 / c.young_1;
  const double poisson_31 = c.poisson_13 * c.young_3 / c.young_1;
  const double poisson_32 = c.poisson_23 * c.young_3 / c.young_2;
  const double remaining = 1 - c.poisson_12 * poisson_21 - c.poisson_23 * poisson_32 - c.poisson_13 * poisson_31 -
                           2 * poisson_21 * poisson_32 * c.poisson_13;
  if (!(remaining > kSmallestPivot)) {
    throw Error(where, "the three Poisson's ratios together give a material that does not resist a change of volume",
                "make them smaller");
  }
}

void validate_axes(const std::array<Vec3d, 3>& axes, const std::string& where) {
  // Axes are often typed with six digits; they are used as they are.
  constexpr double kTolerance = 1e-5;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double wanted = i == j ? 1 : 0;
      if (!(std::abs(dot(axes[i], axes[j]) - wanted) <= kTolerance)) {
        throw Error(where, "the axes are not of unit length and at right angles", "give three orthonormal vectors");
      }
    }
  }
  if (dot(axes[0], cross(axes[1], axes[2])) < 0) {
    throw Error(where, "the axes are left-handed", "swap two of them or negate one");
  }
}

}  // namespace

void validate(const Plasticity& plasticity, const std::string& name) {
  if (!(plasticity.yield >= 0) || !std::isfinite(plasticity.yield)) {
    throw Error(name + ".yield", fmt::format("{} is negative or not finite", plasticity.yield),
                "give a strain from 0, such as 0.05");
  }
  if (!(plasticity.creep >= 0) || !std::isfinite(plasticity.creep)) {
    throw Error(name + ".creep", fmt::format("{} is negative or not finite", plasticity.creep),
                "give a rate from 0 [1/s]");
  }
  require_positive(plasticity.max, name + ".max", "strain");
}

void validate(const Material& material, const std::string& name) {
  require_positive(material.density, field(name, "density"), "kg/m^3");
  switch (material.model) {
    case MaterialModel::orthotropic:
      validate_orthotropic(material.orthotropic, field(name, "orthotropic"));
      validate_axes(material.axes, field(name, "axes"));
      break;
    case MaterialModel::anisotropic:
      validate_elasticity(material.elasticity, field(name, "elasticity"));
      validate_axes(material.axes, field(name, "axes"));
      break;
    default:
      require_positive(material.young, field(name, "young"), "Pa");
      validate_poisson(material.poisson, field(name, "poisson"));
  }
  for (std::size_t t = 0; t < material.axes_of_tets.size(); ++t) {
    validate_axes(material.axes_of_tets[t], field(name, "axes_of_tets") + fmt::format("[{}]", t));
  }
  if (material.plasticity) validate(*material.plasticity, field(name, "plasticity"));
  if (!material.fibers.empty() && material.model == MaterialModel::linear) {
    throw Error(field(name, "fibers"), "the linear model has none", "choose stvk or a Neo-Hookean model");
  }
  for (std::size_t i = 0; i < material.fibers.size(); ++i) {
    const Fiber& fiber = material.fibers[i];
    const std::string where = field(name, "fibers") + fmt::format("[{}]", i);
    const auto check_direction = [](const Vec3d& direction, const std::string& which) {
      const double size = length(direction);
      if (!(size > 0) || !std::isfinite(size)) {
        throw Error(which, "it has no direction", "give a vector that is not zero");
      }
    };
    check_direction(fiber.direction, where + ".direction");
    for (std::size_t t = 0; t < fiber.directions.size(); ++t) {
      check_direction(fiber.directions[t], where + fmt::format(".directions[{}]", t));
    }
    if (fiber.around && !std::isfinite(length(*fiber.around))) {
      throw Error(where + ".around", "it is not a finite point", "give three finite numbers");
    }
    if (!(fiber.stiffness >= 0) || !std::isfinite(fiber.stiffness)) {
      throw Error(where + ".stiffness", fmt::format("{} is negative or not finite", fiber.stiffness),
                  "give a value from 0 [Pa]");
    }
  }
}

Lame lame(double young, double poisson) {
  return {young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))};
}

ElasticityMatrix elasticity_matrix(const Lame& constants) {
  ElasticityMatrix matrix{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) matrix[i][j] = constants.lambda;
    matrix[i][i] += 2 * constants.mu;
    matrix[i + 3][i + 3] = constants.mu;  // of doubled shear strains
  }
  return matrix;
}

ElasticityMatrix elasticity_matrix(const OrthotropicElasticity& c) {
  // The inverse of the compliance, whose entries are 1/E_i and -nu_ij/E_i, by cofactors.
  const double a = 1 / c.young_1, b = 1 / c.young_2, d = 1 / c.young_3;
  const double ab = -c.poisson_12 / c.young_1, ad = -c.poisson_13 / c.young_1, bd = -c.poisson_23 / c.young_2;
  const double determinant = a * (b * d - bd * bd) - ab * (ab * d - bd * ad) + ad * (ab * bd - b * ad);
  ElasticityMatrix matrix{};
  matrix[0][0] = (b * d - bd * bd) / determinant;
  matrix[1][1] = (a * d - ad * ad) / determinant;
  matrix[2][2] = (a * b - ab * ab) / determinant;
  matrix[0][1] = matrix[1][0] = (ad * bd - ab * d) / determinant;
  matrix[0][2] = matrix[2][0] = (ab * bd - ad * b) / determinant;
  matrix[1][2] = matrix[2][1] = (ab * ad - bd * a) / determinant;
  matrix[3][3] = c.shear_23;
  matrix[4][4] = c.shear_13;
  matrix[5][5] = c.shear_12;
  return matrix;
}

ElasticityMatrix rotated(const ElasticityMatrix& matrix, const std::array<Vec3d, 3>& axes) {
  // Strain in the material's axes is T e with T(k, l) from products of direction cosines; stress goes back
  // with the transpose: C' = T^T C T.
  double transform[6][6];
  for (std::size_t k = 0; k < 6; ++k) {
    const Vec3d& p = axes[kRow[k]];
    const Vec3d& q = axes[kColumn[k]];
    for (std::size_t l = 0; l < 6; ++l) {
      const int i = static_cast<int>(kRow[l]), j = static_cast<int>(kColumn[l]);
      const double product = i == j ? p[i] * q[i] : 0.5 * (p[i] * q[j] + p[j] * q[i]);
      transform[k][l] = k < 3 ? product : 2 * product;  // a doubled shear strain on the left
    }
  }
  ElasticityMatrix result{};
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 6; ++k) {
        for (std::size_t l = 0; l < 6; ++l) sum += transform[k][i] * matrix[k][l] * transform[l][j];
      }
      result[i][j] = sum;
    }
  }
  return result;
}

Vec3d Fiber::at(std::size_t tet, Vec3d center) const {
  Vec3d b = direction;
  if (!directions.empty()) {
    b = directions[tet];
  } else if (around) {
    b = cross(direction, center - *around);
  }
  const double size = length(b);
  return size > 0 ? b / size : Vec3d{};
}

ElasticityMatrix elasticity_matrix(const Material& material) {
  ElasticityMatrix matrix;
  switch (material.model) {
    case MaterialModel::orthotropic:
      matrix = rotated(elasticity_matrix(material.orthotropic), material.axes);
      break;
    case MaterialModel::anisotropic:
      matrix = rotated(material.elasticity, material.axes);
      break;
    default:
      matrix = elasticity_matrix(lame(material.young, material.poisson));
  }
  for (const Fiber& fiber : material.fibers) {
    if (fiber.around || !fiber.directions.empty()) continue;
    const Vec3d b = fiber.direction / length(fiber.direction);
    double along[6];
    for (std::size_t k = 0; k < 6; ++k) along[k] = b[static_cast<int>(kRow[k])] * b[static_cast<int>(kColumn[k])];
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) matrix[i][j] += 2 * fiber.stiffness * along[i] * along[j];
    }
  }
  return matrix;
}

const std::vector<MaterialModelInfo>& material_models() {
  static const std::vector<MaterialModelInfo> models = {
      {MaterialModel::linear, "linear", "Hooke's law for small strains; not for bodies that turn."},
      {MaterialModel::stvk, "stvk",
       "St. Venant-Kirchhoff: Hooke's law for the Green strain; weak under strong compression."},
      {MaterialModel::neo_hookean, "neo_hookean",
       "Neo-Hookean with log J; resists any compression, not defined for inverted elements."},
      {MaterialModel::neo_hookean_stable, "neo_hookean_stable",
       "Neo-Hookean without singularity; defined for inverted elements."},
      {MaterialModel::neo_hookean_polynomial, "neo_hookean_polynomial",
       "Neo-Hookean as a polynomial; defined for inverted elements, weak against collapse near poisson = 0."},
      {MaterialModel::corotated, "corotated", "Hooke's law for the stretch without the rotation."},
      {MaterialModel::fixed_corotated, "fixed_corotated", "Corotated with the true change of volume."},
      {MaterialModel::orthotropic, "orthotropic", "St. Venant-Kirchhoff with nine constants along three axes."},
      {MaterialModel::anisotropic, "anisotropic", "St. Venant-Kirchhoff with any elasticity matrix."},
  };
  return models;
}

}  // namespace pliant
