// Colliders from triangles: the inside of a closed surface, a surface with two sides, a height field.
//
// Distances are exact, by a tree of boxes. Inside or outside follows from the normal at the nearest point, which is the
// face's, the sum of two faces' on an edge, and the sum by angles in a corner (Baerentzen and Aanaes 2005): with
// these the sign is right everywhere. A closed surface also has its distance on a grid, which tells at once what is
// far.

#include <algorithm>
#include <array>
#include <map>

#include "contact/triangle_tree.h"
#include "mesh/topology.h"

namespace pliant::contact {

namespace {

/// Normals of faces, edges and corners of a mesh.
class Normals {
 public:
  explicit Normals(const TriMesh& mesh) : mesh_(mesh), face_(mesh.triangles.size()), corner_(mesh.positions.size()) {
    edge_.resize(mesh.triangles.size());
    std::map<Edge, Vec3d> sums;
    const auto key = [](int a, int b) { return Edge{std::min(a, b), std::max(a, b)}; };
    for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
      const Triangle& t = mesh.triangles[k];
      const Vec3d normal = cross(x(t[1]) - x(t[0]), x(t[2]) - x(t[0]));
      face_[k] = normal / length(normal);
      for (int c = 0; c < 3; ++c) {
        const Vec3d u = x(t[(c + 1) % 3]) - x(t[c]), v = x(t[(c + 2) % 3]) - x(t[c]);
        corner_[t[c]] += face_[k] * std::atan2(length(cross(u, v)), dot(u, v));
        sums[key(t[c], t[(c + 1) % 3])] += face_[k];
      }
    }
    for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
      const Triangle& t = mesh.triangles[k];
      for (int c = 0; c < 3; ++c) edge_[k][c] = sums[key(t[c], t[(c + 1) % 3])];
    }
  }

  /// Of the part of the triangle that these weights lie in. Not of unit length.
  Vec3d at(int triangle, const Vec3d& w) const {
    const Triangle& t = mesh_.triangles[triangle];
    const int zeros = (w.x == 0) + (w.y == 0) + (w.z == 0);
    if (zeros == 0) return face_[triangle];
    if (zeros == 2) return corner_[t[w.x != 0 ? 0 : w.y != 0 ? 1 : 2]];
    return edge_[triangle][w.z == 0 ? 0 : w.x == 0 ? 1 : 2];
  }
  const Vec3d& of_face(int triangle) const { return face_[triangle]; }

 private:
  const Vec3d& x(int v) const { return mesh_.positions[v]; }
  const TriMesh& mesh_;
  std::vector<Vec3d> face_, corner_;
  std::vector<std::array<Vec3d, 3>> edge_;
};

Vec3d unit(const Vec3d& v, const Vec3d& otherwise) {
  const double size = length(v);
  return size > 0 ? v / size : otherwise;
}

class MeshShape : public Shape {
 public:
  explicit MeshShape(TriMesh mesh) : mesh_(std::move(mesh)), tree_(mesh_), normals_(mesh_) {
    const Vec3d size = tree_.bounds().max - tree_.bounds().min;
    touching_ = 1e-9 * std::max({size.x, size.y, size.z});
  }
  Bounds bounds() const override { return tree_.bounds(); }
  TriMesh surface() const override { return mesh_; }
  bool polyhedral() const override { return true; }
  double core() const override { return 0; }  // it may be thin somewhere

 protected:
  /// The normal of the distance to a point that is `distance` away. On a face, and where both points are the same up to
  /// rounding, it is the surface's own.
  Vec3d direction(const Vec3d& x, const TriangleTree::Hit& hit, double sign) const {
    const bool on_face = hit.weights.x != 0 && hit.weights.y != 0 && hit.weights.z != 0;
    const Vec3d own = on_face ? normals_.of_face(hit.triangle)
                              : unit(normals_.at(hit.triangle, hit.weights), normals_.of_face(hit.triangle));
    if (on_face || hit.distance <= touching_) return own;
    return (x - hit.point) * (sign / hit.distance);
  }

  TriMesh mesh_;
  TriangleTree tree_;
  Normals normals_;
  double touching_;  // [m] nearer than this is the same place
};

class MeshSolidShape final : public MeshShape {
 public:
  explicit MeshSolidShape(TriMesh mesh) : MeshShape(std::move(mesh)) {
    constexpr int kAcross = 40;  // cells along the longest side
    Bounds box = tree_.bounds();
    const Vec3d size = box.max - box.min;
    cell_ = std::max({size.x, size.y, size.z}) / kAcross;
    box.grow(2 * cell_);
    corner_ = box.min;
    for (int a = 0; a < 3; ++a) nodes_[a] = static_cast<int>(std::ceil((box.max[a] - box.min[a]) / cell_)) + 1;
    grid_.reserve(static_cast<std::size_t>(nodes_[0]) * nodes_[1] * nodes_[2]);
    for (int k = 0; k < nodes_[2]; ++k) {
      for (int j = 0; j < nodes_[1]; ++j) {
        for (int i = 0; i < nodes_[0]; ++i) {
          grid_.push_back(
              static_cast<float>(exact(corner_ + Vec3d{i * cell_, j * cell_, k * cell_}, kInfinity).distance));
        }
      }
    }
  }

  Nearest nearest(const Vec3d& x, double within) const override {
    const double outside = std::sqrt(tree_.bounds().distance_squared(x));
    if (outside > within) return {outside};
    double about;
    if (!interpolate(x, about)) return exact(x, kInfinity);
    // The distance changes by at most the way; the mean way from a point in a cell to its corners, by their weights, is
    // at most sqrt(3)/2 of the cell.
    const double error = 0.87 * cell_;
    if (about - error > within) return {about - error};
    return exact(x, std::abs(about) + error);
  }
  std::vector<Feature> features() const override {
    std::vector<Feature> out;
    for (const Vec3d& x : mesh_.positions) out.push_back({x, x, 0});
    return out;
  }

 private:
  Nearest exact(const Vec3d& x, double search) const {
    const TriangleTree::Hit hit = tree_.nearest(x, search);
    if (hit.triangle < 0) return exact(x, kInfinity);  // rounding at the rim of the search
    const double sign = dot(x - hit.point, normals_.at(hit.triangle, hit.weights)) < 0 ? -1 : 1;
    return {sign * hit.distance, hit.point, direction(x, hit, sign)};
  }
  bool interpolate(const Vec3d& x, double& value) const {
    int at[3];
    double f[3];
    for (int a = 0; a < 3; ++a) {
      const double s = (x[a] - corner_[a]) / cell_;
      if (!(s >= 0 && s < nodes_[a] - 1)) return false;
      at[a] = static_cast<int>(s);
      f[a] = s - at[a];
    }
    value = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
      const double w = (i ? f[0] : 1 - f[0]) * (j ? f[1] : 1 - f[1]) * (k ? f[2] : 1 - f[2]);
      value += w * grid_[(static_cast<std::size_t>(at[2] + k) * nodes_[1] + at[1] + j) * nodes_[0] + at[0] + i];
    }
    return true;
  }

  Vec3d corner_{};
  double cell_ = 0;
  int nodes_[3] = {};
  std::vector<float> grid_;  // [m] signed distance
};

class MeshSurfaceShape final : public MeshShape {
 public:
  using MeshShape::MeshShape;
  Nearest nearest(const Vec3d& x, double within) const override {
    const TriangleTree::Hit hit = tree_.nearest(x, within);
    if (hit.triangle < 0) return {std::max(std::nextafter(within, kInfinity), std::sqrt(bounds().distance_squared(x)))};
    const double side = dot(x - hit.point, normals_.at(hit.triangle, hit.weights)) < 0 ? -1 : 1;
    Vec3d n = direction(x, hit, 1);
    if (dot(n, x - hit.point) < 0) n = -n;
    if (hit.distance <= touching_) n = normals_.of_face(hit.triangle) * side;
    return {hit.distance, hit.point, n};
  }
  bool two_sided() const override { return true; }
};

class HeightFieldShape final : public MeshShape {
 public:
  HeightFieldShape(const HeightField& field, TriMesh mesh) : MeshShape(std::move(mesh)), field_(field) {}

  Nearest nearest(const Vec3d& x, double within) const override {
    const bool below = x.y < height(x);
    const TriangleTree::Hit hit = tree_.nearest(x, below ? kInfinity : within);
    if (hit.triangle < 0) return {std::nextafter(within, kInfinity)};
    const double sign = below ? -1 : 1;
    return {sign * hit.distance, hit.point, direction(x, hit, sign)};
  }
  Bounds bounds() const override {  // all below counts
    Bounds b = tree_.bounds();
    b.min.y = -kInfinity;
    return b;
  }

 private:
  /// Of the surface above or below x; minus infinity beside the field.
  double height(const Vec3d& x) const {
    const double u = (x.x / field_.size.x + 0.5) * (field_.columns - 1);
    const double v = (x.z / field_.size.y + 0.5) * (field_.rows - 1);
    if (!(u >= 0 && v >= 0 && u <= field_.columns - 1 && v <= field_.rows - 1)) return -kInfinity;
    const int i = std::min(static_cast<int>(u), field_.columns - 2), j = std::min(static_cast<int>(v), field_.rows - 2);
    const double f = u - i, g = v - j;
    const auto h = [&](int di, int dj) {
      return field_.heights[static_cast<std::size_t>(j + dj) * field_.columns + i + di];
    };
    // The two triangles of height_field_mesh share the diagonal from (0, 0) to (1, 1).
    return f >= g ? h(0, 0) + f * (h(1, 0) - h(0, 0)) + g * (h(1, 1) - h(1, 0))
                  : h(0, 0) + g * (h(0, 1) - h(0, 0)) + f * (h(1, 1) - h(0, 1));
  }
  HeightField field_;
};

TriMesh height_field_mesh(const HeightField& field) {
  TriMesh mesh;
  for (int j = 0; j < field.rows; ++j) {
    for (int i = 0; i < field.columns; ++i) {
      mesh.positions.push_back({field.size.x * (static_cast<double>(i) / (field.columns - 1) - 0.5),
                                field.heights[static_cast<std::size_t>(j) * field.columns + i],
                                field.size.y * (static_cast<double>(j) / (field.rows - 1) - 0.5)});
    }
  }
  for (int j = 0; j + 1 < field.rows; ++j) {
    for (int i = 0; i + 1 < field.columns; ++i) {
      const int a = j * field.columns + i, b = a + 1, c = b + field.columns, d = a + field.columns;
      mesh.triangles.push_back({a, c, b});
      mesh.triangles.push_back({a, d, c});
    }
  }
  return mesh;
}

}  // namespace

std::shared_ptr<const Shape> make_mesh_solid(TriMesh mesh) { return std::make_shared<MeshSolidShape>(std::move(mesh)); }
std::shared_ptr<const Shape> make_mesh_surface(TriMesh mesh) {
  return std::make_shared<MeshSurfaceShape>(std::move(mesh));
}
std::shared_ptr<const Shape> make_height_field(const HeightField& field) {
  return std::make_shared<HeightFieldShape>(field, height_field_mesh(field));
}

}  // namespace pliant::contact
