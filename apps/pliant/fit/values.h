#pragma once
// Lists of numbers as a person types them: "0.3", "1e3,1e4", "0:0.01:0.49".

#include <string>
#include <vector>

namespace pliant::fit {

/// Throws Error (where = `option`) for anything else.
std::vector<double> values_of(const std::string& text, const std::string& option);

}  // namespace pliant::fit
