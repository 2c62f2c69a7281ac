#include "ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::soak {

Ledger::Ledger(const World& world, BodyId body, bool hair, bool loose, double size, double stored)
    : body_(body), hair_(hair), loose_(loose), floor_speed_(1e-3 * size) {
  const Measures m = world.measures();
  first_gravity_ = m.gravity_energy;
  start_ = m.kinetic_energy + stored;
  if (loose_ && m.mass > 0) start_ -= dot(m.linear_momentum, m.linear_momentum) / (2 * m.mass);
  if (!loose_) over_itself_ = m.mass * length(world.options().gravity) * size;
  if (hair_) last_ = world.positions(body_);
}

double Ledger::kinetic(const World& world, const Measures& m) {
  if (hair_) {
    const std::vector<Vec3d> x = world.positions(body_);
    const std::vector<double> mass = world.masses(body_);
    double sum = 0;
    for (std::size_t v = 0; v < x.size(); ++v) {
      const Vec3d speed = (x[v] - last_[v]) / world.options().step;
      sum += 0.5 * mass[v] * dot(speed, speed);
    }
    last_ = x;
    return sum;
  }
  if (!loose_ || m.mass <= 0) return m.kinetic_energy;
  return m.kinetic_energy - dot(m.linear_momentum, m.linear_momentum) / (2 * m.mass);
}

void Ledger::look(const World& world) {
  const Measures m = world.measures();
  const double sunk = loose_ ? 0 : first_gravity_ - m.gravity_energy;
  // Velocities are rounded to seven digits in each of up to 18 000 substeps, a random walk; and a hundredth of this
  // energy is already a gain.
  const double speed = m.mass > 0 ? length(m.linear_momentum) / m.mass : 0;
  const double unseen = floor_speed_ + 1e-4 * speed;
  floor_ = std::max(floor_, 0.5 * m.mass * unseen * unseen);
  sunk_ = std::max(sunk_, sunk);
  now_ = kinetic(world, m) - sunk;
  const double gain = (now_ - start_) / (had() + floor_);
  worst_ = std::isfinite(gain) ? std::max(worst_, gain) : std::numeric_limits<double>::infinity();
}

ShapeWatch::ShapeWatch(const World& world, BodyId body) : body_(body) {
  const std::vector<Vec3d> x = world.rest_positions(body);
  for (const Edge& e : world.edges(body)) lengths_.push_back(length(x[e[1]] - x[e[0]]));
  for (const Tet& t : world.tets(body)) {
    volumes_.push_back(dot(x[t[1]] - x[t[0]], cross(x[t[2]] - x[t[0]], x[t[3]] - x[t[0]])) / 6);
    volume_ += volumes_.back();
  }
}

Shape ShapeWatch::look(const World& world) const {
  Shape out;
  const std::vector<Vec3d> x = world.positions(body_);
  for (const Vec3d& p : x) out.finite = out.finite && std::isfinite(p.x + p.y + p.z);
  const std::vector<Edge>& edges = world.edges(body_);
  double sum = 0;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const double stretch = std::max(0.0, length(x[edges[k][1]] - x[edges[k][0]]) / lengths_[k] - 1);
    sum += stretch;
    out.worst_stretch = std::max(out.worst_stretch, stretch);
  }
  if (!edges.empty()) out.mean_stretch = sum / static_cast<double>(edges.size());
  const std::vector<Tet>& tets = world.tets(body_);
  double volume = 0;
  for (std::size_t k = 0; k < tets.size(); ++k) {
    const Tet& t = tets[k];
    const double v = dot(x[t[1]] - x[t[0]], cross(x[t[2]] - x[t[0]], x[t[3]] - x[t[0]])) / 6;
    volume += v;
    out.smallest = std::min(out.smallest, v / volumes_[k]);
    out.largest = std::max(out.largest, v / volumes_[k]);
  }
  if (!tets.empty()) out.volume = volume / volume_;
  return out;
}

std::vector<std::string> said_of(const World& world, const std::string& body) {
  std::vector<std::string> out;
  for (const std::string& w : world.warnings()) {
    if (w.find(body) != std::string::npos) out.push_back(w);
  }
  for (const Trouble& t : world.troubles()) {
    if (t.body == body) out.push_back(t.message);
  }
  return out;
}

}  // namespace pliant::soak
