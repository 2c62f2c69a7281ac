#include "solver/stretch_watch.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace pliant {

namespace {
constexpr int64_t kEdgesPerChunk = 2048;
/// Edges of a body in a step; more are cut into at most kParts steps, so that looking stays below a percent of a step.
constexpr int64_t kAtOnce = 8 * kEdgesPerChunk;
constexpr int64_t kParts = 3;

int64_t parts_of(std::size_t edges) { return std::clamp<int64_t>(static_cast<int64_t>(edges) / kAtOnce, 1, kParts); }
}  // namespace

template <class Real>
StretchWatch<Real>::StretchWatch(const ModelInput& input, const Model<Real>& model) : most_(input.bodies.size()) {
  int64_t chunks = 0;
  for (std::size_t b = 0; b < input.bodies.size(); ++b) {
    const BodyInput& body = input.bodies[b];
    if (!body.held_by_default) continue;
    Body watched{static_cast<int>(b), !body.tets.empty(), {}};
    for (const Edge& e : body.edges) {
      watched.edges.push_back({model.to_engine[body.first_particle + e[0]], model.to_engine[body.first_particle + e[1]],
                               static_cast<Real>(1 / length(body.rest[e[1]] - body.rest[e[0]]))});
    }
    chunks = std::max(chunks, chunk_count(static_cast<int64_t>(watched.edges.size()), kEdgesPerChunk));
    bodies_.push_back(std::move(watched));
  }
  partials_.resize(static_cast<std::size_t>(chunks) + 1);
}

template <class Real>
void StretchWatch<Real>::look(const State<Real>& state, JobSystem& jobs) {
  const Quad<Real>*base = state.base.data(), *offset = state.offset.data();
  for (const Body& body : bodies_) {
    const int64_t parts = parts_of(body.edges.size()), part = state.steps % parts;
    const int64_t count = (static_cast<int64_t>(body.edges.size()) - part + parts - 1) / parts;
    const Stretch sum = chunked_reduce(
        jobs, count, kEdgesPerChunk, std::span<Stretch>(partials_), Stretch{},
        [&](int64_t begin, int64_t end) {
          Real total(0), largest(0);
          for (int64_t k = begin; k < end; ++k) {
            const WatchedEdge& e = body.edges[static_cast<std::size_t>(k * parts + part)];
            const Quad<Real>&a = base[e.from], &b = base[e.to], &c = offset[e.from], &d = offset[e.to];
            const Real x = (b.x - a.x) + (d.x - c.x), y = (b.y - a.y) + (d.y - c.y), z = (b.z - a.z) + (d.z - c.z);
            const Real longer = std::sqrt(x * x + y * y + z * z) * e.over_rest_length - Real(1);
            const Real stretch = std::max(longer, body.solid ? -longer : Real(0));
            total += stretch;
            largest = std::max(largest, stretch);
          }
          return Stretch{static_cast<double>(total), static_cast<double>(largest)};
        },
        [](const Stretch& a, const Stretch& b) {
          return Stretch{a.mean + b.mean, std::max(a.worst, b.worst)};
        });
    Stretch& most = most_[static_cast<std::size_t>(body.number)];
    most.mean = std::max(most.mean, sum.mean / static_cast<double>(std::max<int64_t>(count, 1)));
    most.worst = std::max(most.worst, sum.worst);
  }
}

template <class Real>
void StretchWatch<Real>::forget() {
  std::fill(most_.begin(), most_.end(), Stretch{});
}

template class StretchWatch<float>;
template class StretchWatch<double>;

}  // namespace pliant
