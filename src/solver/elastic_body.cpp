#include "solver/elastic_body.h"

#include <algorithm>
#include <cmath>

#include "materials/strain.h"
#include "solver/conjugate_gradients.h"

namespace pliant {

std::vector<LinearTet> linear_tets(const BodyInput& body) {
  std::vector<LinearTet> out;
  out.reserve(body.tets.size());
  for (const Tet& t : body.tets) {
    const Vec3d e1 = body.rest[t[1]] - body.rest[t[0]], e2 = body.rest[t[2]] - body.rest[t[0]];
    const Vec3d e3 = body.rest[t[3]] - body.rest[t[0]];
    const double six_volumes = dot(e1, cross(e2, e3));
    const Vec3d g1 = cross(e2, e3) / six_volumes, g2 = cross(e3, e1) / six_volumes, g3 = cross(e1, e2) / six_volumes;
    out.push_back({t, {-(g1 + g2 + g3), g1, g2, g3}, six_volumes / 6});
  }
  return out;
}

ElasticBody::ElasticBody(const BodyInput& body, const ElasticityMatrix& stiffness, std::vector<uint8_t> held)
    : elements_(linear_tets(body)), stiffness_(stiffness), held_(std::move(held)), diagonal_(body.rest.size(), 0) {
  const double modulus = (stiffness[0][0] + stiffness[1][1] + stiffness[2][2]) / 3;
  for (const LinearTet& e : elements_) {
    for (int i = 0; i < 4; ++i) {
      if (!held_[e.corners[i]]) diagonal_[e.corners[i]] += modulus * e.volume * dot(e.gradient[i], e.gradient[i]);
    }
  }
}

Sym3<double> ElasticBody::stress(const Sym3<double>& a) const {
  const double strain[6] = {a.xx / 2, a.yy / 2, a.zz / 2, a.yz, a.xz, a.xy};
  double s[6] = {};
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) s[i] += stiffness_[i][j] * strain[j];
  }
  return {s[0], s[1], s[2], s[5], s[4], s[3]};
}

Mat3<double> ElasticBody::displacement_gradient(const LinearTet& e, const std::vector<Vec3d>& u) const {
  Mat3<double> H{};
  for (int i = 0; i < 4; ++i) {
    const Vec3d& v = u[e.corners[i]];
    H.c0 += v * e.gradient[i].x;
    H.c1 += v * e.gradient[i].y;
    H.c2 += v * e.gradient[i].z;
  }
  return H;
}

void ElasticBody::forces(std::size_t k, const std::vector<Vec3d>& u, Vec3d (&f)[4]) const {
  const LinearTet& e = elements_[k];
  const Mat3<double> H = displacement_gradient(e, u);
  const Mat3<double> P = (H + Mat3<double>::identity()) * to_matrix(stress(doubled_green_strain(H)));
  for (int i = 0; i < 4; ++i) f[i] = P * e.gradient[i] * e.volume;
}

double ElasticBody::work(std::size_t k, const std::vector<Vec3d>& u) const {
  const Sym3<double> strain = doubled_green_strain(displacement_gradient(elements_[k], u));
  return elements_[k].volume * dot(stress(strain), strain) / 2;
}

double ElasticBody::energy(const std::vector<Vec3d>& load, const std::vector<double>& softer,
                           const std::vector<Vec3d>& u) const {
  double sum = 0;
  for (std::size_t k = 0; k < elements_.size(); ++k) sum += work(k, u) / 2 / (softer.empty() ? 1 : softer[k]);
  for (std::size_t v = 0; v < u.size(); ++v) sum -= dot(load[v], u[v]);
  return sum;
}

void ElasticBody::settle(const std::vector<Vec3d>& load, const std::vector<double>& softer, std::vector<Vec3d>& u,
                         int64_t budget) const {
  constexpr double kTolerance = 3e-3;  // of the forces: slender bodies are 5 % off with 1e-2
  constexpr double kLeft = 2e-3, kGivesWay = 4, kArmijo = 1e-4;
  constexpr double kTurn = 0.7;  // most that an element may deform and turn in a step
  constexpr int kHalvings = 12;
  const auto count = static_cast<int64_t>(elements_.size());
  std::vector<Strained> at(elements_.size());
  std::vector<Vec3d> left(u.size()), moved(u.size());
  const double begin = energy(load, softer, u);
  double now = begin, promised = 0;
  int64_t iterations = std::max<int64_t>(1, budget / std::max<int64_t>(1, count));
  while (iterations > 0) {
    left = load;
    for (std::size_t k = 0; k < elements_.size(); ++k) {
      const LinearTet& e = elements_[k];
      const Mat3<double> H = displacement_gradient(e, u);
      at[k] = {H + Mat3<double>::identity(), stress(doubled_green_strain(H)) * (1 / (softer.empty() ? 1 : softer[k]))};
      const Mat3<double> P = at[k].F * to_matrix(at[k].S);
      for (int i = 0; i < 4; ++i) left[e.corners[i]] -= P * e.gradient[i] * e.volume;
    }
    // The derivative of P along dF: dF S + F dS.
    const std::vector<Vec3d> step = conjugate_gradients(
        left, diagonal_, kTolerance, iterations, [&](const std::vector<Vec3d>& p, std::vector<Vec3d>& f) {
          for (std::size_t k = 0; k < elements_.size(); ++k) {
            const LinearTet& e = elements_[k];
            const Mat3<double> dF = displacement_gradient(e, p);
            const Sym3<double> dS = stress(green_strain_change(at[k].F, dF)) * (1 / (softer.empty() ? 1 : softer[k]));
            const Mat3<double> dP = dF * to_matrix(at[k].S) + at[k].F * to_matrix(dS);
            for (int i = 0; i < 4; ++i) f[e.corners[i]] += dP * e.gradient[i] * e.volume;
          }
        });
    double slope = 0, turn = 0;
    for (std::size_t v = 0; v < u.size(); ++v) slope += dot(left[v], step[v]);
    for (const LinearTet& e : elements_) turn = std::max(turn, norm_squared(displacement_gradient(e, step)));
    if (!(slope > 0) || !std::isfinite(turn)) return;
    if (promised == 0) promised = slope / 2;
    double part = std::min(1.0, kTurn / std::sqrt(turn));
    for (int halving = 0;; ++halving, part /= 2) {
      if (halving == kHalvings) return;
      for (std::size_t v = 0; v < u.size(); ++v) moved[v] = u[v] + step[v] * part;
      if (const double there = energy(load, softer, moved); there <= now - kArmijo * part * slope) {
        now = there;
        break;
      }
    }
    u = moved;
    if (part == 1 && slope / 2 < kLeft * (begin - now)) return;
    if (begin - now > kGivesWay * promised) return;
  }
}

}  // namespace pliant
