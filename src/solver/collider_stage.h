#pragma once
// Contact with colliders: the stages of a substep that keep particles, triangles and rigid bodies out of them.
//
//   move ─> find_contacts ─> { project } x iterations ─> guard ─> restitute ─> finish_substep
//
// A contact is a half space that a point must not leave, found once per substep from the point's way since the start of
// it. Projected after the constraints of each iteration it is a unilateral constraint with a multiplier lambda >= 0
//
//   C = n . (x - p) - thickness >= 0      lambda += max(-lambda, -C / w)      force = lambda n / dt^2
//
// and friction takes back what the point slid along the surface since the start of the substep, by a push of at most
// mu lambda (Mueller et al. 2020, Detailed Rigid Body Simulation with Extended Position Based Dynamics, 3.5).
//
// Particles against fixed and scripted colliders are independent of each other and go in parallel. What couples several
// particles or rigid bodies is projected in sequence, in the order in which it was found, which depends on the scene
// alone.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "contact/half_space.h"
#include "contact/rigid_body.h"
#include "contact/shape.h"
#include "math/simd.h"
#include "pliant/jobs.h"
#include "pliant/world.h"
#include "solver/model.h"
#include "solver/state.h"

namespace pliant {

/// A particle against a collider that does not give way.
struct SurfaceContact {
  int32_t particle = -1, collider = -1;
  Vec3d normal{};
  double level = 0;     // [m] n . x must not fall below it
  Vec3d motion{};       // [m] of the surface, in the time that the multipliers belong to
  double lambda = 0;    // [kg m] push along the normal
  Vec3d friction{};     // [kg m] push along the surface
  double approach = 0;  // [m/s] relative velocity along the normal when it touched
};

/// Particles (one, or a triangle's three) or a rigid body, against any collider.
struct CoupledContact {
  int32_t particles[3] = {-1, -1, -1};  // the first is -1: a rigid body touches
  double weights[3] = {1, 0, 0};
  int32_t other = -1;     // the rigid body's collider
  int32_t collider = -1;  // what is touched
  Vec3d arm{};            // of the rigid body that touches, from its centre of mass, in its axes [m]
  Vec3d place{};          // the same of what is touched; if it does not give way: the point in space
  Vec3d normal{};
  double keep = 0;  // [m] distance to be kept
  Vec3d motion{};   // as above, of what does not give way
  double lambda = 0;
  Vec3d friction{};
  double approach = 0;
};

struct ColliderTouch;  // body_contacts.h

template <class Real>
class ColliderStage {
 public:
  /// All must outlive it.
  ColliderStage(const ModelInput& input, const Model<Real>& model, State<Real>& state, const WorldOptions& options,
                JobSystem& jobs);

  void reset();   // rigid bodies to where they started
  void forget();  // contacts of the last substep
  /// Throws Error if a vertex starts inside of a collider that refuses it. Looks at bodies and colliders from these
  /// numbers on only.
  void refuse_inside(int first_body, int first_collider) const;

  // The stages, in order. `step` is the length of a substep, `h` the time that multipliers belong to (bdf2.cpp).
  void start_step();
  void move(double time, double step, double h, const Vec3d& gravity);
  void find_contacts();  // collider_find.cpp
  /// Of edges and triangles of bodies with surfaces (collider_surface.h), which contact between bodies has found.
  void add_contacts(const std::vector<ColliderTouch>& touches);
  void project();  // collider_project.cpp
  void guard();
  void follow_surfaces();  // collider_stage.cpp: of rigid bodies, to where they are now
  void slow(int collider, double part);
  void restitute();
  void finish_substep();
  /// Collider, body and other of all contacts (see ContactPoint) in this step, if they are watched.
  using Touching = std::set<std::array<int, 3>>;
  void watch(bool on) { watched_ = on; }
  const Touching& touching() const { return touching_; }

  // For contact between bodies: of a collider and a particle in this substep.
  bool moves(int collider) const { return placed_[collider].moves; }
  bool starts_inside(int collider, int32_t particle) const;
  Vec3d carried(int collider, int32_t particle) const;

  // Reports: collider_report.cpp
  ColliderPose pose(int collider) const;
  RigidMotion motion(int collider) const;
  Vec3d force(int collider) const;
  ContactReport report() const;
  std::vector<ContactPoint> contacts() const;
  void add_measures(const Vec3d& gravity, Measures& measures) const;
  /// Calls f(body, J) with the work that scripted colliders have done on bodies in this step; rigid bodies: -1.
  template <class F>
  void each_work(F&& f) const;

 private:
  /// A collider in this substep.
  struct Placed {
    contact::Pose begin{}, end{};
    contact::Bounds box{};              // in space, over the substep
    bool moves = false, moved = false;  // in this substep, in the last one
    double turn = 0;                    // [1] a point at distance r from the axis is turned by turn * r at most
  };
  static constexpr int kParticlesPerChunk = 256;
  static constexpr int kTrianglesPerChunk = 256;
  /// Particles, and triangles, that are looked at together first: most are far from all colliders.
  static constexpr int kGroup = 16;
  /// Around the ways of some particles in this substep.
  struct Swept {
    contact::Bounds box{};  // in space
    double way = 0;         // [m] longest, at most
    void add(const Swept& s) {
      box.add(s.box.min);
      box.add(s.box.max);
      way = std::max(way, s.way);
    }
  };
  /// Particles that stand side by side, and what they touch.
  struct Chunk {
    int32_t begin = 0, end = 0, body = 0;
    std::vector<SurfaceContact> surface;
    std::vector<CoupledContact> coupled;
    std::vector<int32_t> near;  // colliders whose boxes meet its own
    std::vector<Vec3d> force;   // [N] on each collider, sum over the substeps of a step
    double work = 0;            // [J] of scripted colliders, in a step
  };
  struct TriangleChunk {
    int32_t begin = 0, end = 0;                             // in triangles_
    double size = 0;                                        // [m] longest side at rest
    int32_t corners[kTrianglesPerChunk / kGroup + 1] = {};  // of each group, in triangle_corners_
    std::vector<CoupledContact> coupled;
  };

  /// How a body that is in a collider gets out of it.
  struct Exit {
    int body = -1, collider = -1;
    Vec3d direction{};  // in the collider's coordinates
    bool most = false;  // more than half of its vertices are inside
  };

  bool idle() const { return input_.colliders.empty(); }
  const ColliderInput& collider(int c) const { return input_.colliders[c]; }
  contact::Pose start_pose(const ColliderInput& c) const;
  contact::Pose scripted(const ColliderInput& c, double time) const;
  contact::Pose rigid_pose(const ColliderInput& c, const contact::RigidState& s) const;
  Vec3d position(int32_t i) const;        // now
  Vec3d begin_position(int32_t i) const;  // when the substep began
  Vec3d travelled(int32_t i) const;       // since `start`: dt times the velocity it would have now

  void clear_reports();
  void find_exits();  // collider_exit.cpp
  const Exit* exit_of(int body, int collider) const;
  const Exit* exit_of_particle(int32_t particle, int collider) const;

  // collider_find.cpp, collider_triangles.cpp
  /// Of particles at(0) .. at(count - 1).
  template <class At>
  Swept swept(int32_t count, At&& at) const;
  bool is_far(int c, const Swept& swept, double beside) const;
  bool is_hollow(int c, const Swept& swept, double beside) const;
  /// In the coordinates of a collider: what is swept, and all within half of its way, its thickness and `beside` [m].
  struct Ball {
    Vec3d middle{};
    double radius = 0;  // [m]
  };
  Ball reach_of(int c, const Swept& swept, double beside) const;
  void find_near(const contact::Bounds& box, std::vector<int32_t>& near) const;
  void find_particle_contacts(Chunk& chunk);
  void find_triangle_contacts(TriangleChunk& chunk);
  void find_triangle_contact(const std::array<int32_t, 3>& corners, int c, std::vector<CoupledContact>& out) const;
  void find_rigid_contacts(int c);
  void find_rigid_contact(int c, const contact::Feature& feature, double along, int other);
  /// The parts of a contact that are the same for all: from the half space in the collider's coordinates.
  CoupledContact coupled_contact(int c, const contact::HalfSpace& half, const Vec3d& velocity) const;
  double keep_distance(const ColliderInput& c, double start_distance) const;
  Vec3d surface_velocity(int c, const Vec3d& local) const;
  void place_surfaces();

  // collider_project.cpp
  void project(SurfaceContact& contact);
  void project(CoupledContact& contact);
  void push_toucher(const CoupledContact& contact, const Vec3d& push);
  void push_touched(const CoupledContact& contact, const Vec3d& push);
  double inverse_mass(const CoupledContact& contact, const Vec3d& direction) const;
  Vec3d touching_point(const CoupledContact& contact, bool start) const;
  Vec3d touched_point(const CoupledContact& contact, bool start) const;
  std::size_t work_on(const CoupledContact& contact) const;
  double friction_of(const CoupledContact& contact, bool sticking) const;
  double restitution_of(const CoupledContact& contact) const;
  Vec3d relative_velocity(const CoupledContact& contact) const;
  void guard(int32_t particle, int32_t collider);
  void update_rigid_velocities();
  /// How far beside its way a particle is watched, since other constraints may move it in the iterations [m]: a part of
  /// its way, and of an element.
  double margin(double way) const { return 0.5 * way + 0.1 * edge_; }
  /// What gravity makes in two substeps: slower contacts neither bounce nor count as blows [m/s].
  double slow_speed() const { return 2 * length(gravity_) * step_; }

  const ModelInput& input_;
  const Model<Real>& model_;
  State<Real>& state_;
  const WorldOptions& options_;
  JobSystem& jobs_;

  double step_ = 0, h_ = 0;  // [s]
  Vec3d gravity_{};
  double edge_ = 0;  // [m] how large elements are
  bool any_rigid_ = false;
  std::vector<Placed> placed_;
  std::vector<int32_t> rigid_colliders_;                 // number among the rigid -> collider
  std::vector<contact::RigidState> rigid_start_;         // at `start`
  std::vector<std::vector<contact::Feature>> features_;  // per rigid body
  std::vector<Chunk> chunks_;
  AlignedVector<Quad<Real>> predicted_;  // offsets when contacts were searched
  std::vector<TriangleChunk> triangle_chunks_;
  std::vector<std::array<int32_t, 3>> triangles_;  // engine's numbers
  std::vector<int32_t> triangle_corners_;          // of groups of triangles, each once
  std::vector<CoupledContact> coupled_;            // of all chunks, then of rigid bodies
  std::size_t swept_once_ = 0;                     // of these, from here on: no rigid body has to do with them
  std::vector<uint8_t> has_surface_;               // per collider
  std::vector<Exit> exits_;                        // at the start of the step
  bool may_be_inside_ = true;
  Vec3d surfaces_origin_{};  // State::origin when surfaces were placed
  bool surfaces_placed_ = false;
  std::vector<double> coupled_work_;  // [J] of scripted colliders on each body, then on rigid ones, in a step
  std::vector<Vec3d> coupled_force_;  // [N] on each collider, sum over the substeps of a step
  bool watched_ = false;
  Touching touching_;
  int substeps_done_ = 0;  // in coupled_force_ and the chunks' forces
};

template <class Real>
template <class F>
void ColliderStage<Real>::each_work(F&& f) const {
  for (const Chunk& chunk : chunks_) {
    if (chunk.work == 0) continue;
    const auto above = std::upper_bound(model_.body_begin.begin(), model_.body_begin.end(), chunk.begin);
    f(static_cast<int>(above - model_.body_begin.begin()) - 1, chunk.work);
  }
  for (std::size_t b = 0; b < coupled_work_.size(); ++b) {
    if (coupled_work_[b] != 0) f(b + 1 < coupled_work_.size() ? static_cast<int>(b) : -1, coupled_work_[b]);
  }
}

template <class Real>
template <class At>
typename ColliderStage<Real>::Swept ColliderStage<Real>::swept(int32_t count, At&& at) const {
  using Four = Pack<Real, 4>;
  constexpr Real kFar = std::numeric_limits<Real>::max();
  const bool shifted = state_.start_is_ahead(options_.integrator);
  Four low(kFar), high(-kFar), way(Real(0));
  for (int32_t k = 0; k < count; ++k) {
    const int32_t i = at(k);
    const Four base = Four::load(&state_.base[i].x), end = base + Four::load(&state_.offset[i].x);
    Four begin = base + Four::load(&state_.start[i].x);
    if (shifted) begin = begin - Four::load(&state_.last_motion[i].x) * Four(Real(1) / Real(3));
    low = min(low, min(begin, end));
    high = max(high, max(begin, end));
    way = max(way, abs(end - begin));
  }
  Real l[4], h[4], w[4];
  low.store(l);
  high.store(h);
  way.store(w);
  // Sums of two or three numbers, rounded.
  constexpr double kRounding = 4 * double(std::numeric_limits<Real>::epsilon());
  Swept out;
  double most = 0;
  for (int a = 0; a < 3; ++a) most = std::max({most, std::abs(double(l[a])), std::abs(double(h[a]))});
  out.box.min = state_.origin + Vec3d{double(l[0]), double(l[1]), double(l[2])};
  out.box.max = state_.origin + Vec3d{double(h[0]), double(h[1]), double(h[2])};
  out.box.grow(kRounding * most);
  out.way = length(Vec3d{double(w[0]), double(w[1]), double(w[2])}) + 4 * kRounding * most;
  return out;
}

}  // namespace pliant
