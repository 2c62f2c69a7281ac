#pragma once
// Contact of deformable bodies with each other and with themselves. Nothing of it is part of
// the State: all follows from positions, so that a run goes on from a snapshot with the same bits.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "contact/broad_phase.h"
#include "contact/distance_bound.h"
#include "contact/freed_pairs.h"
#include "contact/surface.h"
#include "core/aligned.h"
#include "core/parallel.h"
#include "math/quads.h"
#include "solver/collider_stage.h"
#include "solver/collider_surface.h"
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
  Real keep;  // [m] distance
};

/// Pairs and contacts that are worked on together. The result does not depend on it: each lane is on its own.
template <class Real>
inline constexpr int kContactLanes = sizeof(Real) == 4 ? 8 : 4;

/// Contacts of one colour, lane by lane.
template <class Real>
struct alignas(64) BodyContactBlock {
  static constexpr int W = kContactLanes<Real>;
  QuadAt at[4][W];
  Real weight[4][W];
  Real normal[3][W];
  Real keep[W];         // [m]
  Real gap[W];          // [m] C, offsets left out
  Real lambda[W];       // [N s^2] multiplier of this substep
  Real friction[3][W];  // the same for friction, along the surface
  int32_t used = 0;     // lanes; the others have no weight
};

/// An edge or a triangle of a body and one, or a corner, of a collider's surface.
struct ColliderTouch {
  int32_t surface = -1;                 // of Model::surfaces
  int32_t particles[3] = {-1, -1, -1};  // of the body
  double weights[3] = {};
  Vec3d point{};   // in the collider's coordinates [m]
  Vec3d normal{};  // from the collider to the body, as the collider lies at the start of the substep
};

/// A closed body that is inside of another one, and how it gets out.
struct Nested {
  int32_t inner = -1, outer = -1;
  Vec3d way{};           // [m/s] of the inner one against the outer one
  double share[2] = {};  // of that way
};

/// An edge that goes through a triangle.
struct Tangle {
  std::array<int32_t, 5> corner;    // of the edge, of the triangle
  std::array<int32_t, 2> opposite;  // third corners of the edge's own triangles, or -1
};

/// Thickness of a body that gives none, as a part of its mean edge length: thin enough that folds lie close, thick
/// enough that one substep of usual motion does not use it up.
inline constexpr double kThicknessOfEdge = 0.2;
/// [s] Contacts of bodies that move slowly serve for so long, at least for one substep.
inline constexpr double kContactTime = 0.005;
/// BodyContact::scale of a particle that is not slowed.
inline constexpr uint32_t kWholeMotion = uint32_t{1} << 31;
/// A pair becomes a contact at this part of its thickness: what is a little farther may be pushed there by the elastic
/// constraints of the same substep.
inline constexpr double kContactBand = 1.25;
/// A pair that is farther becomes a contact if it comes closer than its thickness within the substep; this is that with
/// the tolerance of the detection, and more.
inline constexpr double kArriving = 1.1;
/// What comes closer than this part of the thickness is looked at by the guard: what it keeps, and the tolerance of the
/// detection.
inline constexpr double kGuarded = 0.25;

/// Tangles that are kept, per edge and triangle of all surfaces. An edge that goes through a sheet or a corner has one
/// or two; where everything goes through everything their number would grow with the square of the scene.
inline constexpr std::size_t kMostTangles = 8;

template <class Real>
struct BodyContactData {
  ContactSurface surface;
  Real friction = 0;

  // Pairs that may come near.
  BroadPhase broad_phase;
  bool stale = true;                 // positions were set: the pairs are worth nothing
  bool started = false;              // they have been told of this substep
  bool first_substep = false;        // of a step: positions of now follow from a snapshot
  Vec3d origin{};                    // [m] State::origin as the pairs have it
  AlignedVector<Quad<Real>> from;    // [m] per particle: offset at the start of the substep, where that is not `start`
  AlignedVector<Quad<Real>> motion;  // [m] per particle, from there on; w: half of its thickness

  // Contacts of this substep.
  struct Found {
    BroadPhase::DueLists due;
    std::vector<int32_t> touched;                     // particles that the guard has slowed
    std::vector<std::array<int32_t, 2>> taken_along;  // particles, and the surfaces that take them
    std::vector<std::array<int32_t, 2>> stopped;      // their bodies, if they are watched
    int forced = 0;                                   // pairs that scripted pins push into each other
    std::array<int32_t, 4> first_forced{};            // the lowest of them
    std::array<bool, 2> anew{};                       // sets whose contacts are others than in the last substep
  };
  std::vector<Found> found;  // per chunk of pairs of parts
  /// Contacts of two parts.
  struct OfParts {
    BroadPhase::Meeting parts{-1, -1, -1};
    int64_t substep = -1;                             // in which they are in use
    int set = 0;                                      // which has them
    bool anew = false;                                // they are found anew in this substep
    bool collider = false;                            // one of them is a collider's: in none of the sets
    std::vector<BodyContactPoint<Real>> contacts[2];  // vertex-triangle, edge-edge
  };
  std::vector<OfParts> of_parts;  // by the number of the pair of parts
  int64_t substep = 0;
  /// Contacts that serve for several substeps, and those that are found anew in each: each set has its own colours, so
  /// that a few fast parts do not cost an order of all.
  struct Set {
    AlignedVector<BodyContactBlock<Real>> blocks;  // by colour
    std::vector<int> color_begin;                  // in blocks
    int64_t contacts = 0;
  };
  std::array<Set, 2> sets;
  std::vector<uint8_t> color, slab;  // of a contact
  std::vector<int32_t> by_slab;      // contacts in the order of their slabs
  std::vector<const BodyContactPoint<Real>*> sorted;
  std::vector<int32_t> of_set;      // pairs of parts with contacts in a set
  std::vector<uint64_t> colors_of;  // per particle
  std::vector<ColliderTouch> with_colliders;

  // Guard.
  std::vector<std::atomic<uint32_t>> scale;  // per particle: part of its motion that it may make, in 2^-31
  std::vector<uint32_t> last_scale;          // as of the last round
  std::vector<int32_t> slowed_in;            // per particle: round that changed its part last
  std::vector<int32_t> slowed;               // particles with less than all
  std::vector<Quad<Real>> whole;             // [m] their whole motion; `motion` has what is left of it
  std::vector<int32_t> slowed_at;            // per particle: its place in these
  int64_t slowed_particles = 0;              // since the start, each in each substep
  bool told_forced = false, told_crowded = false;
  bool crowded = false;   // in this step
  int crowded_steps = 0;  // up to this one, without a break
  // Where too much is near for pairs to be told apart (body_contact_limit.cpp).
  DistanceBound bound;
  std::vector<int32_t> crowded_elements;
  std::vector<Vec3d> places;         // [m] per particle, filled where needed
  std::vector<double> ways, limits;  // [m] per particle
  std::vector<uint8_t> stays;        // per particle: cannot be held
  // With colliders (body_contact_collider.cpp).
  std::vector<std::atomic<uint32_t>> rigid_scale;  // per surface: part of the motion that a rigid body may make
  std::vector<int32_t> carrier;                    // per particle: surface that takes it along, or -1
  std::vector<uint8_t> inside;                     // per particle: behind or through a collider's surface
  bool may_be_inside = true, any_inside = false;
  int64_t looked_for_inside = -1;  // step
  std::atomic<int> caught{0};      // pairs that colliders are pushed into

  // Tangles.
  bool may_be_tangled = true;
  bool told_tangled = false;
  int64_t looked_for_tangles = -1;  // step
  std::vector<Tangle> tangles;      // at the start of the step
  std::vector<Nested> nested;
  std::vector<int> particles_begin;               // per body
  FreedPairs freed;                               // may pass
  std::vector<std::array<int32_t, 5>> crossings;  // edges and triangles of one body that intersect at rest, ascending
};

template <class Real>
class BodyContacts {
 public:
  /// All arguments must outlive it. `dt` is the substep's time as the constraints see it [s].
  BodyContacts(const ModelInput& input, const Model<Real>& model, const WorldOptions& options, JobSystem& jobs,
               State<Real>& state, ColliderStage<Real>& colliders, const Real& dt);  // body_contact_build.cpp

  void find(int substep);                       // body_contact_find.cpp
  void settle();                                // before the first iteration
  bool project();                               // body_contact_project.cpp: one sweep; whether contacts are not settled
  void guard();                                 // body_contact_guard.cpp
  void report(std::vector<Trouble>& troubles);  // body_contact_report.cpp
  /// Positions were set.
  void forget() {
    contact_.stale = contact_.may_be_tangled = true;
    contact_.looked_for_tangles = -1;
    contact_.may_be_inside = true;
    contact_.looked_for_inside = -1;
  }
  /// Edges and triangles that are near a collider's, in this substep, in an order that follows from the scene alone.
  const std::vector<ColliderTouch>& with_colliders() const { return contact_.with_colliders; }

  /// Sets the particles whose contacts bear a force.
  void mark_touching(std::vector<uint8_t>& particles) const;

  /// Pairs of different bodies, the lower number first, that touched in any substep of this step, if they are watched.
  using Touching = std::set<std::array<int, 2>>;
  void watch(bool on) { watched_ = on; }
  const Touching& touching() const { return touching_; }

  int64_t contacts() const { return contact_.sets[0].contacts + contact_.sets[1].contacts; }
  /// Something goes through something else, and is being moved apart.
  bool any_tangled() const { return contact_.freed.any_tangled; }
  int64_t slowed() const { return contact_.slowed_particles; }

 private:
  enum class Motion { free, made };
  void take_motion(Motion which);
  void set_distances();
  const Quad<Real>* from() const { return contact_.from.empty() ? state_.start.data() : contact_.from.data(); }
  /// f(found, first, last) for each chunk of pairs of parts, in parallel.
  template <class F>
  void each_chunk(F&& f);
  template <int kSideA>
  void look_at_pairs(const std::vector<BroadPhase::Due>& due, std::vector<BodyContactPoint<Real>>& contacts);
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
  void find_tangles(int substep);  // body_contact_untangle.cpp
  void find_crossings_at_rest();
  void find_nested(const std::vector<Vec3d>& x);  // body_contact_nested.cpp
  void part_nested();
  void untangle();
  bool is_out_of_date(int64_t meeting, int substep, typename BodyContactData<Real>::Found& found);
  void sort_contacts(int set);
  void color_contacts(int set);
  void order_by_slabs();
  template <int kSideA>
  void guard_pair(const std::array<int32_t, 4>& corner, int round, typename BodyContactData<Real>::Found& found);
  int32_t carrier_of(const std::array<int32_t, 4>& corner, int32_t with) const;
  bool take_slowed(int round);
  template <int kSideA>
  void guard_due(int round, typename BodyContactData<Real>::Found& found);
  template <int kSideA>
  bool guard_pairs(int round);
  void limit_crowded(typename BodyContactData<Real>::Found& found);  // body_contact_limit.cpp
  void note_touching();                                              // body_contacts.cpp
  const std::string& name_of(int32_t body) const;                    // body_contact_report.cpp
  std::string names_of(int32_t p, int32_t q) const;
  std::string place_of(int32_t p) const;

  // body_contact_collider.cpp
  void add_collider(int number);  // body_contact_build.cpp
  /// The surface of a collider that a pair has to do with, or -1.
  int32_t collider_of(const std::array<int32_t, 4>& corner) const;
  Real thickness_of(const std::array<int32_t, 4>& corner) const;
  bool is_inside(const std::array<int32_t, 4>& corner) const;
  void find_inside();
  void collect_with_colliders();
  Quad<Real> carried(int32_t particle) const;

  const ModelInput& input_;
  const WorldOptions& options_;
  JobSystem* jobs_;
  State<Real>& state_;
  ColliderStage<Real>& colliders_;
  const std::vector<ColliderSurface>& surfaces_;
  const Real& dt_;
  int serves_ = 1;  // substeps that contacts serve for
  bool watched_ = false;
  Touching touching_;
  BodyContactData<Real> contact_;
};

template <class Real>
template <class F>
void BodyContacts<Real>::each_chunk(F&& f) {
  constexpr int64_t kMostChunks = 64;
  const int64_t count = contact_.broad_phase.part_pairs();
  const int64_t grain = std::max<int64_t>(1, (count + kMostChunks - 1) / kMostChunks);
  const std::size_t chunks = static_cast<std::size_t>(chunk_count(count, grain));
  if (contact_.found.size() < chunks) contact_.found.resize(chunks);
  parallel_for_chunks(*jobs_, count, grain, [&](int64_t chunk, int64_t begin, int64_t end) {
    f(contact_.found[static_cast<std::size_t>(chunk)], begin, end);
  });
}

}  // namespace pliant
