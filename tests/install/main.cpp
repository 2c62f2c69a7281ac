#include <pliant/pliant.h>

int main() {
  pliant::World world({.step = 1.0 / 60, .substeps = 10});
  auto cloth = world.add(pliant::Cloth{.mesh = pliant::grid({1, 1}, {40, 40}), .density = 0.2});
  world.pin(cloth, {0, 40});
  pliant::Writer out("cloth.obj");
  for (int frame = 0; frame < 60; ++frame) {
    world.step();
    out.write(world);
  }
  out.close();
}
