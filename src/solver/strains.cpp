#include "solver/strains.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

namespace pliant {

namespace {

void check_strength(const StrainStrength& s, const std::string& where) {
  if (!(s.stiffness >= 0 && s.stiffness <= 1)) {
    throw Error(where + ".stiffness", fmt::format("{} is not a part of the error", s.stiffness), "give 0 to 1");
  }
  if (!(s.modulus >= 0 && std::isfinite(s.modulus))) {
    throw Error(where + ".modulus", fmt::format("{} is not a stiffness", s.modulus), "give 0 or more");
  }
}

void check_stretch(double s, const std::string& where) {
  if (!(s > 0 && std::isfinite(s))) {
    throw Error(where + ".rest_stretch", fmt::format("{} is not a stretch", s),
                "give values above 0; 1 is the rest shape");
  }
}

/// The factors of value and gradient of each entry; see tri_strain.h. `size` is the area or volume.
void set_factors(std::span<const StrainStrength> entries, double size, int iterations, ConstraintInput& made,
                 double* value, double* slope) {
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (made.method == Method::xpbd) {
      value[e] = slope[e] = std::sqrt(entries[e].modulus * size);
    } else {
      // k' = 1 - (1 - k)^(1/n): n iterations leave (1 - k) of the error.  bender13 3.3
      value[e] = 1 - std::pow(1 - entries[e].stiffness, 1.0 / iterations);
      slope[e] = 1;
    }
  }
}

}  // namespace

void check_strain(const ClothStrain& s, const std::string& name) {
  check_strength(s.weft, name + ".weft");
  check_strength(s.warp, name + ".warp");
  check_strength(s.shear, name + ".shear");
  check_strength(s.area, name + ".area");
  check_stretch(s.rest_stretch.x, name);
  check_stretch(s.rest_stretch.y, name);
  if (!(std::isfinite(dot(s.direction, s.direction)) && dot(s.direction, s.direction) > 0)) {
    throw Error(name + ".direction", "it has no direction", "give a vector that is not zero");
  }
}

void check_strain(const SolidStrain& s, std::size_t tets, const std::string& name) {
  for (std::size_t k = 0; k < 3; ++k) {
    check_strength(s.stretch[k], fmt::format("{}.stretch[{}]", name, k));
    check_strength(s.shear[k], fmt::format("{}.shear[{}]", name, k));
    check_stretch(s.rest_stretch[static_cast<int>(k)], name);
  }
  check_strength(s.volume, name + ".volume");
  if (!s.axes_per_tet.empty() && s.axes_per_tet.size() != tets) {
    throw Error(name + ".axes_per_tet", fmt::format("there are {} for {} tets", s.axes_per_tet.size(), tets),
                "give one per tet, or none");
  }
  const auto check_axes = [&](const std::array<Vec3d, 3>& axes) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        if (std::abs(dot(axes[i], axes[j]) - (i == j ? 1 : 0)) <= 1e-5) continue;
        throw Error(name + ".axes", "they are not of unit length and at right angles",
                    "give three orthonormal vectors");
      }
    }
    if (dot(axes[0], cross(axes[1], axes[2])) < 0) {
      throw Error(name + ".axes", "they are left-handed", "swap two of them or negate one");
    }
  };
  check_axes(s.axes);
  for (const auto& axes : s.axes_per_tet) check_axes(axes);
}

void set_strains(const BodyInput& body, const ClothStrain& strain, const std::vector<WeftAndWarp>& frames,
                 int iterations, ConstraintInput& made) {
  const StrainStrength entries[4] = {strain.weft, strain.warp, strain.shear, strain.area};
  made.settings.stiffness = made.settings.compliance = 1;
  const std::size_t fields = made.type->rest_fields.size();
  for (std::size_t k = 0; k < body.triangles.size(); ++k) {
    const Triangle& t = body.triangles[k];
    const Vec3d e1 = body.rest[t[1]] - body.rest[t[0]], e2 = body.rest[t[2]] - body.rest[t[0]];
    const Vec3d &weft = frames[k].weft, &warp = frames[k].warp;
    const double a = dot(weft, e1), b = dot(weft, e2), c = dot(warp, e1), d = dot(warp, e2), det = a * d - b * c;
    double* out = &made.rest[k * fields];
    const double rest[6] = {d / det, -b / det, -c / det, a / det, strain.rest_stretch.x, strain.rest_stretch.y};
    // f_i = e1 M_0i + e2 M_1i with M = Dm^-1, Dm = (a b; c d).
    for (int i = 0; i < 6; ++i) out[i] = rest[i];
    set_factors(entries, std::abs(det) / 2, iterations, made, out + 6, out + 10);
  }
}

void set_strains(const BodyInput& body, const SolidStrain& strain, int iterations, ConstraintInput& made) {
  StrainStrength entries[7];
  for (std::size_t k = 0; k < 3; ++k) {
    entries[k] = strain.stretch[k];
    entries[3 + k] = strain.shear[k];
  }
  entries[6] = strain.volume;
  made.settings.stiffness = made.settings.compliance = 1;
  const std::size_t fields = made.type->rest_fields.size();
  for (std::size_t k = 0; k < body.tets.size(); ++k) {
    const Tet& t = body.tets[k];
    const Vec3d a = body.rest[t[1]] - body.rest[t[0]], b = body.rest[t[2]] - body.rest[t[0]];
    const Vec3d c = body.rest[t[3]] - body.rest[t[0]];
    const double det = dot(a, cross(b, c));
    const Vec3d rows[3] = {cross(b, c) / det, cross(c, a) / det, cross(a, b) / det};
    const std::array<Vec3d, 3>& axes = strain.axes_per_tet.empty() ? strain.axes : strain.axes_per_tet[k];
    double* out = &made.rest[k * fields];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) out[3 * i + j] = dot(rows[i], axes[j]);
      out[9 + i] = strain.rest_stretch[static_cast<int>(i)];
    }
    set_factors(entries, det / 6, iterations, made, out + 12, out + 19);
  }
}

}  // namespace pliant
