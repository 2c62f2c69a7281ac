#include "experiments/explicit_fem.h"

#include <algorithm>
#include <cmath>

#include "constraints/constraint.h"
#include "materials/logarithm.h"

namespace pliant::experiments {
namespace {

/// Rows of M = Dm^-1 are the gradients of the shape functions of corners 1 to 3 [1/m].
struct Element {
  Vec3d gradient[3];
  double volume;  // [m^3]
};

Element element_of(const TetMesh& mesh, const Tet& t) {
  const auto at = [&](int k) { return mesh.positions[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])]; };
  const Vec3d e1 = at(1) - at(0), e2 = at(2) - at(0), e3 = at(3) - at(0);
  const double six = dot(e1, cross(e2, e3));
  return {{cross(e2, e3) / six, cross(e3, e1) / six, cross(e1, e2) / six}, six / 6};
}

std::vector<double> lumped_masses(const TetMesh& mesh, double density) {
  std::vector<double> mass(mesh.positions.size(), 0);
  for (const Tet& t : mesh.tets) {
    for (const int v : t) mass[static_cast<std::size_t>(v)] += density * element_of(mesh, t).volume / 4;
  }
  return mass;
}

/// Batches of elements without a common vertex: each element goes into the first of the open batches that has none of
/// its vertices.
std::vector<std::vector<int>> batches_of(const TetMesh& mesh, int size) {
  constexpr std::size_t kOpen = 64;
  std::vector<std::vector<int>> done, open;
  const auto shares = [&](const std::vector<int>& batch, const Tet& t) {
    return std::any_of(batch.begin(), batch.end(), [&](int other) {
      const Tet& o = mesh.tets[static_cast<std::size_t>(other)];
      return std::any_of(o.begin(), o.end(), [&](int v) { return std::find(t.begin(), t.end(), v) != t.end(); });
    });
  };
  for (std::size_t k = 0; k < mesh.tets.size(); ++k) {
    auto found = std::find_if(open.begin(), open.end(), [&](const auto& b) { return !shares(b, mesh.tets[k]); });
    if (found == open.end()) {
      if (open.size() == kOpen) {  // the fullest makes room
        const auto full = std::max_element(open.begin(), open.end(),
                                           [](const auto& a, const auto& b) { return a.size() < b.size(); });
        done.push_back(std::move(*full));
        open.erase(full);
      }
      open.emplace_back();
      found = open.end() - 1;
    }
    found->push_back(static_cast<int>(k));
    if (static_cast<int>(found->size()) == size) {
      done.push_back(std::move(*found));
      open.erase(found);
    }
  }
  for (std::vector<int>& b : open) done.push_back(std::move(b));
  return done;
}

}  // namespace

template <class Real>
ExplicitFem<Real>::ExplicitFem(const TetMesh& mesh, const Material& material, const std::vector<int>& held,
                               Vec3d gravity)
    : model_(material.model), gravity_(gravity), vertices_(static_cast<int>(mesh.positions.size())) {
  const Lame constants = lame(material.young, material.poisson);
  lambda_ = static_cast<Real>(constants.lambda);
  mu_ = static_cast<Real>(constants.mu);
  const auto batches = batches_of(mesh, kBatch);
  batches_ = static_cast<int>(batches.size());
  place_.assign(mesh.positions.size(), -1);
  int next = 0;
  const auto place_of = [&](int v) {
    int& place = place_[static_cast<std::size_t>(v)];
    if (place < 0) place = next++;
    return place;
  };
  for (const std::vector<int>& batch : batches) {
    const std::size_t corners = corners_.size(), fields = rest_.size();
    corners_.resize(corners + 4 * kBatch, quad_at<Real>(vertices_));
    rest_.resize(fields + kFields * kBatch, Real(0));  // padding: no volume, no force
    for (std::size_t l = 0; l < batch.size(); ++l) {
      const Tet& t = mesh.tets[static_cast<std::size_t>(batch[l])];
      const Element e = element_of(mesh, t);
      for (std::size_t k = 0; k < 4; ++k) corners_[corners + k * kBatch + l] = quad_at<Real>(place_of(t[k]));
      for (std::size_t k = 0; k < 9; ++k) {
        rest_[fields + k * kBatch + l] = static_cast<Real>(e.gradient[k / 3][static_cast<int>(k % 3)]);
      }
      rest_[fields + 9 * kBatch + l] = static_cast<Real>(e.volume);
    }
  }
  for (int v = 0; v < vertices_; ++v) place_of(v);  // without an element
  const auto count = static_cast<std::size_t>(vertices_) + 1;
  u_.resize(count);
  v_.resize(count);
  f_.resize(count);
  const std::vector<double> mass = lumped_masses(mesh, material.density);
  for (std::size_t v = 0; v < mass.size(); ++v) {
    if (mass[v] > 0) u_[static_cast<std::size_t>(place_[v])].w = static_cast<Real>(1 / mass[v]);
  }
  for (const int v : held) u_[static_cast<std::size_t>(place_[static_cast<std::size_t>(v)])].w = Real(0);
}

/// f_k = -V P m_k with P = F S. St. Venant-Kirchhoff: S = 2 mu E + lambda tr(E) I, E = (H + H^T + H^T H) / 2.
/// Neo-Hookean: P = mu F + (lambda ln J - mu) F^-T, F^-T = [f1 x f2, f2 x f0, f0 x f1] / J.
template <class Real>
template <MaterialModel kModel>
PLIANT_FLAT void ExplicitFem<Real>::add_forces() {
  constexpr int W = kDefaultWidth<Real>;
  using T = Wide<Real, W>;
  const T lambda(lambda_), mu(mu_), one(Real(1)), half(Real(0.5)), two(Real(2));
  const Quad<Real>* const u = u_.data();
  Quad<Real>* const f = f_.data();
  for (int64_t batch = 0; batch < batches_; ++batch) {
    for (int lane = 0; lane < kBatch; lane += W) {
      const QuadAt* at = corners_.data() + batch * 4 * kBatch + lane;
      const Real* rest = rest_.data() + batch * kFields * kBatch + lane;
      const auto u0 = Quads<T>::gather(u, at);
      Vec3<T> d[3], h[3], m[3], p[3];
      for (int k = 0; k < 3; ++k) d[k] = (Quads<T>::gather(u, at + (k + 1) * kBatch) - u0).xyz();
      for (int k = 0; k < 3; ++k) {
        m[k] = {load<T>(rest + 3 * k * kBatch), load<T>(rest + (3 * k + 1) * kBatch),
                load<T>(rest + (3 * k + 2) * kBatch)};
      }
      // Columns of H = D M.
      h[0] = mul_add(d[2], m[2].x, mul_add(d[1], m[1].x, d[0] * m[0].x));
      h[1] = mul_add(d[2], m[2].y, mul_add(d[1], m[1].y, d[0] * m[0].y));
      h[2] = mul_add(d[2], m[2].z, mul_add(d[1], m[1].z, d[0] * m[0].z));
      const Vec3<T> F[3] = {
          {h[0].x + one, h[0].y, h[0].z}, {h[1].x, h[1].y + one, h[1].z}, {h[2].x, h[2].y, h[2].z + one}};
      const T minus_volume = -load<T>(rest + 9 * kBatch);
      if constexpr (kModel == MaterialModel::stvk) {
        const T exx = mul_add(half, dot(h[0], h[0]), h[0].x), eyy = mul_add(half, dot(h[1], h[1]), h[1].y);
        const T ezz = mul_add(half, dot(h[2], h[2]), h[2].z);
        const T shear = mu * minus_volume;
        const T yz = shear * (dot(h[1], h[2]) + (h[2].y + h[1].z)), zx = shear * (dot(h[2], h[0]) + (h[0].z + h[2].x));
        const T xy = shear * (dot(h[0], h[1]) + (h[1].x + h[0].y));
        const T common = lambda * minus_volume * (exx + eyy + ezz), twice = two * shear;
        const T xx = mul_add(twice, exx, common), yy = mul_add(twice, eyy, common), zz = mul_add(twice, ezz, common);
        p[0] = mul_add(F[2], zx, mul_add(F[1], xy, F[0] * xx));
        p[1] = mul_add(F[2], yz, mul_add(F[1], yy, F[0] * xy));
        p[2] = mul_add(F[2], zz, mul_add(F[1], yz, F[0] * zx));
      } else {
        const Vec3<T> c[3] = {cross(F[1], F[2]), cross(F[2], F[0]), cross(F[0], F[1])};
        const T J = dot(F[0], c[0]);
        const T pressure = minus_volume * mul_add(lambda, log(J), -mu) / J, shear = mu * minus_volume;
        for (int k = 0; k < 3; ++k) p[k] = mul_add(c[k], pressure, F[k] * shear);
      }
      Vec3<T> sum{};
      for (int k = 0; k < 3; ++k) {
        const Vec3<T> force = mul_add(p[2], m[k].z, mul_add(p[1], m[k].y, p[0] * m[k].x));
        sum = sum + force;
        const QuadAt* corner = at + (k + 1) * kBatch;
        (Quads<T>::gather(f, corner) + Quads<T>::from(force)).scatter(f, corner);
      }
      (Quads<T>::gather(f, at) - Quads<T>::from(sum)).scatter(f, at);
    }
  }
}

template <class Real>
PLIANT_FLAT void ExplicitFem<Real>::advance(int steps, double dt) {
  using V = Pack<Real, 4>;
  alignas(4 * sizeof(Real)) const Real g4[4] = {static_cast<Real>(gravity_.x * dt), static_cast<Real>(gravity_.y * dt),
                                                static_cast<Real>(gravity_.z * dt), Real(0)};
  const V fall = V::load(g4), h(static_cast<Real>(dt)), zero(Real(0));
  if (!started_) {  // at rest: the first kick is half of one
    started_ = true;
    for (std::size_t i = 0; i < u_.size(); ++i) {
      if (u_[i].w > Real(0)) (fall * V(Real(-0.5))).store(&v_[i].x);
    }
  }
  for (int s = 0; s < steps; ++s) {
    model_ == MaterialModel::stvk ? add_forces<MaterialModel::stvk>() : add_forces<MaterialModel::neo_hookean>();
    for (std::size_t i = 0; i + 1 < u_.size(); ++i) {
      const Real w = u_[i].w;
      if (w == Real(0)) {
        zero.store(&f_[i].x);
        continue;
      }
      const V v = mul_add(V::load(&f_[i].x), V(static_cast<Real>(dt) * w), V::load(&v_[i].x) + fall);
      v.store(&v_[i].x);
      mul_add(v, h, V::load(&u_[i].x)).store(&u_[i].x);  // v.w is zero
      zero.store(&f_[i].x);
    }
    f_.back() = {};
  }
}

template <class Real>
Vec3d ExplicitFem<Real>::displacement(int vertex) const {
  const Quad<Real>& u = u_[static_cast<std::size_t>(place_[static_cast<std::size_t>(vertex)])];
  return {u.x, u.y, u.z};
}

template <class Real>
bool ExplicitFem<Real>::finite() const {
  return std::all_of(u_.begin(), u_.end(), [](const Quad<Real>& u) {
    return std::isfinite(u.x) && std::isfinite(u.y) && std::isfinite(u.z);
  });
}

template class ExplicitFem<float>;
template class ExplicitFem<double>;

}  // namespace pliant::experiments
