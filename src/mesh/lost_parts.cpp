#include "mesh/lost_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/parallel.h"
#include "mesh/manifold.h"
#include "mesh/measure.h"
#include "mesh/topology.h"

namespace pliant {

namespace {

/// A piece that is smaller than this part of its neighbour is no use to a simulation: it would fall off.
constexpr double kFragment = 0.05;
/// Triangles are looked at in places a cell apart, but at no more than this many squared.
constexpr int kMostSamples = 16;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// The triangles with vertices at equal places made one; files such as .stl have three per triangle.
std::vector<Triangle> welded(const TriMesh& mesh) {
  std::vector<int> order(mesh.positions.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int v) {
    const Vec3d& x = mesh.positions[index(v)];
    return std::tuple(x.x, x.y, x.z);
  };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return std::tuple(key(a), a) < std::tuple(key(b), b); });
  std::vector<int> first(mesh.positions.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && key(order[i]) == key(order[i - 1]);
    first[index(order[i])] = same ? first[index(order[i - 1])] : order[i];
  }
  std::vector<Triangle> triangles = mesh.triangles;
  for (Triangle& t : triangles) {
    for (int& v : t) v = first[index(v)];
  }
  return triangles;
}

}  // namespace

LostParts find_lost_parts(const TriMesh& surface, const TetMesh& mesh, double distance, JobSystem& jobs) {
  const SurfaceTree boundary({mesh.positions, surface_of(mesh)});
  const auto at = [&](int v) -> const Vec3d& { return surface.positions[index(v)]; };
  std::vector<float> lost(surface.triangles.size(), 0);  // part of each triangle
  constexpr int64_t kGrain = 64;
  std::vector<std::vector<Vec3d>> places(static_cast<std::size_t>(chunk_count(std::ssize(surface.triangles), kGrain)));
  parallel_for(jobs, std::ssize(surface.triangles), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const auto& [a, b, c] = surface.triangles[static_cast<std::size_t>(t)];
      const double longest = std::max({length(at(b) - at(a)), length(at(c) - at(b)), length(at(a) - at(c))});
      const int n = static_cast<int>(std::clamp(std::ceil(longest / distance), 1.0, double{kMostSamples}));
      int missed = 0, all = 0;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; i + j < n; ++j, ++all) {
          const double u = (i + 1.0 / 3) / n, v = (j + 1.0 / 3) / n;
          const Vec3d x = at(a) + (at(b) - at(a)) * u + (at(c) - at(a)) * v;
          if (boundary.nearest(x, distance).triangle >= 0) continue;
          if (boundary.winding_number(x) >= 0.5) continue;
          ++missed;
          places[static_cast<std::size_t>(t / kGrain)].push_back(x);
        }
      }
      lost[static_cast<std::size_t>(t)] = static_cast<float>(missed) / static_cast<float>(all);
    }
  });

  std::vector<Triangle> lost_triangles;
  std::vector<std::size_t> numbers;
  const std::vector<Triangle> all = welded(surface);
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (lost[t] <= 0) continue;
    lost_triangles.push_back(all[t]);
    numbers.push_back(t);
  }
  if (numbers.empty()) return {};
  const Components groups = connected_components(lost_triangles, static_cast<int>(surface.positions.size()));
  struct Group {
    LostPart part;
    Vec3d low, high, weighted{};
    double weight = 0;
  };
  std::map<int, Group> parts;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& [a, b, c] = lost_triangles[i];
    const auto [entry, is_new] = parts.try_emplace(groups.of_vertex[index(a)]);
    Group& group = entry->second;
    if (is_new) group.low = group.high = at(a);
    const double area = length(double_area_normal(at(a), at(b), at(c))) / 2;
    group.part.area += area * lost[numbers[i]];
    group.weighted += (at(a) + at(b) + at(c)) * (area / 3);
    group.weight += area;
    ++group.part.triangles;
    for (const int v : {a, b, c}) {
      for (int k = 0; k < 3; ++k) {
        group.low[k] = std::min(group.low[k], at(v)[k]);
        group.high[k] = std::max(group.high[k], at(v)[k]);
      }
    }
  }
  LostParts found;
  for (const auto& chunk : places) found.places.insert(found.places.end(), chunk.begin(), chunk.end());
  for (auto& [number, group] : parts) {
    group.part.center = group.weight > 0 ? group.weighted / group.weight : (group.low + group.high) * 0.5;
    const Vec3d size = group.high - group.low;
    group.part.size = std::max({size.x, size.y, size.z});
    found.parts.push_back(group.part);
  }
  std::stable_sort(found.parts.begin(), found.parts.end(),
                   [](const LostPart& a, const LostPart& b) { return a.area > b.area; });
  return found;
}

std::vector<Vec3d> middles_of_thin_parts(const TriMesh& surface, const SurfaceTree& tree,
                                         const std::vector<Vec3d>& places, double cell) {
  // Blocks of two cells with a lost place in them or next to them.
  using Block = std::array<int64_t, 3>;
  const auto block_of = [&](const Vec3d& x) {
    const Vec3d p = (x - tree.low()) / (2 * cell);
    return Block{static_cast<int64_t>(std::floor(p.x)), static_cast<int64_t>(std::floor(p.y)),
                 static_cast<int64_t>(std::floor(p.z))};
  };
  std::set<Block> blocks;
  for (const Vec3d& place : places) {
    const auto [i, j, k] = block_of(place);
    for (int n = 0; n < 27; ++n) blocks.insert({i + n % 3 - 1, j + n / 3 % 3 - 1, k + n / 9 - 1});
  }
  // A ball with the radius of the lattice's largest gap, 0.56 cells, fits into what is thicker.
  const double spacing = cell / 4, deepest = 0.7 * cell;
  std::vector<Vec3d> middles;
  std::vector<SurfaceTree::Crossing> crossings;
  const auto at = [&](int v) -> const Vec3d& { return surface.positions[index(v)]; };
  const auto add_middle = [&](const Vec3d& x, const Vec3d& inward) {
    // To the other side of the part; the triangle itself is at the start.
    tree.crossings(x, x + inward * (2 * deepest), crossings);
    const auto other_side =
        std::find_if(crossings.begin(), crossings.end(), [](const auto& crossing) { return crossing.t > 1e-6; });
    const Vec3d middle = x + inward * (other_side == crossings.end() ? deepest : deepest * other_side->t);
    if (std::abs(tree.winding_number(middle)) <= 0.5) return false;
    if (other_side == crossings.end()) return true;  // inside, and not thin
    middles.push_back(middle);
    return true;
  };
  for (const auto& [a, b, c] : surface.triangles) {
    const Vec3d normal = double_area_normal(at(a), at(b), at(c));
    const double size = length(normal);
    if (!(size > 0)) continue;
    const double longest = std::max({length(at(b) - at(a)), length(at(c) - at(b)), length(at(a) - at(c))});
    const int n = static_cast<int>(std::clamp(std::ceil(longest / spacing), 1.0, 4.0 * kMostSamples));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; i + j < n; ++j) {
        const Vec3d x = at(a) + (at(b) - at(a)) * ((i + 1.0 / 3) / n) + (at(c) - at(a)) * ((j + 1.0 / 3) / n);
        if (!blocks.contains(block_of(x))) continue;
        if (!add_middle(x, normal / -size)) add_middle(x, normal / size);  // it may be turned inside out
      }
    }
  }
  return middles;
}

int remove_fragments(TetMesh& mesh, const TriMesh& surface, const SurfaceTree& tree) {
  const FacePieces pieces = face_pieces(mesh);
  if (pieces.count < 2) return 0;
  const std::vector<Triangle> triangles = welded(surface);
  const Components parts = connected_components(triangles, static_cast<int>(surface.positions.size()));
  // The part of the surface that a piece belongs to is the one next to its first vertex.
  std::vector<double> volumes(index(pieces.count), 0);
  std::vector<int> part_of(index(pieces.count), -1);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const std::size_t piece = index(pieces.of_tet[t]);
    const auto& [a, b, c, d] = mesh.tets[t];
    const auto at = [&](int v) -> const Vec3d& { return mesh.positions[index(v)]; };
    volumes[piece] += six_volumes(at(a), at(b), at(c), at(d)) / 6;
    if (part_of[piece] >= 0) continue;
    const auto nearest = tree.nearest(at(a), std::numeric_limits<double>::infinity());
    part_of[piece] = parts.of_vertex[index(triangles[index(nearest.triangle)][0])];
  }
  std::map<int, double> largest;
  for (std::size_t p = 0; p < volumes.size(); ++p) {
    double& most = largest[part_of[p]];
    most = std::max(most, volumes[p]);
  }
  std::vector<char> is_fragment(volumes.size());
  for (std::size_t p = 0; p < volumes.size(); ++p) is_fragment[p] = volumes[p] < kFragment * largest[part_of[p]];
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    if (!is_fragment[index(pieces.of_tet[t])]) mesh.tets[kept++] = mesh.tets[t];
  }
  mesh.tets.resize(kept);
  drop_unused_vertices(mesh);
  return static_cast<int>(std::count(is_fragment.begin(), is_fragment.end(), 1));
}

}  // namespace pliant
