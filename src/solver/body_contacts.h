#pragma once
// Contact of deformable bodies with each other and with themselves. Nothing of it is part of
// the State: all follows from positions, so that a run goes on from a snapshot with the same bits.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "contact/broad_phase.h"
#include "contact/surface.h"
#include "core/aligned.h"
#include "math/quads.h"
#include "solver/solver.h"

namespace pliant {

/// Two primitives that keep a distance through a substep:
///
///   C = n . sum_k weight_k x_k - distance >= 0,        weights of side a sum to 1, of side b to -1
///
/// Direction and weights are those of the closest points at the start of the substep, or of the moment in which fast
/// ones first come that close.
template <class Real>
struct BodyContactPoint {
  std::array<int32_t, 4> corner;
  Real weight[4];
  Vec3<Real> normal;
  Real gap;             // [m] C, offsets left out
  Real lambda;          // [N s^2] multiplier of this substep
  Vec3<Real> friction;  // the same for friction, along the surface
};

/// Pairs of one kind that may come into reach.
struct ContactPairs {
  std::vector<ContactCandidate> pairs;  // in the order of the broad phase
  /// Motion (ContactPairSet::motion_of) up to which a pair stays out of reach. Its distance shrinks by twice the motion
  /// at most; where the motion of its own corners is known to be less, the difference is added.
  std::vector<float> free_until;
};

/// How far the particles of a body have moved since the pairs were found: the sum over substeps of the largest motion,
/// in a frame that moves along. The distance of a pair shrinks at most by the sum of both bodies' motion.
struct BodyMotion {
  double since_found = 0;  // [m]
  double outside = 0;      // [m] beyond what the pairs cover
  double now = 0;          // [m] in this substep
};

/// All pairs within bodies, or all between bodies, that are near each other, with a skin: they serve until a body has
/// moved by half of that.
template <class Real>
struct ContactPairSet {
  BroadPhase::Wanted wanted{};
  bool stale = true;   // positions were set: it is worth nothing
  bool fresh = false;  // found in this substep
  BroadPhase broad_phase;
  ContactPairs vertex_triangle, edge_edge;
  std::vector<double> half_skin;        // per body [m]
  std::vector<BodyMotion> motion;       // per body; its frame: the body's own mean motion, or that of all bodies
  AlignedVector<Quad<Real>> predicted;  // per vertex of the surface: motion that is covered since `fresh`

  /// Half of the motion that both sides of a pair have made, before this substep and with it.
  std::pair<double, double> motion_of(int32_t body_a, int32_t body_b) const {
    const BodyMotion &a = motion[body_a], &b = motion[body_b];
    const double before = 0.5 * (a.since_found + b.since_found);
    return {before, before + 0.5 * (a.now + b.now)};
  }
};

/// An edge that goes through a triangle.
struct Tangle {
  std::array<int32_t, 5> corner;    // of the edge, of the triangle
  std::array<int32_t, 2> opposite;  // third corners of the edge's own triangles, or -1
};

/// Thickness of a body that gives none, as a part of its mean edge length: thin enough that folds lie close, thick
/// enough that one substep of usual motion does not use it up.
inline constexpr double kThicknessOfEdge = 0.2;
/// BodyContact::scale of a particle that is not slowed.
inline constexpr uint32_t kWholeMotion = uint32_t{1} << 31;
/// A pair becomes a contact at this part of its thickness: what is a little farther may be pushed there by the elastic
/// constraints of the same substep.
inline constexpr double kContactBand = 1.25;

template <class Real>
struct BodyContactData {
  ContactSurface surface;
  Real friction = 0;

  // Pairs.
  ContactPairSet<Real> sets[2];           // within bodies, between bodies
  AlignedVector<ContactBox> boxes;        // per particle
  AlignedVector<Quad<Real>> motion;       // per particle, of this substep
  std::vector<Vec3<double>> mean_motion;  // per body

  // Contacts of this substep.
  struct Found {
    std::vector<BodyContactPoint<Real>> contacts;
    std::vector<int32_t> touched;
    ContactPairs pairs;
  };
  std::vector<Found> found;  // per chunk of candidates
  std::vector<BodyContactPoint<Real>> contacts, unordered;
  std::vector<int> color_begin;
  std::vector<uint8_t> color;
  std::vector<uint64_t> colors_of;  // per particle

  // Guard.
  std::vector<std::atomic<uint32_t>> scale;  // per particle: part of its motion that it may make, in 2^-31
  std::vector<uint32_t> last_scale;          // as of the last round
  std::vector<int32_t> slowed_in;            // per particle: round that changed its part last
  std::vector<int32_t> slowed;               // particles with less than all
  int64_t slowed_particles = 0;              // since the start, each in each substep
  std::atomic<int> forced{0};                // pairs that scripted pins push into each other
  bool told_forced = false;

  // Tangles.
  bool may_be_tangled = true;
  bool any_tangled = false;
  bool told_tangled = false;
  int64_t looked_for_tangles = -1;  // step
  int most_tangles = 0;
  std::vector<Tangle> tangles;   // at the start of the step
  std::vector<uint8_t> tangled;  // per particle: part of one

  /// How much the distance of a pair can shrink in this substep, by the motion of its corners relative to each other.
  Real relative_motion(const std::array<int32_t, 4>& corner) const {
    Vec3<Real> u[4], mean{};
    for (int k = 0; k < 4; ++k) {
      const Quad<Real>& q = motion[corner[k]];
      u[k] = {q.x, q.y, q.z};
      mean += u[k];
    }
    mean = mean * Real(0.25);
    Real most = 0;
    for (int k = 0; k < 4; ++k) {
      const Vec3<Real> v = u[k] - mean;
      most = std::max(most, dot(v, v));
    }
    return Real(2.0001) * std::sqrt(most);  // rounded up
  }
};

/// The sums of motion are rounded, too.
inline float rounded_down(double free_until) { return static_cast<float>(free_until * (1 - 1e-5) - 1e-9); }

template <class Real>
class BodyContacts {
 public:
  /// All arguments must outlive it. `dt` is the substep's time as the constraints see it [s].
  BodyContacts(const ModelInput& input, const Model<Real>& model, const WorldOptions& options, JobSystem& jobs,
               State<Real>& state, const Real& dt);  // body_contact_build.cpp

  void find();                                  // body_contact_find.cpp
  void project();                               // body_contact_project.cpp
  void guard();                                 // body_contact_guard.cpp
  void report(std::vector<Trouble>& troubles);  // body_contact_untangle.cpp
  /// Positions were set.
  void forget() {
    contact_.sets[0].stale = contact_.sets[1].stale = contact_.may_be_tangled = true;
    contact_.looked_for_tangles = -1;
  }

  int64_t contacts() const { return static_cast<int64_t>(contact_.contacts.size()); }
  int64_t slowed() const { return contact_.slowed_particles; }

 private:
  void measure_motion();
  void measure_outside(ContactPairSet<Real>& set);
  bool used_up(const ContactPairSet<Real>& set) const;
  void find_pairs(ContactPairSet<Real>& set);
  template <int kSideA>
  void keep_near(const ContactPairSet<Real>& set, const std::vector<ContactCandidate>& found, ContactPairs& kept);
  template <int kSideA>
  void find_among(const ContactPairSet<Real>& set, ContactPairs& pairs);
  void count_motion();
  bool is_tangled(const std::array<int32_t, 4>& corner) const;
  void find_tangles();  // body_contact_untangle.cpp
  void untangle();
  void color_contacts();
  template <int kSideA>
  void guard_pair(const std::array<int32_t, 4>& corner, int round, std::vector<int32_t>& touched);
  bool take_slowed(int64_t chunks, int round);
  template <int kSideA>
  bool guard_pairs(const ContactPairSet<Real>& set, ContactPairs& pairs, int round);
  bool guard_rounds();

  const WorldOptions& options_;
  JobSystem* jobs_;
  State<Real>& state_;
  const Real& dt_;
  BodyContactData<Real> contact_;
};

}  // namespace pliant
