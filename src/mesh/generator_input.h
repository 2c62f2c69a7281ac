#pragma once
// What the mesh generators refuse, with the parameter's name in the message.

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "pliant/error.h"
#include "pliant/mesh.h"

namespace pliant {

/// Largest number of vertices that a generator makes. Six tets per vertex still have int numbers.
inline constexpr double kLargestVertexCount = 268435456;  // 2^28

/// A number as a person would write it: 0.1, not 0.100000.
inline std::string readable(double value) { return fmt::format("{}", value); }

inline void require_length(const char* generator, const char* parameter, double value) {
  if (std::isfinite(value) && value > 0) return;
  throw Error(std::string(generator) + ": " + parameter,
              readable(value) + (std::isfinite(value) ? " is not positive" : " is not a finite number"),
              "give a length above 0 [m]");
}

inline void require_count(const char* generator, const char* parameter, int value, int smallest) {
  if (value >= smallest) return;
  throw Error(std::string(generator) + ": " + parameter, std::to_string(value) + " is too few",
              "give at least " + std::to_string(smallest));
}

/// `vertices` is the number of vertices to be made, as a double that cannot overflow.
inline void require_vertex_count(const char* generator, const char* parameters, double vertices) {
  if (vertices <= kLargestVertexCount) return;
  throw Error(std::string(generator) + ": " + parameters,
              "the mesh would have " + readable(vertices) + " vertices, more than 2^28", "give smaller counts");
}

/// Position of grid line i of n over a length: exactly opposite for i and n - i, exact at both ends.
inline double grid_line(double length, int i, int n) { return length * ((2.0 * i - n) / (2.0 * n)); }

}  // namespace pliant
