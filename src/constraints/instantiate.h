#pragma once
// Compiles one constraint type for every precision, width and method that the build has. Included
// by the sources that cmake/constraints.cmake makes from list.h.

#include "constraints/fine_strain.h"

namespace pliant {

template <template <class> class Type, class Real, int W>
void add_width(Kernels<Real>& kernels) {
  auto& slot = kernels.project[width_slot(W)];
  if constexpr (solved_by<Type<double>>(false)) {
    slot[0][0] = project_batches<Type, Real, W, false, false>;
    if constexpr (!is_cluster<Type<double>>()) slot[0][1] = project_batches<Type, Real, W, false, true>;
  }
  if constexpr (has_fine_strain<Type<double>, Real>()) {
    slot[1][0] = project_strained_batches<Type, Real, W, false>;
    slot[1][1] = project_strained_batches<Type, Real, W, true>;
  } else if constexpr (solved_by<Type<double>>(true)) {
    slot[1][0] = project_batches<Type, Real, W, true, false>;
    if constexpr (!is_cluster<Type<double>>()) slot[1][1] = project_batches<Type, Real, W, true, true>;
  }
}

/// The fields of rest data that are made from a rest shape; the others come with the masses.
template <class C, class F>
constexpr void each_made(typename C::Rest& rest, F&& f) {
  if constexpr (has_aligned_frame<C>()) {
    rest.each_made(f);
  } else {
    rest.each(f);
  }
}

/// The widths that the target does not use, for tests: a source of its own (see cmake/constraints.cmake).
template <template <class> class Type>
void add_other_widths(TypeInfo& info);

template <template <class> class Type>
TypeInfo describe(const char* name) {
  using C = Type<double>;
  TypeInfo info;
  info.name = name;
  info.summary = std::string(C::kSummary);
  info.compliance_unit = std::string(C::kComplianceUnit);  // assigned as it is, g++ 12 warns of an overlap
  info.stencil = C::kStencil;
  info.points = C::kPoints;
  info.entries = entries_of<C>();
  info.parts = parts_of<C>();
  info.part = name;
  if constexpr (is_cluster<C>()) {
    info.part = std::string(C::kPartName);
    for (const auto& corners : C::kCorners)
      info.part_corners.insert(info.part_corners.end(), std::begin(corners), std::end(corners));
  }
  if constexpr (requires(const typename C::Rest& r, const int(&order)[C::kPoints]) { C::permuted(r, order); }) {
    info.permute_rest = [](double* numbers, const int* order) {
      typename C::Rest r{};
      const double* from = numbers;
      r.each([&](const char*, double& field) { field = *from++; });
      int places[C::kPoints];
      std::copy_n(order, C::kPoints, places);
      r = C::permuted(r, places);
      r.each([&](const char*, double& field) { *numbers++ = field; });
    };
  }
  typename C::Rest rest{};
  each_made<C>(rest, [&](const char* field, auto&) { info.rest_fields.emplace_back(field); });
  info.material = requires(Vec3d(&x)[C::kPoints]) { C::rest(x, 1.0, 1.0); };
  info.make_rest = [](const Vec3d* at, [[maybe_unused]] double lambda, [[maybe_unused]] double mu, double* out) {
    Vec3d x[C::kPoints];
    for (int i = 0; i < C::kPoints; ++i) x[i] = at[i] - at[0];
    typename C::Rest made;
    if constexpr (requires { C::rest(x, lambda, mu); }) {
      made = C::rest(x, lambda, mu);
    } else {
      made = C::rest(x);
    }
    each_made<C>(made, [&](const char*, double& field) { *out++ = field; });
  };
  info.gradient_squares = [](const double* from, const Vec3d* at, double* squares) {
    Vec3d x[C::kPoints], gradient[entries_of<C>()][C::kPoints];
    for (int i = 0; i < C::kPoints; ++i) x[i] = at[i] - at[0];
    typename C::Rest r{};
    each_made<C>(r, [&](const char*, double& field) { field = *from++; });
    double value[entries_of<C>()];
    evaluate_all<C>(r, x, value, gradient);
    for (int i = 0; i < C::kPoints; ++i) {
      squares[i] = 0;
      for (const auto& of_entry : gradient) squares[i] += dot(of_entry[i], of_entry[i]);
    }
  };
  info.packed_fields = rest_fields_of<C>();
  info.linear = is_linear<C>();
  info.aligned_frame = has_aligned_frame<C>();
  info.pack_rest = [](const double* from, [[maybe_unused]] const double* inverse_masses, double* out) {
    typename C::Rest r{};
    each_made<C>(r, [&](const char*, double& field) { field = *from++; });
    if constexpr (has_aligned_frame<C>()) {
      if (inverse_masses) {
        double w[C::kPoints];
        std::copy_n(inverse_masses, C::kPoints, w);
        r.frame.align(w);
      }
    }
    r.each([&](const char*, double& field) { *out++ = field; });
  };

  add_width<Type, float, kDefaultWidth<float>>(info.f32);
  add_width<Type, double, kDefaultWidth<double>>(info.f64);
#ifdef PLIANT_ALL_WIDTHS
  add_other_widths<Type>(info);
#endif
  info.f32.damp_velocities = damp_batches<Type, float>;
  info.f64.damp_velocities = damp_batches<Type, double>;
  if constexpr (base_edge_numbers<C>() > 0) {
    info.f32.write_base_edges = write_base_edges<Type, float>;
    info.f64.write_base_edges = write_base_edges<Type, double>;
    info.f32.base_edge_numbers = info.f64.base_edge_numbers = base_edge_numbers<C>();
  }
  if constexpr (has_fine_strain<C, float>()) {
    info.f32.write_base_edges = write_base_strains<Type>;
    info.f32.base_edge_numbers = kBaseStrain;
    info.f32.gathers_bases = true;
  }
  info.f32.measure = measure_batches<Type, float>;
  info.f64.measure = measure_batches<Type, double>;
  return info;
}

}  // namespace pliant
