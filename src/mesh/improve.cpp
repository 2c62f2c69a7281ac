#include "mesh/improve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/parallel.h"
#include "mesh/measure.h"
#include "mesh/quality.h"
#include "mesh/topology.h"

namespace pliant {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

double sine_of(double degrees) { return std::sin(degrees * std::numbers::pi / 180); }

/// The worst shape among the tets around a vertex.
double worst_around(const TetMesh& mesh, std::span<const int> tets) {
  double worst = 1;
  for (const int t : tets) worst = std::min(worst, smallest_sine(corners_of(mesh, mesh.tets[index(t)])));
  return worst;
}

std::vector<char> boundary_vertices(const TetMesh& mesh, const std::vector<Triangle>& surface) {
  std::vector<char> is_boundary(mesh.positions.size(), 0);
  for (const Triangle& t : surface) {
    for (const int v : t) is_boundary[index(v)] = 1;
  }
  return is_boundary;
}

}  // namespace

void improve_worst(TetMesh& mesh, const SurfaceTree& surface, double cell, double angle) {
  const Adjacency around = vertex_to_element(mesh.tets, static_cast<int>(mesh.positions.size()));
  const std::vector<char> is_boundary = boundary_vertices(mesh, surface_of(mesh));
  const double wanted = sine_of(angle);
  // Steps along the cube's diagonals and axes, shorter from round to round.
  static constexpr std::array<std::array<int, 3>, 14> kDirections = {{{1, 0, 0},
                                                                      {-1, 0, 0},
                                                                      {0, 1, 0},
                                                                      {0, -1, 0},
                                                                      {0, 0, 1},
                                                                      {0, 0, -1},
                                                                      {1, 1, 1},
                                                                      {1, 1, -1},
                                                                      {1, -1, 1},
                                                                      {1, -1, -1},
                                                                      {-1, 1, 1},
                                                                      {-1, 1, -1},
                                                                      {-1, -1, 1},
                                                                      {-1, -1, -1}}};
  for (const double step : {0.1, 0.05, 0.025}) {
    for (const Tet& tet : mesh.tets) {
      if (smallest_sine(corners_of(mesh, tet)) >= wanted) continue;
      for (const int v : tet) {
        Vec3d& x = mesh.positions[index(v)];
        Vec3d best = x;
        double best_worst = worst_around(mesh, around.of(v));
        const Vec3d start = x;
        const auto nearest = is_boundary[index(v)] ? surface.nearest(start, cell) : SurfaceTree::Nearest{};
        if (is_boundary[index(v)] && nearest.triangle < 0) continue;  // at a hole: there is nothing to move along
        for (const auto& [i, j, k] : kDirections) {
          x = start + Vec3d{double(i), double(j), double(k)} * (step * cell / std::sqrt(double(i * i + j * j + k * k)));
          if (is_boundary[index(v)]) {
            const auto moved = surface.nearest(x, cell);
            if (moved.triangle < 0) continue;
            x = moved.position + (start - nearest.position);
          }
          const double worst = worst_around(mesh, around.of(v));
          if (worst <= best_worst) continue;
          best_worst = worst;
          best = x;
        }
        x = best;
      }
    }
  }
}

void fit_boundary(TetMesh& mesh, const SurfaceTree& surface, double cell, double angle, JobSystem& jobs) {
  constexpr int kRounds = 3;
  constexpr double kFarthest = 0.2;  // of a cell, in all
  const double allowed = sine_of(angle);
  const std::vector<Triangle> triangles = surface_of(mesh);
  const int vertices = static_cast<int>(mesh.positions.size());
  const Adjacency triangles_around = vertex_to_element(triangles, vertices);
  const Adjacency tets_around = vertex_to_element(mesh.tets, vertices);
  const std::vector<Vec3d> start = mesh.positions;
  const auto at = [&](int v) -> const Vec3d& { return mesh.positions[index(v)]; };
  std::vector<Vec3d> normals(triangles.size());
  std::vector<double> gaps(triangles.size());  // from a face's inside to the surface, on the average [m]
  for (int round = 0; round < kRounds; ++round) {
    parallel_for(jobs, std::ssize(triangles), 64, [&](int64_t begin, int64_t end) {
      for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
        const auto& [a, b, c] = triangles[t];
        normals[t] = double_area_normal(at(a), at(b), at(c));
        const double size = length(normals[t]);
        gaps[t] = 0;
        if (!(size > 0)) continue;
        const Vec3d n = normals[t] / size;
        // A rule of degree 2: the three points between the centre and the corners, a third of the area each.
        for (const auto& [wa, wb, wc] : {std::array{4.0, 1.0, 1.0}, {1.0, 4.0, 1.0}, {1.0, 1.0, 4.0}}) {
          const Vec3d x = (at(a) * wa + at(b) * wb + at(c) * wc) / 6.0;
          const auto nearest = surface.nearest(x, 0.5 * cell);
          if (nearest.triangle >= 0) gaps[t] += dot(nearest.position - x, n) / 3;
        }
      }
    });
    for (int v = 0; v < vertices; ++v) {
      if (triangles_around.of(v).empty()) continue;
      Vec3d normal{};
      double gap = 0, weight = 0;
      for (const int t : triangles_around.of(v)) {
        const double size = length(normals[index(t)]);
        normal += normals[index(t)];
        gap += gaps[index(t)] * size;
        weight += size;
      }
      const double size = length(normal);
      if (!(size > 0)) continue;
      Vec3d& x = mesh.positions[index(v)];
      const Vec3d before = x;
      // Faces are tilted against the vertex's normal: moving it by s moves them by s (n_t . n) on the average.
      const Vec3d shift = normal / size * (gap / weight * std::min(2.0, weight / size));
      x += shift;
      const Vec3d whole = x - start[index(v)];
      const double far = length(whole);
      if (far > kFarthest * cell) x = start[index(v)] + whole * (kFarthest * cell / far);
      const Vec3d after = x;
      x = before;
      const double worst_before = worst_around(mesh, tets_around.of(v));
      x = after;
      if (worst_around(mesh, tets_around.of(v)) < std::min(worst_before, allowed)) x = before;
    }
  }
}

}  // namespace pliant
