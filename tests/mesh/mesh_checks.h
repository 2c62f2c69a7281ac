#pragma once
// What mesh tests look at: slow and plain on purpose, independent of src/mesh/topology.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "pliant/error.h"
#include "pliant/mesh.h"

namespace pliant::test {

inline const Vec3d& at(const std::vector<Vec3d>& x, int i) { return x[static_cast<std::size_t>(i)]; }

inline double tet_volume(const TetMesh& mesh, const Tet& t) {
  const Vec3d a = at(mesh.positions, t[0]);
  return dot(at(mesh.positions, t[1]) - a, cross(at(mesh.positions, t[2]) - a, at(mesh.positions, t[3]) - a)) / 6;
}

/// Volumes and dihedral angles of all tets.
struct Quality {
  double smallest_volume = INFINITY, largest_volume = -INFINITY;  // [m^3]
  double smallest_angle = INFINITY, largest_angle = -INFINITY;    // [degrees]
};

inline Quality quality_of(const TetMesh& mesh) {
  Quality q;
  for (const Tet& tet : mesh.tets) {
    const double v = tet_volume(mesh, tet);
    q.smallest_volume = std::min(q.smallest_volume, v);
    q.largest_volume = std::max(q.largest_volume, v);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = i + 1; j < 4; ++j) {
        std::array<std::size_t, 2> others;
        std::size_t n = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          if (k != i && k != j) others[n++] = k;
        }
        // The angle between the two faces at edge ij, seen along the edge.
        const Vec3d origin = at(mesh.positions, tet[i]);
        Vec3d along = at(mesh.positions, tet[j]) - origin;
        along = along / length(along);
        Vec3d a = at(mesh.positions, tet[others[0]]) - origin, b = at(mesh.positions, tet[others[1]]) - origin;
        a -= along * dot(a, along);
        b -= along * dot(b, along);
        const double angle = std::atan2(length(cross(a, b)), dot(a, b)) * 180 / std::numbers::pi;
        q.smallest_angle = std::min(q.smallest_angle, angle);
        q.largest_angle = std::max(q.largest_angle, angle);
      }
    }
  }
  return q;
}

/// How many tets have each face.
inline std::map<std::array<int, 3>, int> face_uses(const TetMesh& mesh) {
  std::map<std::array<int, 3>, int> uses;
  for (const Tet& t : mesh.tets) {
    for (std::size_t skip = 0; skip < 4; ++skip) {
      std::array<int, 3> face;
      std::size_t n = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        if (i != skip) face[n++] = t[i];
      }
      std::sort(face.begin(), face.end());
      ++uses[face];
    }
  }
  return uses;
}

/// A closed surface without loose vertices: every directed edge once, and its reverse once.
inline void expect_closed(const std::vector<Triangle>& triangles) {
  std::set<std::array<int, 2>> directed;
  for (const Triangle& t : triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::array<int, 2> edge = {t[i], t[(i + 1) % 3]};
      ASSERT_TRUE(directed.insert(edge).second) << "edge " << edge[0] << "->" << edge[1] << " twice";
    }
  }
  for (const auto& [a, b] : directed) ASSERT_TRUE(directed.contains({b, a})) << "edge " << a << "->" << b << " open";
}

inline int euler_by_sets(const std::vector<Triangle>& triangles) {
  std::set<int> vertices;
  std::set<std::array<int, 2>> edges;
  for (const Triangle& t : triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      vertices.insert(t[i]);
      edges.insert({std::min(t[i], t[(i + 1) % 3]), std::max(t[i], t[(i + 1) % 3])});
    }
  }
  return static_cast<int>(vertices.size()) - static_cast<int>(edges.size()) + static_cast<int>(triangles.size());
}

/// Smallest and largest corner angle of all triangles [degrees].
inline std::array<double, 2> corner_angles(const TriMesh& mesh) {
  std::array<double, 2> range = {INFINITY, -INFINITY};
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3d origin = at(mesh.positions, t[i]);
      const Vec3d a = at(mesh.positions, t[(i + 1) % 3]) - origin, b = at(mesh.positions, t[(i + 2) % 3]) - origin;
      const double angle = std::atan2(length(cross(a, b)), dot(a, b)) * 180 / std::numbers::pi;
      range = {std::min(range[0], angle), std::max(range[1], angle)};
    }
  }
  return range;
}

/// The action must throw pliant::Error whose where() is `where` and whose whole message has `text` in it.
inline void expect_error(const std::function<void()>& action, const std::string& where, const std::string& text) {
  try {
    action();
    ADD_FAILURE() << "no error; expected one at " << where << " saying: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), where);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << "message: " << error.what();
    EXPECT_FALSE(error.remedy().empty()) << "no remedy: " << error.what();
  }
}

}  // namespace pliant::test
