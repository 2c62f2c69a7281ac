#pragma once
// Bodies that keep one type of constraint, or a usual pair of them, kicked and wrinkled.

#include <string>
#include <vector>

#include "pliant/world.h"
#include "random.h"

namespace pliant::soak {

/// One line of the table in docs/constraints/stability.md.
struct Form {
  std::vector<std::string> types;  // of registered constraints, or "balloon"; several act on one body
  Method method{};
  bool keeps = false;  // multipliers are kept from substep to substep because the user says so

  std::string name() const;  // "distance + bend, xpbd"
};

/// Every registered type by each method that it is solved by, alone and kept, and the usual pairs.
std::vector<Form> all_forms();

/// A world with one body of a form.
struct FormCase {
  World world;
  BodyId body{};
  bool loose = false;  // neither held nor attached
  double size = 0;     // [m]
  double stored = 0;   // [J] what the wrinkles can give
  int steps = 0;
  std::string line;
};

/// `work`: about how many vertices times substeps times steps it may take.
FormCase random_form(const Form& form, Random& random, double work, int most_cells);

}  // namespace pliant::soak
