#pragma once
// Elastic solids: which constraint a material becomes, and whether the substeps can follow it.

#include <optional>
#include <string>
#include <vector>

#include "solver/model.h"
#include "solver/resolution.h"

namespace pliant {

/// Name of the registered type that a material becomes; empty where there is none.
std::string elastic_type(const Material& material);

/// A material that becomes constraints of this type, with default constants. Throws Error if the type is not one of
/// a material.
Material material_of_type(const std::string& type);

/// Throws Error (where = `name` and the field) if the engine has no constraint for this material.
void check_elastic(const Material& material, const std::string& name);

/// One elastic constraint per tet, from constraints that `given` holds with everything but the question whether
/// multipliers are kept from substep to substep. They are where that is stable, which makes the finite-element
/// solution the rest state; see docs/constraints/tet_elastic.md. Appends to `made`; returns the tets that steps of
/// length dt [s] (implicit_step) do not resolve, if there are any.
std::optional<ResetElements> add_elastic(const BodyInput& body, const Material& material, const ConstraintInput& given,
                                         const WorldOptions& options, double dt, std::vector<ConstraintInput>& made);

}  // namespace pliant
