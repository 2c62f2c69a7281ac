#pragma once
// How far the edges of bodies that are held by default have been stretched, for a warning: they are meant to keep their
// lengths. Looked at once in a step; nothing depends on it.

#include <vector>

#include "pliant/jobs.h"
#include "solver/model.h"
#include "solver/state.h"

namespace pliant {

/// The most since the start, as a part of the length at rest.
struct Stretch {
  double mean = 0;   // of all edges; shorter ones count as zero, but in solids
  double worst = 0;  // of one edge
};

template <class Real>
class StretchWatch {
 public:
  StretchWatch(const ModelInput& input, const Model<Real>& model);

  /// Of large bodies one edge in two or three is looked at, the next ones in the next step.
  void look(const State<Real>& state, JobSystem& jobs);
  void forget();
  Stretch most(int body) const { return most_[static_cast<std::size_t>(body)]; }

 private:
  struct WatchedEdge {
    int32_t from, to;
    Real over_rest_length;  // [1/m]
  };
  struct Body {
    int number;
    bool solid;  // shorter edges count as longer ones do: cloth folds
    std::vector<WatchedEdge> edges;
  };
  std::vector<Body> bodies_;
  std::vector<Stretch> most_;      // per body of the input
  std::vector<Stretch> partials_;  // per chunk: sum and largest
};

}  // namespace pliant
