#pragma once
// Strain-based dynamics (mueller14): rest data of its constraints.

#include <string>

#include "solver/fabric.h"

namespace pliant {

/// Throws Error (where = `name` and the field) if a strength, a rest stretch or an axis makes no sense.
void check_strain(const ClothStrain& strain, const std::string& name);
void check_strain(const SolidStrain& strain, std::size_t tets, const std::string& name);

/// Sets frames, rest stretches and factors of the constraints that `made` holds (src/constraints/tri_strain.h and
/// tet_strain_entries.h), for its method and this many iterations.
void set_strains(const BodyInput& body, const ClothStrain& strain, const std::vector<WeftAndWarp>& frames,
                 int iterations, ConstraintInput& made);
void set_strains(const BodyInput& body, const SolidStrain& strain, int iterations, ConstraintInput& made);

}  // namespace pliant
