// Damping of velocities after a substep. Point damping is part of the velocity update.
//
// Global damping (bender13 3.7): each body's velocities are drawn towards the rigid motion with the
// same linear and angular momentum,
//
//   v_i += k (v_c + omega x r_i - v_i),   r_i = x_i - x_c,   omega = I^-1 L,   k = 1 - exp(-rate dt)
//
// Sum of m_i times the bracket is zero, and so is the sum of r_i x m_i times it: both momenta stay.
// Only particles that move take part. Damping along constraints (mueller14 eq. 23) is in sweep.h.

#include <cmath>

#include "core/parallel.h"
#include "solver/solver.h"

namespace pliant {

namespace {

constexpr int64_t kParticlesPerChunk = 2048;

/// Sums over a body: mass, m x, m v, then about the centre: L and the tensor of inertia.
struct Sums {
  double m = 0;
  Vec3d mx{}, mv{}, L{};
  double I[6] = {};  // xx yy zz xy xz yz of sum m (r r)
};

/// Solves the symmetric 3x3 system A w = b. A body whose particles all stand on one line has a
/// singular tensor: the part of omega about that line is left at zero (pivots below rounding).
Vec3d solve_inertia(const double (&I)[6], const Vec3d& b) {
  const double trace = I[0] + I[1] + I[2];
  double A[3][3] = {{trace - I[0], -I[3], -I[4]}, {-I[3], trace - I[1], -I[5]}, {-I[4], -I[5], trace - I[2]}};
  double r[3] = {b.x, b.y, b.z};
  bool used[3] = {};
  int column_of[3] = {-1, -1, -1};
  for (int step = 0; step < 3; ++step) {
    int p = -1;
    for (int k = 0; k < 3; ++k) {
      if (!used[k] && (p < 0 || A[k][k] > A[p][p])) p = k;
    }
    used[p] = true;
    if (!(A[p][p] > 1e-12 * trace)) {  // double rounding of a sum over many particles
      column_of[p] = -1;
      continue;
    }
    column_of[p] = p;
    for (int k = 0; k < 3; ++k) {
      if (k == p) continue;
      const double f = A[k][p] / A[p][p];
      for (int c = 0; c < 3; ++c) A[k][c] -= f * A[p][c];
      r[k] -= f * r[p];
    }
  }
  Vec3d w{};
  for (int k = 0; k < 3; ++k) w[k] = column_of[k] >= 0 ? r[k] / A[k][k] : 0;
  return w;
}

}  // namespace

template <class Real>
void Solver<Real>::damp_velocities() {
  const ParticlesView<Real> p = particles();
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const Group<Real>& group = model_.groups[g];
    if (group.velocity_damping.empty()) continue;
    SweepSettings<Real> settings{dt_, false, false};
    const GroupView<Real> batches = view(g);
    const auto sweep = group.type->template kernels<Real>().damp_velocities;
    if (!group.hubs.empty()) {
      split_hubs(group, state_.base, false);
      split_hubs(group, state_.offset, true);
      split_hubs(group, state_.velocity, false);
    }
    group.each_phase(*jobs_, [&](int begin, int end) { sweep(batches, p, settings, begin, end); });
    if (!group.hubs.empty()) merge_hubs(group, state_.velocity);
  }
  if (options_.global_damping > 0) {
    const double fraction = -std::expm1(-options_.global_damping * dt_);
    // Small bodies side by side, each on one thread; large ones on all, one after another.
    const auto is_small = [&](int64_t body) {
      return model_.body_begin[body + 1] - model_.body_begin[body] <= kParticlesPerChunk;
    };
    const auto bodies = static_cast<int64_t>(input_.bodies.size());
    constexpr int64_t kBodiesPerChunk = 4;
    parallel_for(*jobs_, bodies, kBodiesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t body = begin; body < end; ++body) {
        if (is_small(body)) damp_rigid_deviation(static_cast<int>(body), fraction);
      }
    });
    for (int64_t body = 0; body < bodies; ++body) {
      if (!is_small(body)) damp_rigid_deviation(static_cast<int>(body), fraction);
    }
  }
}

template <class Real>
void Solver<Real>::damp_rigid_deviation(int body, double fraction) {
  draw_to(rigid_part(body), body, fraction);
}

/// The rigid motion that has the momenta of a body.
template <class Real>
typename Solver<Real>::RigidPart Solver<Real>::rigid_part(int body) {
  const int first = model_.body_begin[body];
  const int64_t count = model_.body_begin[body + 1] - first;
  const Quad<Real>& b0 = state_.base[first];
  const auto place = [&](int64_t i) -> Vec3d {
    const Quad<Real>&b = state_.base[first + i], &o = state_.offset[first + i];
    return {double(b.x) - b0.x + o.x, double(b.y) - b0.y + o.y, double(b.z) - b0.z + o.z};
  };
  const auto speed = [&](int64_t i) -> Vec3d {
    const Quad<Real>& v = state_.velocity[first + i];
    return {double(v.x), double(v.y), double(v.z)};
  };
  const auto mass = [&](int64_t i) { return state_.offset[first + i].w > Real(0) ? model_.mass[first + i] : 0.0; };
  const int64_t chunks = chunk_count(count, kParticlesPerChunk);
  static_assert(sizeof(Sums) % sizeof(double) == 0);
  Sums single;
  Sums* sums = &single;
  if (chunks > 1) {
    partial_.resize(std::max<std::size_t>(partial_.size(), chunks * (sizeof(Sums) / sizeof(double))));
    sums = reinterpret_cast<Sums*>(partial_.data());
  }

  parallel_for_chunks(*jobs_, count, kParticlesPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    Sums s;
    for (int64_t i = begin; i < end; ++i) {
      const double m = mass(i);
      s.m += m;
      s.mx += place(i) * m;
      s.mv += speed(i) * m;
    }
    sums[chunk] = s;
  });
  Sums total;
  for (int64_t c = 0; c < chunks; ++c) {
    total.m += sums[c].m;
    total.mx += sums[c].mx;
    total.mv += sums[c].mv;
  }
  if (!(total.m > 0)) return {};
  const Vec3d center = total.mx / total.m;
  const Vec3d drift = total.mv / total.m;
  parallel_for_chunks(*jobs_, count, kParticlesPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    Sums s;
    for (int64_t i = begin; i < end; ++i) {
      const double m = mass(i);
      const Vec3d r = place(i) - center;
      s.L += cross(r, speed(i) - drift) * m;
      s.I[0] += m * r.x * r.x;
      s.I[1] += m * r.y * r.y;
      s.I[2] += m * r.z * r.z;
      s.I[3] += m * r.x * r.y;
      s.I[4] += m * r.x * r.z;
      s.I[5] += m * r.y * r.z;
    }
    sums[chunk] = s;
  });
  for (int64_t c = 0; c < chunks; ++c) {
    total.L += sums[c].L;
    for (int k = 0; k < 6; ++k) total.I[k] += sums[c].I[k];
  }
  const Vec3d omega = solve_inertia(total.I, total.L);
  return {true, center, drift, omega, (total.m * dot(drift, drift) + dot(omega, total.L)) / 2};
}

template <class Real>
void Solver<Real>::draw_to(const RigidPart& motion, int body, double fraction) {
  if (!motion.moves) return;
  const int first = model_.body_begin[body];
  const Quad<Real>& b0 = state_.base[first];
  parallel_for(*jobs_, model_.body_begin[body + 1] - first, kParticlesPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = first + begin; i < first + end; ++i) {
      const Quad<Real>&b = state_.base[i], &o = state_.offset[i];
      if (o.w == Real(0)) continue;
      const Vec3d place{double(b.x) - b0.x + o.x, double(b.y) - b0.y + o.y, double(b.z) - b0.z + o.z};
      Quad<Real>& q = state_.velocity[i];
      const Vec3d v{double(q.x), double(q.y), double(q.z)};
      const Vec3d to = v + (motion.drift + cross(motion.spin, place - motion.center) - v) * fraction;
      q = {static_cast<Real>(to.x), static_cast<Real>(to.y), static_cast<Real>(to.z), Real(0)};
    }
  });
}

template void Solver<float>::damp_velocities();
template void Solver<double>::damp_velocities();
template void Solver<float>::damp_rigid_deviation(int, double);
template void Solver<double>::damp_rigid_deviation(int, double);
template typename Solver<float>::RigidPart Solver<float>::rigid_part(int);
template typename Solver<double>::RigidPart Solver<double>::rigid_part(int);
template void Solver<float>::draw_to(const RigidPart&, int, double);
template void Solver<double>::draw_to(const RigidPart&, int, double);

}  // namespace pliant
