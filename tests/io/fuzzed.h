#pragma once
// What is done with the bytes of a fuzzed file: by the fuzzers (script/fuzz) and by the tests that read again what
// fuzzers have met.

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash.h"
#include "io/mesh_formats.h"
#include "pliant/pliant.h"

namespace pliant::test {

/// TetGen's pair as one file: points and tets with a zero byte between them.
inline MeshParts parse_tetgen_pair(std::string_view bytes, const std::string& file) {
  const std::size_t zero = bytes.find('\0');
  const std::string_view elements = zero == std::string_view::npos ? "" : bytes.substr(zero + 1);
  const TetMesh mesh = parse_tetgen(bytes.substr(0, zero), file, elements, file);
  return {mesh.positions, {}, {}, mesh.tets};
}

/// A glTF file whose other files are all alike.
inline MeshParts parse_gltf_alone(std::string_view bytes, const std::string& file) {
  return parse_gltf(bytes, file, [](const std::string&) { return std::string(132, '\x01'); });
}

/// A world with all that a snapshot holds: multipliers, a balloon, a solid that flows, contacts, a rigid body.
inline World world_of_snapshots() {
  World world({.step = 1.0 / 60, .substeps = 2, .threads = 1});
  world.add(Cloth{.name = "sheet", .mesh = grid({1, 1}, {2, 2}), .place = {.position = {0, 1, 0}}});
  world.add(Solid{.name = "clay",
                  .mesh = box_tets({1, 1, 1}, {1, 1, 1}),
                  .material = Material{.young = 2e4, .plasticity = Plasticity{}},
                  .place = {.position = {0, 3, 0}}});
  world.add(Rope{.name = "line", .mesh = rope({3, 0, 0}, {4, 1, 0}, 2)});
  world.add(Plane{.normal = {0, 1, 0}});
  world.add(Sphere{.radius = 0.3}, {.position = {0, 0.5, 0}, .density = 500});
  return world;
}

/// Restores from bytes as they are; then from a whole snapshot whose sections (solver/archive.h), all but the
/// description, hold these bytes, with the right check sum, so that what lies in them is looked at, too. Makes a step
/// from there.
inline void restore_fuzzed(World& world, std::string_view bytes) {
  const auto restore = [&](const void* data, std::size_t size) {
    try {
      world.restore({static_cast<const std::byte*>(data), size});
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  const std::vector<std::byte> good = world.snapshot();
  if (restore(bytes.data(), bytes.size())) world.step();
  restore(good.data(), good.size());

  std::vector<std::byte> repaired = good;
  const std::size_t body = repaired.size() - sizeof(uint64_t);
  std::size_t at = 8 + sizeof(uint32_t);  // behind magic number and version
  for (bool description = true; at < body; description = false) {
    uint32_t name = 0;
    uint64_t length = 0;
    std::memcpy(&name, &good[at], sizeof(name));
    std::memcpy(&length, &good[at + sizeof(name) + name], sizeof(length));
    at += sizeof(name) + name + sizeof(length);
    const std::size_t taken = description ? 0 : std::min<std::size_t>(length, bytes.size());
    if (taken > 0) std::memcpy(&repaired[at], bytes.data(), taken);
    bytes.remove_prefix(taken);
    at += length;
  }
  const uint64_t sum = hash_bytes(repaired.data(), body);
  std::memcpy(&repaired[body], &sum, sizeof(sum));
  if (restore(repaired.data(), repaired.size())) world.step();
  restore(good.data(), good.size());
}

}  // namespace pliant::test
