// A creature of soft balls that flow into each other (metaballs), as a surface by marching tetrahedra.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "mesh/generator_input.h"
#include "mesh/measure.h"
#include "pliant/mesh.h"

namespace pliant {

namespace {

std::size_t index(int64_t i) { return static_cast<std::size_t>(i); }

struct Ball {
  Vec3d center;
  double reach;  // where its influence ends
};

/// Two feet, a belly, a head, two arms in the air and two stalks with eyes; from 0 to 1 in height.
constexpr Ball kBalls[] = {
    {{0.00, 0.36, 0.00}, 0.44},  {{0.00, 0.58, 0.00}, 0.36},                                // belly, head
    {{-0.17, 0.10, 0.04}, 0.22}, {{0.17, 0.10, 0.04}, 0.22},                                // feet
    {{-0.31, 0.46, 0.02}, 0.20}, {{-0.41, 0.57, 0.04}, 0.17}, {{-0.46, 0.69, 0.06}, 0.17},  // left arm
    {{0.31, 0.46, 0.02}, 0.20},  {{0.41, 0.57, 0.04}, 0.17},  {{0.46, 0.69, 0.06}, 0.17},   // right arm
    {{-0.11, 0.76, 0.05}, 0.16}, {{-0.15, 0.88, 0.07}, 0.19},                               // left eye
    {{0.11, 0.76, 0.05}, 0.16},  {{0.15, 0.88, 0.07}, 0.19},                                // right eye
};
constexpr double kThreshold = 0.25;

/// The balls' influences (Wyvill et al. 1986): (1 - (d / reach)^2)^3 each. Positive inside.
double field(const Vec3d& x) {
  double sum = -kThreshold;
  for (const Ball& ball : kBalls) {
    const double s = 1 - length_squared(x - ball.center) / (ball.reach * ball.reach);
    if (s > 0) sum += s * s * s;
  }
  return sum;
}

/// Where the field is zero between an inside and an outside point: the way is halved.
Vec3d border(Vec3d inside, Vec3d outside) {
  for (int i = 0; i < 40; ++i) {
    const Vec3d middle = (inside + outside) * 0.5;
    (field(middle) > 0 ? inside : outside) = middle;
  }
  return (inside + outside) * 0.5;
}

}  // namespace

TriMesh blob(double height, int cells) {
  require_length("blob", "height", height);
  require_count("blob", "cells", cells, 8);
  require_vertex_count("blob", "cells", 1.5 * cells * cells * cells);
  // A box around the creature, with a layer of room. Half a cell off, so that its plane of symmetry is no layer of grid
  // points: those on the border would make triangles without area.
  const double cell = 1.0 / cells;
  const Vec3d low{-0.625 - 0.013 * cell, -0.125 - 0.017 * cell, -0.5 - 0.011 * cell};
  const int64_t nx = static_cast<int64_t>(std::ceil(1.25 * cells)) + 2, ny = nx, nz = cells + 2;
  const auto position = [&](int64_t node) {
    return low + Vec3d{static_cast<double>(node % nx), static_cast<double>(node / nx % ny),
                       static_cast<double>(node / (nx * ny))} *
                     cell;
  };
  std::vector<char> inside(index(nx * ny * nz));
  for (int64_t node = 0; node < nx * ny * nz; ++node) inside[index(node)] = field(position(node)) > 0;

  TriMesh mesh;
  std::unordered_map<int64_t, int> cuts;  // edge -> vertex; numbers follow the order of the cells
  const auto cut = [&](int64_t a, int64_t b) {
    const int64_t from = inside[index(a)] ? a : b, to = from == a ? b : a;
    const auto [it, is_new] = cuts.try_emplace(from * nx * ny * nz + to, static_cast<int>(mesh.positions.size()));
    if (is_new) mesh.positions.push_back(border(position(from), position(to)));
    return it->second;
  };
  // Six tets around the diagonal of each cell: the ways from its lowest to its highest corner, one axis at a time.
  const int64_t steps[3] = {1, nx, nx * ny};
  static constexpr std::array<std::array<int, 3>, 6> kWays = {
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  for (int64_t k = 0; k + 1 < nz; ++k) {
    for (int64_t j = 0; j + 1 < ny; ++j) {
      for (int64_t i = 0; i + 1 < nx; ++i) {
        for (std::size_t way = 0; way < kWays.size(); ++way) {
          std::array<int64_t, 4> corners{(k * ny + j) * nx + i};
          for (std::size_t s = 0; s < 3; ++s) corners[s + 1] = corners[s] + steps[kWays[way][s]];
          if (way >= 3) std::swap(corners[2], corners[3]);  // all of positive volume
          // Inside corners first; each exchange turns the tet.
          bool turned = false;
          for (std::size_t a = 1; a < 4; ++a) {
            for (std::size_t b = a; b > 0 && inside[index(corners[b])] > inside[index(corners[b - 1])]; --b) {
              std::swap(corners[b], corners[b - 1]);
              turned = !turned;
            }
          }
          const auto add = [&](int a, int b, int c) {
            if (turned) std::swap(b, c);
            mesh.triangles.push_back({a, b, c});
          };
          const auto& [a, b, c, d] = corners;
          switch (inside[index(a)] + inside[index(b)] + inside[index(c)] + inside[index(d)]) {
            case 1:
              add(cut(a, b), cut(a, c), cut(a, d));
              break;
            case 2:
              add(cut(a, c), cut(a, d), cut(b, d));
              add(cut(a, c), cut(b, d), cut(b, c));
              break;
            case 3:
              add(cut(a, d), cut(b, d), cut(c, d));
              break;
            default:
              break;
          }
        }
      }
    }
  }
  for (Vec3d& x : mesh.positions) x = {x.x * height, (x.y - 0.5) * height, x.z * height};
  return mesh;
}

}  // namespace pliant
