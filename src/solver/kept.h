#pragma once
// Multipliers that the user wants kept from substep to substep: where the substeps follow the constraint, as those of
// materials are.

#include <optional>
#include <string>
#include <vector>

#include "solver/model.h"

namespace pliant {

/// What was not done that was asked for.
struct NotKept {
  int64_t constraints = 0, of = 0;  // that start each substep at zero, of how many
  double largest = 0, limit = 0;    // resolution, and up to which multipliers are kept; infinite: never
  bool rigid = false;
};

/// Puts constraints of a body into `made`: with their multipliers kept where a substep of dt [s] resolves them.
///
/// The resolution of a constraint is the stiffness that all of `all` give to its corners, over their masses, times dt^2
/// / 12: that of an elastic cloth of the same stiffness in the cells of grid() (fabric.h). Rigid constraints have an
/// infinite one. Kept multipliers act as forces of the last substep until the sweep has corrected them, and a sweep
/// corrects what it can follow.
std::optional<NotKept> add_kept_where_resolved(const BodyInput& body, const ConstraintInput& all, double dt,
                                               double limit, std::vector<ConstraintInput>& made);

/// In plain words.
std::string warning_of(const NotKept& found, const std::string& body, const std::string& type, int substeps);

}  // namespace pliant
