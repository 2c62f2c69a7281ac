#include "experiments/experiment.h"

#include <algorithm>

#include "interrupt.h"
#include "progress.h"

namespace pliant::experiments {

#define PLIANT_EXPERIMENT(name) extern const Experiment name;
#include "experiments/list.h"
#undef PLIANT_EXPERIMENT

const std::vector<const Experiment*>& all_experiments() {
  static const std::vector<const Experiment*> all = {
#define PLIANT_EXPERIMENT(name) &name,
#include "experiments/list.h"
#undef PLIANT_EXPERIMENT
  };
  return all;
}

namespace {
constexpr int kParts = 1000;  // of the bar
}

Context::Context(const Settings& settings) : settings_(settings) {}
Context::~Context() = default;

void Context::expect(double work) {
  expected_ = work;
  progress_ = std::make_unique<app::Progress>(0, kParts, settings_.quiet, app::Progress::Unit::percent);
}

void Context::did(double work) {
  done_ += work;
  if (progress_ && expected_ > 0) {
    const int parts = std::min(kParts, static_cast<int>(kParts * done_ / expected_));
    if (parts > shown_) progress_->advance(parts - shown_);
    shown_ = std::max(shown_, parts);
  }
  if (app::interrupted()) throw Interrupted{};
}

}  // namespace pliant::experiments
