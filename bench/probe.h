#pragma once
// How many processors the machine really gives at this moment. In a virtual machine two processors may be two threads
// of one core for a while, or be shared with neighbours: the system does not tell, and two threads are then as slow as
// one, whatever the program does. Such turns say nothing about the program.

#include <memory>

namespace pliant::bench {

class Probe {
 public:
  explicit Probe(int threads);
  ~Probe();
  /// Arithmetic that all threads do together, over that of one alone: `threads` on a quiet machine. Takes a few
  /// milliseconds.
  double processors();
  /// The same, after a wait of up to two seconds for a moment when there are enough.
  double wait_for_processors();
  static bool enough(double processors, int threads) { return processors > 0.9 * threads; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pliant::bench
