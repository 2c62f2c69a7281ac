// The automatic tests: every type of src/constraints/list.h goes through all of these.

// g++ 12 sees the loop that fills solve_symmetric's pivots run zero times, when it is inlined for so many types.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "constraints/all.h"
#include "constraints/registry.h"
#include "constraints/solve.h"
#include "core/aligned.h"
#include "math/quaternion.h"
#include "random_stencil.h"

namespace pliant::test {
namespace {

/// Carries a template to the typed tests.
template <template <class> class Type>
struct Kind {
  template <class T>
  using Of = Type<T>;
};

template <class K>
class RegisteredConstraint : public testing::Test {};

#define PLIANT_CONSTRAINT(name, Type, header) , Kind<Type>
template <class First, class... Rest>
using TypesAfterFirst = testing::Types<Rest...>;
using AllTypes = TypesAfterFirst<void
#include "constraints/list.h"
                                 >;
#undef PLIANT_CONSTRAINT

struct Names {
  template <class K>
  static std::string GetName(int i) {
    return registered_types()[static_cast<std::size_t>(i)]->name;
  }
};
TYPED_TEST_SUITE(RegisteredConstraint, AllTypes, Names);

template <class C>
struct Evaluation {
  static constexpr int N = C::kPoints;
  static constexpr int E = entries_of<C>();
  using T = typename C::Number;
  T value[E];
  Vec3<T> gradient[E][N];
  Evaluation(const typename C::Rest& rest, const Vec3<T> (&x)[N]) { evaluate_all<C>(rest, x, value, gradient); }
};

/// C at `x`, with what a projection from `from` holds fixed where the type has something (the rotation of a corotated
/// element: its gradient is that of the frozen form).
template <class C>
Evaluation<C> evaluate_as_from(const typename C::Rest& rest, const Vec3d (&from)[C::kPoints],
                               const Vec3d (&x)[C::kPoints]) {
  Evaluation<C> at(rest, x);
  if constexpr (requires { C::freeze(rest, from); }) {
    C::evaluate_frozen(rest, C::freeze(rest, from), x, at.value, at.gradient);
  }
  return at;
}

/// b - a where C may jump by its period (angles).
template <class C>
double difference(double b, double a) {
  double d = b - a;
  if constexpr (requires { C::kPeriod; }) d -= C::kPeriod * std::round(d / C::kPeriod);
  return d;
}

template <class C, int N>
typename C::Rest perturbed_rest(Random& random, const Vec3d (&x)[N]) {
  Vec3d other[N];
  do {
    for (int i = 0; i < N; ++i) other[i] = x[i] + random.point() * 0.3;
  } while (smallest_feature(other) < kLeastFeature);  // or its strains have features smaller than any step
  return C::rest(other);
}

TYPED_TEST(RegisteredConstraint, GradientEqualsFiniteDifferences) {
  using C = typename TypeParam::template Of<double>;
  constexpr int N = C::kPoints, E = entries_of<C>();
  Random random(1);
  // Four-point differences: their error is about (h / feature)^4 = 1.6e-11 relative plus rounding of
  // C over h, 1e-12; 1e-6 is what we promise.
  // The stress of a tet's energy has a kink where it is clamped, and a difference across it sees h times the jump of
  // the stiffness: a shorter step, in which rounding is 1e-8. That of a triangle is smooth.
  constexpr bool kKink = [] {
    if constexpr (is_cluster<C>()) return requires {
        C::kFlatAtRest;
      }
    &&C::Part::kPoints == 4;
    return requires { C::kFlatAtRest; }
    &&C::kPoints == 4;
  }();
  const double h = kKink ? 1e-7 : 1e-4;
  double worst = 0;
  for (int sample = 0; sample < 10000; ++sample) {
    Vec3d x[N];
    well_shaped(random, x);
    const auto rest = perturbed_rest<C>(random, x);
    const Evaluation<C> at(rest, x);
    if constexpr (requires { C::kOneSided; }) {
      if (at.value[0] < 3 * h) continue;  // slack, or at the kink
    }
    double scale[E] = {}, error[E] = {};
    for (int i = 0; i < N; ++i) {
      for (int k = 0; k < 3; ++k) {
        const auto stepped = [&](double step) {
          Vec3d moved[N];
          for (int j = 0; j < N; ++j) moved[j] = x[j];
          moved[i][k] += step;
          return evaluate_as_from<C>(rest, x, moved);
        };
        const Evaluation<C> a = stepped(h), b = stepped(-h), far_a = stepped(2 * h), far_b = stepped(-2 * h);
        for (int e = 0; e < E; ++e) {
          const double slope =
              (8 * difference<C>(a.value[e], b.value[e]) - difference<C>(far_a.value[e], far_b.value[e])) / (12 * h);
          scale[e] = std::max(scale[e], std::abs(slope));
          error[e] = std::max(error[e], std::abs(slope - at.gradient[e][i][k]));
        }
      }
    }
    for (int e = 0; e < E; ++e) worst = std::max(worst, error[e] / scale[e]);
  }
  EXPECT_LT(worst, 1e-6);
}

TYPED_TEST(RegisteredConstraint, ValueDoesNotChangeUnderRigidMotion) {
  using C = typename TypeParam::template Of<double>;
  constexpr int N = C::kPoints, E = entries_of<C>();
  Random random(2);
  for (int sample = 0; sample < 1000; ++sample) {
    Vec3d x[N], moved[N];
    well_shaped(random, x);
    const auto rest = perturbed_rest<C>(random, x);
    const Quat<double> turn = from_rotation_vector(random.point() * 3.0);
    const Vec3d shift = random.point();
    for (int i = 0; i < N; ++i) moved[i] = rotate(turn, x[i]) + shift;
    const Evaluation<C> a(rest, x), b(rest, moved);
    if constexpr (
        requires(double(&shares)[N]) { C::shares(rest, shares); } || requires { C::kVectors; }) {
      for (int v = 0; v < E; v += 3) {  // vectors turn with the stencil
        const Vec3d turned = rotate(turn, Vec3d{a.value[v], a.value[v + 1], a.value[v + 2]});
        for (int e = 0; e < 3; ++e) EXPECT_NEAR(turned[e], b.value[v + e], 1e-12 * std::max(1.0, length(turned)));
      }
    } else {
      // Relative for what is not of order one: energies go with the fourth power of a stretch.
      for (int e = 0; e < E; ++e) {
        EXPECT_NEAR(difference<C>(a.value[e], b.value[e]), 0, 1e-12 * std::max(1.0, std::abs(a.value[e])));
      }
    }
  }
}

/// Positions, weights and strength of one projection.
template <class C, bool kCompliant, bool kGeneral>
void project_once(const typename C::Rest& rest, const Vec3<typename C::Number> (&x)[C::kPoints],
                  const typename C::Number (&w)[C::kPoints], const Strength<typename C::Number>& strength,
                  Vec3<typename C::Number> (&d)[C::kPoints]) {
  using T = typename C::Number;
  constexpr int N = C::kPoints, E = entries_of<C>();
  Vec3<T> local[N], motion[N] = {};
  for (int i = 0; i < N; ++i) local[i] = x[i];
  T lambda[E] = {};
  solve_constraint<C, kCompliant, kGeneral>(rest, local, w, strength, T(0.01), motion, lambda, d);
}

TYPED_TEST(RegisteredConstraint, ProjectionConservesMomentum) {
  using C = typename TypeParam::template Of<double>;
  constexpr int N = C::kPoints, E = entries_of<C>();
  Random random(3);
  for (int sample = 0; sample < 2000; ++sample) {
    Vec3d x[N], d[N];
    double w[N];
    well_shaped(random, x);
    for (double& inverse_mass : w) inverse_mass = std::exp(random.uniform(-5, 5));
    const auto rest = perturbed_rest<C>(random, x);
    if (sample % 2 == 0) {
      project_once<C, true, false>(rest, x, w, {1e-4, 0, 0}, d);
    } else {
      project_once<C, false, false>(rest, x, w, {0.7, 0, 0}, d);
    }
    Vec3d linear{}, angular{};
    double size = 0;
    for (int i = 0; i < N; ++i) {
      linear += d[i] / w[i];
      angular += cross(x[i], d[i]) / w[i];
      size += length(d[i]) / w[i];
    }
    EXPECT_LE(length(linear), 1e-13 * size + 1e-300);
    // Tets that are squeezed or inverted say that they give it up.
    if constexpr (requires { C::squeezed(rest, x, w); }) {
      if (sample % 2 == 0 && C::squeezed(rest, x, w)) continue;
    }
    // Frozen gradients alone, as pbd takes them, do not see how the element turns.
    if constexpr (requires { typename C::Frozen; }) {
      if (sample % 2 == 1) continue;
    }
    if constexpr (solve_of<C>() == Solve::sequence) {
      // Each entry keeps it about the places where it finds its corners: no torque in any gradient.
      // Vectors turn with the stencil: the three entries of one do together, along its direction.
      const Evaluation<C> at(rest, x);
      constexpr int kTogether = requires { C::kVectors; }
      ? 3 : 1;
      for (int first = 0; first < E; first += kTogether) {
        Vec3d torque{};
        double arm = 0;
        for (int e = first; e < first + kTogether; ++e) {
          const double along = kTogether == 1 ? 1 : at.value[e];
          for (int i = 0; i < N; ++i) {
            torque += cross(x[i], at.gradient[e][i]) * along;
            arm += length(at.gradient[e][i]) * std::abs(along);
          }
        }
        EXPECT_LE(length(torque), 1e-10 * arm);
      }
      continue;
    }
    EXPECT_LE(length(angular), 1e-12 * size + 1e-300);
  }
}

TYPED_TEST(RegisteredConstraint, ProjectionReducesTheError) {
  using C = typename TypeParam::template Of<double>;
  constexpr int N = C::kPoints, E = entries_of<C>();
  Random random(4);
  double mean_left = 0;
  for (int sample = 0; sample < 1000; ++sample) {
    Vec3d x[N], d[N];
    double w[N];
    well_shaped(random, x);
    for (double& inverse_mass : w) inverse_mass = random.uniform(0.5, 2);
    Vec3d near[N];
    for (int i = 0; i < N; ++i) near[i] = x[i] + random.point() * 1e-4;
    const auto rest = C::rest(near);
    const Evaluation<C> before(rest, x);
    if constexpr (requires { C::kOneSided; }) {
      if (before.value[0] == 0) continue;  // slack
    }
    project_once<C, false, false>(rest, x, w, {1, 0, 0}, d);
    for (int i = 0; i < N; ++i) x[i] += d[i];
    const Evaluation<C> after(rest, x);
    double error_before = 0, error_after = 0;
    for (int e = 0; e < E; ++e) {
      error_before = std::max(error_before, std::abs(difference<C>(before.value[e], 0)));
      error_after = std::max(error_after, std::abs(difference<C>(after.value[e], 0)));
    }
    mean_left += error_after / error_before / 1000;
    if constexpr (requires { C::kFlatAtRest; } || solve_of<C>() == Solve::sequence) continue;
    // Newton's step on a nearly satisfied constraint leaves an error of second order: 1e-4 over the
    // smallest feature, 0.05, squared and with some room.
    EXPECT_LE(error_after, 0.05 * error_before + 1e-14);
  }
  // A step on an energy goes half of the way in the direction of the gradient, a quarter of the energy is left. Across
  // it, stiff directions may gain; on the whole it falls. So it does where a later entry of a sequence spoils an
  // earlier, most of all in a cluster whose parts share three of four corners.
  EXPECT_LE(mean_left, is_cluster<C>() ? 0.9 : 0.7);
}

template <class C>
void expect_finite_everywhere() {
  using T = typename C::Number;
  constexpr int N = C::kPoints, E = entries_of<C>();
  Random random(6);
  Vec3d good[N];
  well_shaped(random, good);
  Vec3<T> start[N];
  for (int i = 0; i < N; ++i) start[i] = cast<T>(good[i]);
  const auto rest = C::rest(start);
  int number = 0;
  for (const auto& stencil : degenerate_stencils<N>()) {
    SCOPED_TRACE(number++);
    Vec3<T> x[N], d[N];
    bool fits = true;  // a square or product of these coordinates overflows float: no kernel can do that
    for (int i = 0; i < N; ++i) {
      x[i] = cast<T>(stencil[i]);
      constexpr double kLargest = requires { C::kFlatAtRest; }
      ? 1e4 : 1e6;  // gradients of energies go with the cube
      fits = fits && (sizeof(T) == 8 || length(stencil[i]) < kLargest);
    }
    if (!fits) continue;
    const Evaluation<C> at(rest, x);
    T w[N];
    for (T& inverse_mass : w) inverse_mass = T(1);
    project_once<C, true, false>(rest, x, w, {T(0), T(0), T(0)}, d);
    for (int e = 0; e < E; ++e) {
      EXPECT_TRUE(std::isfinite(at.value[e]));
      for (int i = 0; i < N; ++i) EXPECT_TRUE(std::isfinite(dot(at.gradient[e][i], at.gradient[e][i])));
    }
    for (int i = 0; i < N; ++i) EXPECT_TRUE(std::isfinite(d[i].x + d[i].y + d[i].z));
  }
}

TYPED_TEST(RegisteredConstraint, IsFiniteOnDegenerateStencils) {
  expect_finite_everywhere<typename TypeParam::template Of<double>>();
  expect_finite_everywhere<typename TypeParam::template Of<float>>();
}

/// One group of random constraints on random particles, ready for the registered kernels.
template <class Real>
struct Batches {
  const TypeInfo& type;
  bool general;
  int batches = 24;
  AlignedVector<QuadAt> particles;
  AlignedVector<Real> rest, strength, multipliers;
  AlignedVector<uint16_t> statics;
  AlignedVector<Quad<Real>> base, offset, start, carry, velocity;

  Batches(const TypeInfo& t, bool compliant, bool is_general, uint64_t seed) : type(t), general(is_general) {
    Random random(seed);
    const int count = batches * kLanes * type.points;
    base.resize(count);
    offset.resize(count);
    for (int i = 0; i < count; ++i) {
      const Vec3d x = random.point(), o = random.point() * 1e-3;
      base[i] = {Real(x.x), Real(x.y), Real(x.z), Real(0)};
      const bool is_static = random.integer(20) == 0;
      offset[i] = {Real(o.x), Real(o.y), Real(o.z), is_static ? Real(0) : Real(random.uniform(0.1, 10))};
    }
    start = offset;
    carry.resize(count);
    velocity.resize(count);
    const int fields = type.packed_fields;
    for (int b = 0; b < batches; ++b) {
      statics.push_back(0);
      for (int p = 0; p < type.points; ++p) {
        for (int l = 0; l < kLanes; ++l) {
          const int i = (b * kLanes + l) * type.points + p;
          particles.push_back(quad_at<Real>(i));
          if (offset[i].w == Real(0)) statics[b] |= static_bits(p, kSomeLanes);
        }
      }
      std::vector<double> made(type.rest_fields.size()), masses(type.points), packed(fields);
      AlignedVector<Real> fields_of_batch(fields * kLanes);
      for (int l = 0; l < kLanes; ++l) {
        std::vector<Vec3d> x(type.points);
        for (Vec3d& p : x) p = random.point();
        type.make_rest(x.data(), 1e3, 1e3, made.data());
        for (int p = 0; p < type.points; ++p) masses[p] = offset[(b * kLanes + l) * type.points + p].w;
        type.pack_rest(made.data(), masses.data(), packed.data());
        for (int f = 0; f < fields; ++f) fields_of_batch[f * kLanes + l] = Real(packed[f]);
      }
      rest.insert(rest.end(), fields_of_batch.begin(), fields_of_batch.end());
      for (int k = 0; k < (general ? 3 : type.parts); ++k) {
        for (int l = 0; l < kLanes; ++l) {
          strength.push_back(compliant
                                 ? Real(general && k == 1 && random.integer(3) == 0 ? -1 : random.uniform(0, 1e-3))
                                 : Real(random.uniform(0, 1)));
        }
      }
    }
    multipliers.assign(batches * type.entries * kLanes, Real(1e-4));
  }

  void sweep(int width, bool compliant) {
    AlignedVector<Real> edges(static_cast<std::size_t>(batches) * kLanes *
                              static_cast<std::size_t>(type.kernels<Real>().base_edge_numbers));
    const GroupView<Real> group{particles.data(), rest.data(), strength.data(), multipliers.data(),
                                statics.data(),   nullptr,     edges.data()};
    if (const auto write = type.kernels<Real>().write_base_edges) write(group, base.data(), edges.data(), 0, batches);
    const ParticlesView<Real> view{base.data(), offset.data(), start.data(), carry.data(), velocity.data()};
    const auto project = type.kernels<Real>().project[width_slot(width)][compliant][general];
    ASSERT_NE(project, nullptr);
    project(group, view, {Real(0.01), false, compliant}, 0, batches);
  }

  template <class T>
  static bool same_bits(const AlignedVector<T>& a, const AlignedVector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  }
};

bool is_solved(const TypeInfo& type, bool compliant) {
  return type.f32.project[width_slot(kDefaultWidth<float>)][compliant][0] != nullptr;
}

template <class Real>
void expect_all_widths_equal(const TypeInfo& type, std::initializer_list<int> widths) {
  for (bool compliant : {false, true}) {
    if (!is_solved(type, compliant)) continue;
    for (bool general : {false, true}) {
      if (general && type.parts > 1) continue;  // clusters are made of plain constraints only
      Batches<Real> scalar(type, compliant, general, 7);
      scalar.sweep(1, compliant);
      for (int width : widths) {
        SCOPED_TRACE(testing::Message() << "width " << width << " compliant " << compliant << " general " << general);
        Batches<Real> wide(type, compliant, general, 7);
        wide.sweep(width, compliant);
        EXPECT_TRUE(Batches<Real>::same_bits(scalar.offset, wide.offset));
        EXPECT_TRUE(Batches<Real>::same_bits(scalar.multipliers, wide.multipliers));
        EXPECT_TRUE(Batches<Real>::same_bits(scalar.carry, wide.carry));
      }
    }
  }
}

TEST(RegisteredConstraints, WideEqualsScalarToTheBit) {
#ifndef PLIANT_ALL_WIDTHS
  GTEST_SKIP() << "this build has one width only";
#endif
  for (const TypeInfo* type : registered_types()) {
    SCOPED_TRACE(type->name);
    expect_all_widths_equal<float>(*type, {4, 8, 16});
    expect_all_widths_equal<double>(*type, {kDefaultWidth<double>});
  }
}

TEST(RegisteredConstraints, FuzzedRestDataAndStrengthsStayFinite) {
  // Rest data is finite when a model is built (build_model refuses the rest); strengths may be anything.
  const float strange[] = {0.0f,
                           -0.0f,
                           -1.0f,
                           1e-38f,
                           -1e-38f,
                           1e30f,
                           -1e30f,
                           1.0f,
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::quiet_NaN()};
  const int finite = 8;
  for (const TypeInfo* type : registered_types()) {
    SCOPED_TRACE(type->name);
    for (bool compliant : {false, true}) {
      if (!is_solved(*type, compliant)) continue;
      for (uint64_t seed = 0; seed < 20; ++seed) {
        Batches<float> batch(*type, compliant, seed % 2 == 0 && type->parts == 1, seed);
        Random random(seed + 100);
        for (float& field : batch.rest) {
          if (random.integer(3) == 0) field = strange[random.integer(finite)];
        }
        for (float& k : batch.strength) {
          if (random.integer(3) == 0) k = strange[random.integer(std::size(strange))];
        }
        batch.sweep(kDefaultWidth<float>, compliant);
        for (const Quad<float>& q : batch.offset) {
          ASSERT_FALSE(std::isnan(q.x) || std::isnan(q.y) || std::isnan(q.z));
        }
      }
    }
  }
}

TEST(RegisteredConstraints, StaticParticlesAreNotWritten) {
  for (const TypeInfo* type : registered_types()) {
    const bool compliant = is_solved(*type, true);
    EXPECT_TRUE(compliant || is_solved(*type, false)) << type->name;
    Batches<float> before(*type, compliant, false, 9), after(*type, compliant, false, 9);
    after.sweep(kDefaultWidth<float>, compliant);
    int held = 0, moved = 0;
    for (std::size_t i = 0; i < after.offset.size(); ++i) {
      const bool same = std::memcmp(&before.offset[i], &after.offset[i], sizeof(Quad<float>)) == 0;
      if (before.offset[i].w == 0) {
        EXPECT_TRUE(same) << type->name;
        ++held;
      } else {
        moved += !same;
      }
    }
    EXPECT_GT(held, 0);
    EXPECT_GT(moved, 0) << type->name;
  }
}

TEST(RegisteredConstraints, AreDescribed) {
  for (const TypeInfo* type : registered_types()) {
    EXPECT_FALSE(type->summary.empty()) << type->name;
    EXPECT_FALSE(type->compliance_unit.empty()) << type->name;
    EXPECT_EQ(find_type(type->name), type);
  }
  EXPECT_EQ(find_type("no such"), nullptr);
}

}  // namespace
}  // namespace pliant::test
