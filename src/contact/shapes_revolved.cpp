// Cylinder, cone and funnel: a convex polygon in the half plane (r, y), turned around the y axis.
//
// By symmetry the nearest point of the surface lies in the half plane of x, so distances are those to the polygon's
// sides. A side on the axis is none of the surface and is left out.

#include <algorithm>
#include <numbers>

#include "contact/shape.h"

namespace pliant::contact {

namespace {

class Revolved final : public Shape {
 public:
  /// Corners (r, y) counter-clockwise, r to the right, y up.
  Revolved(std::vector<Vec2d> corners, double core, bool can_move)
      : corners_(std::move(corners)), core_(core), can_move_(can_move) {
    for (std::size_t k = 0; k < corners_.size(); ++k) {
      const Vec2d a = corners_[k], b = corners_[(k + 1) % corners_.size()];
      if (a.x == 0 && b.x == 0) continue;
      const double size = std::hypot(b.x - a.x, b.y - a.y);
      sides_.push_back({a, {(b.x - a.x) / size, (b.y - a.y) / size}, size});
    }
  }

  Nearest nearest(const Vec3d& x, double) const override {
    const double r = std::sqrt(x.x * x.x + x.z * x.z);  // not hypot, which is a call
    double best = kInfinity;                            // [m^2]
    Vec2d point{}, normal{0, 1};
    bool beyond = false;
    bool inside = true;
    for (const Side& side : sides_) {
      const Vec2d from{r - side.a.x, x.y - side.a.y};
      const Vec2d out{side.along.y, -side.along.x};
      const double along = from.x * side.along.x + from.y * side.along.y;
      const double height = from.x * out.x + from.y * out.y;
      inside = inside && height <= 0;
      const double s = std::clamp(along, 0.0, side.size);
      const Vec2d at{side.a.x + side.along.x * s, side.a.y + side.along.y * s};
      const double square = (r - at.x) * (r - at.x) + (x.y - at.y) * (x.y - at.y);
      if (square >= best) continue;
      best = square;
      point = at;
      normal = out;
      beyond = along != s;
    }
    best = std::sqrt(best);
    // Beyond an end the direction to the corner counts, above the side its normal: both agree where they meet.
    if (beyond && best > 0) normal = {(r - point.x) / best, (x.y - point.y) / best};
    const double c = r > 0 ? x.x / r : 1, sine = r > 0 ? x.z / r : 0;
    const double sign = inside ? -1 : 1;
    return {sign * best, {point.x * c, point.y, point.x * sine}, {normal.x * c, normal.y, normal.x * sine}};
  }
  Bounds bounds() const override {
    Bounds b;
    for (const Vec2d& k : corners_) {
      b.add({k.x, k.y, k.x});
      b.add({-k.x, k.y, -k.x});
    }
    return b;
  }
  double core() const override { return core_; }
  /// Sides that are turned towards the axis are hollow, away from their ends, which belong to the other sides as well.
  /// In the half plane of x all that is turned around the axis is nearest.
  double hollow(const Vec3d& x) const override {
    const double r = std::sqrt(x.x * x.x + x.z * x.z);
    double least = kInfinity;  // [m^2]
    bool any = false;
    for (const Side& side : sides_) {
      if (side.along.y < 0) {
        any = true;
        continue;
      }
      const Vec2d from{r - side.a.x, x.y - side.a.y};
      const double s = std::clamp(from.x * side.along.x + from.y * side.along.y, 0.0, side.size);
      const Vec2d to{from.x - side.along.x * s, from.y - side.along.y * s};
      least = std::min(least, to.x * to.x + to.y * to.y);
    }
    return any ? std::sqrt(least) : 0;
  }
  std::vector<Feature> features() const override {
    if (!can_move_) return {};
    constexpr int kAround = 24;
    std::vector<Feature> out;
    const auto at = [&](const Vec2d& corner, int k) {
      const double turn = 2 * std::numbers::pi * k / kAround;
      return Vec3d{corner.x * std::cos(turn), corner.y, corner.x * std::sin(turn)};
    };
    for (const Vec2d& corner : corners_) {
      for (int k = 0; k < (corner.x > 0 ? kAround : 1); ++k) out.push_back({at(corner, k), at(corner, k), 0});
    }
    for (const Side& side : sides_) {  // lines along the wall
      const Vec2d b{side.a.x + side.along.x * side.size, side.a.y + side.along.y * side.size};
      if (side.along.y <= 0) continue;
      for (int k = 0; k < kAround; ++k) out.push_back({at(side.a, k), at(b, k), 0});
    }
    return out;
  }
  TriMesh surface() const override {
    constexpr int kAround = 96;
    TriMesh mesh;
    for (const Side& side : sides_) {
      const Vec2d b{side.a.x + side.along.x * side.size, side.a.y + side.along.y * side.size};
      for (int k = 0; k < kAround; ++k) {
        const double t0 = 2 * std::numbers::pi * k / kAround, t1 = 2 * std::numbers::pi * ((k + 1) % kAround) / kAround;
        const auto at = [](const Vec2d& c, double t) { return Vec3d{c.x * std::cos(t), c.y, c.x * std::sin(t)}; };
        const auto add = [&](const Vec3d& p, const Vec3d& q, const Vec3d& s) {
          const int first = static_cast<int>(mesh.positions.size());
          mesh.positions.insert(mesh.positions.end(), {p, q, s});
          mesh.triangles.push_back({first, first + 1, first + 2});
        };
        if (side.a.x > 0) add(at(side.a, t0), at(b, t0), at(side.a, t1));
        if (b.x > 0) add(at(side.a, t1), at(b, t0), at(b, t1));
      }
    }
    return mesh;
  }
  /// With M(p, q) the integral of r^p y^q over the polygon: volume 2 pi M(1, 0), about the axis 2 pi M(3, 0), across it
  /// half of that and 2 pi M(1, 2).
  MassProperties mass() const override {
    const double volume = 2 * std::numbers::pi * moment(1, 0);
    const double center = moment(1, 1) / moment(1, 0);
    const double along = 2 * std::numbers::pi * moment(3, 0);
    const double across = along / 2 + 2 * std::numbers::pi * moment(1, 2) - volume * center * center;
    return {volume, {0, center, 0}, {{across, 0, 0}, {0, along, 0}, {0, 0, across}}};
  }

 private:
  /// By Green's theorem the integral of r^(p+1) / (p+1) y^q dy along the sides; three Gauss points are exact up to the
  /// fifth power. On the axis it vanishes.
  double moment(int p, int q) const {
    const double g = std::sqrt(0.6);
    double sum = 0;
    for (const Side& side : sides_) {
      for (const auto& [at, weight] :
           {std::pair{0.5 - 0.5 * g, 5.0 / 18}, {0.5, 8.0 / 18}, {0.5 + 0.5 * g, 5.0 / 18}}) {
        const double r = side.a.x + side.along.x * side.size * at, y = side.a.y + side.along.y * side.size * at;
        sum += weight * std::pow(r, p + 1) / (p + 1) * std::pow(y, q) * side.along.y * side.size;
      }
    }
    return sum;
  }

  struct Side {
    Vec2d a{}, along{};  // start, unit direction
    double size = 0;     // [m]
  };
  std::vector<Vec2d> corners_;
  std::vector<Side> sides_;
  double core_;
  bool can_move_;
};

}  // namespace

std::shared_ptr<const Shape> make_cylinder(const Cylinder& c) {
  const double h = 0.5 * c.height;
  return std::make_shared<Revolved>(std::vector<Vec2d>{{0, -h}, {c.radius, -h}, {c.radius, h}, {0, h}},
                                    std::min(c.radius, h), true);
}

std::shared_ptr<const Shape> make_cone(const Cone& c) {
  const double h = 0.5 * c.height;
  std::vector<Vec2d> corners{{0, -h}};
  if (c.bottom_radius > 0) corners.push_back({c.bottom_radius, -h});
  if (c.top_radius > 0) corners.push_back({c.top_radius, h});
  corners.push_back({0, h});
  return std::make_shared<Revolved>(std::move(corners), 0, true);  // a tip is as thin as can be
}

std::shared_ptr<const Shape> make_funnel(const Funnel& f) {
  const double h = 0.5 * f.height;
  const double slope = f.height / std::hypot(f.height, f.top_radius - f.bottom_radius);
  return std::make_shared<Revolved>(
      std::vector<Vec2d>{
          {f.bottom_radius, -h}, {f.bottom_radius + f.wall, -h}, {f.top_radius + f.wall, h}, {f.top_radius, h}},
      std::min(0.5 * f.wall * slope, h), false);
}

}  // namespace pliant::contact
