// Roots on a surface, strands that grow from them, and layers of tets over a surface.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "mesh/generator_input.h"
#include "mesh/measure.h"
#include "pliant/mesh.h"

namespace pliant {

namespace {

/// A number in [0, 1). The engine's sequence is fixed by the standard; its distributions are not.
double part(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

Vec3d normalized(const Vec3d& v) {
  const double l = length(v);
  return l > 0 ? v / l : Vec3d{0, 1, 0};
}

std::size_t index(int i) { return static_cast<std::size_t>(i); }

Vec3d corner(const TriMesh& mesh, const Triangle& t, std::size_t k) { return mesh.positions[index(t[k])]; }

Vec3d face_normal(const TriMesh& mesh, const Triangle& t) {  // twice the area long
  return double_area_normal(corner(mesh, t, 0), corner(mesh, t, 1), corner(mesh, t, 2));
}

std::vector<Vec3d> unit_vertex_normals(const TriMesh& mesh) {
  std::vector<Vec3d> normals(mesh.positions.size());
  for (const Triangle& t : mesh.triangles) {
    const Vec3d n = face_normal(mesh, t);
    for (const int v : t) normals[index(v)] += n;
  }
  for (Vec3d& n : normals) n = normalized(n);
  return normals;
}

void require_surface(const char* generator, const TriMesh& surface) {
  if (!surface.triangles.empty()) return;
  throw Error(std::string(generator) + ": surface", "it has no triangles", "give a surface");
}

void check_style(const HairStyle& s) {
  require_length("grow", "length", s.length);
  require_count("grow", "segments", s.segments, 1);
  const auto refuse = [](const char* field, double value, const char* remedy) {
    throw Error(std::string("grow: ") + field, readable(value) + " is out of range", remedy);
  };
  if (!(s.variation >= 0 && s.variation <= 0.9)) refuse("variation", s.variation, "give 0 to 0.9");
  if (!(s.curl_radius >= 0 && std::isfinite(s.curl_radius))) refuse("curl_radius", s.curl_radius, "give 0 or more [m]");
  if (!(std::isfinite(s.curl_turns))) refuse("curl_turns", s.curl_turns, "give a finite number");
  const double around = 2 * std::numbers::pi * s.curl_radius * std::abs(s.curl_turns);
  if (around > 0.95 * s.length * (1 - s.variation)) {
    throw Error("grow: curl_turns",
                "the curl takes " + readable(around) + " m of a strand, more than 95 % of the shortest one",
                "give fewer turns, a smaller radius or longer strands");
  }
}

}  // namespace

std::vector<SurfacePoint> scatter(const TriMesh& surface, int count, uint32_t seed) {
  require_surface("scatter", surface);
  require_count("scatter", "count", count, 1);
  require_vertex_count("scatter", "count", count);
  std::vector<double> area_up_to;
  double sum = 0;
  for (const Triangle& t : surface.triangles) area_up_to.push_back(sum += length(face_normal(surface, t)));
  std::mt19937_64 random(seed);
  std::vector<SurfacePoint> out;
  for (int k = 0; k < count; ++k) {
    // One in each of `count` equal parts of the area: no clumps and no bare patches along the triangles' order.
    const double at = (k + part(random)) / count * sum;
    const auto found = std::upper_bound(area_up_to.begin(), area_up_to.end() - 1, at) - area_up_to.begin();
    const double root = std::sqrt(part(random)), b = part(random);
    out.push_back({surface.triangles[static_cast<std::size_t>(found)], {1 - root, root * (1 - b), root * b}});
  }
  return out;
}

std::vector<SurfacePoint> vertex_points(const TriMesh& surface) {
  std::vector<uint8_t> taken(surface.positions.size(), 0);
  std::vector<SurfacePoint> out;
  for (const Triangle& t : surface.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (std::exchange(taken[index(t[k])], uint8_t{1})) continue;
      SurfacePoint point{t, {}};
      point.weights[k] = 1;
      out.push_back(point);
    }
  }
  return out;
}

Strands grow(const TriMesh& surface, std::span<const SurfacePoint> roots, const HairStyle& style) {
  require_surface("grow", surface);
  check_style(style);
  require_count("grow", "roots", static_cast<int>(std::min<std::size_t>(roots.size(), 1)), 1);
  require_vertex_count("grow", "segments", double(roots.size()) * (style.segments + 1.0));
  const std::vector<Vec3d> normals = unit_vertex_normals(surface);
  std::mt19937_64 random(style.seed);
  Strands out;
  out.segments = style.segments;
  out.roots.assign(roots.begin(), roots.end());
  for (const SurfacePoint& root : roots) {
    Vec3d x{}, normal{};
    for (std::size_t k = 0; k < 3; ++k) {
      x += surface.positions[index(root.corners[k])] * root.weights[k];
      normal += normals[index(root.corners[k])] * root.weights[k];
    }
    const double size = style.length * (1 + style.variation * (2 * part(random) - 1));
    const Vec3d by_chance{2 * part(random) - 1, 2 * part(random) - 1, 2 * part(random) - 1};
    const Vec3d axis = normalized(normalized(normal) + style.comb + by_chance * (0.5 * style.variation));
    const Vec3d aside = normalized(cross(axis, std::abs(axis.x) < 0.8 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1}));
    const Vec3d other = cross(axis, aside);
    // A helix of radius r and N turns goes around by 2 pi r N of its length.
    const double sine = 2 * std::numbers::pi * style.curl_radius * std::abs(style.curl_turns) / size;
    const double cosine = std::sqrt(1 - sine * sine);
    const double start = part(random);
    out.positions.push_back(x);
    for (int k = 0; k < style.segments; ++k) {
      const double turn = 2 * std::numbers::pi * (start + style.curl_turns * (k + 0.5) / style.segments);
      const Vec3d direction = axis * cosine + aside * (sine * std::cos(turn)) + other * (sine * std::sin(turn));
      x += direction * (size / style.segments);
      out.positions.push_back(x);
    }
  }
  return out;
}

TetMesh skin_layer(const TriMesh& surface, double thickness, int layers) {
  require_surface("skin_layer", surface);
  require_length("skin_layer", "thickness", thickness);
  require_count("skin_layer", "layers", layers, 1);
  const int n = static_cast<int>(surface.positions.size());
  require_vertex_count("skin_layer", "layers", n * (layers + 1.0));
  const std::vector<Vec3d> normals = unit_vertex_normals(surface);
  TetMesh out;
  for (int layer = 0; layer <= layers; ++layer) {
    for (int v = 0; v < n; ++v) {
      out.positions.push_back(surface.positions[index(v)] + normals[index(v)] * (thickness * layer / layers));
    }
  }
  // A prism is cut along the diagonals that go up from the lower-numbered corner of each side: two prisms that share a
  // side cut it alike.  With corners a < b < c below and A, B, C above: (a b c C), (a b B C), (a A B C), up to winding.
  for (int layer = 0; layer < layers; ++layer) {
    for (const Triangle& t : surface.triangles) {
      Triangle s = t;
      std::sort(s.begin(), s.end());
      const int low = layer * n, high = low + n;
      const int a = low + s[0], b = low + s[1], c = low + s[2], A = high + s[0], B = high + s[1], C = high + s[2];
      for (Tet tet : {Tet{a, b, c, C}, Tet{a, b, B, C}, Tet{a, A, B, C}}) {
        const Vec3d& x = out.positions[index(tet[0])];
        const Vec3d e1 = out.positions[index(tet[1])] - x, e2 = out.positions[index(tet[2])] - x;
        if (dot(e1, cross(e2, out.positions[index(tet[3])] - x)) < 0) std::swap(tet[2], tet[3]);
        out.tets.push_back(tet);
      }
    }
  }
  return out;
}

}  // namespace pliant
