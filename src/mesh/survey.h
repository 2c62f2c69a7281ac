#pragma once
// What a person wants to know of a mesh before simulating it: is it closed, is it clean, how good are its elements.

#include <array>
#include <cstdint>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

/// How many elements have their smallest angle [degrees] below 1, 5, 10, 20, 30, 45, and how many above.
struct AngleHistogram {
  static constexpr std::array<double, 6> kLimits = {1, 5, 10, 20, 30, 45};
  std::array<int64_t, kLimits.size() + 1> counts{};
  double smallest = 180, largest = 0;  // [degrees] of all angles

  void add(double smallest_of_element, double largest_of_element);
};

struct TriSurvey {
  int64_t border_edges = 0;       // of one triangle
  int64_t holes = 0;              // closed borders, or pieces of border where they meet
  int64_t crowded_edges = 0;      // of three or more triangles: not a manifold
  int64_t opposed_edges = 0;      // whose two triangles face different ways
  int64_t repeated_vertices = 0;  // at the place of an earlier one
  int64_t unused_vertices = 0;
  AngleHistogram angles;  // between edges

  bool closed() const { return border_edges == 0 && crowded_edges == 0; }
};
TriSurvey survey(const TriMesh& mesh);

struct TetSurvey {
  int64_t inverted = 0;  // of negative volume
  int64_t slivers = 0;   // with a dihedral angle below 5 or above 175 degrees
  int64_t crowded_faces = 0;
  int64_t repeated_vertices = 0;
  int64_t unused_vertices = 0;
  AngleHistogram angles;  // between faces (dihedral); a regular tet has 70.5
};
TetSurvey survey(const TetMesh& mesh);

/// Joins vertices that are no farther apart than `distance` [m], later ones to the earliest; elements that lose an edge
/// by it go. Returns how many vertices there are less.
int64_t merge_vertices(TriMesh& mesh, double distance);
int64_t merge_vertices(TetMesh& mesh, double distance);
int64_t merge_vertices(Curve& mesh, double distance);

}  // namespace pliant
