#pragma once
// Long range attachments (bender13 3.5, after Kim, Chentanez and Müller 2012): a vertex may not be farther from an
// attachment point than it is in the rest shape. They are `tether` constraints from every vertex to what holds its
// body.

#include "solver/model.h"

namespace pliant {

/// For one body, with the pins and attachments of now. No constraints where nothing holds the body.
std::vector<ConstraintInput> long_range_constraints(const ModelInput& input, const BodyInput& body, Method method);

}  // namespace pliant
