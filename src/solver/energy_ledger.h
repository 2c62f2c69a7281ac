#pragma once
// A ledger of mechanical energy that finds energy which nothing has put in.             docs/energy_watch.md
//
// With K the kinetic energy of what moves, G the potential of gravity and of given forces, and W the work that wind,
// scripted pins and scripted colliders have done since the ledger began,
//
//   S = K + G - W
//
// is what constraints, contacts and damping have made of it. All of these can only give back what is stored in them:
// with R the energy that the constraints can release, S <= S_0 + R_0 for ever. What is above has come from nowhere.
//
// S costs a pass over the particles every few substeps. R costs more than a step: it is measured when a ledger begins,
// and again (which brings the bound down by what has been lost meanwhile) when S rises, at most every
// `steps_between_` steps.
//
// R of a constraint is its elastic energy, but no more than a sweep can make of its error: a correction of C along
// w grad C in one substep is a kinetic energy of
//
//   C^2 / (2 s dt^2),   s = sum w |grad C|^2
//
// which is found by projecting copies of its corners. A chain of rigid constraints in a row gives back twice that, n
// iterations n^2 times it.
//
// Nothing of it is part of the State, and the State does not depend on it unless EnergyWatch::limit asks for that.

#include <cstdint>
#include <span>
#include <vector>

#include "core/aligned.h"
#include "math/quaternion.h"
#include "pliant/world.h"
#include "solver/model.h"
#include "solver/state.h"

namespace pliant {

template <class Real>
class EnergyLedger {
 public:
  /// All must outlive it.
  EnergyLedger(const ModelInput& input, const Model<Real>& model, State<Real>& state, const WorldOptions& options,
               JobSystem& jobs, int width);

  bool on() const { return on_; }
  /// Positions, velocities or rest data were set: the ledger begins anew.
  void forget() {
    known_ = false;
    for (Unit& unit : units_) unit.told = false;
  }
  /// What this body has gained was told of. Once is enough.
  void told(int body) { units_[unit_[static_cast<std::size_t>(body)]].told = true; }
  /// Forces and accelerations are about to change, or have changed: potentials differ from now on, S does not.
  void loads_change(bool have_changed, std::span<const Vec3<Real>> acceleration,
                    const AlignedVector<Quad<Real>>& forces);
  double kinetic_energy(int body) const;
  void add_work(int body, double joules) {
    if (on_) bodies_[static_cast<std::size_t>(body)].work += joules;
  }
  void add_rigid_work(double joules) { rigid_work_ += joules; }

  // Scripted pins. A pinned corner is never written; what it is pulled with is what the other corners of a constraint
  // lack in momentum. Its rigid motion, continued to those corners, gives the work of force and moment exactly.
  void move_pin(std::size_t pin, Vec3d from, Vec3d to, const Quat<double>& turn);
  /// Does a batch of the group pull at scripted pins that move in this substep?
  bool pulls(std::size_t group) const { return pins_move_ && !pulled_[group].empty(); }
  void start_substep() { pins_move_ = false; }
  /// Projects batches [begin, end) by sweep(from, to), and measures the work of the pins. What is put into State::carry
  /// acts in the next substep; it counts now, as the pin's motion differs little from one to the next.
  template <class Sweep>
  void sweep(std::size_t group, int begin, int end, double dt, Sweep&& sweep);

  using Views = std::vector<GroupView<Real>>;
  Views& views() { return views_; }
  void begin_step(double dt, double rigid_energy);
  /// Looks at S if it is time to. Says which bodies have gained energy from nowhere.
  struct Gain {
    int body = -1;      // the one that has gained most
    double joules = 0;  // beyond what there can be
    double all = 0;     // [J] what there can be, above the lowest that S has been
    bool attributed = false;
  };
  std::span<const Gain> end_step(double dt, double rigid_energy);
  const std::vector<int>& unit_of(int body) const { return units_[unit_[static_cast<std::size_t>(body)]].bodies; }

  // Once there is too much: which constraints put it in.
  bool attributes() const { return attributes_; }
  void start_sweeps(double dt);
  void swept(std::size_t group, double dt);
  struct Culprit {
    const char* type = nullptr;  // null: no constraint has put in anything
    bool compliant = true, material = false;
  };
  /// What kind of constraints has put in most.
  Culprit culprit() const;

 private:
  struct Body {
    double kinetic = 0, potential = 0;  // [J] at the last look
    double weight = 0;                  // [J/m * m] |a| |sum m x|, at the last look
    double work = 0;                    // [J] since the ledger began
    double at_start = 0;                // [J] kinetic + potential when it began
    double released = 0;                // [J] R
  };
  /// Bodies that exchange energy.
  struct Unit {
    std::vector<int> bodies;
    bool watched = true, told = false;
    double bound = 0, lowest = 0, peak = 0;  // [J] S_0 + R_0, smallest S, largest K since then
    double released = 0;                     // [J] R_0
    double mass = 0, size = 0;               // [kg], [m] of the largest body at rest
    double work_before = 0, work_done = 0;   // [J] at the last look; sum of its changes
  };
  struct Chunk {
    int32_t begin = 0, end = 0;
    int body = 0;
    double kinetic = 0, forces = 0;  // [J] sum of f . x
    Vec3d moment{};                  // [kg m] about the origin
    double mass = 0;                 // [kg] of what moves
  };

  void add_bodies();
  void find_units();
  void find_pulled();
  void look();
  void measure(double dt);  // R
  double releasable(std::size_t group, int batch, double dt) const;
  double could_be_made(std::size_t group, int batch, double dt) const;
  double of_balloon(std::size_t balloon, double dt) const;
  void begin(double dt);
  void take_pins();
  double level(const Unit& unit) const;
  double rounding(const Unit& unit) const;
  int body_of(int32_t particle) const;

  const ModelInput& input_;
  const Model<Real>& model_;
  State<Real>& state_;  // kernels that do not write are handed views into it
  const WorldOptions& options_;
  JobSystem& jobs_;
  const int width_;
  const bool on_;
  bool known_ = false, begun_ = false;
  double rigid_energy_ = 0, rigid_work_ = 0;
  bool with_rigid_ = false;
  int64_t since_measured_ = 0, since_looked_ = 0;  // steps
  int stride_ = 1, steps_between_ = 1;
  AlignedVector<Real> mass_;  // [kg] per particle, 0: does not move
  std::vector<Vec3<Real>> acceleration_;
  const AlignedVector<Quad<Real>>* forces_ = nullptr;
  std::vector<Chunk> chunks_;
  std::vector<Body> bodies_;
  std::vector<Unit> units_;
  std::vector<std::size_t> unit_;  // per body
  std::vector<Gain> gains_;
  Views views_;

  // Whose constraints stand in a batch: a body, or -2 - k: all of mixed_[k].
  std::vector<std::vector<int>> batch_body_;
  std::vector<std::vector<int>> mixed_;
  std::vector<double> of_batch_;  // [J]

  bool pins_move_ = false;
  struct PinMotion {
    Vec3d from{}, to{};
    Quat<double> turn = Quat<double>::identity();
    bool moves = false;
  };
  std::vector<PinMotion> pins_;
  std::vector<int32_t> pin_of_;                        // per particle; -1: none that moves by a script
  std::vector<std::vector<int32_t>> pulled_;           // per group and batch: its place in pull_work_, -1; empty: none
  std::vector<std::array<double, kLanes>> pull_work_;  // [J] since the last look
  std::vector<std::array<int, kLanes>> pull_body_;

  bool attributes_ = false;
  std::size_t accused_ = 0;     // unit
  double kinetic_before_ = 0;   // [J]
  std::vector<double> put_in_;  // [J] per group, then per balloon
  std::vector<double> partial_;
  double unit_kinetic(double dt);
};

template <class Real>
template <class Sweep>
void EnergyLedger<Real>::sweep(std::size_t group, int begin, int end, double dt, Sweep&& sweep) {
  const std::vector<int32_t>& pulled = pulled_[group];
  const Group<Real>& g = model_.groups[group];
  const int points = g.type->points;
  constexpr int kMostPoints = 8;
  for (int from = begin; from < end;) {
    if (pulled[from] < 0) {
      int to = from + 1;
      while (to < end && pulled[to] < 0) ++to;
      sweep(from, to);
      from = to;
      continue;
    }
    const QuadAt* at = &g.particles[static_cast<std::size_t>(from) * points * kLanes];
    Vec3d before[kMostPoints * kLanes];
    const auto moved = [&](QuadAt p) {
      const Quad<Real>&o = quad(state_.offset.data(), p), &c = quad(state_.carry.data(), p);
      return Vec3d{double(o.x) + c.x, double(o.y) + c.y, double(o.z) + c.z};
    };
    for (int k = 0; k < points * kLanes; ++k) before[k] = moved(at[k]);
    sweep(from, from + 1);
    std::array<double, kLanes>& work = pull_work_[static_cast<std::size_t>(pulled[from])];
    for (int lane = 0; lane < kLanes; ++lane) {
      int32_t pin = -1;
      for (int k = 0; k < points && pin < 0; ++k) {
        const auto i = at[k * kLanes + lane] / sizeof(Quad<Real>);
        if (i < pin_of_.size()) pin = pin_of_[i];
      }
      if (pin < 0 || !pins_[static_cast<std::size_t>(pin)].moves) continue;
      const PinMotion& motion = pins_[static_cast<std::size_t>(pin)];
      for (int k = 0; k < points; ++k) {
        const QuadAt p = at[k * kLanes + lane];
        const Quad<Real>&o = quad(state_.offset.data(), p), &b = quad(state_.base.data(), p);
        if (!(o.w > Real(0))) continue;
        const Vec3d x = state_.origin + Vec3d{double(b.x) + o.x, double(b.y) + o.y, double(b.z) + o.z};
        const Vec3d way = motion.to + rotate(motion.turn, x - motion.from) - x;
        const Vec3d push = moved(p) - before[k * kLanes + lane];
        work[static_cast<std::size_t>(lane)] += dot(push, way) / (double(o.w) * dt * dt);
      }
    }
    ++from;
  }
}

}  // namespace pliant
