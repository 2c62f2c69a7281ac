// Any bytes as a scene: it is built, or refused by a pliant::Error. For libFuzzer (clang); script/fuzz builds it with a
// small limit of vertices (scene/build.h), so that a try takes milliseconds.

#include <cstdint>
#include <string>

#include "pliant/error.h"
#include "pliant/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  try {
    // A folder that is not there: a scene that names files shall not meet files of this machine.
    pliant::parse_scene({reinterpret_cast<const char*>(data), size}, "/nowhere/scene.json", {.threads = 1});
  } catch (const pliant::Error&) {
  }
  return 0;
}
