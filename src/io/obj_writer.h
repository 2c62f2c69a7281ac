#pragma once
// Wavefront OBJ as text, for the sequence of frames and for the mesh beside a point cache.

#include <string>
#include <vector>

#include "io/body_shape.h"

namespace pliant {

enum class ObjParts {
  objects,  // every body an object of its own ("o")
  groups,   // every body a group ("g") of one object: one list of vertices to programs that split by object. Lines
            // have two vertices each: Blender loses the inner ones of longer lines
};

/// Normals and, where the shapes have them, texture coordinates. `remark` stands in the first line.
std::string obj_text(const std::vector<BodyShape>& shapes, ObjParts parts, const std::string& remark);

}  // namespace pliant
