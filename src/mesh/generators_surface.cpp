// Surfaces and curves from sizes and counts: grid, sphere, torus, cylinder, box, rope.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <unordered_map>

#include "mesh/generator_input.h"
#include "pliant/mesh.h"

namespace pliant {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Two triangles for the quad a, b, c, d (counter-clockwise), cut from a to c or from b to d.
void add_quad(std::vector<Triangle>& triangles, int a, int b, int c, int d, bool cut_ac) {
  if (cut_ac) {
    triangles.push_back({a, b, c});
    triangles.push_back({a, c, d});
  } else {
    triangles.push_back({a, b, d});
    triangles.push_back({b, c, d});
  }
}

bool even(int i) { return i % 2 == 0; }

/// Triangles between two closed rings of vertices around the same axis, with any two counts: always
/// the ring whose next edge has its middle first in angle goes ahead. Seen from where the rings run
/// counter-clockwise, `inner` is the smaller one. inner_count = 1 is a fan around a single vertex.
void join_rings(std::vector<Triangle>& triangles, int inner, int inner_count, int outer, int outer_count,
                bool counter_clockwise) {
  const int inner_steps = inner_count == 1 ? 0 : inner_count;
  for (int i = 0, o = 0; i < inner_steps || o < outer_count;) {
    // Middles at (i + 1/2) / inner_count and (o + 1/2) / outer_count of a turn, compared as integers.
    const bool go_outer = i == inner_steps ||
                          (o < outer_count && (2 * int64_t{o} + 1) * inner_count <= (2 * int64_t{i} + 1) * outer_count);
    const int a = inner + i % inner_count, b = outer + o % outer_count;
    const int c = go_outer ? outer + (o + 1) % outer_count : inner + (i + 1) % inner_count;
    if (counter_clockwise) {
      triangles.push_back({a, b, c});
    } else {
      triangles.push_back({a, c, b});
    }
    ++(go_outer ? o : i);
  }
}

}  // namespace

TriMesh grid(Vec2d size, std::array<int, 2> cells) {
  require_length("grid", "size.x", size.x);
  require_length("grid", "size.y", size.y);
  require_count("grid", "cells[0]", cells[0], 1);
  require_count("grid", "cells[1]", cells[1], 1);
  require_vertex_count("grid", "cells", (cells[0] + 1.0) * (cells[1] + 1.0));
  const int nx = cells[0], nz = cells[1];
  TriMesh mesh;
  mesh.positions.reserve(index(nx + 1) * index(nz + 1));
  for (int j = 0; j <= nz; ++j) {
    for (int i = 0; i <= nx; ++i) mesh.positions.push_back({grid_line(size.x, i, nx), 0, grid_line(size.y, j, nz)});
  }
  mesh.triangles.reserve(2 * index(nx) * index(nz));
  for (int j = 0; j < nz; ++j) {
    for (int i = 0; i < nx; ++i) {
      const int a = j * (nx + 1) + i;
      add_quad(mesh.triangles, a, a + nx + 1, a + nx + 2, a + 1, even(i + j));  // counter-clockwise seen from +y
    }
  }
  return mesh;
}

TriMesh sphere(double radius, int subdivisions) {
  require_length("sphere", "radius", radius);
  require_count("sphere", "subdivisions", subdivisions, 0);
  require_vertex_count("sphere", "subdivisions", 10 * std::pow(4.0, subdivisions) + 2);

  // Icosahedron: the corners of three golden rectangles, one in each coordinate plane.
  constexpr double g = std::numbers::phi;
  TriMesh mesh;
  for (const double s : {-1.0, 1.0}) {
    for (const double t : {-g, g}) {
      mesh.positions.push_back({s, t, 0});
      mesh.positions.push_back({0, s, t});
      mesh.positions.push_back({t, 0, s});
    }
  }
  // Its faces are the triples of corners at edge length 2, the smallest distance between corners.
  const auto adjacent = [&](int a, int b) {
    return std::abs(length_squared(mesh.positions[index(a)] - mesh.positions[index(b)]) - 4) < 1;
  };
  for (int a = 0; a < 12; ++a) {
    for (int b = a + 1; b < 12; ++b) {
      for (int c = b + 1; c < 12; ++c) {
        if (!adjacent(a, b) || !adjacent(b, c) || !adjacent(c, a)) continue;
        const Vec3d &xa = mesh.positions[index(a)], &xb = mesh.positions[index(b)], &xc = mesh.positions[index(c)];
        const bool outward = dot(xa, cross(xb, xc)) > 0;
        mesh.triangles.push_back(outward ? Triangle{a, b, c} : Triangle{a, c, b});
      }
    }
  }
  for (Vec3d& x : mesh.positions) x = x / length(x);

  for (int level = 0; level < subdivisions; ++level) {
    const std::vector<Triangle> coarse = std::move(mesh.triangles);
    std::unordered_map<int64_t, int> middles;  // edge -> vertex; numbers follow the triangles' order
    middles.reserve(coarse.size() * 3 / 2);
    const auto middle = [&](int a, int b) {
      const int64_t key = (static_cast<int64_t>(std::min(a, b)) << 32) | std::max(a, b);
      const auto [it, is_new] = middles.try_emplace(key, static_cast<int>(mesh.positions.size()));
      if (is_new) {
        const Vec3d sum = mesh.positions[index(a)] + mesh.positions[index(b)];
        mesh.positions.push_back(sum / length(sum));
      }
      return it->second;
    };
    mesh.positions.reserve(mesh.positions.size() + coarse.size() * 3 / 2);
    mesh.triangles.clear();
    mesh.triangles.reserve(coarse.size() * 4);
    for (const auto& [a, b, c] : coarse) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      mesh.triangles.push_back({a, ab, ca});
      mesh.triangles.push_back({b, bc, ab});
      mesh.triangles.push_back({c, ca, bc});
      mesh.triangles.push_back({ab, bc, ca});
    }
  }
  for (Vec3d& x : mesh.positions) x *= radius;
  return mesh;
}

TriMesh torus(double radius, double tube_radius, int segments, int tube_segments) {
  require_length("torus", "radius", radius);
  require_length("torus", "tube_radius", tube_radius);
  if (tube_radius >= radius) {
    throw Error("torus: tube_radius", readable(tube_radius) + " is not below the radius, " + readable(radius),
                "the hole would close: give a thinner tube or a larger radius");
  }
  require_count("torus", "segments", segments, 3);
  require_count("torus", "tube_segments", tube_segments, 3);
  require_vertex_count("torus", "segments, tube_segments", static_cast<double>(segments) * tube_segments);
  TriMesh mesh;
  mesh.positions.reserve(index(segments) * index(tube_segments));
  for (int s = 0; s < segments; ++s) {
    const double along = 2 * std::numbers::pi * s / segments;
    for (int t = 0; t < tube_segments; ++t) {
      const double around = 2 * std::numbers::pi * t / tube_segments;
      const double from_axis = radius + tube_radius * std::cos(around);
      mesh.positions.push_back(
          {from_axis * std::cos(along), tube_radius * std::sin(around), -from_axis * std::sin(along)});
    }
  }
  mesh.triangles.reserve(2 * index(segments) * index(tube_segments));
  for (int s = 0; s < segments; ++s) {
    const int here = s * tube_segments, there = (s + 1) % segments * tube_segments;
    for (int t = 0; t < tube_segments; ++t) {
      const int up = (t + 1) % tube_segments;
      add_quad(mesh.triangles, here + t, there + t, there + up, here + up, even(s + t));
    }
  }
  return mesh;
}

TriMesh cylinder(double radius, double height, int segments, int rings) {
  require_length("cylinder", "radius", radius);
  require_length("cylinder", "height", height);
  require_count("cylinder", "segments", segments, 3);
  require_count("cylinder", "rings", rings, 1);
  // The caps are rings within rings, as far apart as the vertices of the rim, so that their triangles
  // are of one size; a fan around one vertex would be all needles.
  const int cap_rings = std::max(1, static_cast<int>(std::lround(segments / (2 * std::numbers::pi))));
  const auto cap_count = [&](int ring) {  // ring 0 is the centre, ring cap_rings the rim
    return ring == 0 ? 1 : static_cast<int>(std::lround(static_cast<double>(segments) * ring / cap_rings));
  };
  double vertices = static_cast<double>(segments) * (rings + 1.0);
  require_vertex_count("cylinder", "segments, rings", vertices + 2 * (0.5 * segments * cap_rings));
  for (int ring = 0; ring < cap_rings; ++ring) vertices += 2.0 * cap_count(ring);
  require_vertex_count("cylinder", "segments, rings", vertices);

  TriMesh mesh;
  mesh.positions.reserve(static_cast<std::size_t>(vertices));
  const auto add_ring = [&](double r, double y, int count) {
    for (int s = 0; s < count; ++s) {
      const double angle = 2 * std::numbers::pi * s / count;
      mesh.positions.push_back({r * std::cos(angle), y, -r * std::sin(angle)});  // counter-clockwise seen from +y
    }
  };
  for (int ring = 0; ring <= rings; ++ring) add_ring(radius, grid_line(height, ring, rings), segments);
  for (int ring = 0; ring < rings; ++ring) {
    const int low = ring * segments, high = low + segments;
    for (int s = 0; s < segments; ++s) {
      const int next = (s + 1) % segments;
      add_quad(mesh.triangles, low + s, low + next, high + next, high + s, even(ring + s));
    }
  }
  for (const bool top : {false, true}) {
    int outer = top ? rings * segments : 0;
    for (int ring = cap_rings - 1; ring >= 0; --ring) {
      const auto inner = static_cast<int>(mesh.positions.size());
      add_ring(radius * ring / cap_rings, top ? height / 2 : -height / 2, cap_count(ring));
      join_rings(mesh.triangles, inner, cap_count(ring), outer, cap_count(ring + 1), top);
      outer = inner;
    }
  }
  return mesh;
}

TriMesh box_surface(Vec3d size, std::array<int, 3> cells) {
  require_length("box_surface", "size.x", size.x);
  require_length("box_surface", "size.y", size.y);
  require_length("box_surface", "size.z", size.z);
  require_count("box_surface", "cells[0]", cells[0], 1);
  require_count("box_surface", "cells[1]", cells[1], 1);
  require_count("box_surface", "cells[2]", cells[2], 1);
  const auto [nx, ny, nz] = cells;
  const double dx = nx, dy = ny, dz = nz;
  require_vertex_count("box_surface", "cells", 2 * (dx * dy + dy * dz + dz * dx) + 2);

  // Lattice points of the surface in the order x, y, z (x fastest): the first and last layer in z are
  // whole, the others a rim of 2 (nx + ny) points.
  const int layer = (nx + 1) * (ny + 1), rim = 2 * (nx + ny);
  const auto vertex = [&, nx = nx, ny = ny, nz = nz](int i, int j, int k) {
    if (k == 0) return j * (nx + 1) + i;
    const int start = layer + (k - 1) * rim;
    if (k == nz) return start + j * (nx + 1) + i;
    if (j == 0) return start + i;
    if (j == ny) return start + nx + 1 + 2 * (ny - 1) + i;
    return start + nx + 1 + 2 * (j - 1) + (i == nx ? 1 : 0);
  };
  TriMesh mesh;
  mesh.positions.reserve(index(2 * layer) + index(nz - 1) * index(rim));
  for (int k = 0; k <= nz; ++k) {
    for (int j = 0; j <= ny; ++j) {
      const bool whole_row = k == 0 || k == nz || j == 0 || j == ny;
      for (int i = 0; i <= nx; i += whole_row ? 1 : nx) {
        mesh.positions.push_back({grid_line(size.x, i, nx), grid_line(size.y, j, ny), grid_line(size.z, k, nz)});
      }
    }
  }
  // Each pair of opposite faces: axes u and v span it, w = u x v is its normal.
  for (int w = 0; w < 3; ++w) {
    const int u = (w + 1) % 3, v = (w + 2) % 3;
    for (const bool far : {false, true}) {
      for (int b = 0; b < cells[index(v)]; ++b) {
        for (int a = 0; a < cells[index(u)]; ++a) {
          const auto at = [&](int da, int db) {
            std::array<int, 3> p;
            p[index(w)] = far ? cells[index(w)] : 0;
            p[index(u)] = a + da;
            p[index(v)] = b + db;
            return vertex(p[0], p[1], p[2]);
          };
          const int p00 = at(0, 0), p10 = at(1, 0), p11 = at(1, 1), p01 = at(0, 1);
          if (far) {
            add_quad(mesh.triangles, p00, p10, p11, p01, even(a + b));
          } else {
            add_quad(mesh.triangles, p00, p01, p11, p10, even(a + b));
          }
        }
      }
    }
  }
  return mesh;
}

Curve rope(Vec3d from, Vec3d to, int segments) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool end : {false, true}) {
      const double value = (end ? to : from)[axis];
      if (!std::isfinite(value)) {
        throw Error(std::string("rope: ") + (end ? "to." : "from.") + "xyz"[axis],
                    readable(value) + " is not a finite number", "give a position [m]");
      }
    }
  }
  if (from == to) throw Error("rope: to", "is the same point as from", "give two different ends");
  require_count("rope", "segments", segments, 1);
  require_vertex_count("rope", "segments", segments + 1.0);
  Curve curve;
  for (int i = 0; i <= segments; ++i) {
    const double t = static_cast<double>(i) / segments;
    curve.positions.push_back(from * (1 - t) + to * t);  // both ends exact
    if (i > 0) curve.edges.push_back({i - 1, i});
  }
  return curve;
}

}  // namespace pliant
