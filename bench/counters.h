#pragma once
// What the system tells about this process: memory, instructions.

#include <functional>
#include <optional>

namespace pliant::bench {

struct MemoryUse {
  double allocated = 0;  // [byte] by the program, and not freed
  double resident = 0;   // [byte] of the process; what was freed is given back to the system first
  double peak = 0;       // [byte] the most of it since the last call
};
MemoryUse memory_use();

/// Instructions that the calling thread carries out in `run`; nothing where the processor or the system does not tell.
std::optional<double> instructions_of(const std::function<void()>& run);

}  // namespace pliant::bench
