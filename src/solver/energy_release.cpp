// What the constraints of a body can release: R of energy_ledger.h.

#include <algorithm>

#include "core/assert.h"
#include "core/parallel.h"
#include "solver/energy_ledger.h"

namespace pliant {

namespace {

constexpr int64_t kBatchesPerChunk = 32;
/// R of constraints that are solved with a stiffness: what one projection makes is k^2 of the error, what is in it k.
constexpr double kOfStiffness = 10;

}  // namespace

/// Kinetic energy that one projection of a batch would make of its errors, in one substep, if nothing moved.
template <class Real>
double EnergyLedger<Real>::could_be_made(std::size_t index, int batch, double dt) const {
  const Group<Real>& group = model_.groups[index];
  const TypeInfo& type = *group.type;
  const Kernels<Real>& kernels = type.template kernels<Real>();
  constexpr int kMostPoints = 8, kMostEntries = 32, kMostStrengths = 4, kMostEdgeNumbers = 64;
  PLIANT_ASSERT(type.points <= kMostPoints && type.entries <= kMostEntries && type.parts <= kMostStrengths &&
                    kernels.base_edge_numbers <= kMostEdgeNumbers,
                "make room for larger constraints in EnergyLedger::could_be_made()");
  const int corners = type.points * kLanes;
  Quad<Real> base[kMostPoints * kLanes], offset[kMostPoints * kLanes], start[kMostPoints * kLanes],
      carry[kMostPoints * kLanes], velocity[kMostPoints * kLanes];
  QuadAt at[kMostPoints * kLanes];
  const QuadAt* from = &group.particles[static_cast<std::size_t>(batch) * static_cast<std::size_t>(corners)];
  for (int k = 0; k < corners; ++k) {
    base[k] = quad(state_.base.data(), from[k]);
    offset[k] = start[k] = quad(state_.offset.data(), from[k]);
    at[k] = quad_at<Real>(k);
  }
  alignas(64) Real multipliers[kMostEntries * kLanes] = {};
  alignas(64) Real strength[kMostStrengths * kLanes];
  // Rigid, or of full stiffness: no more than that can be made of an error.
  std::fill(std::begin(strength), std::end(strength), group.compliant ? Real(0) : Real(1));
  GroupView<Real> g = views_[index];
  const auto rest = static_cast<std::size_t>(group.batches()) == 0 ? 0 : group.rest.size() / group.batches();
  g.particles = at;
  g.rest += static_cast<std::size_t>(batch) * rest;
  g.multipliers = multipliers;
  g.statics += batch;
  g.velocity_damping = nullptr;
  if (group.general) {
    g.strength = g.strength_of(batch, 3);
  } else {
    g.strength = strength;
    g.equal_strength = true;
  }
  ParticlesView<Real> p{base, offset, start, carry, velocity};
  alignas(64) Real edges[kMostEdgeNumbers * kLanes];
  if (g.base_edges) {
    kernels.write_base_edges(g, base, edges, 0, 1);
    g.base_edges = edges;
  }
  kernels.project[width_slot(width_)][group.compliant][group.general](
      g, p, {.dt = static_cast<Real>(dt), .fresh = true, .accumulate = false}, 0, 1);
  double sum = 0;
  for (int k = 0; k < corners; ++k) {
    if (!(offset[k].w > Real(0))) continue;
    const Vec3d d{double(offset[k].x) - start[k].x, double(offset[k].y) - start[k].y, double(offset[k].z) - start[k].z};
    sum += dot(d, d) / offset[k].w;
  }
  return sum / (2 * dt * dt);
}

/// The energy that the constraints of a batch can release.
template <class Real>
double EnergyLedger<Real>::releasable(std::size_t index, int batch, double dt) const {
  const Group<Real>& group = model_.groups[index];
  const double n = options_.iterations;
  double stored = 0;
  if (group.compliant) {
    const ParticlesView<Real> p{state_.base.data(), state_.offset.data(), state_.start.data(), state_.carry.data(),
                                state_.velocity.data()};
    GroupMeasure m;
    group.type->template kernels<Real>().measure(views_[index], p, dt, true, group.general, batch, batch + 1, m);
    stored = m.energy;
    if (group.type->material) return stored;
  }
  const double made = could_be_made(index, batch, dt);
  if (!group.compliant) return 2 * n * n * kOfStiffness * made;
  // Where any of them is rigid, `stored` leaves it out.
  const int count = (group.general ? 3 : group.type->parts) * kLanes;
  const Real* strength = views_[index].strength_of(batch, count / kLanes);
  const int first = group.general ? kLanes : count;
  const bool rigid = std::any_of(strength, strength + first, [](Real alpha) { return !(alpha > Real(0)); });
  return rigid ? std::max(stored, 2 * n * n * made) : std::min(stored, 2 * n * n * made);
}

template <class Real>
double EnergyLedger<Real>::of_balloon(std::size_t index, double dt) const {
  const Balloon<Real>& balloon = model_.balloons[index];
  const auto place = [&](int32_t i) {
    const Quad<Real>&b = state_.base[i], &o = state_.offset[i], &b0 = state_.base[balloon.vertices[0]],
          &o0 = state_.offset[balloon.vertices[0]];
    return Vec3d{double(b.x) - b0.x + (double(o.x) - o0.x), double(b.y) - b0.y + (double(o.y) - o0.y),
                 double(b.z) - b0.z + (double(o.z) - o0.z)};
  };
  double volume = 0, s = 0;
  for (std::size_t v = 0; v < balloon.vertices.size(); ++v) {
    Vec3d gradient{};
    for (int32_t k = balloon.fan_begin[v]; k < balloon.fan_begin[v + 1]; k += 2) {
      gradient += cross(place(balloon.fan[k]), place(balloon.fan[k + 1])) / 6.0;
    }
    volume += dot(gradient, place(balloon.vertices[v])) / 3;
    s += double(state_.offset[balloon.vertices[v]].w) * dot(gradient, gradient);
  }
  const double C = volume - balloon.target, n = options_.iterations;
  const double made = s > 0 ? C * C / (2 * s * dt * dt) : 0;
  if (!balloon.compliant) return 2 * n * n * kOfStiffness * made;
  const double stored = balloon.strength > 0 ? C * C / (2 * double(balloon.strength)) : 2 * n * n * made;
  return std::min(stored, 2 * n * n * made);
}

template <class Real>
void EnergyLedger<Real>::measure(double dt) {
  for (Body& body : bodies_) body.released = 0;
  const auto add = [&](int body, double energy) {
    if (body >= 0) {
      bodies_[static_cast<std::size_t>(body)].released += energy;
    } else {
      for (const int b : mixed_[static_cast<std::size_t>(-2 - body)])
        bodies_[static_cast<std::size_t>(b)].released += energy;
    }
  };
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const int64_t batches = model_.groups[g].batches();
    // Ghosts have no place of their own between sweeps.
    for (const Hub& hub : model_.groups[g].hubs) {
      for (int k = 0; k < hub.ghosts; ++k) {
        state_.base[hub.first_ghost + k] = state_.base[hub.particle];
        state_.offset[hub.first_ghost + k] = state_.offset[hub.particle];
      }
    }
    parallel_for(jobs_, batches, kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        of_batch_[static_cast<std::size_t>(b)] = releasable(g, static_cast<int>(b), dt);
      }
    });
    for (int64_t b = 0; b < batches; ++b)
      add(batch_body_[g][static_cast<std::size_t>(b)], of_batch_[static_cast<std::size_t>(b)]);
  }
  for (std::size_t b = 0; b < model_.balloons.size(); ++b) add(model_.balloons[b].body, of_balloon(b, dt));
  since_measured_ = 0;
}

template void EnergyLedger<float>::measure(double);
template void EnergyLedger<double>::measure(double);

}  // namespace pliant
