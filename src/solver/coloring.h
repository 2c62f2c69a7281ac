#pragma once
// Groups constraints so that those of one colour share no moving particle, in linear time.

#include <cstdint>
#include <span>
#include <vector>

namespace pliant {

/// A particle with more constraints than colours can serve is split: each copy (ghost) takes a few of
/// its constraints and a share of its mass, and after every sweep the particle moves by the mean of
/// its copies ("mass splitting"). With n copies of mass m / n,
///
///   mean of the copies' corrections = (1/n) sum n w grad C d_lambda = sum w grad C d_lambda,
///
/// so momentum is conserved exactly and a converged solution is the same as without splitting; only
/// the convergence on that particle is slower, as in a Jacobi iteration.
struct Hub {
  int particle = 0;
  int first_ghost = 0;  // ghosts stand behind all other particles
  int ghosts = 0;
};

struct Coloring {
  std::vector<int> color;  // of each constraint
  int colors = 0;
  std::vector<Hub> hubs;
  int ghosts = 0;  // in all
};

/// Colours `count` constraints of `points` particles each (particles[c * points + i]; rewritten to a
/// ghost where a hub was split). Particles with moves[p] == 0 never conflict. Ghosts are numbered from
/// first_ghost on.
///
/// Greedy first fit over bit masks, then one pass that moves constraints from colours above the mean
/// to colours below it. At most kMaxColors colours: a particle's degree is limited to
/// 1 + (kMaxColors - 1) / points before it is split, so that first fit always finds a free one.
inline constexpr int kMaxColors = 256;
Coloring color_constraints(std::span<int32_t> particles, int points, std::span<const uint8_t> moves, int first_ghost);

}  // namespace pliant
