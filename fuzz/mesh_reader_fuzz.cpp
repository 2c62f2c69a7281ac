// Any bytes into a mesh reader: it returns a mesh whose numbers are in range, or throws pliant::Error. Built once per
// format by script/fuzz, which defines PLIANT_FUZZ_PARSE; for libFuzzer (clang).

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "io/fuzzed.h"
#include "io/mesh_formats.h"
#include "pliant/error.h"

namespace {

template <class Elements>
void require_in_range(const Elements& elements, std::size_t vertices) {
  for (const auto& element : elements) {
    for (const int v : element) {
      if (v < 0 || static_cast<std::size_t>(v) >= vertices) std::abort();
    }
  }
}

}  // namespace

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
