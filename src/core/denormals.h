#pragma once
// Numbers below the smallest normal one (float: 1e-38). Bodies that come to rest are full of them, and many processors
// take a hundred times as long for an operation with one: elastic cloth at rest took twice its time on a Xeon. A step
// takes them for zero, on all of its threads, so that results do not depend on what the host has set for its own.
//
// On x86-64 and 64-bit ARM; elsewhere nothing changes.

#include <cstdint>

namespace pliant {

/// While it lives this thread takes numbers that are too small to be normal for zero (or not), as operands and as
/// results. Then it does as before.
class FlushDenormals {
 public:
  explicit FlushDenormals(bool on = true) : before_(mode()) {
    const Mode wanted = on ? before_ | kFlush : before_ & ~kFlush;
    changed_ = wanted != before_;
    if (changed_) set_mode(wanted);
  }
  ~FlushDenormals() {
    if (changed_) set_mode(before_);
  }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

  /// Does this thread do so?
  static bool on() { return kFlush != 0 && (mode() & kFlush) == kFlush; }

 private:
#if defined(__x86_64__)
  using Mode = uint32_t;
  static constexpr Mode kFlush = 0x8040;  // results (bit 15) and operands (bit 6)
  static Mode mode() { return __builtin_ia32_stmxcsr(); }
  static void set_mode(Mode mode) { __builtin_ia32_ldmxcsr(mode); }
#elif defined(__aarch64__)
  using Mode = uint64_t;
  static constexpr Mode kFlush = uint64_t{1} << 24;
  static Mode mode() {
    Mode mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static void set_mode(Mode mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
  using Mode = uint32_t;
  static constexpr Mode kFlush = 0;
  static Mode mode() { return 0; }
  static void set_mode(Mode) {}
#endif

  Mode before_;
  bool changed_;
};

}  // namespace pliant
