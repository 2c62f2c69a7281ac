#pragma once
// In which order constraints are solved, and by how many threads: slices of the bodies, batches, phases.
//
// Particles are numbered so that neighbours have numbers close to each other (ordering.h). The numbers are cut into
// slices. A constraint inside of a slice touches nobody else's particles, so a thread works through all of a slice
// without waiting for others; what lies across a cut between two slices does the same in a second phase. What spans
// more than that (attachments between bodies, hubs) is coloured.
//
//   particles   | slice 0         | slice 1         | slice 2         |
//   phase 0     [ its constraints ][ its constraints ][ its constraints ]
//   phase 1              [ across the cut ]   [ across the cut ]            half a slice to each side at most
//   then        the rest: one thread if that is little, else colour by colour
//
// Two phases instead of tens of colours, and what a thread touches stays in its cache. The slices depend on the scene
// and not on the machine, so results do not depend on the number of threads.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/coloring.h"

namespace pliant {

struct Schedule {
  std::vector<int32_t> slots;   // [batch][kLanes] which constraint; -1: none. Those of a batch share no moving particle
  std::vector<int> task_begin;  // batches of task t: task_begin[t] .. task_begin[t+1], in this order on one thread
  std::vector<int> phase_begin;  // tasks of phase k: phase_begin[k] .. ; they share no moving particle
  std::vector<Hub> hubs;
  int ghosts = 0;
};

/// In which order threads take the tasks of a phase, so that each has about as much work: of n tasks a thread takes the
/// t-th part of the numbers first (jobs.h), those from n t / threads on. The heaviest of a part come first, so that
/// little is left to help with. It does not change results.
std::vector<int> balanced_order(std::span<const int> work, int threads);

/// Constraints of `points` particles each, clusters of `parts` (particles[c * points + i]; rewritten to a ghost where a
/// hub was split), in the order of their lowest moving particle. Particles with moves[p] == 0 never conflict. Ghosts
/// are numbered from first_ghost on.
Schedule schedule_constraints(std::span<int32_t> particles, int points, int parts, std::span<const uint8_t> moves,
                              int first_ghost);

}  // namespace pliant
