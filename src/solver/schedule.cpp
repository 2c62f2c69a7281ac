#include "solver/schedule.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

#include "constraints/constraint.h"

namespace pliant {

namespace {

// A slice is at least 32 batches, so that its work outweighs the start of a job, and four batches of each colour, so
// that few lanes stay empty. More than 16 slices only where each has 8192 constraints and more, which with their
// particles fill a second cache.
constexpr int64_t kLeastInSlice = 512, kLeastOfColor = 4 * kLanes, kManySlices = 16, kFullSlice = 8192;
// Constraints that one thread does alone: less work than the start of jobs, or less than a hundredth of all.
constexpr int64_t small_rest(int64_t count) { return std::max<int64_t>(512, count / 128); }
constexpr int kBatchesPerTask = 8;  // of a colour: half a microsecond of work or more

/// The lowest and highest moving particle of a constraint.
struct Span {
  int32_t low = std::numeric_limits<int32_t>::max();
  int32_t high = -1;
  bool ghost = false;
  int32_t length() const { return std::max(0, high - low); }
};

class Scheduler {
 public:
  Scheduler(std::span<int32_t> particles, int points, int parts, std::span<const uint8_t> moves, int first_ghost)
      : particles_(particles), points_(points), parts_(parts), moves_(moves) {
    Hubs hubs = split_hubs(particles, points, moves, first_ghost);
    out_.hubs = std::move(hubs.hubs);
    out_.ghosts = hubs.ghosts;
    all_particles_ = std::max<int64_t>(static_cast<int64_t>(moves.size()), first_ghost) + out_.ghosts;
    out_.task_begin.push_back(0);
    out_.phase_begin.push_back(0);
  }

  Schedule run() {
    const int64_t count = static_cast<int64_t>(particles_.size()) / points_;
    std::vector<Span> spans(count);
    for (int64_t c = 0; c < count; ++c) spans[c] = span_of(c);
    const std::vector<int32_t> begin = slices(spans);
    const auto slice_count = static_cast<int64_t>(begin.size());

    std::vector<std::vector<int32_t>> inside(slice_count), across(slice_count);
    std::vector<int32_t> rest;
    for (int64_t c = 0; c < count; ++c) {
      const Span& s = spans[c];
      const auto slice_of = [&](int32_t p) {
        return std::upper_bound(begin.begin(), begin.end(), p) - begin.begin() - 1;
      };
      const auto middle = [&](std::ptrdiff_t k) {
        return k + 1 < slice_count ? begin[k] + (begin[k + 1] - begin[k]) / 2 : std::numeric_limits<int32_t>::max();
      };
      if (slice_count < 2 || s.ghost) {
        rest.push_back(static_cast<int32_t>(c));
        continue;
      }
      const auto first = std::max<std::ptrdiff_t>(0, slice_of(s.low)),
                 last = std::max<std::ptrdiff_t>(first, slice_of(s.high));
      if (first == last) {
        inside[first].push_back(static_cast<int32_t>(c));
      } else if (last == first + 1 && s.low >= middle(first) && s.high < middle(last)) {
        across[first].push_back(static_cast<int32_t>(c));
      } else {
        rest.push_back(static_cast<int32_t>(c));
      }
    }
    add_slices(inside, rest);
    add_slices(across, rest);
    std::sort(rest.begin(), rest.end());
    add_rest(rest);
    return std::move(out_);
  }

 private:
  Span span_of(int64_t c) const {
    Span s;
    for (int i = 0; i < points_; ++i) {
      const int32_t p = particles_[c * points_ + i];
      if (p >= static_cast<int32_t>(moves_.size())) {
        s.ghost = true;
      } else if (moves_[p]) {
        s.low = std::min(s.low, p);
        s.high = std::max(s.high, p);
      }
    }
    if (s.high < 0) s.low = s.high = 0;  // nothing moves: anywhere
    return s;
  }

  /// The first particle of each slice: as many constraints to each, and so wide that nearly all constraints across a
  /// cut reach less than half a slice to its sides. Empty where there is only one.
  std::vector<int32_t> slices(const std::vector<Span>& spans) const {
    const auto count = static_cast<int64_t>(spans.size());
    if (count < 2 * kLeastInSlice) return {};
    std::vector<int32_t> degree(moves_.size(), 0);  // the largest is about the number of colours
    for (int32_t p : particles_) {
      if (p < static_cast<int32_t>(moves_.size()) && moves_[p]) ++degree[p];
    }
    const int64_t least = std::max(kLeastInSlice, kLeastOfColor * std::ranges::max(degree));
    std::vector<int32_t> length(count);
    for (int64_t c = 0; c < count; ++c) length[c] = spans[c].length();
    const auto most = length.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(count));
    std::nth_element(length.begin(), most, length.end());
    const auto slice_count = [&] {
      const auto most_slices = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count / least)));
      return std::max(std::min(most_slices, kManySlices), count / kFullSlice);
    }();
    for (int64_t n = slice_count; n >= 2; n = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n - 1)))) {
      const std::vector<int32_t> begin = equal_slices(spans, n);
      int32_t narrowest = std::numeric_limits<int32_t>::max();
      for (int64_t k = 1; k < n; ++k) narrowest = std::min(narrowest, begin[k] - begin[k - 1]);
      if (narrowest > 2 * *most) return begin;
    }
    return {};
  }

  /// n slices with about as many constraints inside of each, which is what threads share. As many constraints that
  /// begin in each are not: the last slice has none across its end, a wide one more than others. A few rounds put that
  /// right; with many slices it does not matter.
  std::vector<int32_t> equal_slices(const std::vector<Span>& spans, int64_t n) const {
    const auto count = static_cast<int64_t>(spans.size());
    std::vector<double> share(n, 1.0 / static_cast<double>(n));  // of the constraints that begin in a slice
    std::vector<int32_t> begin(n);
    constexpr int kRounds = 4;
    for (int round = 0;; ++round) {
      double sum = 0;
      for (int64_t k = 0; k < n; ++k) {
        const auto first = static_cast<int64_t>(sum * static_cast<double>(count));
        begin[k] = spans[std::min(first, count - 1)].low;
        sum += share[k];
      }
      if (round == kRounds || n > kManySlices || count * parts_ < kFullSlice) return begin;
      std::vector<int64_t> inside(n, 1);
      int64_t k = 0;
      for (const Span& s : spans) {
        while (k + 1 < n && s.low >= begin[k + 1]) ++k;
        inside[k] += k + 1 == n || s.high < begin[k + 1];
      }
      sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += share[i] /= static_cast<double>(inside[i]);
      for (double& s : share) s /= sum;
    }
  }

  /// A phase with a task for each list. A few constraints that fit into no batch go to the rest.
  void add_slices(const std::vector<std::vector<int32_t>>& tasks, std::vector<int32_t>& rest) {
    std::vector<int32_t> all;
    for (const auto& task : tasks) all.insert(all.end(), task.begin(), task.end());
    if (all.empty()) return;
    const std::vector<int> color = first_fit(all).color;
    int64_t at = 0;
    for (const auto& task : tasks) {
      add_task(task, {color.begin() + at, color.begin() + at + static_cast<std::ptrdiff_t>(task.size())}, &rest);
      at += static_cast<int64_t>(task.size());
    }
    end_phase();
  }

  void add_rest(const std::vector<int32_t>& rest) {
    if (rest.empty()) return;
    Coloring coloring = first_fit(rest);
    if (static_cast<int64_t>(rest.size()) <= small_rest(static_cast<int64_t>(particles_.size()) / points_)) {
      add_task(rest, coloring.color, nullptr);
      end_phase();
      return;
    }
    std::vector<int32_t> corners = corners_of(rest);
    balance(corners, points_, moves_, all_particles_, coloring);
    std::vector<std::vector<int32_t>> by_color(coloring.colors);
    for (std::size_t k = 0; k < rest.size(); ++k) by_color[coloring.color[k]].push_back(rest[k]);
    for (const std::vector<int32_t>& one : by_color) {
      for (std::size_t from = 0; from < one.size(); from += kBatchesPerTask * kLanes) {
        const std::size_t to = std::min(one.size(), from + kBatchesPerTask * kLanes);
        out_.slots.insert(out_.slots.end(), one.begin() + static_cast<std::ptrdiff_t>(from),
                          one.begin() + static_cast<std::ptrdiff_t>(to));
        end_task();
      }
      end_phase();
    }
  }

  /// Batches of one colour each, which a core can overlap; what does not fill one is put together across colours.
  void add_task(const std::vector<int32_t>& constraints, const std::vector<int>& color, std::vector<int32_t>* rest) {
    const int colors = color.empty() ? 0 : *std::max_element(color.begin(), color.end()) + 1;
    std::vector<std::vector<int32_t>> by_color(colors);
    for (std::size_t k = 0; k < constraints.size(); ++k) by_color[color[k]].push_back(constraints[k]);
    std::vector<int32_t> left;
    for (std::size_t k = 0; k < by_color.size(); ++k) {
      // Those that hold on to something static stand together: a batch with one of them takes the longer way.
      std::ranges::stable_partition(by_color[k], [&](int32_t c) { return !all_move(c); });
      // What is left over comes from another place of the slice for each colour: what lies together would not fit
      // together.
      const std::vector<int32_t>& one = by_color[k];
      const std::size_t over = one.size() % kLanes;
      const auto from = one.begin() + static_cast<std::ptrdiff_t>(k * 2654435769u % (one.size() - over + 1));
      const auto to = from + static_cast<std::ptrdiff_t>(over);
      out_.slots.insert(out_.slots.end(), one.begin(), from);
      out_.slots.insert(out_.slots.end(), to, one.end());
      left.insert(left.end(), from, to);
    }
    fill_batches(left, rest);
    end_task();
  }

  /// First fit into batches of constraints that share no moving particle. What is at least half full in the end is
  /// padded, the others go to `rest`; without a rest all are padded.
  void fill_batches(const std::vector<int32_t>& constraints, std::vector<int32_t>* rest) {
    constexpr std::size_t kOpen = 64;  // batches at a time, one bit each
    taken_.resize(all_particles_, 0);
    std::size_t done = 0;
    while (done < constraints.size()) {
      std::vector<std::vector<int32_t>> batches;
      uint64_t full = 0;
      std::size_t k = done;
      for (; k < constraints.size(); ++k) {
        uint64_t used = full;
        each_mover(constraints[k], [&](int32_t p) { used |= taken_[p]; });
        const auto b = static_cast<std::size_t>(std::countr_one(used));
        if (b >= kOpen) break;
        if (b >= batches.size()) batches.resize(b + 1);
        batches[b].push_back(constraints[k]);
        each_mover(constraints[k], [&](int32_t p) { taken_[p] |= uint64_t{1} << b; });
        if (batches[b].size() == kLanes) full |= uint64_t{1} << b;
      }
      for (; done < k; ++done) each_mover(constraints[done], [&](int32_t p) { taken_[p] = 0; });
      for (const std::vector<int32_t>& batch : batches) {
        if (2 * batch.size() < kLanes && rest) {
          rest->insert(rest->end(), batch.begin(), batch.end());
        } else {
          out_.slots.insert(out_.slots.end(), batch.begin(), batch.end());
          pad();
        }
      }
    }
  }

  template <class F>
  void each_mover(int32_t c, F&& f) const {
    for (int i = 0; i < points_; ++i) {
      const int32_t p = particles_[int64_t{c} * points_ + i];
      if (p >= static_cast<int32_t>(moves_.size()) || moves_[p]) f(p);
    }
  }

  bool all_move(int32_t c) const {
    int movers = 0;
    each_mover(c, [&](int32_t) { ++movers; });
    return movers == points_;
  }

  std::vector<int32_t> corners_of(const std::vector<int32_t>& constraints) const {
    std::vector<int32_t> corners;
    corners.reserve(constraints.size() * points_);
    for (int32_t c : constraints) {
      corners.insert(corners.end(), particles_.begin() + int64_t{c} * points_,
                     particles_.begin() + int64_t{c + 1} * points_);
    }
    return corners;
  }

  Coloring first_fit(const std::vector<int32_t>& constraints) const {
    return color_first_fit(corners_of(constraints), points_, moves_, all_particles_);
  }

  void pad() { out_.slots.resize((out_.slots.size() + kLanes - 1) / kLanes * kLanes, -1); }
  void end_task() {
    pad();
    const int batches = static_cast<int>(out_.slots.size() / kLanes);
    if (batches > out_.task_begin.back()) out_.task_begin.push_back(batches);
  }
  void end_phase() {
    const int tasks = static_cast<int>(out_.task_begin.size()) - 1;
    if (tasks > out_.phase_begin.back()) out_.phase_begin.push_back(tasks);
  }

  std::span<int32_t> particles_;
  int points_, parts_;
  std::span<const uint8_t> moves_;
  int64_t all_particles_ = 0;
  std::vector<uint64_t> taken_;  // which open batches move a particle
  Schedule out_;
};

}  // namespace

std::vector<int> balanced_order(std::span<const int> work, int threads) {
  const auto tasks = static_cast<int>(work.size());
  std::vector<int> order(work.size());
  std::iota(order.begin(), order.end(), 0);
  if (threads < 2 || tasks <= threads) return order;
  std::ranges::stable_sort(order, std::greater(), [&](int task) { return work[task]; });
  // The heaviest task that is left goes to the part that has least so far, among those with room.
  struct Part {
    std::vector<int> tasks;
    std::size_t room = 0;
    int64_t work = 0;
    int64_t middle() const {
      return tasks.empty()
                 ? 0
                 : std::accumulate(tasks.begin(), tasks.end(), int64_t{0}) / static_cast<int64_t>(tasks.size());
    }
  };
  std::vector<Part> parts(threads);
  for (int64_t t = 0; t < threads; ++t) parts[t].room = tasks * (t + 1) / threads - tasks * t / threads;
  for (const int task : order) {
    Part* best = nullptr;
    for (Part& part : parts) {
      if (part.tasks.size() < part.room && (!best || part.work < best->work)) best = &part;
    }
    best->tasks.push_back(task);
    best->work += work[task];
  }
  // A thread's tasks of one phase lie where those of the others do, as far as rooms allow: particles stay in its cache.
  for (std::size_t from = 0; from < parts.size(); ++from) {
    for (std::size_t other = from + 1; other < parts.size(); ++other) {
      if (parts[other].room == parts[from].room && parts[other].middle() < parts[from].middle()) {
        std::swap(parts[other], parts[from]);
      }
    }
  }
  order.clear();
  for (const Part& part : parts) order.insert(order.end(), part.tasks.begin(), part.tasks.end());
  return order;
}

Schedule schedule_constraints(std::span<int32_t> particles, int points, int parts, std::span<const uint8_t> moves,
                              int first_ghost) {
  return Scheduler(particles, points, parts, moves, first_ghost).run();
}

}  // namespace pliant
