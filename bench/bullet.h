#pragma once
// Bullet's cloth beside ours, where libbullet is installed.

#include "benchmarks.h"

namespace pliant::bench {

bool has_bullet();

/// The same cloth, links and iterations, in turn. Bullet's is a btSoftBody whose links have stiffness 1, without
/// collisions; both on one thread.
void run_against_bullet(benchmark::State& state, Row& row);

}  // namespace pliant::bench
