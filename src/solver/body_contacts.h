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

  // Pairs that may come near: all, as long as each particle stays in its box of `cover`.
  BroadPhase broad_phase;
  bool stale = true;                // positions were set: the pairs are worth nothing
  Vec3d origin{};                   // [m] State::origin as the boxes have it
  AlignedVector<ContactBox> cover;  // per particle [m]
  std::vector<float> reach;         // [m] per particle: from where it was when its box was made, to anywhere in it
  AlignedVector<ContactBox> boxes;  // the same with half of the distance at which contacts begin
  std::vector<std::vector<int32_t>> strayed_in;  // per chunk: particles that have left theirs
  std::vector<int32_t> strayed;
  std::size_t least_pairs[2] = {0, 0};  // of each kind, before pairs were added
  std::vector<uint8_t> still;           // per body: none of its particles moves, or can
  AlignedVector<Quad<Real>> from;    // [m] per particle: offset at the start of the substep, where that is not `start`
  AlignedVector<Quad<Real>> motion;  // [m] per particle, from there on; w: half of its thickness

  // Contacts of this substep.
  struct Found {
    std::vector<BodyContactPoint<Real>> contacts;
    std::vector<int32_t> touched;
    std::vector<ContactCandidate> pairs;
  };
  std::vector<Found> found[2];          // per chunk of pairs: vertex-triangle, edge-edge
  AlignedVector<Quad<Real>> planes[2];  // per pair: direction between its sides, and the gap along it [m]
  std::vector<BodyContactPoint<Real>> contacts;
  std::vector<int> color_begin;
  std::vector<uint8_t> color;
  std::vector<const BodyContactPoint<Real>*> sorted;
  std::vector<int32_t> sorted_end;  // per particle: contacts up to those whose first corner it is
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
};

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
    contact_.stale = contact_.may_be_tangled = true;
    contact_.looked_for_tangles = -1;
  }

  int64_t contacts() const { return static_cast<int64_t>(contact_.contacts.size()); }
  int64_t slowed() const { return contact_.slowed_particles; }

 private:
  enum class Motion { free, made };
  bool take_motion(Motion which);
  bool cover_motion();
  void set_boxes(int32_t particle);
  void find_pairs();
  const Quad<Real>* from() const { return contact_.from.empty() ? state_.start.data() : contact_.from.data(); }
  template <int kSideA>
  void keep_near(std::size_t first);
  template <int kSideA>
  void look_at_pairs(bool for_contacts, int64_t first = 0);
  template <int kSideA>
  std::vector<ContactCandidate>& pairs() {
    return kSideA == 1 ? contact_.broad_phase.vertex_triangle() : contact_.broad_phase.edge_edge();
  }
  struct Seen {  // closest points of a pair
    Real distance;
    Real weight[4];
    Vec3<Real> direction;
    bool interior;
  };
  template <int kSideA>
  void make_contact(const std::array<int32_t, 4>& corner, const Seen& seen,
                    std::vector<BodyContactPoint<Real>>& contacts) const;
  bool is_tangled(const std::array<int32_t, 4>& corner) const;
  void find_tangles();  // body_contact_untangle.cpp
  void untangle();
  void sort_contacts();
  void color_contacts();
  template <int kSideA>
  void guard_pair(const std::array<int32_t, 4>& corner, int round, std::vector<int32_t>& touched);
  template <int kSideA>
  bool take_slowed(int64_t chunks, int round);
  template <int kSideA>
  bool guard_pairs(int round);

  const WorldOptions& options_;
  JobSystem* jobs_;
  State<Real>& state_;
  const Real& dt_;
  BodyContactData<Real> contact_;
};

}  // namespace pliant
