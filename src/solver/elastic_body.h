#pragma once
// A body of linear tets with Hooke's law for the Green strain, in double, and where it comes to rest: set-up asks how
// far a body sags (solver/resolution.h). Any deflection, small strains: there all materials with the same constants are
// the same. src/fem is the reference; this is as exact as a warning needs, without a matrix and in bounded time.

#include <cstdint>
#include <vector>

#include "math/matrix.h"
#include "solver/model.h"

namespace pliant {

/// A linear tet: gradients of its shape functions [1/m] and volume [m^3].
struct LinearTet {
  Tet corners;
  Vec3d gradient[4];
  double volume;
};
std::vector<LinearTet> linear_tets(const BodyInput& body);

class ElasticBody {
 public:
  /// `held` marks vertices that do not move.
  ElasticBody(const BodyInput& body, const ElasticityMatrix& stiffness, std::vector<uint8_t> held);

  std::size_t size() const { return elements_.size(); }
  const LinearTet& element(std::size_t k) const { return elements_[k]; }

  /// Forces of an element on its corners by displacements u [m], without softening [N]: V F S g.
  void forces(std::size_t k, const std::vector<Vec3d>& u, Vec3d (&f)[4]) const;
  /// Twice the energy of an element, without softening [J].
  double work(std::size_t k, const std::vector<Vec3d>& u) const;

  /// Moves u to rest under `load` [N], each element softer by the factor that `softer` has (none: as it is). Newton's
  /// method goes downhill from where u is: steps by conjugate gradients, as long as the energy falls. It ends
  /// - when what is left to gain is 0.2 % of what was gained,
  /// - when the body gives way: it has gained four times what its stiffness at the beginning promised, as a leg does
  ///   that buckles,
  /// - when `budget` multiplications by an element's stiffness are used up.
  void settle(const std::vector<Vec3d>& load, const std::vector<double>& softer, std::vector<Vec3d>& u,
              int64_t budget) const;

 private:
  struct Strained {
    Mat3<double> F;
    Sym3<double> S;  // second Piola-Kirchhoff stress [Pa]
  };
  Sym3<double> stress(const Sym3<double>& doubled_strain) const;
  Mat3<double> displacement_gradient(const LinearTet& e, const std::vector<Vec3d>& u) const;
  double energy(const std::vector<Vec3d>& load, const std::vector<double>& softer, const std::vector<Vec3d>& u) const;

  std::vector<LinearTet> elements_;
  ElasticityMatrix stiffness_;
  std::vector<uint8_t> held_;
  std::vector<double> diagonal_;  // about that of the stiffness matrix; zero: held
};

}  // namespace pliant
