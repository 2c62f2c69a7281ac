#pragma once
// How many processors the machine really gives at this moment. In a virtual machine two processors may be two threads
// of one core for a while, or be shared with neighbours: the system does not tell, and two threads are then as slow as
// one, whatever the program does. Or a neighbour shares the one core and not the other, and the same thread is half as
// fast now as a moment ago. Such turns say nothing about the program.

#include <initializer_list>
#include <memory>

namespace pliant::bench {

/// How long the same arithmetic takes [s].
struct Pace {
  double alone = 0;     // one thread
  double together = 0;  // all threads at once, each as much
};

class Probe {
 public:
  explicit Probe(int threads);
  ~Probe();
  /// Takes a few milliseconds.
  Pace pace();
  /// The same, after a wait of up to two seconds for a moment when there are as many processors as threads.
  Pace wait_for_processors();
  /// As many as `threads` on a machine that was quiet all the time, from what was measured before, between and after:
  /// the slowest that a thread was, beside others or alone, against the fastest.
  static double processors(std::initializer_list<Pace> paces, int threads);
  static bool enough(double processors, int threads) { return processors > 0.9 * threads; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pliant::bench
