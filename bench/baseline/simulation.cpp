#include "baseline/simulation.h"

namespace pliant::baseline {

void Simulation::step() {
  const float dt = step_size / static_cast<float>(substeps);
  const float inverse_dt = 1 / dt;
  const auto for_each_type = [this](auto&& f) { std::apply([&](auto&... list) { (f(list), ...); }, constraints); };

  for (int substep = 0; substep < substeps; ++substep) {
    for (Particle& p : particles) {
      p.previous = p.position;
      if (p.inverse_mass == 0) continue;
      p.velocity += dt * gravity;
      p.position += dt * p.velocity;
    }
    for_each_type([](auto& list) {
      for (auto& constraint : list) {
        if constexpr (requires { constraint.multiplier.setZero(); }) {
          constraint.multiplier.setZero();
        } else {
          constraint.multiplier = 0;
        }
      }
    });
    for (int iteration = 0; iteration < iterations; ++iteration) {
      for_each_type([&](auto& list) {
        for (auto& constraint : list) constraint.project(particles, inverse_dt * inverse_dt);
      });
    }
    for (Particle& p : particles) p.velocity = (p.position - p.previous) * inverse_dt;
  }
}

}  // namespace pliant::baseline
