#pragma once
// Text <-> JSON tree. Comments (// and /* */) are allowed. Mistakes of the text become a
// pliant::Error with line and column; a field that is given twice is a mistake, too.

#include <nlohmann/json.hpp>
#include <string>

namespace pliant::scene {

nlohmann::json parse_json(const std::string& text, const std::string& file);

/// Indented by two, and whatever fits into a line in one line.
std::string readable_json(const nlohmann::ordered_json& json);

}  // namespace pliant::scene
