#pragma once
// Rigid bodies: constant data, state, and how a push at a point moves them (Mueller et al. 2020, "Detailed Rigid Body
// Simulation with Extended Position Based Dynamics").

#include "math/quaternion.h"
#include "pliant/vec.h"

namespace pliant::contact {

/// x -> position + R(rotation) x
struct Pose {
  Vec3d position{};
  Quatd rotation{0, 0, 0, 1};

  Vec3d to_world(const Vec3d& x) const { return position + rotate(rotation, x); }
  Vec3d to_local(const Vec3d& x) const { return rotate(conjugate(rotation), x - position); }
};

struct RigidBody {
  double inverse_mass = 0;                    // [1/kg]
  Mat3<double> inertia{}, inverse_inertia{};  // [kg m^2], inverse; about the centre of mass, in the body's axes
  Vec3d center{};                             // [m] of mass, in the shape's coordinates
};

/// Doubles only and no padding: it goes into snapshots and hashes as it is.
struct RigidState {
  Vec3d position{};  // [m] of the centre of mass
  Quatd rotation{0, 0, 0, 1};
  Vec3d velocity{}, spin{};  // [m/s], [rad/s]
  // BDF2 only: motion in the last substep, velocity and spin before it.
  Vec3d last_move{}, last_turn{}, last_velocity{}, last_spin{};
};
static_assert(sizeof(RigidState) == 25 * sizeof(double));

/// R M R^T v for M in the body's axes.
inline Vec3d turned(const Quatd& rotation, const Mat3<double>& m, const Vec3d& v) {
  return rotate(rotation, m * rotate(conjugate(rotation), v));
}

/// By how much a unit push along n at distance r from the centre moves that point along n: 1/m + (r x n) I^-1 (r x n).
inline double point_inverse_mass(const RigidBody& body, const RigidState& s, const Vec3d& r, const Vec3d& n) {
  const Vec3d rn = cross(r, n);
  return body.inverse_mass + dot(rn, turned(s.rotation, body.inverse_inertia, rn));
}

inline Quatd turn_by(const Quatd& rotation, const Vec3d& turn) {
  return normalize(from_rotation_vector(turn) * rotation);
}

/// The same for the small turns of a projection: q + (turn, 0) q / 2, to second order in the angle.
inline Quatd turn_slightly(const Quatd& rotation, const Vec3d& turn) {
  return normalize(rotation + Quatd{turn.x, turn.y, turn.z, 0} * rotation * 0.5);
}

/// A push (mass times length) at distance r from the centre moves and turns the body.
inline void push(const RigidBody& body, RigidState& s, const Vec3d& r, const Vec3d& p) {
  s.position += p * body.inverse_mass;
  s.rotation = turn_slightly(s.rotation, turned(s.rotation, body.inverse_inertia, cross(r, p)));
}

/// The same for velocities, with an impulse [kg m/s].
inline void push_velocity(const RigidBody& body, RigidState& s, const Vec3d& r, const Vec3d& p) {
  s.velocity += p * body.inverse_mass;
  s.spin += turned(s.rotation, body.inverse_inertia, cross(r, p));
}

/// Rotation vector from one attitude to another, the shorter way.
inline Vec3d turn_between(const Quatd& from, const Quatd& to) { return to_rotation_vector(to * conjugate(from)); }

}  // namespace pliant::contact
