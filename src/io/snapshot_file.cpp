// Snapshots in files: the bytes of World::snapshot(), which carry their own magic number, version and
// checksum.

#include <span>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "io/writer.h"
#include "pliant/error.h"
#include "pliant/io.h"

namespace pliant {

void save_snapshot(const World& world, const std::string& path) {
  const std::vector<std::byte> bytes = world.snapshot();
  make_folder_of(path);
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void load_snapshot(World& world, const std::string& path) {
  const std::string bytes = read_file(path);
  try {
    world.restore(std::as_bytes(std::span(bytes.data(), bytes.size())));
  } catch (const Error& error) {
    throw error.inside(path);
  }
}

}  // namespace pliant
