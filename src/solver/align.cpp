// Turns the rest frames of elastic tets to the masses of their corners (constraints/tet_aligned.h), once when a model
// is made. Pins that change make a new model.

#include <algorithm>
#include <cmath>

#include "constraints/fine_strain.h"
#include "core/parallel.h"
#include "solver/solver.h"

namespace pliant {

namespace {

constexpr int64_t kBatchesPerChunk = 64;
constexpr int kCorners = 4, kFrame = 9, kEntries = 6;
using T = Wide<double, kDefaultWidth<double>>;
using Frames = AlignedFrame<T>;

/// One batch, in double.
template <class Real>
struct FramesOfBatch {
  const Group<Real>& group;
  int64_t batch;
  alignas(64) double frame[kFrame][kLanes];

  FramesOfBatch(const Group<Real>& g, int64_t b) : group(g), batch(b) {
    for (int f = 0; f < kFrame; ++f) {
      for (int l = 0; l < kLanes; ++l) frame[f][l] = g.rest[field(f, l)];
    }
  }
  std::size_t field(int f, int l) const {
    return static_cast<std::size_t>((batch * group.type->packed_fields + f) * kLanes + l);
  }
  /// The particle at a corner, and of how many ghosts it is one.
  int32_t corner(int i, int l, int& ghosts) const {
    auto p = static_cast<int32_t>(group.particles[static_cast<std::size_t>((batch * kCorners + i) * kLanes + l)] /
                                  sizeof(Quad<Real>));
    const Hub* hub = group.hub_of(p);
    ghosts = hub ? hub->ghosts : 1;
    return hub ? hub->particle : p;
  }
  Frames load_frames(int lane) {
    Frames frames;
    int f = 0;
    frames.each([&](const char*, T& number) { number = load<T>(&frame[f++][lane]); });
    return frames;
  }
};

template <class Real>
void align_batch(Group<Real>& group, const Model<Real>& model, int64_t batch) {
  FramesOfBatch<Real> all(group, batch);
  alignas(64) double w[kCorners][kLanes];
  for (int i = 0; i < kCorners; ++i) {
    for (int l = 0; l < kLanes; ++l) {
      int ghosts;
      const int32_t p = all.corner(i, l, ghosts);
      w[i][l] = double(model.inverse_mass[p]) * ghosts;
    }
  }
  for (int lane = 0; lane < kLanes; lane += kDefaultWidth<double>) {
    Frames frames = all.load_frames(lane);
    frames.align({load<T>(&w[0][lane]), load<T>(&w[1][lane]), load<T>(&w[2][lane]), load<T>(&w[3][lane])});
    int f = 0;
    frames.each([&](const char*, T& number) { store(number, &all.frame[f++][lane]); });
  }
  for (int f = 0; f < kFrame; ++f) {
    for (int l = 0; l < kLanes; ++l) group.rest[all.field(f, l)] = static_cast<Real>(all.frame[f][l]);
  }
}

/// The strain that the rounded frames find in the rest shape, in kRoundingUnit. `rest` in the engine's order.
template <class Real>
void find_rounding(Group<Real>& group, const std::vector<Vec3d>& rest, int64_t batch) {
  FramesOfBatch<Real> all(group, batch);
  alignas(64) double x[kCorners][3][kLanes], strain[kEntries][kLanes];
  for (int i = 0; i < kCorners; ++i) {
    for (int l = 0; l < kLanes; ++l) {
      int ghosts;
      const auto p = static_cast<std::size_t>(all.corner(i, l, ghosts));
      const Vec3d at = p < rest.size() ? rest[p] : Vec3d{};
      for (int k = 0; k < 3; ++k) x[i][k][l] = at[k];
    }
  }
  for (int lane = 0; lane < kLanes; lane += kDefaultWidth<double>) {
    Vec3<T> corners[kCorners];
    for (int i = 0; i < kCorners; ++i) {
      corners[i] = {load<T>(&x[i][0][lane]), load<T>(&x[i][1][lane]), load<T>(&x[i][2][lane])};
    }
    const DeformedTet<T, Frames> tet(all.load_frames(lane), corners);
    for (int e = 0; e < kEntries; ++e) store(tet.E[e], &strain[e][lane]);
  }
  for (int e = 0; e < kEntries; ++e) {
    for (int l = 0; l < kLanes; ++l) {  // of padding it does not matter
      const double units = std::clamp(strain[e][l] / kRoundingUnit, -32767.0, 32767.0);
      group.frame_rounding[static_cast<std::size_t>((batch * kEntries + e) * kLanes + l)] =
          static_cast<int16_t>(std::lround(units));
    }
  }
}

}  // namespace

template <class Real>
void align_frames(Model<Real>& model, const ModelInput& input, JobSystem& jobs) {
  for (Group<Real>& group : model.groups) {
    if (!group.type->aligned_frame || !group.plastic.empty()) continue;  // those that flow stay triangles
    parallel_for(jobs, group.batches(), kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) align_batch(group, model, b);
    });
    if (sizeof(Real) != sizeof(float) || !group.small_strains) continue;
    std::vector<Vec3d> rest(static_cast<std::size_t>(model.particles));
    for (const BodyInput& body : input.bodies) {
      for (int v = 0; v < body.vertices(); ++v) rest[model.to_engine[body.first_particle + v]] = body.rest[v];
    }
    group.frame_rounding.resize(static_cast<std::size_t>(group.batches()) * kEntries * kLanes);
    parallel_for(jobs, group.batches(), kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) find_rounding(group, rest, b);
    });
  }
}

/// Which batches have frames that are not aligned to the masses: those that flow, as triangles, and those that have a
/// corner which is held, and had a mass when its frames were aligned.
template <class Real>
void Solver<Real>::find_unaligned() {
  const bool any = std::any_of(state_.held.begin(), state_.held.end(), [](uint8_t held) { return held != 0; });
  for (Group<Real>& group : model_.groups) {
    if (!group.type->aligned_frame) continue;
    const int64_t corners = int64_t{group.type->points} * kLanes;
    for (int64_t b = 0; b < group.batches(); ++b) {
      const auto is_held = [&](const QuadAt& at) {
        auto p = static_cast<int32_t>(at / sizeof(Quad<Real>));
        if (const Hub* hub = group.hub_of(p)) p = hub->particle;
        return p < model_.particles && state_.held[p] != 0;
      };
      const QuadAt* first = &group.particles[static_cast<std::size_t>(b * corners)];
      uint16_t& bits = group.statics[static_cast<std::size_t>(b)];
      const bool unaligned = !group.plastic.empty() || (any && std::any_of(first, first + corners, is_held));
      bits = static_cast<uint16_t>(unaligned ? bits | kNotAligned : bits & ~kNotAligned);
    }
  }
}

template void align_frames(Model<float>&, const ModelInput&, JobSystem&);
template void align_frames(Model<double>&, const ModelInput&, JobSystem&);
template void Solver<float>::find_unaligned();
template void Solver<double>::find_unaligned();

}  // namespace pliant
