#include "scene/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/error.h"

namespace pliant::scene {
namespace {

/// Vertices on a border belong to the region although turning a body rounds their coordinates and a
/// person writes numbers with a few digits. Far below any edge of a sensible mesh.
double border_tolerance(std::span<const Vec3d> positions) {
  constexpr double kRounding = 1e-6;
  double largest = 0;
  for (const Vec3d& x : positions) largest = std::max({largest, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
  return kRounding * largest;
}

template <class Inside>
std::vector<int> collect(std::span<const Vec3d> positions, Inside inside) {
  std::vector<int> vertices;
  for (size_t i = 0; i < positions.size(); ++i) {
    if (inside(positions[i])) vertices.push_back(static_cast<int>(i));
  }
  return vertices;
}

}  // namespace

int vertex_number(int number, int vertex_count, const std::string& where) {
  if (number < -vertex_count || number >= vertex_count) {
    throw Error(where, fmt::format("there is no vertex {}: the body has {}", number, vertex_count),
                fmt::format("use 0 to {}, or -1 for the last", vertex_count - 1));
  }
  return number < 0 ? number + vertex_count : number;
}

std::vector<int> select_vertices(const SelectionSpec& select, std::span<const Vec3d> positions) {
  const double tolerance = border_tolerance(positions);
  if (select.vertices) {
    std::vector<int> vertices;
    for (size_t i = 0; i < select.vertices->size(); ++i) {
      vertices.push_back(vertex_number((*select.vertices)[i], static_cast<int>(positions.size()),
                                       fmt::format("{}.vertices[{}]", select.where, i)));
    }
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    return vertices;
  }
  if (const auto& box = select.box) {
    for (int k = 0; k < 3; ++k) {
      if (box->min[k] <= box->max[k]) continue;
      throw Error(fmt::format("{}.box", select.where),
                  fmt::format("min[{}] = {} is above max[{}] = {}", k, box->min[k], k, box->max[k]), "swap the two");
    }
    return collect(positions, [&](const Vec3d& x) {
      for (int k = 0; k < 3; ++k) {
        if (x[k] < box->min[k] - tolerance || x[k] > box->max[k] + tolerance) return false;
      }
      return true;
    });
  }
  if (const auto& sphere = select.sphere) {
    return collect(positions, [&](const Vec3d& x) { return length(x - sphere->center) <= sphere->radius + tolerance; });
  }
  if (const auto& plane = select.plane) {
    const double size = length(plane->normal);
    if (!(size > 0)) {
      throw Error(fmt::format("{}.plane.normal", select.where), "the normal has no direction",
                  "give one, like [0, 1, 0]");
    }
    return collect(positions,
                   [&](const Vec3d& x) { return dot(x - plane->point, plane->normal) >= -tolerance * size; });
  }
  if (!select.all) {
    throw Error(fmt::format("{}.all", select.where), "'false' selects nothing",
                "write true, or select by vertices, box, sphere or plane");
  }
  std::vector<int> vertices(positions.size());
  std::iota(vertices.begin(), vertices.end(), 0);
  return vertices;
}

}  // namespace pliant::scene
