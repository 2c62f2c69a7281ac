#pragma once
// A small validator for the parts of JSON Schema (draft 2020-12) that the scene schema uses. It knows
// nothing of the reader, so the two can be held against each other. A keyword that it does not know
// is reported, so that it cannot silently fall behind.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pliant::test {

/// What is wrong with `value`; empty: nothing. `root` has the $defs.
std::vector<std::string> schema_errors(const nlohmann::json& value, const nlohmann::json& schema,
                                       const nlohmann::json& root, const std::string& path = "");

}  // namespace pliant::test
