// Any bytes as a snapshot: it is restored, and a step is made from there, or it is refused. For libFuzzer (clang).

#include <cstdint>

#include "io/fuzzed.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static pliant::World world = pliant::test::world_of_snapshots();
  pliant::test::restore_fuzzed(world, {reinterpret_cast<const char*>(data), size});
  return 0;
}
