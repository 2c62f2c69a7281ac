#pragma once
// What "default" stands for in the constraints of a body: chosen so that a body of any size, density and mesh looks
// like what it is called and stays calm at any number of substeps (docs/defaults.md has the reasons).

#include <optional>

#include "solver/model.h"

namespace pliant {

struct DefaultConstraints {
  Constraints constraints;
  std::optional<LongRange> long_range{};
  /// How many times softer they had to be than meant, since more than this one sweep does not follow.
  double softened = 1;
};

/// For a body with its masses. `given` is what it lists beside "default": edges of its own bring neither default edges
/// nor long range attachments, bending of its own no default bending. `without`: parts to leave out. Throws Error
/// (`where` is the body's name) if one of these is not a part.
DefaultConstraints default_constraints(const BodyInput& body, const std::vector<double>& mass, const Constraints& given,
                                       const std::vector<std::string>& without, const WorldOptions& options,
                                       const std::string& where);

}  // namespace pliant
