#include <gtest/gtest.h>

#include <filesystem>

#include "mesh/mesh_checks.h"
#include "pliant/pliant.h"
#include "scene/temporary_folder.h"

namespace pliant {
namespace {

using test::TemporaryFolder;

World small_world() {
  World world({.step = 1.0 / 60, .substeps = 2, .threads = 1});
  const BodyId jelly = world.add(Solid{.name = "jelly", .mesh = box_tets({1, 1, 1}, {2, 2, 2})});
  world.pin(jelly, {0});
  return world;
}

TEST(SnapshotFile, GoesOnWithTheSameBits) {
  const TemporaryFolder folder;
  const std::string path = folder.file("new/folder/a.snapshot");
  World world = small_world();
  for (int i = 0; i < 3; ++i) world.step();
  save_snapshot(world, path);
  for (int i = 0; i < 3; ++i) world.step();

  World other = small_world();
  load_snapshot(other, path);
  EXPECT_EQ(other.steps(), 3);
  for (int i = 0; i < 3; ++i) other.step();
  EXPECT_EQ(other.state_hash(), world.state_hash());
}

TEST(SnapshotFile, NamesTheFileInErrors) {
  const TemporaryFolder folder;
  World world = small_world();
  EXPECT_THROW(load_snapshot(world, folder.file("none")), Error);
  const std::string path = folder.file("a.snapshot");
  save_snapshot(world, path);
  const uint64_t hash = world.state_hash();
  const std::string whole = test::read_text(path);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
    folder.write("a.snapshot", whole.substr(0, size));
    try {
      load_snapshot(world, path);
      ADD_FAILURE() << "cut at " << size;
    } catch (const Error& error) {
      EXPECT_TRUE(error.where().starts_with(path)) << error.what();
    }
    EXPECT_EQ(world.state_hash(), hash) << "a failed load changes nothing";
  }
}

TEST(SnapshotFile, ReplacesTheOldOneWhole) {
  const TemporaryFolder folder;
  World world = small_world();
  save_snapshot(world, folder.file("a.snapshot"));
  world.step();
  save_snapshot(world, folder.file("a.snapshot"));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.snapshot"}));
  World other = small_world();
  load_snapshot(other, folder.file("a.snapshot"));
  EXPECT_EQ(other.steps(), 1);
}

}  // namespace
}  // namespace pliant
