#include "fit/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace pliant::fit {

namespace {

using Column = std::vector<double>;

double product(const Column& a, const Column& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double largest(const Column& a, const Column& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (!(d <= most)) most = d;  // a NaN stays
  }
  return most;
}

Column difference(const Column& a, const Column& b) {
  Column out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] - b[i];
  return out;
}

/// Directions in which x was moved, as changes of f = g(x) - x that are at right angles to each other, and the change
/// of g(x) that belongs to each.
class Slopes {
 public:
  std::size_t size() const { return changes_.size(); }
  void clear() {
    changes_.clear();
    images_.clear();
  }
  /// By Gram and Schmidt. False: it is all but a combination of the others, and is left out.
  bool add(Column change, Column image) {
    constexpr double kDependent = 1e-8;  // of its length: below it is rounding
    const double before = product(change, change);
    for (int twice = 0; twice < 2; ++twice) {  // once leaves the rounding of what was taken away
      for (std::size_t k = 0; k < changes_.size(); ++k) take(product(changes_[k], change), k, change, image);
    }
    const double after = product(change, change);
    if (!(after > kDependent * kDependent * before)) return false;
    const double scale = 1 / std::sqrt(after);
    for (std::size_t i = 0; i < change.size(); ++i) {
      change[i] *= scale;
      image[i] *= scale;
    }
    changes_.push_back(std::move(change));
    images_.push_back(std::move(image));
    return true;
  }
  /// g(x) where f, as far as it is known, is the least.
  Column least(Column f, Column image) const {
    for (std::size_t k = 0; k < changes_.size(); ++k) take(product(changes_[k], f), k, f, image);
    return image;
  }

 private:
  void take(double part, std::size_t k, Column& change, Column& image) const {
    for (std::size_t i = 0; i < change.size(); ++i) {
      change[i] -= part * changes_[k][i];
      image[i] -= part * images_[k][i];
    }
  }
  std::vector<Column> changes_, images_;
};

}  // namespace

FixedPoint fixed_point(std::vector<double> start,
                       const std::function<std::vector<double>(const std::vector<double>&)>& g,
                       const FixedPointOptions& options) {
  FixedPoint result;
  Column x = start, last_f, last_g;
  Slopes slopes;
  std::deque<std::pair<Column, Column>> history;  // changes of f and of g(x), the newest last
  while (result.evaluations < options.most_evaluations) {
    Column image = g(x);
    ++result.evaluations;
    Column f = difference(image, x);
    const double left = largest(image, x);
    if (!(largest(image, start) <= options.farthest)) break;
    if (!last_f.empty()) {
      history.emplace_back(difference(f, last_f), difference(image, last_g));
      if (static_cast<int>(history.size()) > options.window) history.pop_front();
      const bool full = static_cast<int>(slopes.size()) >= options.window;
      if (full || !slopes.add(history.back().first, history.back().second)) {
        // Newer ones are nearer to the slope at the solution: begin with them, and leave room.
        slopes.clear();
        const std::size_t most = static_cast<std::size_t>(options.window / 2);
        for (std::size_t k = 0; k < std::min(most, history.size()); ++k) {
          const auto& [change, way] = history[history.size() - 1 - k];
          slopes.add(change, way);
        }
      }
    }
    Column next = slopes.least(f, image);
    // The first one has seen no slope yet, so its way tells nothing.
    if (slopes.size() > 0 && left <= options.tolerance && largest(next, x) <= 10 * options.tolerance) {
      result.x = std::move(next);
      result.found = true;
      break;
    }
    last_f = std::move(f);
    last_g = std::move(image);
    x = std::move(next);
  }
  return result;
}

}  // namespace pliant::fit
