#pragma once
// The stepping engine in one precision: a Model that stays, a State that changes.

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/aligned.h"
#include "pliant/world.h"
#include "solver/model.h"

namespace pliant {

/// All that changes. Position of particle i = origin + base[i] + offset[i].
///
/// The base is the position rounded to the precision in use and the offset what is left, so that the
/// two together carry twice the digits. Within a substep only the offset changes; a step of 1e-9 m
/// is not lost on a coordinate of 1 m. Bases are renewed after a few substeps (bases.cpp), and the origin
/// follows the scene when it travels far.
template <class Real>
struct State {
  Vec3d origin{};                        // [m]
  AlignedVector<Quad<Real>> base;        // [m] w: 0
  AlignedVector<Quad<Real>> offset;      // [m] w: inverse mass [1/kg]
  AlignedVector<Quad<Real>> start;       // offset at the start of the substep
  AlignedVector<Quad<Real>> velocity;    // [m/s] w: 0
  AlignedVector<Quad<Real>> carry;       // [m] push of kept multipliers, applied by the next prediction
  // BDF2 only, empty otherwise: motion in the last substep, and the velocity before it.
  AlignedVector<Quad<Real>> last_motion;    // [m] w: 0
  AlignedVector<Quad<Real>> last_velocity;  // [m/s] w: 0
  uint8_t has_history = 0;               // these two are known
  std::vector<AlignedVector<Real>> multipliers;  // per group
  std::vector<AlignedVector<Real>> plastic_rest;  // per group: rest data that flows; empty where the model's own counts
  std::vector<Real> balloon_multipliers;
  std::vector<uint8_t> held;             // was not finite and is held in place; 1: not yet reported, 2: reported
  int32_t substeps_on_base = 0;          // since the bases were renewed
  double time = 0;                       // [s]
  int64_t steps = 0;
};

/// Beyond this many metres, in one substep or from the origin, a particle counts as not finite: kernels
/// form fourth powers of edge lengths (the squared gradient of a volume), which then would overflow.
template <class Real>
inline constexpr Real kTooFar = sizeof(Real) == 4 ? Real(1e9) : Real(1e75);

/// A base serves this many substeps at most. The offsets then hold the motion of few substeps, of which 1e-7 is
/// rounded away; new bases and what the kernels keep of them cost about a third of a sweep.
inline constexpr int kSubstepsOnBase = 8;

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
  virtual uint64_t state_hash() const = 0;
  virtual std::vector<std::byte> snapshot() const = 0;
  virtual void restore(std::span<const std::byte> bytes) = 0;
  virtual double time() const = 0;
  virtual int64_t steps() const = 0;
  virtual void set_clock(double time, int64_t steps) = 0;
  /// Which vertices of a body are held because they were not finite.
  virtual std::vector<uint8_t> held(int body) const = 0;
  virtual void set_held(int body, std::span<const uint8_t> held) = 0;
  /// What has flowed, six numbers for each plastic constraint in the order in which they were put in. May be set for
  /// the first of them.
  virtual std::vector<double> plastic_state() const = 0;
  virtual void set_plastic_state(std::span<const double> values) = 0;
  void set_troubles(std::vector<Trouble> troubles) { troubles_ = std::move(troubles); }
  const std::vector<Trouble>& troubles() const { return troubles_; }

 protected:
  std::vector<Trouble> troubles_;
};

template <class Real>
class Solver final : public AnySolver {
 public:
  /// `input` must outlive the solver.
  Solver(const ModelInput& input, const WorldOptions& options, std::shared_ptr<JobSystem> jobs);

  void step() override;                                    // step.cpp
  void reset() override;
  void set_loads(const Loads& loads) override;
  std::vector<Vec3d> positions(int body) const override;
  std::vector<Vec3d> velocities(int body) const override;
  void set_positions(int body, std::span<const Vec3d> x) override;
  void set_velocities(int body, std::span<const Vec3d> v) override;
  Measures measures() const override;                      // measures.cpp
  std::vector<ConstraintCount> constraint_counts() const override;
  uint64_t state_hash() const override;                    // snapshot.cpp
  std::vector<std::byte> snapshot() const override;
  void restore(std::span<const std::byte> bytes) override;
  double time() const override { return state_.time; }
  int64_t steps() const override { return state_.steps; }
  void set_clock(double time, int64_t steps) override;
  std::vector<uint8_t> held(int body) const override;
  void set_held(int body, std::span<const uint8_t> held) override;
  std::vector<double> plastic_state() const override;      // plastic.cpp
  void set_plastic_state(std::span<const double> values) override;

 private:
  // The stages of a step, in order.
  void renew_bases();                    // bases.cpp
  void start_substep();                  // bdf2.cpp
  void blow(double time);  // wind.cpp
  void predict();                        // predict.cpp
  void move_pins(double time);
  void move_riders();           // riders.cpp
  void project(int iteration);           // project.cpp
  void follow_leaders();        // strands.cpp
  void update_velocities();              // velocities.cpp
  void push_leaders();          // strands.cpp
  void finish_substep();                 // bdf2.cpp
  void damp_velocities();                // damping.cpp
  void flow();                           // plastic.cpp: once per step
  void follow_scene();                   // bases.cpp: moves the origin

  void sweep_group(std::size_t group, int iteration);
  void split_hubs(const Group<Real>& group, AlignedVector<Quad<Real>>& values, bool masses);
  void merge_hubs(const Group<Real>& group, AlignedVector<Quad<Real>>& values);
  void damp_rigid_deviation(int body, double fraction);
  void set_multiplier_time(Real dt);     // bdf2.cpp
  void hold(int64_t particle);           // velocities.cpp
  void report_held();
  GroupView<Real> view(std::size_t group) const;
  ParticlesView<Real> particles() const;
  void place(int32_t particle, Vec3d position);
  Vec3d position(int32_t particle) const;

  const ModelInput& input_;
  WorldOptions options_;
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
  std::vector<Vec3<Real>> acceleration_;      // per body, gravity included
  AlignedVector<Quad<Real>> vertex_force_;    // engine's numbering; empty: none
  std::vector<AlignedVector<Quad<Real>>> base_edges_;  // per group; empty unless its kernels read them
  bool edges_stale_ = true;                   // bases have changed since base_edges_ were written
  std::atomic<bool> found_bad_{false};
  std::atomic<bool> left_base_{false};        // a particle is farther from its base than model_.reach
  std::vector<double> partial_;               // sums of damping
};

}  // namespace pliant
