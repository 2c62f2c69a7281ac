#include "experiments/deformation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::experiments {
namespace {

Mat3<double> edges(const Tet& tet, std::span<const Vec3d> x) {
  const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(tet[k])]; };
  return {at(1) - at(0), at(2) - at(0), at(3) - at(0)};
}

}  // namespace

Vec3d stretches(const TetMesh& rest, const Tet& tet, std::span<const Vec3d> positions) {
  return svd(edges(tet, positions) * inverse(edges(tet, rest.positions))).s;
}

Deformation deformation(const TetMesh& rest, std::span<const Vec3d> positions) {
  Deformation d{.smallest_volume = std::numeric_limits<double>::infinity()};
  double rest_volume = 0, squares = 0;
  for (const Tet& tet : rest.tets) {
    const double volume = determinant(edges(tet, rest.positions)) / 6;
    const Vec3d s = stretches(rest, tet, positions), from_one = s - Vec3d{1, 1, 1};
    const double ratio = s.x * s.y * s.z;
    rest_volume += volume;
    squares += volume * dot(from_one, from_one);
    d.volume += volume * ratio;
    d.inverted += !(ratio > 0);
    d.smallest_volume = std::min(d.smallest_volume, ratio);
  }
  d.volume /= rest_volume;
  d.distance = std::sqrt(squares / rest_volume);
  return d;
}

}  // namespace pliant::experiments
