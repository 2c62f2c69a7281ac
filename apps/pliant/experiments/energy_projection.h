#pragma once
// bender14's own form: one constraint C = E = V psi(F) per tet, projected without compliance, in double precision and
// in the order of the mesh. A reference for the engine, and the form whose figures the document prints.
//
//   [dE/dx1 dE/dx2 dE/dx3] = V P(F) Dm^-T,   dE/dx4 = -(their sum)                bender14 4.2
//   lambda = -C / sum w |dC/dx|^2,   dx = w lambda dC/dx                         bender14 eq. 2, 3

#include <array>
#include <vector>

#include "materials/elastic_law.h"
#include "pliant/mesh.h"

namespace pliant::experiments {

class EnergyProjection {
 public:
  /// Inverse masses are 0 where a vertex is held.
  EnergyProjection(const TetMesh& mesh, const Material& material, std::vector<double> inverse_masses);

  std::size_t size() const { return elements_.size(); }
  /// Energy of all elements [J].
  double energy(const std::vector<Vec3d>& x) const;
  /// Energy of one element [J] and its derivative for the four corners [N].
  double evaluate(std::size_t element, const std::vector<Vec3d>& x, std::array<Vec3d, 4>& gradient) const;

  /// One iteration of the modified Newton-Raphson method: each constraint solved alone, one after another.
  void gauss_seidel(std::vector<Vec3d>& x) const;
  /// One iteration of the Newton-Raphson method: all constraints linearised at once, (J W J^T) lambda = -C.
  void newton(std::vector<Vec3d>& x) const;
  /// All constraints with the same given multiplier, from the same positions (Jacobi).
  void constant_multiplier(std::vector<Vec3d>& x, double lambda) const;

 private:
  struct Element {
    Tet vertices;
    Mat3<double> inverse_rest;  // Dm^-1 [1/m]
    double volume;              // [m^3]
  };

  ElasticLaw law_;
  std::vector<Element> elements_;
  std::vector<double> inverse_masses_;
};

}  // namespace pliant::experiments
