// Energies, momenta and other figures of a State, in double. Reports, not part of a step.

#include <algorithm>

#include "solver/body_contacts.h"
#include "solver/solver.h"

namespace pliant {

template <class Real>
Measures Solver<Real>::measures() const {
  Measures out;
  out.time = state_.time;
  if (body_contacts_) {
    out.contacts = body_contacts_->contacts();
    out.slowed = body_contacts_->slowed();
  }
  for (int i = 0; i < model_.body_begin.back(); ++i) {
    const double m = model_.mass[i];
    const Vec3d x = position(i);
    const Quad<Real>& q = state_.velocity[i];
    const Vec3d v{double(q.x), double(q.y), double(q.z)};
    if (state_.offset[i].w == Real(0)) continue;
    out.mass += m;
    out.kinetic_energy += 0.5 * m * dot(v, v);
    out.gravity_energy -= m * dot(gravity_, x);
    out.linear_momentum += v * m;
    out.angular_momentum += cross(x, v) * m;
  }
  colliders_.add_measures(gravity_, out);
  const ParticlesView<Real> p = particles();
  const double dt = dt_;
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const Group<Real>& group = model_.groups[g];
    // Ghosts have no place of their own between sweeps: put them on their hubs.
    for (const Hub& hub : group.hubs) {
      for (int k = 0; k < hub.ghosts; ++k) {
        state_.base[hub.first_ghost + k] = state_.base[hub.particle];
        state_.offset[hub.first_ghost + k] = state_.offset[hub.particle];
      }
    }
    GroupMeasure m;
    group.type->template kernels<Real>().measure(view(g), p, dt, group.compliant, group.general, 0, group.batches(), m);
    out.elastic_energy += m.energy;
    out.largest_strain = std::max(out.largest_strain, m.strain);
    out.largest_residual = std::max(out.largest_residual, m.residual);
  }
  for (std::size_t b = 0; b < model_.balloons.size(); ++b) {
    const Balloon<Real>& balloon = model_.balloons[b];
    const double C = balloon.volume(p) - balloon.target;
    const double alpha = balloon.compliant ? balloon.strength : 0;
    if (alpha > 0) out.elastic_energy += 0.5 * C * C / alpha;
    const double lambda = balloon.compliant ? state_.balloon_multipliers[b] : 0;
    out.largest_residual = std::max(out.largest_residual, std::abs(C + alpha * lambda / (dt * dt)));
    out.largest_strain = std::max(out.largest_strain, std::abs(C / balloon.target));
  }
  for (const BodyInput& body : input_.bodies) {
    for (const Tet& t : body.tets) {
      const auto at = [&](int k) { return position(model_.to_engine[body.first_particle + t[k]]); };
      const Vec3d a = at(0);
      out.volume += dot(at(1) - a, cross(at(2) - a, at(3) - a)) / 6;
    }
  }
  out.total_energy = out.kinetic_energy + out.elastic_energy + out.gravity_energy;
  return out;
}

template <class Real>
std::vector<ConstraintCount> Solver<Real>::constraint_counts() const {
  std::vector<ConstraintCount> out;
  for (const Group<Real>& group : model_.groups) {
    ConstraintCount c;
    c.type = group.type->part;
    c.constraints = group.constraints * group.type->parts;
    c.colors = group.phases();
    c.batch_fill = group.batches() == 0 ? 0 : double(group.constraints) / (double(group.batches()) * kLanes);
    // Constraints of one type may stand in several groups: clusters, and those that are solved in other ways.
    const auto row = std::find_if(out.begin(), out.end(), [&](const ConstraintCount& r) { return r.type == c.type; });
    if (row == out.end()) {
      out.push_back(c);
      continue;
    }
    ConstraintCount& all = *row;
    all.batch_fill = (all.batch_fill * double(all.constraints) + c.batch_fill * double(c.constraints)) /
                     double(all.constraints + c.constraints);
    all.constraints += c.constraints;
    all.colors += c.colors;
  }
  if (!model_.balloons.empty()) out.push_back({"balloon", static_cast<int64_t>(model_.balloons.size()), 1, 1});
  return out;
}

template Measures Solver<float>::measures() const;
template Measures Solver<double>::measures() const;
template std::vector<ConstraintCount> Solver<float>::constraint_counts() const;
template std::vector<ConstraintCount> Solver<double>::constraint_counts() const;

}  // namespace pliant
