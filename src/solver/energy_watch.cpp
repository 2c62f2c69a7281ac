// Looks at the ledger of energy at the end of a step: tells of energy from nowhere, and takes it out if asked to.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solver/body_contacts.h"

namespace pliant {

template <class Real>
double Solver<Real>::rigid_energy() const {
  if (state_.rigid.empty()) return 0;
  Measures m;
  colliders_.add_measures(gravity_, m);
  return m.kinetic_energy + m.gravity_energy;
}

template <class Real>
void Solver<Real>::open_ledger() {
  if (!ledger_.on()) return;
  for (std::size_t g = 0; g < model_.groups.size(); ++g) ledger_.views()[g] = view(g);
  ledger_.begin_step(dt_, rigid_energy());
}

template <class Real>
void Solver<Real>::watch_energy() {
  if (!ledger_.on()) return;
  for (auto& part : sails_.parts) {
    ledger_.add_work(part.body, part.work);
    part.work = 0;
  }
  colliders_.each_work([&](int body, double work) {
    if (body < 0) return ledger_.add_rigid_work(work);
    ledger_.add_work(body, work);
  });
  // What is held has lost its energy, and what is moved out of each other is given some.
  if (found_bad_.load(std::memory_order_relaxed) || (body_contacts_ && body_contacts_->any_tangled())) ledger_.forget();
  for (const auto& gain : ledger_.end_step(dt_, rigid_energy())) {
    if (options_.energy_watch == EnergyWatch::limit) take_out(gain.body, gain.joules);
    if (gain.attributed) report_gain(gain.body, gain.joules, state_.steps);
  }
}

/// Takes energy out of the motion of a body, and of those that exchange energy with it, beside their rigid motions.
template <class Real>
void Solver<Real>::take_out(int body, double joules) {
  double inner = 0;
  for (const int b : ledger_.unit_of(body)) inner += ledger_.kinetic_energy(b) - rigid_part(b).energy;
  if (!(inner > 0)) return;
  const double fraction = 1 - std::sqrt(std::max(0.0, 1 - joules / inner));
  for (const int b : ledger_.unit_of(body)) draw_to(rigid_part(b), b, fraction);
}

/// What helps against the energy that constraints of a type put in.
template <class Real>
std::string Solver<Real>::remedy(const std::string& type, bool compliant, bool material) const {
  // Twice as many are not always enough.
  const std::string substeps = fmt::format("{} substeps", 4 * options_.substeps);
  if (type == "bend" || type == "triangle_bend") return fmt::format("`isometric_bend` in place of it, or {}", substeps);
  if (type.empty()) return substeps;
  if (material) return substeps + ", or a softer material";
  return substeps + (compliant ? ", or a larger compliance" : ", or a smaller stiffness");
}

template <class Real>
void Solver<Real>::report_gain(int body, double joules, int64_t step) {
  Trouble t;
  ledger_.told(body);
  const bool limited = options_.energy_watch == EnergyWatch::limit;
  t.kind = limited ? Trouble::Kind::energy_limited : Trouble::Kind::energy_gain;
  t.step = step;
  t.body = input_.bodies[static_cast<std::size_t>(body)].name;
  const auto same = [&](const Trouble& other) { return other.kind == t.kind && other.body == t.body; };
  if (std::any_of(troubles_.begin(), troubles_.end(), same)) return;
  const auto culprit = ledger_.culprit();
  const std::string from = culprit.type ? fmt::format(", most of it from `{}`", culprit.type) : "";
  if (limited) {
    t.message = fmt::format("'{}' gains energy that nothing puts in, from step {} on{}; it is taken out again", t.body,
                            step, from);
  } else {
    t.message = fmt::format("'{}' has {:.3g} J in step {} that nothing has put in{}; use {}", t.body, joules, step,
                            from, remedy(culprit.type ? culprit.type : "", culprit.compliant, culprit.material));
  }
  troubles_.push_back(std::move(t));
}

#define PLIANT_INSTANTIATE(Real)                                                   \
  template double Solver<Real>::rigid_energy() const;                              \
  template void Solver<Real>::open_ledger();                                       \
  template void Solver<Real>::watch_energy();                                      \
  template std::string Solver<Real>::remedy(const std::string&, bool, bool) const; \
  template void Solver<Real>::take_out(int, double);                               \
  template void Solver<Real>::report_gain(int, double, int64_t);
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
