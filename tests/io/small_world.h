#pragma once
// A world with one body of each kind, small and quick.

#include "pliant/pliant.h"

namespace pliant::test {

/// A cloth with texture coordinates and a seam, an elastic solid with inner vertices, and a rope, falling. Frame after
/// frame they move and deform.
inline World falling_world() {
  World world({.step = 1.0 / 60, .substeps = 4, .threads = 1});
  TriMesh sheet = grid({1, 1}, {3, 3});
  for (std::size_t t = 0; t < sheet.triangles.size(); ++t) {
    std::array<Vec2d, 3> corners;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3d& x = sheet.positions[static_cast<std::size_t>(sheet.triangles[t][i])];
      corners[i] = {x.x + 0.5 + (t < 6 ? 1 : 0), x.z + 0.5};  // the first six triangles lie elsewhere in the picture
    }
    sheet.texture_coordinates.push_back(corners);
  }
  const BodyId cloth = world.add(Cloth{.name = "sheet", .mesh = sheet, .place = {.position = {0, 2, 0}}});
  world.pin(cloth, {0, 3});
  const BodyId solid = world.add(Solid{.name = "jelly",
                                       .mesh = box_tets({1, 1, 1}, {3, 3, 3}),
                                       .material = Material{.young = 2e4, .poisson = 0.4},
                                       .place = {.position = {2, 0, 0}, .rotation = {0.3, 0.2, 0.1}},
                                       .color = Vec3d{0.2, 0.7, 0.3}});
  world.pin(solid, {0, 1, 2, 3});
  world.add(Rope{.name = "line", .mesh = rope({3, 0, 0}, {4, 1, 0}, 4), .velocity = {0, 3, 1}});
  return world;
}

}  // namespace pliant::test
