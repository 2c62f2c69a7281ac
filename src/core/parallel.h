#pragma once
// Loops over a JobSystem whose result does not depend on the number of threads.
//
// A range [0, count) is cut into chunks of `grain` elements, the last one shorter: the borders follow
// from count and grain alone. Neither function allocates; the body is passed by reference.

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "core/assert.h"
#include "core/denormals.h"
#include "pliant/jobs.h"

namespace pliant {

namespace detail {

/// A JobSystem counts tasks in an int; a finer cut than this is made coarser (for any number of
/// threads alike).
inline constexpr int64_t kMaxChunks = int64_t{1} << 30;

inline int64_t usable_grain(int64_t count, int64_t grain) {
  PLIANT_ASSERT(grain >= 1, "give parallel loops at least one element per chunk");
  const int64_t smallest = (count + kMaxChunks - 1) / kMaxChunks;
  return grain < smallest ? smallest : grain;
}

}  // namespace detail

/// Into how many chunks the loops below cut a range.
inline int64_t chunk_count(int64_t count, int64_t grain) {
  if (count <= 0) return 0;
  grain = detail::usable_grain(count, grain);
  return (count + grain - 1) / grain;
}

/// Calls f(chunk, begin, end) for each chunk of [0, count), on any thread, in any order, and returns
/// when all are done. A single chunk runs on the caller. f must not throw. Denormal numbers are what they are to the
/// caller (core/denormals.h).
template <class F>
void parallel_for_chunks(JobSystem& jobs, int64_t count, int64_t grain, F&& f) {
  if (count <= 0) return;
  grain = detail::usable_grain(count, grain);
  if (count <= grain) {
    f(int64_t{0}, int64_t{0}, count);
    return;
  }
  struct Loop {
    std::remove_reference_t<F>* body;
    int64_t count, grain;
    bool flush;
  };
  Loop loop{std::addressof(f), count, grain, FlushDenormals::on()};
  const auto task = [](void* context, int i) {
    const Loop& l = *static_cast<const Loop*>(context);
    const FlushDenormals as_the_caller(l.flush);
    const int64_t begin = int64_t{i} * l.grain;
    const int64_t end = begin + l.grain < l.count ? begin + l.grain : l.count;
    (*l.body)(int64_t{i}, begin, end);
  };
  jobs.run(static_cast<int>((count + grain - 1) / grain), task, &loop);
}

/// Calls f(begin, end) for each chunk of [0, count), on any thread, in any order, and returns when
/// all are done. A single chunk (count <= grain) runs on the caller. f must not throw.
template <class F>
void parallel_for(JobSystem& jobs, int64_t count, int64_t grain, F&& f) {
  parallel_for_chunks(jobs, count, grain, [&f](int64_t, int64_t begin, int64_t end) { f(begin, end); });
}

/// start (+) f(chunk 0) (+) f(chunk 1) (+) ..., added up in this order by the caller, so that sums of
/// floating-point numbers have the same bits for any number of threads. `partials` is room for at
/// least chunk_count(count, grain) values; f(begin, end) gives a chunk's value; combine(a, b) adds.
template <class T, class F, class Combine>
T chunked_reduce(JobSystem& jobs, int64_t count, int64_t grain, std::span<T> partials, T start, F&& f,
                 Combine&& combine) {
  const int64_t chunks = chunk_count(count, grain);
  PLIANT_CHECK(static_cast<int64_t>(partials.size()) >= chunks,
               "size the buffer of a reduction by chunk_count(count, grain)");
  parallel_for_chunks(jobs, count, grain,
                      [&](int64_t chunk, int64_t begin, int64_t end) { partials[chunk] = f(begin, end); });
  for (int64_t i = 0; i < chunks; ++i) start = combine(start, partials[i]);
  return start;
}

/// The sum of f(begin, end) over the chunks, in order. See chunked_reduce.
template <class T, class F>
T chunked_sum(JobSystem& jobs, int64_t count, int64_t grain, std::span<T> partials, F&& f) {
  return chunked_reduce(jobs, count, grain, partials, T{}, f, [](const T& a, const T& b) { return a + b; });
}

}  // namespace pliant
