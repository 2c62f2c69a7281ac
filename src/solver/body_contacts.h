#pragma once
// Contact of deformable bodies with each other and with themselves. Nothing of it is part of
// the State: all follows from positions, so that a run goes on from a snapshot with the same bits.

#include <atomic>
#include <cstdint>
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
  Real gap;               // [m] C, offsets left out
  Real lambda;            // [N s^2] multiplier of this substep
  Vec3<Real> friction;    // the same for friction, along the surface
};

/// Candidates of one kind, with what is known of their distance.
struct ContactPairs {
  /// Motion up to which a pair stays out of reach, as the sums of BodyMotion count it.
  std::vector<float> free_until;
};

/// How far the particles of a body, and of all bodies, have moved since the candidates were found: the sum over substeps
/// of the largest motion, in a frame that moves along. A pair's distance shrinks by twice that at most.
struct BodyMotion {
  double since_check = 0;   // [m] since the pairs were found
  double outside = 0;       // [m] beyond the boxes that they were found with
};

/// Thickness of a body that gives none, as a part of its mean edge length: thin enough that folds lie close, thick enough
/// that one substep of usual motion does not use it up.
inline constexpr double kThicknessOfEdge = 0.2;
/// BodyContact::scale of a particle that is not slowed.
inline constexpr uint32_t kWholeMotion = uint32_t{1} << 31;
/// Distance beyond the thickness up to which pairs are kept, as a part of the mean edge length.
inline constexpr double kSkinOfEdge = 0.5;

template <class Real>
struct BodyContactData {
  ContactSurface surface;
  Real friction = 0;
  Real skin = 0;  // [m] pairs are found up to this distance beyond their thickness

  // Candidates.
  bool stale = true;       // positions were set: the candidates are worth nothing
  bool fresh = false;      // found in this substep
  BroadPhase broad_phase;
  AlignedVector<ContactBox> boxes;        // per particle
  AlignedVector<Quad<Real>> predicted;    // per vertex of the surface: motion that the boxes cover
  ContactPairs vertex_triangle, edge_edge;
  std::vector<BodyMotion> body_motion;
  BodyMotion world_motion;
  std::vector<double> largest_motion;     // per body, of this substep
  std::vector<Vec3<double>> mean_motion;

  // Contacts of this substep.
  struct Found {
    std::vector<BodyContactPoint<Real>> contacts;
    std::vector<uint64_t> near;
    std::vector<int32_t> touched;
  };
  std::vector<Found> found;               // per chunk of candidates
  std::vector<BodyContactPoint<Real>> contacts, unordered;
  std::vector<int> color_begin;
  std::vector<uint8_t> color;
  std::vector<uint64_t> colors_of;        // per particle

  // Guard.
  std::vector<uint64_t> near;             // pairs that may meet: edge-edge ones with the highest bit
  std::vector<std::atomic<uint32_t>> scale;  // per particle: part of its motion that it may make, in 2^-31
  std::vector<uint32_t> last_scale;       // as of the last round
  std::vector<int32_t> slowed_in;         // per particle: round that changed its part last
  std::vector<int32_t> slowed;            // particles with less than all
  int64_t slowed_particles = 0;           // since the start, each in each substep
  std::atomic<int> forced{0};             // pairs that scripted pins push into each other
  bool told_forced = false;

  // Tangles.
  bool may_be_tangled = true;
  std::vector<uint8_t> tangled;           // per particle: part of an intersection at the start of the step
  bool any_tangled = false;
};

template <class Real>
class BodyContacts {
 public:
  /// All arguments must outlive it. `dt` is the substep's time as the constraints see it [s].
  BodyContacts(const ModelInput& input, const Model<Real>& model, const WorldOptions& options, JobSystem& jobs,
               State<Real>& state, const Real& dt);  // body_contact_build.cpp

  void find();     // body_contact_find.cpp
  void project();  // body_contact_project.cpp
  void guard();    // body_contact_guard.cpp
  void report(std::vector<Trouble>& troubles);
  /// Positions were set.
  void forget() { contact_.stale = contact_.may_be_tangled = true; }

  int64_t contacts() const { return static_cast<int64_t>(contact_.contacts.size()); }
  int64_t slowed() const { return contact_.slowed_particles; }

 private:
  void measure_motion(bool beyond_boxes);
  double motion_of_all() const;
  bool pairs_used_up(double of_all) const;
  void find_pairs();
  template <int kSideA>
  void find_among(const std::vector<ContactCandidate>& pairs, ContactPairs& known, double of_all);
  void count_motion(double of_all);
  bool is_tangled(const std::array<int32_t, 4>& corner) const;
  void color_contacts();
  template <int kSideA>
  void guard_pair(const std::array<int32_t, 4>& corner, int round, std::vector<int32_t>& touched);
  bool take_slowed(int64_t chunks, int round);

  const WorldOptions& options_;
  JobSystem* jobs_;
  State<Real>& state_;
  const Real& dt_;
  BodyContactData<Real> contact_;
};

}  // namespace pliant
