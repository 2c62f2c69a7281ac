#pragma once
// The programmer's mistakes. (A user's mistake throws pliant::Error instead.)
//
//   PLIANT_CHECK(condition, "what to do instead")   in every build; where it costs nothing
//   PLIANT_ASSERT(condition, "what to do instead")  in debug and sanitizer builds; inside loops
//
// A failure prints condition, place and advice, and aborts.

namespace pliant::detail {

[[noreturn]] void check_failed(const char* condition, const char* advice, const char* file, int line);

}  // namespace pliant::detail

#define PLIANT_CHECK(condition, advice) \
  ((condition) ? void(0) : ::pliant::detail::check_failed(#condition, advice, __FILE__, __LINE__))

#if defined(PLIANT_DEBUG) || !defined(NDEBUG)
#define PLIANT_ASSERT(condition, advice) PLIANT_CHECK(condition, advice)
#else
// Names what the condition names, so that a release build has no unused variables, and runs nothing.
#define PLIANT_ASSERT(condition, advice) void(sizeof((condition) ? 1 : 0))
#endif
