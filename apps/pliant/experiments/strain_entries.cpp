#include "experiments/strain_entries.h"

#include <cmath>

#include "math/matrix.h"

namespace pliant::experiments {
namespace {

double root_mean(const std::array<double, 3>& values) {
  return std::sqrt((values[0] * values[0] + values[1] * values[1] + values[2] * values[2]) / 3);
}

Mat3<double> edges_of(const Tet& t, std::span<const Vec3d> x) {
  const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(t[k])]; };
  return {at(1) - at(0), at(2) - at(0), at(3) - at(0)};
}

}  // namespace

double StrainEntries::all_stretch() const { return root_mean(stretch); }
double StrainEntries::all_shear() const { return root_mean(shear); }

StrainEntries strain_entries(const TetMesh& rest, std::span<const Frame> frames, std::span<const Vec3d> positions) {
  StrainEntries out;
  double sum = 0, now = 0;
  for (std::size_t k = 0; k < rest.tets.size(); ++k) {
    const Mat3<double> was = edges_of(rest.tets[k], rest.positions), is = edges_of(rest.tets[k], positions);
    const double size = std::abs(determinant(was));
    const Mat3<double> F = is * inverse(was);
    Vec3d f[3];
    for (std::size_t a = 0; a < 3; ++a) f[a] = F * frames[k][a];
    for (std::size_t a = 0; a < 3; ++a) {
      const double stretch = length(f[a]) - 1;
      const Vec3d &u = f[(a + 1) % 3], &v = f[(a + 2) % 3];
      const double shear = dot(u, v) / (length(u) * length(v));
      out.stretch[a] += size * stretch * stretch;
      out.shear[a] += size * shear * shear;
    }
    const double J = determinant(F);
    out.volume += size * (J - 1) * (J - 1);
    out.inverted += !(J > 0);
    sum += size;
    now += size * J;
  }
  for (std::size_t a = 0; a < 3; ++a) {
    out.stretch[a] = std::sqrt(out.stretch[a] / sum);
    out.shear[a] = std::sqrt(out.shear[a] / sum);
  }
  out.volume = std::sqrt(out.volume / sum);
  out.whole_volume = now / sum - 1;
  return out;
}

}  // namespace pliant::experiments
