// Plane, sphere, box, capsule.

#include <algorithm>
#include <numbers>

#include "contact/shape.h"
#include "mesh/topology.h"

namespace pliant::contact {

namespace {

Vec3d direction_or_up(const Vec3d& v, double length) { return length > 0 ? v / length : Vec3d{0, 1, 0}; }

Mat3<double> diagonal(double x, double y, double z) { return {{x, 0, 0}, {0, y, 0}, {0, 0, z}}; }

class PlaneShape final : public Shape {
 public:
  explicit PlaneShape(const Plane& plane) : normal_(plane.normal / length(plane.normal)), point_(plane.point) {}

  Nearest nearest(const Vec3d& x, double) const override {
    const double d = dot(x - point_, normal_);
    return {d, x - normal_ * d, normal_};
  }
  Bounds bounds() const override { return {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}}; }
  double core() const override { return kInfinity; }
  double roundness() const override { return kInfinity; }
  TriMesh surface() const override {
    constexpr double kHalf = 10;  // [m] a plane has no end; what is drawn has
    const Vec3d side = std::abs(normal_.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
    Vec3d u = cross(side, normal_);
    u = u / length(u);
    const Vec3d v = cross(normal_, u);
    TriMesh mesh;
    for (const auto& [s, t] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
      mesh.positions.push_back(point_ + u * (kHalf * s) + v * (kHalf * t));
    }
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    return mesh;
  }

 private:
  Vec3d normal_, point_;
};

class SphereShape final : public Shape {
 public:
  explicit SphereShape(const Sphere& sphere) : radius_(sphere.radius) {}

  Nearest nearest(const Vec3d& x, double) const override {
    const double r = length(x);
    const Vec3d n = direction_or_up(x, r);
    return {r - radius_, n * radius_, n};
  }
  Bounds bounds() const override { return {{-radius_, -radius_, -radius_}, {radius_, radius_, radius_}}; }
  double core() const override { return radius_; }
  double roundness() const override { return radius_; }
  std::vector<Feature> features() const override { return {{{}, {}, radius_}}; }
  TriMesh surface() const override { return sphere(radius_, 4); }
  MassProperties mass() const override {
    const double volume = 4 * std::numbers::pi / 3 * radius_ * radius_ * radius_;
    const double i = 0.4 * volume * radius_ * radius_;
    return {volume, {}, diagonal(i, i, i)};
  }

 private:
  double radius_;
};

class BoxShape final : public Shape {
 public:
  explicit BoxShape(const Box& box) : size_(box.size), half_(box.size * 0.5) {}

  Nearest nearest(const Vec3d& x, double) const override {
    const Vec3d q{std::abs(x.x) - half_.x, std::abs(x.y) - half_.y, std::abs(x.z) - half_.z};
    if (q.x <= 0 && q.y <= 0 && q.z <= 0) {  // inside: the nearest face
      const int axis = q.x >= q.y && q.x >= q.z ? 0 : q.y >= q.z ? 1 : 2;
      Vec3d n{}, point = x;
      n[axis] = std::copysign(1.0, x[axis]);
      point[axis] = n[axis] * half_[axis];
      return {q[axis], point, n};
    }
    const Vec3d point{std::clamp(x.x, -half_.x, half_.x), std::clamp(x.y, -half_.y, half_.y),
                      std::clamp(x.z, -half_.z, half_.z)};
    const double d = length(x - point);
    return {d, point, (x - point) / d};
  }
  Bounds bounds() const override { return {-half_, half_}; }
  double core() const override { return std::min({half_.x, half_.y, half_.z}); }
  std::vector<Feature> features() const override {
    std::vector<Feature> out;
    const auto corner = [&](int k) {
      return Vec3d{k & 1 ? half_.x : -half_.x, k & 2 ? half_.y : -half_.y, k & 4 ? half_.z : -half_.z};
    };
    for (int k = 0; k < 8; ++k) out.push_back({corner(k), corner(k), 0});
    for (int k = 0; k < 8; ++k) {
      for (int bit : {1, 2, 4}) {
        if (!(k & bit)) out.push_back({corner(k), corner(k | bit), 0});
      }
    }
    return out;
  }
  TriMesh surface() const override { return box_surface(size_, {1, 1, 1}); }
  bool polyhedral() const override { return true; }
  MassProperties mass() const override {
    const double volume = size_.x * size_.y * size_.z;
    const Vec3d s{size_.x * size_.x, size_.y * size_.y, size_.z * size_.z};
    return {volume, {}, diagonal(s.y + s.z, s.x + s.z, s.x + s.y) * (volume / 12)};
  }

 private:
  Vec3d size_, half_;
};

class CapsuleShape final : public Shape {
 public:
  explicit CapsuleShape(const Capsule& capsule) : radius_(capsule.radius), half_(0.5 * capsule.height) {}

  Nearest nearest(const Vec3d& x, double) const override {
    const Vec3d axis{0, std::clamp(x.y, -half_, half_), 0};
    const double r = length(x - axis);
    const Vec3d n = r > 0 ? (x - axis) / r : Vec3d{1, 0, 0};
    return {r - radius_, axis + n * radius_, n};
  }
  Bounds bounds() const override {
    return {{-radius_, -half_ - radius_, -radius_}, {radius_, half_ + radius_, radius_}};
  }
  double core() const override { return radius_; }
  double roundness() const override { return radius_; }
  std::vector<Feature> features() const override {
    const Vec3d end{0, half_, 0};
    return {{end, end, radius_}, {-end, -end, radius_}, {-end, end, radius_}};
  }
  TriMesh surface() const override {
    // A ball cut at its equator: icosphere vertices have none exactly on it that both halves need, so rings.
    constexpr int kSegments = 48, kRings = 12;
    TriMesh mesh;
    mesh.positions.push_back({0, half_ + radius_, 0});
    for (int ring = 1; ring <= 2 * kRings; ++ring) {  // from the north pole; the equator stands there twice
      const bool upper = ring <= kRings;
      const double angle = std::numbers::pi / 2 * (upper ? ring : ring - 1) / kRings;
      for (int s = 0; s < kSegments; ++s) {
        const double turn = 2 * std::numbers::pi * s / kSegments;
        mesh.positions.push_back({radius_ * std::sin(angle) * std::cos(turn),
                                  radius_ * std::cos(angle) + (upper ? half_ : -half_),
                                  radius_ * std::sin(angle) * std::sin(turn)});
      }
    }
    mesh.positions.push_back({0, -half_ - radius_, 0});
    const int last = static_cast<int>(mesh.positions.size()) - 1;
    const auto at = [&](int ring, int s) { return 1 + ring * kSegments + s % kSegments; };
    for (int s = 0; s < kSegments; ++s) {
      mesh.triangles.push_back({0, at(0, s + 1), at(0, s)});
      for (int ring = 0; ring + 1 < 2 * kRings; ++ring) {
        mesh.triangles.push_back({at(ring, s), at(ring, s + 1), at(ring + 1, s + 1)});
        mesh.triangles.push_back({at(ring, s), at(ring + 1, s + 1), at(ring + 1, s)});
      }
      mesh.triangles.push_back({last, at(2 * kRings - 1, s), at(2 * kRings - 1, s + 1)});
    }
    return mesh;
  }
  MassProperties mass() const override {
    const double r2 = radius_ * radius_, h = 2 * half_;
    const double tube = std::numbers::pi * r2 * h, ball = 4 * std::numbers::pi / 3 * r2 * radius_;
    // Two half balls, their centres of mass 3/8 r from the cuts (parallel axes).
    const double along = tube * r2 / 2 + ball * 0.4 * r2;
    const double across = tube * (r2 / 4 + h * h / 12) + ball * (0.4 * r2 + h * h / 4 + 3 * h * radius_ / 8);
    return {tube + ball, {}, diagonal(across, along, across)};
  }

 private:
  double radius_, half_;
};

}  // namespace

/// Sums over tets from the origin to each triangle; for one of corners a, b, c the mean of x x^T is
/// (s s^T + a a^T + b b^T + c c^T) / 20 with s = a + b + c.
MassProperties Shape::mass() const {
  const TriMesh mesh = surface();
  MassProperties out;
  Mat3<double> second{};
  for (const Triangle& t : mesh.triangles) {
    const Vec3d &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    const double v = dot(a, cross(b, c)) / 6;
    const Vec3d s = a + b + c;
    out.volume += v;
    out.center += s * (v / 4);
    second = second + (outer(s, s) + outer(a, a) + outer(b, b) + outer(c, c)) * (v / 20);
  }
  out.center = out.center / out.volume;
  second = second - outer(out.center, out.center) * out.volume;
  const double sum = trace(second);
  out.inertia = diagonal(sum, sum, sum) - second;
  return out;
}

std::shared_ptr<const Shape> make_plane(const Plane& plane) { return std::make_shared<PlaneShape>(plane); }
std::shared_ptr<const Shape> make_sphere(const Sphere& sphere) { return std::make_shared<SphereShape>(sphere); }
std::shared_ptr<const Shape> make_box(const Box& box) { return std::make_shared<BoxShape>(box); }
std::shared_ptr<const Shape> make_capsule(const Capsule& capsule) { return std::make_shared<CapsuleShape>(capsule); }

double mean_edge(const TriMesh& mesh) {
  double sum = 0;
  const std::vector<Edge> edges = edges_of(mesh.triangles);
  for (const Edge& e : edges) sum += length(mesh.positions[e[1]] - mesh.positions[e[0]]);
  return edges.empty() ? 0 : sum / static_cast<double>(edges.size());
}

}  // namespace pliant::contact
