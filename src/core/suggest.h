#pragma once
// Suggestions for error texts: the name that a misspelt one was meant to be.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

/// The candidate nearest to `word`, or "" when none is near: at most one edit (a letter put in, left
/// out, changed, or swapped with its neighbour) per three letters of the longer of the two. Upper and
/// lower case, '-', '_' and ' ' count as equal. Of equally near ones the first.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

/// A remedy: `did you mean "young"?`, or `use one of: density, young` when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);
inline std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  return did_you_mean(word, std::span<const std::string>(candidates));
}

}  // namespace pliant
