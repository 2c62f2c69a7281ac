#include "counters.h"

#include <linux/perf_event.h>
#include <malloc.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace pliant::bench {

MemoryUse memory_use() {
  malloc_trim(0);
  MemoryUse out;
  const struct mallinfo2 heap = mallinfo2();
  out.allocated = static_cast<double>(heap.uordblks + heap.hblkhd);
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) out.resident = 1024 * std::stod(line.substr(6));
    if (line.starts_with("VmHWM:")) out.peak = 1024 * std::stod(line.substr(6));
  }
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts anew
  return out;
}

std::optional<double> instructions_of(const std::function<void()>& run) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const int file = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
  if (file < 0) return {};
  ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
  run();
  ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
  int64_t count = 0;
  const bool good = read(file, &count, sizeof count) == sizeof count && count > 0;
  close(file);
  return good ? std::optional<double>(static_cast<double>(count)) : std::nullopt;
}

}  // namespace pliant::bench
