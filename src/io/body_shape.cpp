#include "io/body_shape.h"

#include <cmath>
#include <utility>

#include "mesh/measure.h"

namespace pliant {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Leaves out the vertices that no element uses (a solid's inner ones) and renumbers the rest.
template <std::size_t N>
void keep_used(std::vector<Vec3d>& positions, std::vector<std::array<int, N>>& elements) {
  std::vector<int> number(positions.size(), -1);
  for (const auto& element : elements) {
    for (const int vertex : element) number[index(vertex)] = 0;
  }
  std::size_t kept = 0;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (number[v] < 0) continue;
    number[v] = static_cast<int>(kept);
    positions[kept++] = positions[v];
  }
  positions.resize(kept);
  for (auto& element : elements) {
    for (int& vertex : element) vertex = number[index(vertex)];
  }
}

std::string on_one_line(std::string name) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '\\') c = '_';
  }
  return name;
}

}  // namespace

std::vector<Vec3d> vertex_normals(const std::vector<Vec3d>& positions, const std::vector<Triangle>& triangles) {
  std::vector<Vec3d> normals(positions.size());
  for (const auto& [a, b, c] : triangles) {
    const Vec3d n = double_area_normal(positions[index(a)], positions[index(b)], positions[index(c)]);
    normals[index(a)] += n;
    normals[index(b)] += n;
    normals[index(c)] += n;
  }
  for (Vec3d& n : normals) {
    const double size = std::hypot(n.x, n.y, n.z);
    n = size > 0 ? n / size : Vec3d{0, 1, 0};
  }
  return normals;
}

Vec3d linear_color(const Vec3d& srgb) {
  Vec3d linear;
  for (int i = 0; i < 3; ++i) {  // IEC 61966-2-1
    linear[i] = srgb[i] <= 0.04045 ? srgb[i] / 12.92 : std::pow((srgb[i] + 0.055) / 1.055, 2.4);
  }
  return linear;
}

std::vector<std::vector<int>> chains_of(const std::vector<Edge>& edges) {
  std::vector<std::vector<int>> chains;
  for (const auto& [a, b] : edges) {
    if (chains.empty() || chains.back().back() != a) chains.push_back({a});
    chains.back().push_back(b);
  }
  return chains;
}

std::vector<BodyShape> shapes_of(const World& world) {
  std::vector<BodyShape> shapes;
  for (int b = 0; b < world.body_count(); ++b) {
    const BodyId body{b};
    BodyShape shape;
    shape.name = on_one_line(world.name(body));
    shape.color = world.color(body);
    if (world.has_skin(body)) {  // seen in place of the body's own surface
      shape.positions = world.skin_positions(body);
      shape.triangles = world.skin_triangles(body);
      shape.texture_coordinates = world.skin_texture_coordinates(body);
      keep_used(shape.positions, shape.triangles);
      shape.normals = vertex_normals(shape.positions, shape.triangles);
      shapes.push_back(std::move(shape));
      continue;
    }
    shape.positions = world.positions(body);
    if (world.triangles(body).empty()) {
      shape.edges = world.edges(body);
      keep_used(shape.positions, shape.edges);
    } else {
      shape.triangles = world.triangles(body);
      shape.texture_coordinates = world.texture_coordinates(body);
      keep_used(shape.positions, shape.triangles);
      shape.normals = vertex_normals(shape.positions, shape.triangles);
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace pliant
