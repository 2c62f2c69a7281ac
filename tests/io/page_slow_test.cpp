// A browser opens the page that we write: pictures, motion, buttons, no messages (script/validate.d/html.py).
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "pliant/pliant.h"
#include "scene/temporary_folder.h"
#include "test_paths.h"

namespace pliant {
namespace {

TEST(HtmlWriter, PlaysInChromium) {
  const test::TemporaryFolder folder;
  World world({.step = 1.0 / 30, .substeps = 5, .threads = 1});
  const BodyId sheet =
      world.add(Cloth{.name = "sheet", .mesh = grid({1, 1}, {16, 16}), .place = {.position = {0, 1.2, 0}}});
  world.pin(sheet, {0, 16});
  world.add(Solid{.name = "jelly", .mesh = box_tets({0.4, 0.4, 0.4}, {4, 4, 4}), .place = {.position = {1, 1, 0}}});
  world.add(Rope{.name = "line", .mesh = rope({-1, 0, 0}, {-1, 1, 0}, 10)});
  Writer out(folder.file("page.html"), {.picture = {.title = "Test"}});
  for (int i = 0; i < 20; ++i) {
    world.step();
    out.write(world);
  }
  out.close();
  const std::string command =
      "/usr/bin/python3 '" PLIANT_SOURCE_DIR "/script/validate.d/html.py' '" + folder.file("page.html") + "'";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  const int code = WEXITSTATUS(status);
  if (code == 77 || code == 127) GTEST_SKIP() << "no Chromium or no Python: apt-get install chromium python3";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace pliant
