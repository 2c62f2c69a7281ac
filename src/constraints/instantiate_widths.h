#pragma once
// Compiles one constraint type for the widths that the target does not use. The results must have the same bits
// at any width and any level of optimisation, so these are compiled with little of it.

#include "constraints/instantiate.h"

namespace pliant {

template <template <class> class Type, int W>
void add_other_width(TypeInfo& info) {
  if constexpr (W != kDefaultWidth<float>) add_width<Type, float, W>(info.f32);
}

template <template <class> class Type>
void add_other_widths(TypeInfo& info) {
  add_other_width<Type, 1>(info);
  add_other_width<Type, 4>(info);
  add_other_width<Type, 8>(info);
  add_other_width<Type, 16>(info);
  if constexpr (kDefaultWidth<double> != 1) add_width<Type, double, 1>(info.f64);
}

}  // namespace pliant
