#pragma once
// How long the stages of a step take.

#include <array>
#include <chrono>
#include <cstddef>

namespace pliant {

enum class Stage { predict, find_contacts, project, project_contacts, guard, velocities, end };
constexpr std::array<const char*, 7> kStageNames = {"predict", "find contacts", "project", "project contacts",
                                                    "guard",   "velocities",    "end"};

/// Does nothing unless it is switched on: reading a clock costs as much as a small scene's stage.
class StageClock {
 public:
  explicit StageClock(bool on) : on_(on) {}
  void start() {
    if (on_) last_ = Clock::now();
  }
  /// The time since the last call was that of this stage.
  void done(Stage stage) {
    if (!on_) return;
    const Clock::time_point now = Clock::now();
    seconds_[static_cast<std::size_t>(stage)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  const std::array<double, kStageNames.size()>& seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool on_;
  Clock::time_point last_{};
  std::array<double, kStageNames.size()> seconds_{};
};

}  // namespace pliant
