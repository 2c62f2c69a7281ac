#pragma once
// A material chosen at run time, in double precision: for references, tests and set-up. The engine's kernels use
// the models themselves, chosen at compile time.

#include <variant>
#include <vector>

#include "materials/anisotropic.h"
#include "materials/corotated.h"
#include "materials/fiber.h"
#include "materials/fixed_corotated.h"
#include "materials/linear.h"
#include "materials/neo_hookean.h"
#include "materials/neo_hookean_polynomial.h"
#include "materials/neo_hookean_stable.h"
#include "materials/stvk.h"
#include "materials/tangent.h"
#include "pliant/material.h"

namespace pliant {

/// Calls visit(Model{}, Model::constants<T>(...)) with the model of a valid material; fibers are left to the caller.
template <class T, class Visitor>
decltype(auto) visit_model(const Material& material, Visitor&& visit) {
  const Lame c = lame(material.young, material.poisson);
  switch (material.model) {
    case MaterialModel::linear:
      return visit(Linear{}, Linear::constants<T>(c));
    case MaterialModel::neo_hookean:
      return visit(NeoHookean{}, NeoHookean::constants<T>(c));
    case MaterialModel::neo_hookean_stable:
      return visit(StableNeoHookean{}, StableNeoHookean::constants<T>(c));
    case MaterialModel::neo_hookean_polynomial:
      return visit(PolynomialNeoHookean{}, PolynomialNeoHookean::constants<T>(c));
    case MaterialModel::corotated:
      return visit(Corotated{}, Corotated::constants<T>(c));
    case MaterialModel::fixed_corotated:
      return visit(FixedCorotated{}, FixedCorotated::constants<T>(c));
    case MaterialModel::orthotropic:
    case MaterialModel::anisotropic: {
      Material base = material;
      base.fibers.clear();
      return visit(Anisotropic{}, Anisotropic::constants<T>(elasticity_matrix(base)));
    }
    case MaterialModel::stvk:
    default:
      return visit(StVenantKirchhoff{}, StVenantKirchhoff::constants<T>(c));
  }
}

class ElasticLaw {
 public:
  /// Throws Error (where = `name`) if the material is not valid.
  explicit ElasticLaw(const Material& material, const std::string& name = "material");

  double energy(const Mat3<double>& F) const;        // [J/m^3]
  Mat3<double> stress(const Mat3<double>& F) const;  // first Piola-Kirchhoff [Pa]
  Tangent tangent(const Mat3<double>& F) const;      // dP/dF [Pa]

 private:
  template <class Model>
  struct Bound {
    typename Model::template Constants<double> constants;
    using Type = Model;
  };
  std::variant<Bound<StVenantKirchhoff>, Bound<Linear>, Bound<NeoHookean>, Bound<StableNeoHookean>,
               Bound<PolynomialNeoHookean>, Bound<Corotated>, Bound<FixedCorotated>, Bound<Anisotropic>>
      model_;
  std::vector<FiberModel::Constants<double>> fibers_;
};

}  // namespace pliant
