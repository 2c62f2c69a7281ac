#pragma once
// The stepping engine in one precision: a Model that stays, a State that changes.

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "core/aligned.h"
#include "pliant/world.h"
#include "solver/collider_stage.h"
#include "solver/energy_ledger.h"
#include "solver/model.h"
#include "solver/stage_clock.h"
#include "solver/state.h"
#include "solver/stretch_watch.h"

namespace pliant {

/// External influences, in the user's numbering of bodies; kept by World.
struct Loads {
  Vec3d gravity{};
  std::optional<Wind> wind{};
  std::vector<Vec3d> acceleration;                // per body [m/s^2], forces on whole bodies included
  std::vector<std::vector<Vec3d>> vertex_forces;  // per body; empty: none [N]
};

/// A Solver of either precision.
class AnySolver {
 public:
  virtual ~AnySolver() = default;
  virtual void step() = 0;
  virtual void reset() = 0;
  virtual void set_loads(const Loads& loads) = 0;
  virtual std::vector<Vec3d> positions(int body) const = 0;
  virtual std::vector<Vec3d> velocities(int body) const = 0;
  virtual void set_positions(int body, std::span<const Vec3d> x) = 0;
  virtual void set_velocities(int body, std::span<const Vec3d> v) = 0;
  virtual Measures measures() const = 0;
  virtual std::vector<ConstraintCount> constraint_counts() const = 0;
  virtual const StageClock& stage_clock() const = 0;
  virtual uint64_t state_hash() const = 0;
  virtual std::vector<std::byte> snapshot() const = 0;
  virtual void restore(std::span<const std::byte> bytes) = 0;
  virtual double time() const = 0;
  virtual int64_t steps() const = 0;
  /// Goes on where `old` is: a solver of the same input and precision, made before bodies, constraints and colliders
  /// were added behind its own, or pins and riders were changed. What is new is at its start.
  virtual void take_over(const AnySolver& old) = 0;
  /// A constraint whose corners are all vertices of one body.
  struct ConstraintAt {
    std::span<const int> vertices;
    int batch;              // among those of its group
    const double* plastic;  // six numbers that have flowed, or null
  };
  virtual Stretch most_stretched(int body) const = 0;
  virtual void visit_constraints(int body, const std::function<void(const ConstraintAt&)>& visit) const = 0;
  // Colliders, by their numbers.
  virtual ColliderPose collider_pose(int collider) const = 0;
  virtual RigidMotion rigid_motion(int collider) const = 0;
  virtual void set_rigid_motion(int collider, Vec3d velocity, Vec3d spin) = 0;
  virtual Vec3d contact_force(int collider) const = 0;
  virtual ContactReport contact_report() const = 0;
  virtual std::vector<ContactPoint> contacts() const = 0;
  virtual void watch_contacts(bool on) = 0;
  virtual const std::set<std::array<int, 3>>& touching() const = 0;  // ColliderStage::Touching
  virtual void watch_body_contacts(bool on) = 0;
  virtual std::set<std::array<int, 2>> touching_bodies() const = 0;  // BodyContacts::touching
  /// Throws Error if a vertex starts inside of a collider that refuses it; looks at new ones, from these numbers on.
  virtual void refuse_inside(int first_body, int first_collider) const = 0;
  const std::vector<Trouble>& troubles() const { return troubles_; }

 protected:
  std::vector<Trouble> troubles_;
};

template <class Real>
class BodyContacts;  // body_contacts.h

template <class Real>
class Solver final : public AnySolver {
 public:
  /// `input` must outlive the solver.
  Solver(const ModelInput& input, const WorldOptions& options, std::shared_ptr<JobSystem> jobs);
  ~Solver() override;

  void step() override;  // step.cpp
  void reset() override;
  void set_loads(const Loads& loads) override;
  std::vector<Vec3d> positions(int body) const override;
  std::vector<Vec3d> velocities(int body) const override;
  void set_positions(int body, std::span<const Vec3d> x) override;
  void set_velocities(int body, std::span<const Vec3d> v) override;
  Measures measures() const override;  // measures.cpp
  std::vector<ConstraintCount> constraint_counts() const override;
  const StageClock& stage_clock() const override { return clock_; }
  uint64_t state_hash() const override;  // snapshot.cpp
  std::vector<std::byte> snapshot() const override;
  void restore(std::span<const std::byte> bytes) override;
  double time() const override { return state_.time; }
  int64_t steps() const override { return state_.steps; }
  void take_over(const AnySolver& old) override;  // take_over.cpp
  Stretch most_stretched(int body) const override { return stretch_.most(body); }
  void visit_constraints(int body,
                         const std::function<void(const ConstraintAt&)>& visit) const override;  // inspect.cpp
  ColliderPose collider_pose(int collider) const override { return colliders_.pose(collider); }
  RigidMotion rigid_motion(int collider) const override { return colliders_.motion(collider); }
  void set_rigid_motion(int collider, Vec3d velocity, Vec3d spin) override;
  Vec3d contact_force(int collider) const override { return colliders_.force(collider); }
  ContactReport contact_report() const override { return colliders_.report(); }
  std::vector<ContactPoint> contacts() const override { return colliders_.contacts(); }
  void watch_contacts(bool on) override { colliders_.watch(on); }
  const std::set<std::array<int, 3>>& touching() const override { return colliders_.touching(); }
  void watch_body_contacts(bool on) override;  // body_contacts.cpp
  std::set<std::array<int, 2>> touching_bodies() const override;
  void refuse_inside(int first_body, int first_collider) const override {
    colliders_.refuse_inside(first_body, first_collider);
  }

 private:
  // The stages of a step, in order.
  void find_tension();
  Real* pulls_of(std::size_t g, int64_t batch);  // tension.cpp: once per step
  void find_pressed();                           // pressed.cpp: once per step; who is swept twice
  void renew_bases();                            // bases.cpp
  void start_substep();                          // bdf2.cpp
  void blow(double time);                        // wind.cpp
  void predict();                                // predict.cpp
  void move_pins(double time);
  void move_riders();                    // riders.cpp
  void find_body_contacts(int substep);  // body_contacts.cpp: all three
  void project(int iteration);           // project.cpp
  void project_body_contacts();
  bool project_pressed();  // project.cpp: whether there was anything
  void guard_body_contacts();
  void follow_leaders();     // strands.cpp
  void update_velocities();  // velocities.cpp
  void push_leaders();       // strands.cpp
  void finish_substep();     // bdf2.cpp
  void damp_velocities();    // damping.cpp
  void flow();               // plastic.cpp: once per step
  void follow_scene();       // bases.cpp: moves the origin
  void open_ledger();        // energy_watch.cpp: both
  void watch_energy();

  bool may_be_pressed(const Group<Real>& group) const;  // pressed.cpp
  bool may_be_tense(const Group<Real>& group) const;    // tension.cpp
  void prepare_tension(std::size_t group);
  template <int N>
  void find_tension_of(std::size_t group);
  void turn_tension(std::size_t group);
  void sweep_group(std::size_t group, int iteration);
  void split_group(std::size_t group, bool accumulate);
  void merge_group(std::size_t group, bool accumulate);
  void split_hubs(const Group<Real>& group, AlignedVector<Quad<Real>>& values, bool masses);
  void merge_hubs(const Group<Real>& group, AlignedVector<Quad<Real>>& values);
  // damping.cpp
  struct RigidPart {  // the rigid motion with the momenta of a body
    bool moves = false;
    Vec3d center{}, drift{}, spin{};
    double energy = 0;  // [J]
  };
  RigidPart rigid_part(int body);
  void draw_to(const RigidPart& motion, int body, double fraction);
  void damp_rigid_deviation(int body, double fraction);
  void set_multiplier_time(Real dt);  // bdf2.cpp
  void hold(int64_t particle);        // velocities.cpp
  void report_held();
  void find_unaligned();
  template <class Archive>
  void persist(Archive& archive, Real& dt) const;  // snapshot.cpp: the walk over what carries over a step
  void forget_later_troubles();
  void take_over_particles(const Solver& old);  // take_over.cpp
  void take_over_multipliers(const Solver& old);
  /// What has flowed, six numbers for each plastic constraint in the order in which they were put in. May be set for
  /// the first of them.
  std::vector<double> plastic_state() const;  // plastic.cpp
  void set_plastic_state(std::span<const double> values);
  void report_body_contacts();  // body_contacts.cpp
  void forget_body_contacts();
  double rigid_energy() const;  // energy_watch.cpp: these four
  void report_gain(int body, double joules, int64_t step);
  std::string remedy(const std::string& type, bool compliant, bool material) const;
  void take_out(int body, double joules);
  GroupView<Real> view(std::size_t group) const;
  ParticlesView<Real> particles() const;
  void place(int32_t particle, Vec3d position);
  Vec3d position(int32_t particle) const;

  const ModelInput& input_;
  WorldOptions options_;
  StageClock clock_;
  std::shared_ptr<JobSystem> jobs_;
  Model<Real> model_;
  mutable State<Real> state_;  // views into it are handed to kernels that do not write in const members
  Real dt_;                    // [s] of a substep of implicit Euler: of the whole one, or two thirds with BDF2
  int width_;
  Vec3d gravity_{};
  std::optional<Wind> wind_;
  Sails<Real> sails_;                                // empty as long as there is no wind
  AlignedVector<Quad<Real>> wind_drag_, wind_lift_;  // per element; see wind.cpp
  // Strands: correction of each particle of all sets, and per set quaternions for each strand, the turn of its root's
  // frame since the beginning and in this substep.
  AlignedVector<Quad<Real>> strand_correction_;
  std::vector<AlignedVector<Quad<Real>>> strand_upright_, strand_turn_;
  std::vector<std::array<Quat<double>, 2>> pin_turns_;  // of each of Model::pins, at present and a substep ago
  std::vector<Vec3<Real>> acceleration_;                // per body, gravity included
  AlignedVector<Quad<Real>> vertex_force_;              // engine's numbering; empty: none
  std::vector<AlignedVector<Real>> base_edges_;         // per group; empty unless its kernels read them
  std::vector<std::vector<int32_t>> tense_;             // per group and batch, its place in pulls_; empty: none ever is
  std::vector<AlignedVector<Real>> pulls_;              // per group, of tense batches (tension.cpp)
  std::vector<uint8_t> any_tense_;                      // per group
  std::vector<std::vector<Real>> slack_;       // per group and batch: squared multipliers that are slack for sure
  std::vector<std::vector<uint8_t>> pressed_;  // per group and batch (pressed.cpp); empty: none ever is
  std::vector<uint8_t> any_pressed_;           // per group
  std::vector<uint8_t> touching_;              // per particle: in contact with a body
  bool edges_stale_ = true;                    // bases have changed since base_edges_ were written
  std::atomic<bool> found_bad_{false};
  std::atomic<bool> left_base_{false};  // a particle is farther from its base than model_.reach
  std::vector<double> partial_;         // sums of damping
  StretchWatch<Real> stretch_;
  EnergyLedger<Real> ledger_;
  ColliderStage<Real> colliders_;                      // after all that it refers to
  std::unique_ptr<BodyContacts<Real>> body_contacts_;  // of deformable bodies; null: they pass through each other
};

}  // namespace pliant
