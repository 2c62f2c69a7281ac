#pragma once
// What a constraint type is, and what the engine makes of one.
//
// A type is a template over its number type T with
//
//   static constexpr int kPoints          particles of one constraint
//   static constexpr int kEntries         values of C (1 unless several are solved in one gather)
//   static constexpr Solve kSolve         how several entries are solved
//   static constexpr Stencil kStencil     which elements of a mesh get one constraint each
//   static constexpr const char* kSummary, *kComplianceUnit
//   struct Rest { T ...; constexpr void each(f) }   rest data; each() calls f(name, field) for every field
//   static Rest rest(x)                   rest data from rest positions (called in double); elastic types
//                                         take Lame's constants too: rest(x, lambda, mu)
//   static T evaluate(rest, x, gradient)  C and its gradients; for several entries see Solve
//   static T strain(rest, C)              relative deformation for reports; zero where it means nothing
//   static constexpr bool kOnlyCompliant  optional: the type has a meaning in xpbd (true) or pbd (false) only
//   static void solve<general>(...)       optional: the whole block solve, where it has a shorter form
//   static constexpr bool kAlignedFrame   optional, tets: rest.frame is turned by align(w) to the masses when a group
//   is
//                                         packed; Rest has each_made() too, the fields that rest() makes, and solve a
//                                         second argument: is it turned to these masses?
//   static constexpr double kMostStep     optional, one entry: how much a projection changes C at most, in its unit
//   static T energy(rest, x)              optional: the potential [J], where it is not C^2 / (2 compliance)
//   static T evaluate_up_to_scale<hasty>(rest, x, gradient, sure)
//                                         optional, types of pbd only: C and gradient over a common factor, which
//                                         cancels; hasty: without a way round for rare states, right where `sure`
//   static void shares(rest, b)           optional, vectors: b_i where the three entries are C = sum b_i x_i
//   static T pull<compliant, guarded>(rest, e, s, strength, dt, lambda)
//                                         optional, two corners: the whole solve as one number q per constraint.
//                                         e = x_1 - x_0, s = w_0 + w_1; d_0 = w_0 q e, d_1 = -w_1 q e. Momentum
//                                         leaves corrections no other direction, and no transpose is needed.
//
// and nothing else: no state, no virtual functions, no particles. A kernel must return finite numbers
// for any finite input (a degenerate stencil has gradient zero). Positions are relative to the first
// corner, so a kernel meets no large coordinates. src/constraints/distance.h is the model to follow.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "math/quads.h"
#include "pliant/vec.h"

// Everything in one loop, whatever the compiler thinks of its size: PLIANT_FLAT on the loop, and PLIANT_HOT on what g++
// 12 calls all the same. Not where code is instrumented or not optimised: it would take minutes to compile, for
// nothing.
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PLIANT_HOT [[gnu::always_inline]]
#define PLIANT_FLAT [[gnu::flatten]]
#else
#define PLIANT_HOT
#define PLIANT_FLAT
#endif

namespace pliant {

/// How the entries of one constraint are solved.
enum class Solve {
  block,     // evaluate(rest, x, C[], gradient[][]): one small linear system
  sequence,  // evaluate_entry<E>(rest, x, gradient): one after another, each seeing the last one's correction
};

/// Which elements of a mesh a type makes its constraints from.
enum class Stencil { edges, hinges, triangles, tets, pairs, clusters };

/// Constraints are stored in batches of kLanes that share no moving particle. It is a constant of the
/// format, not of the machine: a narrower SIMD width works through a batch in parts, and since the
/// lanes are independent the result has the same bits.
inline constexpr int kLanes = 16;

/// Two bits per corner: a particle that does not move (or padding) stands in no lane, in some, or in all.
enum StaticLanes : unsigned { kNoLane = 0, kSomeLanes = 1, kAllLanes = 3 };
constexpr uint16_t static_bits(int corner, StaticLanes lanes) { return static_cast<uint16_t>(lanes << (2 * corner)); }
constexpr StaticLanes static_lanes(uint16_t bits, int corner) {
  return static_cast<StaticLanes>(bits >> (2 * corner) & 3);
}

/// Beside these bits: frames of the batch are not aligned to the masses (kAlignedFrame).
inline constexpr uint16_t kNotAligned = 0x8000;
/// Of clusters: the next batch moves a particle that this one moves, too.
inline constexpr uint16_t kSharesWithNext = 0x4000;

/// All batches of one group: constraints of one type solved in one way.
template <class Real>
struct GroupView {
  const QuadAt* particles;       // [batch][point][kLanes]
  const Real* rest;              // [batch][field][kLanes]
  const Real* strength;          // [batch][kLanes], or [batch][3][kLanes] in a general group, see Strength;
                                 // of clusters [batch][part][kLanes]; without [batch] where equal_strength
  Real* multipliers;             // [batch][entry][kLanes], compliant groups
  const uint16_t* statics;       // [batch] which corners name particles that do not move, see static_bits
  const Real* velocity_damping;  // [batch][kLanes] [1/s], or null
  // Null, or what the bases contribute: for types that pull along their edge the edge, quads [batch][kLanes] in
  // streamed order; for clusters of linear types the gaps [batch][part][x, y, z][kLanes]; for other clusters the bases
  // relative to that of the first corner [batch][corner - 1][x, y, z][kLanes]; for elastic tets in float the strain
  // that belongs to them [batch][entry][kLanes] (fine_strain.h).
  const Real* base_edges;
  const int16_t* frame_rounding = nullptr;  // null, or what base_edges of elastic tets leave out (fine_strain.h)
  bool equal_strength = false;              // that of one batch is the strength of all: nothing to read in order

  /// Of a batch, `count` numbers per lane.
  const Real* strength_of(int64_t batch, int count) const {
    return strength + (equal_strength ? 0 : batch * count * kLanes);
  }
};

template <class Real>
struct ParticlesView {
  const Quad<Real>* base;
  Quad<Real>* offset;       // w: inverse mass
  const Quad<Real>* start;  // offset at the start of the substep
  Quad<Real>* carry;        // next substep's share of multipliers that are kept
  Quad<Real>* velocity;
};

template <class Real>
struct SweepSettings {
  Real dt;          // [s] of the substep
  bool fresh;       // first iteration: multipliers start at zero
  bool accumulate;  // last iteration of a group that keeps its multipliers: add their push to carry
};

/// What a group's constraints are doing, in double.
struct GroupMeasure {
  double energy = 0;    // [J]
  double strain = 0;    // largest
  double residual = 0;  // largest
};

template <class Real>
struct Kernels {
  using Sweep = void (*)(const GroupView<Real>&, const ParticlesView<Real>&, const SweepSettings<Real>&, int begin,
                         int end);
  /// By width (index 0..3 for 1, 4, 8, 16 lanes; null where not compiled), compliant? (null where the type is not
  /// solved so), general?
  Sweep project[4][2][2] = {};
  Sweep damp_velocities = nullptr;
  /// Null and zero unless the type reads GroupView::base_edges.
  void (*write_base_edges)(const GroupView<Real>&, const Quad<Real>* base, Real* edges, int begin, int end) = nullptr;
  int base_edge_numbers = 0;   // of one constraint
  bool gathers_bases = false;  // it reads bases themselves as well, and both in general groups too
  void (*measure)(const GroupView<Real>&, const ParticlesView<Real>&, double dt, bool compliant, bool general,
                  int begin, int end, GroupMeasure&) = nullptr;
};

/// A registered type with its kernels compiled for all the engine needs.
struct TypeInfo {
  std::string name, summary, compliance_unit;
  Stencil stencil{};
  int points = 0, entries = 1;
  int parts = 1;                  // of a cluster
  std::string part;               // of a cluster: the type of its parts; of others their own name
  std::vector<int> part_corners;  // of a cluster: the corners of its parts, one after another
  /// Rest data of the same constraint with its corner order[k] in place k. Of parts of clusters.
  void (*permute_rest)(double* rest, const int* order) = nullptr;
  std::vector<std::string> rest_fields;
  bool linear = false;    // C = sum b_i x_i, see is_linear
  bool material = false;  // rest data depends on Lame's constants
  void (*make_rest)(const Vec3d* x, double lambda, double mu, double* rest) = nullptr;
  /// For each corner the sum over the entries of |grad_i C|^2 at these positions, in the unit of C^2 / m^2.
  void (*gradient_squares)(const double* rest, const Vec3d* x, double* squares) = nullptr;
  /// Rest data as batches have it, `packed_fields` numbers, the frame turned to the masses (null: not turned).
  int packed_fields = 0;
  bool aligned_frame = false;
  void (*pack_rest)(const double* rest, const double* inverse_masses, double* packed) = nullptr;
  Kernels<float> f32;
  Kernels<double> f64;

  template <class Real>
  const Kernels<Real>& kernels() const {
    if constexpr (sizeof(Real) == 4) {
      return f32;
    } else {
      return f64;
    }
  }
};

/// Index into Kernels::project.
constexpr int width_slot(int width) { return width == 1 ? 0 : width == 4 ? 1 : width == 8 ? 2 : 3; }

/// The width that the engine uses unless asked otherwise.
template <class Real>
inline constexpr int kDefaultWidth = kNativeLanes<Real> >= kLanes ? kLanes : kNativeLanes<Real>;

// ------------------------------------------------------------------ traits

template <class C>
constexpr int entries_of() {
  if constexpr (requires { C::kEntries; }) {
    return C::kEntries;
  } else {
    return 1;
  }
}

template <class C>
constexpr Solve solve_of() {
  if constexpr (requires { C::kSolve; }) {
    return C::kSolve;
  } else {
    return Solve::block;
  }
}

template <class C>
constexpr bool pulls_along_edge() {
  return C::kPoints == 2 && requires(typename C::Number & n, typename C::Rest rest, Vec3<typename C::Number> e) {
    C::template pull<true>(rest, e, n, n, n, n);
  };
}

template <class C>
constexpr bool has_evaluate_up_to_scale() {
  using T = typename C::Number;
  return requires(typename C::Rest rest, Vec3<T>(&x)[C::kPoints], MaskOf<T> & sure) {
    C::template evaluate_up_to_scale<true>(rest, x, x, sure);
  };
}

template <class C>
constexpr bool has_aligned_frame() {
  if constexpr (requires { C::kAlignedFrame; }) {
    return C::kAlignedFrame;
  } else {
    return false;
  }
}

/// Are the entries C = sum b_i x_i with b_i of the rest shape and the sum of all b_i zero?
template <class C>
constexpr bool is_linear() {
  return requires(typename C::Rest rest, typename C::Number(&b)[C::kPoints]) { C::shares(rest, b); };
}

/// Clusters: constraints of one type that share corners (clusters.h).
template <class C>
constexpr bool is_cluster() {
  return requires { typename C::Part; };
}

template <class C>
constexpr int parts_of() {
  if constexpr (is_cluster<C>()) {
    return entries_of<C>() / C::kPartEntries;
  } else {
    return 1;
  }
}

/// Is the type solved by xpbd (compliant) or by pbd? By both, unless it says otherwise.
template <class C>
constexpr bool solved_by(bool compliant) {
  if constexpr (requires { C::kOnlyCompliant; }) {
    return C::kOnlyCompliant == compliant;
  } else {
    return true;
  }
}

/// Elastic blocks: their multipliers are kept from substep to substep (SweepSettings::accumulate).
template <class C>
constexpr bool pushes_as_a_rule() {
  return entries_of<C>() > 1 && requires(const Vec3<typename C::Number>(&x)[C::kPoints], typename C::Number& n) {
    C::rest(x, n, n);
  };
}

template <class C>
constexpr int rest_fields_of() {
  int n = 0;
  typename C::Rest rest{};
  rest.each([&](const char*, auto&) { ++n; });
  return n;
}

/// A divisor that is not zero: one operation in front of a division in place of a test behind it, for which the next
/// constraint at the same corners would wait. What is divided vanishes with its weight (an energy and its gradient, at
/// rest), or what it moves does not move; who calls this looks at the end whether all is finite.
template <class T>
inline T not_zero(const T& weight) {
  return max(weight, T(std::numeric_limits<ScalarOf<T>>::min()));
}

/// C and gradients of all entries at one place, whatever the type's own form. Types that say kMayOverflow (energies go
/// with the fourth power of a stretch) have zeros where they did, unless the caller guards what it makes of them.
template <class C, bool kGuarded = true, class T, int N, int E>
PLIANT_HOT inline void evaluate_all(const typename C::Rest& rest, const Vec3<T> (&x)[N], T (&value)[E],
                                    Vec3<T> (&gradient)[E][N]) {
  if constexpr (E == 1 && solve_of<C>() == Solve::block && requires { C::evaluate(rest, x, gradient[0]); }) {
    value[0] = C::evaluate(rest, x, gradient[0]);
    if constexpr (kGuarded && requires { C::kMayOverflow; }) {
      const Vec3<T>& sum = gradient[0][0];  // minus that of all others
      const MaskOf<T> good = is_finite((sum.x + sum.y) + (sum.z + value[0]));
      for (Vec3<T>& g : gradient[0]) g = {zero_unless(good, g.x), zero_unless(good, g.y), zero_unless(good, g.z)};
      value[0] = zero_unless(good, value[0]);
    }
  } else if constexpr (solve_of<C>() == Solve::block) {
    C::evaluate(rest, x, value, gradient);
  } else {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      ((value[I] = C::template evaluate_entry<I>(rest, x, gradient[I])), ...);
    }
    (std::make_integer_sequence<int, E>());
  }
}

/// Relative deformation of one entry, for reports.
template <class C, class T>
inline T strain_of_entry(const typename C::Rest& rest, int entry, const T& value) {
  if constexpr (is_cluster<C>()) {
    return C::Part::strain(rest.part[entry / C::kPartEntries], value);
  } else {
    return C::strain(rest, value);
  }
}

}  // namespace pliant
