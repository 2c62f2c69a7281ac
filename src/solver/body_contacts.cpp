// Contact of deformable bodies as stages of a step. Worlds without it have none of this.

#include "solver/body_contacts.h"

namespace pliant {

template <class Real>
void Solver<Real>::find_body_contacts(int substep) {
  if (body_contacts_) body_contacts_->find(substep);
}

template <class Real>
void Solver<Real>::project_body_contacts() {
  if (body_contacts_) body_contacts_->project();
}

template <class Real>
void Solver<Real>::guard_body_contacts() {
  if (body_contacts_) body_contacts_->guard();
}

template <class Real>
void Solver<Real>::report_body_contacts() {
  if (body_contacts_) body_contacts_->report(troubles_);
}

template <class Real>
void Solver<Real>::forget_body_contacts() {
  if (body_contacts_) body_contacts_->forget();
}

#define PLIANT_INSTANTIATE(Real)                       \
  template void Solver<Real>::find_body_contacts(int); \
  template void Solver<Real>::project_body_contacts(); \
  template void Solver<Real>::guard_body_contacts();   \
  template void Solver<Real>::report_body_contacts();  \
  template void Solver<Real>::forget_body_contacts();
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
