// Any bytes into a mesh reader: it returns a mesh whose numbers are in range, or throws pliant::Error. Built once per
// format by script/fuzz, which defines PLIANT_FUZZ_PARSE; for libFuzzer (clang).

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/mesh_formats.h"
#include "pliant/error.h"

namespace pliant {
namespace {

/// The same shape for all formats.
[[maybe_unused]] MeshParts parse_node(std::string_view bytes, const std::string& file) {
  const TetMesh mesh = parse_tetgen(bytes, file, "1 4 0\n1 1 2 3 4\n", file);
  return {mesh.positions, {}, {}, mesh.tets};
}
[[maybe_unused]] MeshParts parse_ele(std::string_view bytes, const std::string& file) {
  const TetMesh mesh = parse_tetgen("4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", file, bytes, file);
  return {mesh.positions, {}, {}, mesh.tets};
}
[[maybe_unused]] MeshParts parse_gltf_alone(std::string_view bytes, const std::string& file) {
  return parse_gltf(bytes, file, [](const std::string&) { return std::string(132, '\x01'); });
}

template <class Elements>
void require_in_range(const Elements& elements, std::size_t vertices) {
  for (const auto& element : elements) {
    for (const int v : element) {
      if (v < 0 || static_cast<std::size_t>(v) >= vertices) std::abort();
    }
  }
}

}  // namespace
}  // namespace pliant

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace pliant;
  try {
    const MeshParts mesh = PLIANT_FUZZ_PARSE({reinterpret_cast<const char*>(data), size}, "f");
    for (const Vec3d& x : mesh.positions) {
      if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) std::abort();
    }
    require_in_range(mesh.triangles, mesh.positions.size());
    require_in_range(mesh.edges, mesh.positions.size());
    require_in_range(mesh.tets, mesh.positions.size());
    if (!mesh.texture_coordinates.empty() && mesh.texture_coordinates.size() != mesh.triangles.size()) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
