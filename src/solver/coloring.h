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

struct Hubs {
  std::vector<Hub> hubs;
  int ghosts = 0;  // in all
};

struct Coloring {
  std::vector<int> color;  // of each constraint
  int colors = 0;
};

// Below, constraints have `points` particles each, particles[c * points + i]. Particles with moves[p] == 0 never
// conflict; those behind `moves` are ghosts, which move.

/// Gives the constraints of overfull particles to ghosts, numbered from first_ghost on, and names these in `particles`.
/// A particle's degree is limited to 1 + (kMaxColors - 1) / points, so that first fit always finds a free colour.
inline constexpr int kMaxColors = 256;
Hubs split_hubs(std::span<int32_t> particles, int points, std::span<const uint8_t> moves, int first_ghost);

/// Greedy first fit over bit masks. `all_particles` is the number of particles with their ghosts.
Coloring color_first_fit(std::span<const int32_t> particles, int points, std::span<const uint8_t> moves,
                         int64_t all_particles);

/// First fit fills the first colours most: one pass that moves constraints from colours above the mean to colours
/// below.
void balance(std::span<const int32_t> particles, int points, std::span<const uint8_t> moves, int64_t all_particles,
             Coloring& coloring);

}  // namespace pliant
