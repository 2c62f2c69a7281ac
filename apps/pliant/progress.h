#pragma once
// How far a run is, on stderr: a bar that is drawn over itself on a terminal, a plain line now and
// then elsewhere.

#include <chrono>
#include <cstdint>
#include <string>

namespace pliant::app {

class Progress {
 public:
  enum class Unit {
    frames,    // "frame 3/120, 40 steps/s, 3 s left"
    percent,   // "25 %, 3 s left"
    drawings,  // "drawing 3/120, 8 frames/s, 3 s left"
  };

  /// Frames (or parts) `first` + 1 to `last` are going to be made.
  Progress(int64_t first, int64_t last, bool quiet, Unit unit = Unit::frames);
  ~Progress();

  /// So many more are done.
  void advance(int64_t count = 1);
  /// Before something else is printed on stderr: it takes the place of the bar, which is drawn anew below.
  void make_way();

 private:
  using Clock = std::chrono::steady_clock;

  void draw_bar(const std::string& rates) const;
  std::string rates(Clock::time_point now) const;
  std::string position() const;

  const int64_t first_, last_;
  const bool quiet_, terminal_;
  const Unit unit_;
  const Clock::time_point start_;
  int64_t done_ = 0;  // frames made by now
  Clock::time_point shown_;
  int64_t shown_at_ = 0;
  bool drawn_ = false;
};

}  // namespace pliant::app
