#pragma once
// How far a run is, on stderr: a bar that is drawn over itself on a terminal, a plain line now and
// then elsewhere.

#include <chrono>
#include <cstdint>
#include <string>

namespace pliant::app {

class Progress {
 public:
  /// Frames `first` + 1 to `last` are going to be made.
  Progress(int64_t first, int64_t last, bool quiet);
  ~Progress();

  /// A frame is done.
  void advance();

 private:
  using Clock = std::chrono::steady_clock;

  void draw_bar(const std::string& rates) const;
  std::string rates(Clock::time_point now) const;

  const int64_t first_, last_;
  const bool quiet_, terminal_;
  const Clock::time_point start_;
  int64_t done_ = 0;  // frames made by now
  Clock::time_point shown_;
  int64_t shown_at_ = 0;
  bool drawn_ = false;
};

}  // namespace pliant::app
