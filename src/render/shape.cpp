#include "render/shape.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "math/quaternion.h"
#include "mesh/measure.h"
#include "pliant/error.h"

namespace pliant::render {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

/// Faces that meet at a sharper angle than this in the rest shape have a crease between them. Fifty degrees part the
/// sides of a box, and leave a ball of six cells across round, whose faces meet at thirty.
constexpr double kCreaseCosine = 0.643;

/// Sets of numbers that are merged (union-find).
class Sets {
 public:
  explicit Sets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  int find(int i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }
  void merge(int a, int b) {
    a = find(a);
    b = find(b);
    parent_[at(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

/// Numbers of normals for the corners of triangles; corner 3 t + k is corner k of triangle t.
std::vector<int> corner_groups(const std::vector<Triangle>& triangles, const std::vector<Vec3d>& rest) {
  struct Side {
    int low, high, triangle, low_corner, high_corner;
  };
  std::vector<Side> sides;
  std::vector<Vec3d> normals;
  for (size_t t = 0; t < triangles.size(); ++t) {
    const Triangle& tri = triangles[t];
    Vec3d n = double_area_normal(rest[at(tri[0])], rest[at(tri[1])], rest[at(tri[2])]);
    const double size = length(n);
    normals.push_back(size > 0 ? n / size : Vec3d{});
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3, a = tri[at(k)], b = tri[at(next)], corner = static_cast<int>(3 * t);
      sides.push_back(a < b ? Side{a, b, static_cast<int>(t), corner + k, corner + next}
                            : Side{b, a, static_cast<int>(t), corner + next, corner + k});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::array{a.low, a.high, a.triangle} < std::array{b.low, b.high, b.triangle};
  });
  Sets sets(3 * triangles.size());
  for (size_t i = 0; i + 1 < sides.size(); ++i) {
    const Side &a = sides[i], &b = sides[i + 1];
    if (a.low != b.low || a.high != b.high) continue;
    if (dot(normals[at(a.triangle)], normals[at(b.triangle)]) < kCreaseCosine) continue;
    sets.merge(a.low_corner, b.low_corner);
    sets.merge(a.high_corner, b.high_corner);
  }
  std::vector<int> groups(3 * triangles.size());
  for (size_t c = 0; c < groups.size(); ++c) groups[c] = sets.find(static_cast<int>(c));
  return groups;
}

/// Cuts a graph of edges into lines that are as long as possible; they end at forks.
std::vector<std::vector<int>> lines_of(const std::vector<Edge>& edges, size_t vertices) {
  std::vector<std::vector<int>> edges_at(vertices);
  for (size_t e = 0; e < edges.size(); ++e) {
    for (const int v : edges[e]) edges_at[at(v)].push_back(static_cast<int>(e));
  }
  std::vector<bool> used(edges.size());
  std::vector<std::vector<int>> lines;
  const auto walk = [&](int vertex, int edge) {
    std::vector<int> line{vertex};
    for (;;) {
      used[at(edge)] = true;
      vertex = edges[at(edge)][0] == vertex ? edges[at(edge)][1] : edges[at(edge)][0];
      line.push_back(vertex);
      if (edges_at[at(vertex)].size() != 2) break;
      edge = used[at(edges_at[at(vertex)][0])] ? edges_at[at(vertex)][1] : edges_at[at(vertex)][0];
      if (used[at(edge)]) break;
    }
    lines.push_back(std::move(line));
  };
  for (const bool rings : {false, true}) {  // what has an end first; what is left are rings
    for (size_t v = 0; v < vertices; ++v) {
      if (!rings && edges_at[v].size() == 2) continue;
      for (const int edge : edges_at[v]) {
        if (!used[at(edge)]) walk(static_cast<int>(v), edge);
      }
    }
  }
  return lines;
}

Vec3f unit(const Vec3f& v) {
  const float size = length(v);
  return size > 0 ? v / size : Vec3f{0, 1, 0};
}

// ---------------------------------------------------------------- tubes

/// Rings around a line, closed by half balls.
class TubeMaker {
 public:
  TubeMaker(DrawMesh& mesh, int body, int sides, float radius)
      : mesh_(mesh), body_(body), sides_(sides), radius_(radius) {}

  /// `values`: one per point, or empty.
  void add(const std::vector<Vec3f>& line, const std::vector<float>& values) {
    constexpr float kCap[] = {0.52f, 1.05f, 1.5f};  // [rad] rings of a half ball; the last one is nearly the pole
    const size_t last = line.size() - 1;
    Vec3f along = unit(line[1] - line[0]);
    across_ = unit(cross(along, std::fabs(along.y) < 0.9f ? Vec3f{0, 1, 0} : Vec3f{1, 0, 0}));
    ring_ = -1;
    const auto value = [&](size_t i) { return values.empty() ? nullptr : &values[i]; };
    for (size_t i = 3; i-- > 0;) add_ring(line[0], along, -kCap[i], value(0));
    for (size_t i = 0; i <= last; ++i) {
      const Vec3f in = i > 0 ? unit(line[i] - line[i - 1]) : along;
      const Vec3f out = i < last ? unit(line[i + 1] - line[i]) : in;
      along = length(in + out) > 0.1f ? unit(in + out) : in;  // a line that turns right back keeps its direction
      across_ = unit(across_ - along * dot(across_, along));
      add_ring(line[i], along, 0, value(i));
    }
    for (const float tilt : kCap) add_ring(line[last], along, tilt, value(last));
  }

 private:
  /// `tilt` [rad]: 0 is around the line, pi/2 the pole in the direction of `along`.
  void add_ring(const Vec3f& center, const Vec3f& along, float tilt, const float* value) {
    const int first = static_cast<int>(mesh_.positions.size());
    const int normal_shift = static_cast<int>(mesh_.normals.size()) - first;
    const Vec3f other = cross(along, across_);
    for (int s = 0; s < sides_; ++s) {
      const float angle = 6.2831853f * static_cast<float>(s) / static_cast<float>(sides_);
      const Vec3f around = across_ * std::cos(angle) + other * std::sin(angle);
      const Vec3f normal = around * std::cos(tilt) + along * std::sin(tilt);
      mesh_.positions.push_back(center + normal * radius_);
      mesh_.normals.push_back(normal);
      if (value) mesh_.values.push_back(*value);
    }
    if (ring_ >= 0) {
      const auto corner = [&](int v) { return DrawMesh::Corner{v, v + normal_shift}; };
      for (int s = 0; s < sides_; ++s) {
        const int t = (s + 1) % sides_;
        mesh_.faces.push_back({{corner(ring_ + s), corner(ring_ + t), corner(first + t)}, body_});
        mesh_.faces.push_back({{corner(ring_ + s), corner(first + t), corner(first + s)}, body_});
      }
    }
    ring_ = first;
  }

  DrawMesh& mesh_;
  const int body_, sides_;
  const float radius_;
  Vec3f across_{};  // unit length, at right angles to the line
  int ring_ = -1;   // first vertex of the ring before
};

}  // namespace

Vec3f linear_from_srgb(const Vec3d& color) {
  const auto channel = [](double c) {
    c = std::clamp(c, 0.0, 1.0);
    return static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  };
  return {channel(color.x), channel(color.y), channel(color.z)};
}

bool Shape::fits(const World& world) const {
  if (world.body_count() != static_cast<int>(sizes.size()) || world.collider_count() != colliders) return false;
  for (int b = 0; b < world.body_count(); ++b) {
    const BodyId id{b};
    const std::array<size_t, 3> now = {at(world.vertex_count(id)), world.triangles(id).size(), world.edges(id).size()};
    if (now != sizes[at(b)]) return false;
  }
  return true;
}

namespace {

/// What is drawn of a body or a collider.
struct Surface {
  std::vector<Triangle> triangles;
  std::vector<Edge> edges;  // of what has no triangles
  std::vector<Vec3d> positions, rest;
  std::vector<int> vertices{};  // in the world, of each position; empty: the same number
};

/// Gives each triangle vertices of its own.
void split(Surface& surface) {
  std::vector<Vec3d> positions;
  for (Triangle& t : surface.triangles) {
    for (int& v : t) {
      positions.push_back(surface.positions[at(v)]);
      surface.vertices.push_back(v);
      v = static_cast<int>(positions.size()) - 1;
    }
  }
  surface.positions = std::move(positions);
  surface.rest.clear();
}

Surface surface_of(const World& world, BodyId id, bool skin) {
  if (skin) return {world.skin_triangles(id), {}, world.skin_positions(id), {}};
  Surface out{world.triangles(id), {}, world.positions(id), world.rest_positions(id)};
  if (out.triangles.empty()) out.edges = world.edges(id);
  return out;
}

std::vector<Vec3d> placed(const std::vector<Vec3d>& shape, const ColliderPose& pose) {
  const Quat<double> turn = from_rotation_vector(pose.rotation);
  std::vector<Vec3d> out;
  for (const Vec3d& x : shape) out.push_back(pose.position + rotate(turn, x));
  return out;
}

/// Of a body or its skin, by their numbers in the world.
std::vector<Vec3d> body_positions(const World& world, BodyId id, const ShapeBody& body) {
  return body.skin ? world.skin_positions(id) : world.positions(id);
}

/// Puts a surface behind what is there; fills in what the body has of it.
void append(Shape& shape, ShapeBody body, const Surface& surface) {
  const auto& [triangles, edges, positions, rest, vertices] = surface;
  body.first = shape.vertex_count;
  std::vector<int> number(positions.size(), -1);
  for (const Edge& e : edges) number[at(e[0])] = number[at(e[1])] = 0;
  for (const Triangle& t : triangles) {
    for (const int v : t) number[at(v)] = 0;
  }
  for (size_t v = 0; v < number.size(); ++v) {
    if (number[v] < 0) continue;
    number[v] = shape.vertex_count++;
    body.vertices.push_back(vertices.empty() ? static_cast<int>(v) : vertices[v]);
  }
  const int index = static_cast<int>(shape.bodies.size());
  std::vector<int> groups;
  if (body.kind == Kind::solid && !rest.empty()) {
    groups = corner_groups(triangles, rest);
  } else {  // cloth bends anywhere, a skin is fine: a vertex has one normal
    for (const Triangle& t : triangles) groups.insert(groups.end(), t.begin(), t.end());
  }
  std::vector<int> normal_of(std::max(positions.size(), groups.size()), -1);
  for (size_t t = 0; t < triangles.size(); ++t) {
    Triangle corners{}, normals{};
    for (size_t k = 0; k < 3; ++k) {
      corners[k] = number[at(triangles[t][k])];
      int& normal = normal_of[at(groups[3 * t + k])];
      if (normal < 0) {
        normal = static_cast<int>(shape.normal_vertex.size());
        shape.normal_vertex.push_back(corners[k]);
      }
      normals[k] = normal;
    }
    shape.triangles.push_back(corners);
    shape.triangle_normals.push_back(normals);
    shape.triangle_body.push_back(index);
  }
  if (triangles.empty()) {
    for (std::vector<int>& line : lines_of(edges, positions.size())) {
      for (int& v : line) v = number[at(v)];
      shape.strands.push_back({index, std::move(line)});
    }
  }
  shape.bodies.push_back(std::move(body));
}

/// Half of the largest side of a box around points.
double extent_of(const std::vector<Vec3d>& points) {
  Vec3d low = points.front(), high = low;
  for (const Vec3d& p : points) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  }
  return 0.5 * std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

/// A plane that is level has all of its four corners at one height and looks up.
std::optional<double> level_of(const TriMesh& mesh, const std::vector<Vec3d>& positions) {
  if (positions.size() != 4 || mesh.triangles.size() != 2) return {};
  const Triangle& t = mesh.triangles[0];
  const Vec3d n = double_area_normal(positions[at(t[0])], positions[at(t[1])], positions[at(t[2])]);
  if (!(n.y > 0.9999 * length(n))) return {};
  return positions[0].y;
}

}  // namespace

Shape make_shape(const World& world, ColorBy color_by, const std::vector<std::string>& hidden) {
  constexpr double kLarge = 2.5;                 // times the bodies' extent: a table, a wall
  const Vec3d kColliderColor{0.62, 0.64, 0.67};  // sRGB: grey, so that bodies stand out
  Shape shape;
  shape.colliders = world.collider_count();
  std::vector<Vec3d> all;
  for (int b = 0; b < world.body_count(); ++b) {
    const BodyId id{b};
    shape.sizes.push_back({at(world.vertex_count(id)), world.triangles(id).size(), world.edges(id).size()});
    ShapeBody body;
    body.name = world.name(id);
    body.skin = color_by == ColorBy::body && world.has_skin(id);
    Surface surface;
    if (std::find(hidden.begin(), hidden.end(), body.name) == hidden.end()) surface = surface_of(world, id, body.skin);
    body.split = color_by == ColorBy::batch && !surface.triangles.empty();
    if (body.split) split(surface);
    body.kind = surface.triangles.empty() ? Kind::rope : world.tets(id).empty() ? Kind::cloth : Kind::solid;
    body.color = linear_from_srgb(world.color(id));
    append(shape, std::move(body), surface);
    const std::vector<Vec3d> positions = body_positions(world, id, shape.bodies.back());
    for (const int v : shape.bodies.back().vertices) all.push_back(positions[at(v)]);
  }
  Vec3d sum{};
  for (const Vec3d& p : all) sum += p;
  if (!all.empty()) shape.origin = sum / static_cast<double>(all.size());
  const double extent = all.empty() ? 0 : extent_of(all);
  for (const bool large : {false, true}) {
    if (large) shape.framed_vertices = shape.vertex_count;
    for (int c = 0; c < world.collider_count(); ++c) {
      const ColliderId id{c};
      const TriMesh mesh = world.collider_shape(id);
      if (mesh.positions.empty()) continue;
      const std::vector<Vec3d> positions = placed(mesh.positions, world.collider_pose(id));
      if (const auto level = level_of(mesh, positions)) {
        if (!shape.ground || *level > *shape.ground) shape.ground = level;
        continue;
      }
      if (large != (extent > 0 && extent_of(positions) > kLarge * extent)) continue;
      ShapeBody body;
      body.name = world.name(id);
      body.kind = Kind::solid;
      body.collider = c;
      body.collider_shape = mesh.positions;
      body.color = linear_from_srgb(kColliderColor);
      append(shape, std::move(body), {mesh.triangles, {}, positions, mesh.positions});
    }
  }
  return shape;
}

Frame capture(const World& world, const Shape& shape, ColorBy color_by) {
  if (color_by == ColorBy::stress) {
    bool known = false;
    for (int b = 0; b < world.body_count(); ++b) known = known || world.material(BodyId{b});
    if (!known) {
      throw Error("colours by stress", "no body has a material, so there is no stress to show",
                  "give a solid a material, or show strain");
    }
  }
  Frame frame;
  frame.time = world.time();
  frame.positions.reserve(at(shape.vertex_count));
  for (size_t b = 0; b < shape.bodies.size(); ++b) {
    const BodyId id{static_cast<int>(b)};
    const ShapeBody& body = shape.bodies[b];
    const std::vector<Vec3d> positions =
        body.collider >= 0 ? placed(body.collider_shape, world.collider_pose(ColliderId{body.collider}))
                           : body_positions(world, id, body);
    for (const int v : body.vertices) frame.positions.push_back(cast<float>(positions[at(v)] - shape.origin));
    if (color_by == ColorBy::body) continue;
    if (body.collider >= 0 || body.skin) {
      frame.values.insert(frame.values.end(), body.vertices.size(), 0.0f);
      continue;
    }
    if (color_by == ColorBy::batch) {
      const std::vector<float> values = solver_colors(world, id);
      for (size_t v = 0; v < body.vertices.size(); ++v) {
        frame.values.push_back(body.split ? values[v / 3] : values[at(body.vertices[v])]);
      }
      continue;
    }
    const std::vector<float> values = vertex_values(world, id, color_by);
    for (const int v : body.vertices) frame.values.push_back(values[at(v)]);
  }
  return frame;
}

std::vector<Vec3f> surface_normals(const Shape& shape, const std::vector<Vec3f>& positions) {
  std::vector<Vec3f> normals(shape.normal_vertex.size());
  for (size_t t = 0; t < shape.triangles.size(); ++t) {
    const auto& [a, b, c] = shape.triangles[t];
    const Vec3f n = cross(positions[at(b)] - positions[at(a)], positions[at(c)] - positions[at(a)]);
    for (const int normal : shape.triangle_normals[t]) normals[at(normal)] += n;
  }
  for (Vec3f& n : normals) n = unit(n);
  return normals;
}

DrawMesh make_draw_mesh(const Shape& shape, const Frame& frame, float tube_radius) {
  DrawMesh mesh;
  mesh.positions = frame.positions;
  mesh.values = frame.values;
  mesh.normals = surface_normals(shape, frame.positions);
  mesh.faces.reserve(shape.triangles.size());
  for (size_t t = 0; t < shape.triangles.size(); ++t) {
    DrawMesh::Face face{{}, shape.triangle_body[t]};
    for (size_t k = 0; k < 3; ++k) face.corners[k] = {shape.triangles[t][k], shape.triangle_normals[t][k]};
    mesh.faces.push_back(face);
  }
  const int sides = shape.strands.size() > 100 ? 5 : 8;  // hair is thinner than a rope
  for (const Strand& strand : shape.strands) {
    std::vector<Vec3f> line;
    std::vector<float> values;
    for (const int v : strand.vertices) {
      line.push_back(frame.positions[at(v)]);
      if (!frame.values.empty()) values.push_back(frame.values[at(v)]);
    }
    TubeMaker(mesh, strand.body, sides, tube_radius).add(line, values);
  }
  return mesh;
}

}  // namespace pliant::render
