#pragma once
// Checks of what a user hands to World. Each throws pliant::Error with where, what and remedy.

#include <string>
#include <vector>

#include "pliant/world.h"

namespace pliant {

void check_range(const std::string& where, double value, bool good, const std::string& remedy);
void check_finite(const std::string& where, const Vec3d& v);
void check_options(const WorldOptions& options);
void check_settings(const std::string& where, const ConstraintSettings& settings);
void check_wind(const std::string& where, const Wind& wind);
/// `surface`: the body has triangles or segments for a path along it.
void check_long_range(const std::string& where, const LongRange& settings, bool surface);
void check_path(const std::string& where, const std::vector<Keyframe>& path);

}  // namespace pliant
