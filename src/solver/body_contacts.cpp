// Contact of deformable bodies as stages of a step. Worlds without it have none of this.

#include "solver/body_contacts.h"

namespace pliant {

template <class Real>
void Solver<Real>::find_body_contacts(int substep) {
  if (!body_contacts_) return;
  body_contacts_->find(substep);
  colliders_.add_contacts(body_contacts_->with_colliders());
}

template <class Real>
void Solver<Real>::project_body_contacts() {
  if (body_contacts_) body_contacts_->project();
}

template <class Real>
void Solver<Real>::guard_body_contacts() {
  if (!body_contacts_) return;
  colliders_.follow_surfaces();
  body_contacts_->guard();
}

template <class Real>
void Solver<Real>::report_body_contacts() {
  if (body_contacts_) body_contacts_->report(troubles_);
}

template <class Real>
void Solver<Real>::forget_body_contacts() {
  if (body_contacts_) body_contacts_->forget();
}

template <class Real>
void Solver<Real>::watch_body_contacts(bool on) {
  if (body_contacts_) body_contacts_->watch(on);
}

template <class Real>
std::set<std::array<int, 2>> Solver<Real>::touching_bodies() const {
  return body_contacts_ ? body_contacts_->touching() : std::set<std::array<int, 2>>{};
}

/// Those whose contacts bear a force after the last iteration, and those that the guard has stopped.
template <class Real>
void BodyContacts<Real>::note_touching() {
  BodyContactData<Real>& c = contact_;
  std::array<int, 2> last{-1, -1};  // neighbours in a list mostly belong to the same bodies
  const auto note = [&](int32_t p, int32_t q) {
    const std::array<int, 2> bodies{std::min(p, q), std::max(p, q)};
    if (bodies[0] == bodies[1] || bodies == last || c.surface.is_collider(bodies[1])) return;
    touching_.insert(bodies);
    last = bodies;
  };
  for (const auto& set : c.sets) {
    for (const BodyContactBlock<Real>& block : set.blocks) {
      for (int l = 0; l < block.used; ++l) {
        if (!(block.lambda[l] > Real(0))) continue;
        note(c.surface.body[block.at[0][l] / sizeof(Quad<Real>)], c.surface.body[block.at[3][l] / sizeof(Quad<Real>)]);
      }
    }
  }
  for (auto& found : c.found) {
    for (const auto& bodies : found.stopped) note(bodies[0], bodies[1]);
    found.stopped.clear();
  }
}

template <class Real>
void BodyContacts<Real>::mark_touching(std::vector<uint8_t>& particles) const {
  for (const auto& set : contact_.sets) {
    for (const BodyContactBlock<Real>& block : set.blocks) {
      for (int l = 0; l < block.used; ++l) {
        if (!(block.lambda[l] > Real(0))) continue;
        for (int m = 0; m < 4; ++m) particles[block.at[m][l] / sizeof(Quad<Real>)] = 1;
      }
    }
  }
}

#define PLIANT_INSTANTIATE(Real)                                               \
  template void Solver<Real>::find_body_contacts(int);                         \
  template void Solver<Real>::project_body_contacts();                         \
  template void Solver<Real>::guard_body_contacts();                           \
  template void Solver<Real>::report_body_contacts();                          \
  template void Solver<Real>::forget_body_contacts();                          \
  template void Solver<Real>::watch_body_contacts(bool);                       \
  template std::set<std::array<int, 2>> Solver<Real>::touching_bodies() const; \
  template void BodyContacts<Real>::note_touching();                           \
  template void BodyContacts<Real>::mark_touching(std::vector<uint8_t>&) const;
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
