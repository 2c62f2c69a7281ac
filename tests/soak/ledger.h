#pragma once
// What can never be right, watched from outside: energy out of nothing, numbers that are no numbers, and, without a
// word from the engine, cloth like rubber or solids that lost their volume.

#include <algorithm>
#include <string>
#include <vector>

#include "pliant/world.h"

namespace pliant::soak {

/// The energy of a world with one body whose pins stand still: kinetic and gravity's, against what it had or was given,
/// the energy that it began with, what it can fall over itself (weight times size) and the most that it has sunk so
/// far. What constraints store on
/// the way counts when it comes out as motion: what measures() tells of it, C^2 / (2 compliance), is only there if the
/// substeps resolve the constraint; where they do not, much less comes back. A body that touches nothing is seen from
/// its centre of mass, where gravity gives nothing.
///
/// Velocities of hair hold a part that is no motion (a leader is pushed where its follower was pulled from), so that
/// the speed of hair is how far it went since the last look: one step.
class Ledger {
 public:
  /// `loose`: nothing holds the body, and nothing is in its way. `size` [m] is that of the body. `stored` [J] is what
  /// its constraints hold at the start.
  Ledger(const World& world, BodyId body, bool hair, bool loose, double size, double stored = 0);

  /// Looks at the world as it is now. Of hair after each step.
  void look(const World& world);

  double now() const { return now_; }                                    // [J] kinetic, and gravity's from the start on
  double had() const { return start_ + std::max(sunk_, over_itself_); }  // [J] had or was given so far
  /// The most that was there beyond what it began with, as a part of what it had or was given. Speeds that nobody
  /// could see count as nothing.
  double relative_gain() const { return worst_; }

 private:
  double kinetic(const World& world, const Measures& m);
  BodyId body_;
  bool hair_, loose_;
  std::vector<Vec3d> last_;                            // where hair was at the last look
  double floor_speed_;                                 // [m/s] below which nothing is seen
  double start_ = 0, first_gravity_ = 0;               // [J]
  double over_itself_ = 0;                             // [J] weight times size, of one that is not loose
  double sunk_ = 0, now_ = 0, floor_ = 0, worst_ = 0;  // sunk_: [J] most work of gravity so far
};

/// Edges and volumes against those at rest.
struct Shape {
  double mean_stretch = 0, worst_stretch = 0;  // length / rest length - 1, where that is positive
  double volume = 1;                           // of all tets, over that at rest
  double smallest = 1, largest = 1;            // of one tet
  bool finite = true;
};
class ShapeWatch {
 public:
  ShapeWatch(const World& world, BodyId body);
  Shape look(const World& world) const;

 private:
  BodyId body_;
  std::vector<double> lengths_, volumes_;
  double volume_ = 0;
};

/// What the engine says of a body by name, warnings and troubles, one text each.
std::vector<std::string> said_of(const World& world, const std::string& body);

}  // namespace pliant::soak
