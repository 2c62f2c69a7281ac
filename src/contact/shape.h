#pragma once
// Shapes of colliders: signed distance, nearest point and outward normal, in the shape's own coordinates and in double.

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "math/matrix.h"
#include "pliant/collider.h"

namespace pliant::contact {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The point of a surface nearest to x. x = point + distance * normal, up to rounding.
struct Nearest {
  double distance = kInfinity;  // [m] below zero: x is inside
  Vec3d point{};                // [m]
  Vec3d normal{0, 1, 0};        // unit, outward; of a surface with two sides: towards x
};

/// A box along the axes; min > max: nothing.
struct Bounds {
  Vec3d min{kInfinity, kInfinity, kInfinity}, max{-kInfinity, -kInfinity, -kInfinity};

  void add(const Vec3d& x) {
    for (int a = 0; a < 3; ++a) {
      if (x[a] < min[a]) min[a] = x[a];  // not fmin, which is a call
      if (x[a] > max[a]) max[a] = x[a];
    }
  }
  void grow(double by) {
    min = min - Vec3d{by, by, by};
    max = max + Vec3d{by, by, by};
  }
  bool overlaps(const Bounds& b) const {
    return min.x <= b.max.x && b.min.x <= max.x && min.y <= b.max.y && b.min.y <= max.y && min.z <= b.max.z &&
           b.min.z <= max.z;
  }
  /// From x to the nearest point of the box [m], squared; 0 inside.
  double distance_squared(const Vec3d& x) const {
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
      const double d = x[a] < min[a] ? min[a] - x[a] : x[a] > max[a] ? x[a] - max[a] : 0;
      sum += d * d;
    }
    return sum;
  }
};

/// Mass, centre of mass and tensor of inertia about it, for density 1 kg/m^3.
struct MassProperties {
  double volume = 0;       // [m^3]
  Vec3d center{};          // [m]
  Mat3<double> inertia{};  // [m^5]
};

/// A part of a shape's skeleton: all points within `radius` of the segment from a to b belong to the shape. Corners,
/// edges and axes that another collider may touch.
struct Feature {
  Vec3d a{}, b{};     // [m] equal: a point
  double radius = 0;  // [m]
};

class Shape {
 public:
  virtual ~Shape() = default;

  /// Exact where the distance is at most `within`; beyond, any lower bound of it that is larger than `within` may come
  /// back in its place.
  virtual Nearest nearest(const Vec3d& x, double within) const = 0;
  virtual Bounds bounds() const = 0;
  /// A path into the shape that is shorter than this never comes nearer to the far side than to the near one [m].
  virtual double core() const = 0;
  /// The smallest radius to which it is curved outward [m]; 0: it has edges, corners or thin parts. Triangles that are
  /// small against it touch with their corners only.
  virtual double roundness() const { return 0; }
  /// Within this distance of x the surface is flat or hollow, at least, so that the corners of a triangle that lies
  /// there are nearest to it [m]. 0: nothing is known.
  virtual double hollow(const Vec3d& /*x*/) const { return 0; }
  /// Whether surface() is the very surface, not a picture of it.
  virtual bool polyhedral() const { return false; }
  /// Whether it is a surface without inside.
  virtual bool two_sided() const { return false; }
  /// What can touch other colliders; empty: nothing is known and it cannot be a rigid body.
  virtual std::vector<Feature> features() const { return {}; }
  /// The surface to draw.
  virtual TriMesh surface() const = 0;
  /// From the surface to draw, unless there is a formula.
  virtual MassProperties mass() const;
};

/// Checks a collider's shape and makes it ready. `where` is the collider's name in messages.
std::shared_ptr<const Shape> make_shape(const ColliderShape& given, const std::string& where);
/// "sphere", "box", ...
const char* shape_name(const ColliderShape& shape);

std::shared_ptr<const Shape> make_plane(const Plane& plane);
std::shared_ptr<const Shape> make_sphere(const Sphere& sphere);
std::shared_ptr<const Shape> make_box(const Box& box);
std::shared_ptr<const Shape> make_capsule(const Capsule& capsule);
std::shared_ptr<const Shape> make_cylinder(const Cylinder& cylinder);
std::shared_ptr<const Shape> make_cone(const Cone& cone);
std::shared_ptr<const Shape> make_funnel(const Funnel& funnel);
/// These take meshes that were repaired and checked.
std::shared_ptr<const Shape> make_mesh_solid(TriMesh mesh);
std::shared_ptr<const Shape> make_mesh_surface(TriMesh mesh);
std::shared_ptr<const Shape> make_height_field(const HeightField& field);

/// The mean length of a mesh's edges [m].
double mean_edge(const TriMesh& mesh);

}  // namespace pliant::contact
