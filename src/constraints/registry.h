#pragma once
// The registered constraint types, by name.

#include <span>
#include <string_view>

#include "constraints/constraint.h"

namespace pliant {

/// All types, in the order of list.h, which is the order of a sweep.
std::span<const TypeInfo* const> registered_types();
/// Null when there is none.
const TypeInfo* find_type(std::string_view name);

}  // namespace pliant
