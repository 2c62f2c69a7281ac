#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace pliant::app {
namespace {

std::string readable_time(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

Progress::Progress(int64_t first, int64_t last, bool quiet, Unit unit)
    : first_(first),
      last_(last),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      unit_(unit),
      start_(Clock::now()),
      shown_(start_) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\n", stderr);
}

void Progress::advance(int64_t count_done) {
  done_ += count_done;
  if (quiet_) return;
  const auto now = Clock::now();
  const int64_t count = last_ - first_;
  const bool finished = done_ == count;
  if (terminal_) {
    constexpr auto kRedraw = std::chrono::milliseconds(50);  // faster than that nobody can read
    if (!finished && drawn_ && now - shown_ < kRedraw) return;
    draw_bar(rates(now));
    drawn_ = true;
    shown_ = now;
    return;
  }
  // A line per tenth of the run, and at least one in a while when it is a long one.
  constexpr auto kSilence = std::chrono::seconds(10);
  if (!finished && (done_ - shown_at_) * 10 < count && now - shown_ < kSilence) return;
  const char* noun = unit_ == Unit::frames ? "frame " : unit_ == Unit::drawings ? "drawing " : "";
  fmt::print(stderr, "{}{}, {}\n", noun, position(), rates(now));
  shown_ = now;
  shown_at_ = done_;
}

void Progress::make_way() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

std::string Progress::rates(Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  const int64_t left = last_ - first_ - done_;
  const std::string rest = left > 0 && rate > 0 ? readable_time(static_cast<double>(left) / rate) + " left" : "";
  if (unit_ == Unit::percent) return rest.empty() ? readable_time(seconds) : rest;
  const char* things = unit_ == Unit::drawings ? "drawings" : "steps";
  return fmt::format("{:.4g} {}/s{}{}", rate, things, rest.empty() ? "" : ", ", rest);
}

std::string Progress::position() const {
  if (unit_ == Unit::percent) return fmt::format("{} %", 100 * done_ / (last_ - first_));
  return fmt::format("{}/{}", first_ + done_, last_);
}

void Progress::draw_bar(const std::string& rates) const {
  constexpr int kWidth = 30;
  const int full = static_cast<int>(kWidth * done_ / (last_ - first_));
  const std::string bar =
      std::string(static_cast<size_t>(full), '#') + std::string(static_cast<size_t>(kWidth - full), '.');
  // Back to the start of the line, and what is left of a longer one before is cleared.
  fmt::print(stderr, "\r[{}] {}  {}\033[K", bar, position(), rates);
  std::fflush(stderr);
}

}  // namespace pliant::app
