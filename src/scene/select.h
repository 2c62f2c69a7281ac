#pragma once
// Which vertices a selection of a scene means.

#include <span>
#include <vector>

#include "scene/spec.h"

namespace pliant::scene {

/// Ascending, each once; may be empty. `positions` are the body's, in the world. A vertex number that
/// does not exist is an Error naming the field.
std::vector<int> select_vertices(const SelectionSpec& select, std::span<const Vec3d> positions);

/// Number of a vertex that may be counted from the end; `where` is the field that has it.
int vertex_number(int number, int vertex_count, const std::string& where);

}  // namespace pliant::scene
