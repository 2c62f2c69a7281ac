// F maps the rest shape to the present one and is constant in an element:
//
//   tet       F = Ds Dm^-1, Ds and Dm the edges from corner 0, now and at rest
//   triangle  the same in its plane: F^T F = Dm^-T (Ds^T Ds) Dm^-1 has the squares of the two stretches
//   segment   length / rest length
//
// Stress: P(F) of the material, Cauchy's is P F^T / J. Von Mises: sqrt(3/2 s:s) of its deviator s.
//
// A solid that flows keeps six numbers per tet (plastic.cpp):
//
//   multiplicative  M, the rest frame that has flowed. F_elastic = Ds M, up to a rotation of the rest shape on its
//   right,
//                   which neither the energy of an isotropic material nor Cauchy's stress notices
//   additive        E_plastic in the axes of the rest frame M0: S of E - E_plastic, Cauchy's is F S F^T / J

#include "solver/element_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "materials/elastic_law.h"
#include "math/matrix.h"
#include "math/svd.h"

namespace pliant {

namespace {

using Mat = Mat3<double>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const Vec3d& at(const std::vector<Vec3d>& x, int v) { return x[static_cast<std::size_t>(v)]; }

Mat edges_of_tet(const std::vector<Vec3d>& x, const Tet& t) {
  return {at(x, t[1]) - at(x, t[0]), at(x, t[2]) - at(x, t[0]), at(x, t[3]) - at(x, t[0])};
}

double triangle_strain(const std::vector<Vec3d>& rest, const std::vector<Vec3d>& now, const Triangle& t) {
  // Dm in the triangle's own plane: the first edge lies along the first axis.
  const Vec3d a = at(rest, t[1]) - at(rest, t[0]), b = at(rest, t[2]) - at(rest, t[0]);
  const double along = length(a);
  const double m01 = dot(a, b) / along, m11 = length(cross(a, b)) / along;
  const Vec3d p = (at(now, t[1]) - at(now, t[0])) / along;          // F's first column
  const Vec3d q = (at(now, t[2]) - at(now, t[0]) - p * m01) / m11;  // its second
  const double pp = dot(p, p), qq = dot(q, q), pq = dot(p, q);
  const double mean = 0.5 * (pp + qq), spread = std::hypot(0.5 * (pp - qq), pq);
  const double largest = std::sqrt(mean + spread), smallest = std::sqrt(std::max(0.0, mean - spread));
  return std::max(std::abs(largest - 1), std::abs(smallest - 1));
}

struct Tension {
  double von_mises = kNone, energy = kNone;
  std::array<double, 6> stress = {kNone, kNone, kNone, kNone, kNone, kNone};
};

Tension tension_of(double energy, const Mat& P, const Mat& F) {
  Tension out;
  const double J = determinant(F);
  out.energy = energy;
  if (!(std::abs(J) > 1e-12) || !std::isfinite(out.energy)) return out;  // flat: no stress per area
  const Mat s = mul_transpose(P, F) * (1 / J);
  out.stress = {
      s(0, 0), s(1, 1), s(2, 2), 0.5 * (s(0, 1) + s(1, 0)), 0.5 * (s(1, 2) + s(2, 1)), 0.5 * (s(2, 0) + s(0, 2))};
  const auto& [xx, yy, zz, xy, yz, zx] = out.stress;
  const auto square = [](double v) { return v * v; };
  out.von_mises = std::sqrt(0.5 * (square(xx - yy) + square(yy - zz) + square(zz - xx)) +
                            3 * (square(xy) + square(yz) + square(zx)));
  return out;
}

Tension tension_of(const ElasticLaw& law, const Mat& F) { return tension_of(law.energy(F), law.stress(F), F); }

/// With the plastic strain `p`: xx, yy, zz, and twice yz, zx, xy, in the axes of the rest frame (tet_stvk.h).
Tension tension_with_plastic_strain(const Material& material, const Mat& edges, const Mat& rest_edges,
                                    const std::array<double, 6>& p) {
  // RestFrame: along the first edge, and in the plane of the first two.
  const Vec3d q0 = rest_edges.c0 / length(rest_edges.c0), u = rest_edges.c1 - q0 * dot(q0, rest_edges.c1);
  const Vec3d q1 = u / length(u);
  const Mat Q{q0, q1, cross(q0, q1)};
  const Mat F = edges * inverse(rest_edges) * Q;  // from the axes of the rest frame
  const Mat plastic{{p[0], 0.5 * p[5], 0.5 * p[4]}, {0.5 * p[5], p[1], 0.5 * p[3]}, {0.5 * p[4], 0.5 * p[3], p[2]}};
  const Mat E = (transpose(F) * F - Mat::identity()) * 0.5 - plastic;
  const auto [lambda, mu] = lame(material.young, material.poisson);
  const Mat S = Mat::identity() * (lambda * trace(E)) + E * (2 * mu);
  return tension_of(0.5 * lambda * trace(E) * trace(E) + mu * norm_squared(E), F * S, F);
}

}  // namespace

ElementFields element_fields(const World& world, BodyId body) {
  const std::vector<Vec3d> now = world.positions(body), rest = world.rest_positions(body);
  std::optional<ElasticLaw> law;
  const std::optional<Material>& material = world.material(body);
  if (material) law.emplace(*material);
  const std::vector<std::array<double, 6>> plastic = world.plastic_state(body);  // empty: it does not flow
  const auto tension = [&](std::size_t t, const Mat& F) {
    if (plastic.empty()) return tension_of(*law, F);
    const Tet& tet = world.tets(body)[t];
    const Mat edges = edges_of_tet(now, tet);
    if (material->plasticity->model == PlasticModel::additive) {
      return tension_with_plastic_strain(*material, edges, edges_of_tet(rest, tet), plastic[t]);
    }
    const auto& [m00, m01, m02, m11, m12, m22] = plastic[t];
    return tension_of(*law, edges * Mat{{m00, 0, 0}, {m01, m11, 0}, {m02, m12, m22}});
  };
  ElementFields fields;
  const auto add = [&](double strain, const Tension& tension) {
    fields.strain.push_back(strain);
    fields.von_mises.push_back(tension.von_mises);
    fields.energy_density.push_back(tension.energy);
    fields.stress.push_back(tension.stress);
  };
  if (const auto& tets = world.tets(body); !tets.empty()) {
    for (std::size_t t = 0; t < tets.size(); ++t) {
      const Mat F = edges_of_tet(now, tets[t]) * inverse(edges_of_tet(rest, tets[t]));
      const Svd3<double> parts = svd(F);  // the smallest carries the sign of J: an inverted tet has a strain above 1
      add(std::max({std::abs(parts.s.x - 1), std::abs(parts.s.y - 1), std::abs(parts.s.z - 1)}),
          law ? tension(t, F) : Tension{});
    }
  } else if (const auto& triangles = world.triangles(body); !triangles.empty()) {
    for (const Triangle& t : triangles) add(triangle_strain(rest, now, t), {});
  } else {
    for (const auto& [a, b] : world.edges(body)) {
      add(std::abs(length(at(now, a) - at(now, b)) / length(at(rest, a) - at(rest, b)) - 1), {});
    }
  }
  return fields;
}

}  // namespace pliant
