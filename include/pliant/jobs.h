#pragma once
// Parallel loops. The engine brings a thread pool; a host application that has its own scheduler
// hands it in through this interface instead.

#include <memory>

namespace pliant {

class JobSystem {
 public:
  virtual ~JobSystem() = default;
  /// How many threads work at the same time, the caller included; at least 1.
  virtual int threads() const = 0;
  /// Calls task(context, i) once for each i in [0, count), on any thread, in any order, and returns
  /// when all are done. What tasks wrote is visible to the caller. Not called from inside a task.
  virtual void run(int count, void (*task)(void* context, int i), void* context) = 0;
};

/// The engine's own pool: `threads` in all (0: one per core). Waiting threads spin for a few
/// microseconds, then sleep. Where threads do not exist it runs everything on the caller.
std::shared_ptr<JobSystem> make_thread_pool(int threads);

}  // namespace pliant
