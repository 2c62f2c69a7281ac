#pragma once
// What the files say -> World.

#include <string>
#include <vector>

#include "pliant/world.h"
#include "scene/spec.h"

namespace pliant::scene {

/// Vertices that a scene may have in all. The engine itself goes further (2^27 particles); this
/// is a guard against slips like 1000 cells in each direction, which would take all memory of the
/// machine: a solid needs about a kilobyte per vertex, 20 million of them 20 GB.
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
inline constexpr double kMostVertices = 2e7;
#else
inline constexpr double kMostVertices = 2000;  // script/fuzz: what is small enough for thousands of tries a second
#endif

/// `file` stands in messages about the scene as a whole.
World build_world(const SceneSpec& scene, const std::string& file, std::vector<std::string>& warnings);

}  // namespace pliant::scene
