#include "experiments/cloths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "mesh/topology.h"

namespace pliant::experiments {
namespace {

/// Of the two triangles of a cell cut from a to c; negative where one is turned over.
double smaller_area(const TriMesh& mesh, int a, int b, int c, int d) {
  const auto twice = [&](int p, int q, int r) {
    const Vec3d& o = mesh.positions[static_cast<std::size_t>(p)];
    return cross(mesh.positions[static_cast<std::size_t>(q)] - o, mesh.positions[static_cast<std::size_t>(r)] - o).y;
  };
  return 0.5 * std::min(twice(a, b, c), twice(a, c, d));
}

}  // namespace

TriMesh irregular_grid(Vec2d size, std::array<int, 2> cells, double shake, unsigned seed) {
  TriMesh mesh = grid(size, cells);
  std::mt19937 engine(seed);
  const auto random = [&] { return engine() / 4294967296.0 * 2 - 1; };
  const auto index = [&](int i, int j) { return j * (cells[0] + 1) + i; };
  for (int j = 0; j <= cells[1]; ++j) {
    for (int i = 0; i <= cells[0]; ++i) {
      Vec3d& p = mesh.positions[static_cast<std::size_t>(index(i, j))];
      const double dx = random() * shake * size.x / cells[0], dz = random() * shake * size.y / cells[1];
      if (i > 0 && i < cells[0]) p.x += dx;
      if (j > 0 && j < cells[1]) p.z += dz;
    }
  }
  const double least = 0.1 * size.x * size.y / (cells[0] * cells[1]);
  mesh.triangles.clear();
  for (int j = 0; j < cells[1]; ++j) {
    for (int i = 0; i < cells[0]; ++i) {
      const int a = index(i, j), b = index(i, j + 1), c = index(i + 1, j + 1), d = index(i + 1, j);
      const double across = smaller_area(mesh, a, b, c, d), other = smaller_area(mesh, b, c, d, a);
      const bool by_chance = random() > 0;
      // By chance, unless a triangle would be thin or turned over.
      const bool from_a = (by_chance ? across : other) > least ? by_chance : across > other;
      if (from_a) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      }
    }
  }
  return mesh;
}

std::vector<Vec3d> side_forces(const TriMesh& mesh, Vec2d size, Vec3d stress) {
  std::vector<Vec3d> forces(mesh.positions.size());
  const double eps = 1e-9 * (size.x + size.y);
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = static_cast<std::size_t>(t[k]), b = static_cast<std::size_t>(t[(k + 1) % 3]);
      const Vec3d &p = mesh.positions[a], &q = mesh.positions[b];
      const double l = length(q - p);
      Vec3d f{};
      for (const double sign : {-1.0, 1.0}) {
        const double x = sign * size.x / 2, z = sign * size.y / 2;
        if (std::abs(p.x - x) < eps && std::abs(q.x - x) < eps) f = Vec3d{stress.x, 0, stress.z} * (sign * l / 2);
        if (std::abs(p.z - z) < eps && std::abs(q.z - z) < eps) f = Vec3d{stress.z, 0, stress.y} * (sign * l / 2);
      }
      forces[a] += f;
      forces[b] += f;
    }
  }
  return forces;
}

double fold_angle(const TriMesh& mesh, const std::vector<Vec3d>& positions) {
  const auto normal = [&](int triangle) {
    const Triangle& t = mesh.triangles[static_cast<std::size_t>(triangle)];
    const Vec3d& o = positions[static_cast<std::size_t>(t[0])];
    return cross(positions[static_cast<std::size_t>(t[1])] - o, positions[static_cast<std::size_t>(t[2])] - o);
  };
  double sum = 0;
  const auto pairs = neighbours_of(mesh.triangles);
  for (const TrianglePair& pair : pairs) {
    const Vec3d a = normal(pair.triangle0), b = normal(pair.triangle1);
    const double angle = std::atan2(length(cross(a, b)), dot(a, b));
    sum += angle * angle;
  }
  return pairs.empty() ? 0 : std::sqrt(sum / static_cast<double>(pairs.size())) * 57.29577951308232;
}

Series wireframe(const std::string& title, const std::vector<Edge>& edges, const std::vector<Vec3d>& positions,
                 int across, int up) {
  constexpr double kBreak = std::numeric_limits<double>::quiet_NaN();
  Series series{.title = title};
  for (const Edge& e : edges) {
    for (const int v : e) {
      const Vec3d& p = positions[static_cast<std::size_t>(v)];
      series.points.emplace_back(p[across], p[up]);
    }
    series.points.emplace_back(kBreak, kBreak);
  }
  return series;
}

}  // namespace pliant::experiments
