// Plastic flow: once per step, what the strain beyond the yield limit leaves behind in each element.   bender14 4.2
//
//   e' = deviator of the elastic Green strain;  where |e'| > yield, a share g = min(1, creep dt) of it stays
//
//   additive         E_plastic += g e'                   E = E_elastic + E_plastic
//   multiplicative   F_plastic := D F_plastic            F = F_elastic F_plastic, D = V (s / J^1/3)^g V^T of F_elastic
//
// then the plastic strain is shortened to the norm `max` where it is longer. (As printed, the document's second case
// rescales it whenever e' is large, also while it is still zero.)
//
// Both keep the plastic metric Cp = I + 2 E_plastic = F_plastic^T F_plastic, and both keep its determinant at 1: the
// deviator alone would change the volume by the square of the strain. For isotropic materials Cp is all that matters.
// The additive form stores E_plastic beside the rest data, the multiplicative one puts it into the rest frame:
// M <- M0 F_plastic^-1, of which only M M^T = M0 Cp^-1 M0^T counts.
//
// Triangles of cloth flow in the additive form, in plane stress: the strain through the thickness is E_22 =
// -nu / (1 - nu) (E_00 + E_11), the deviator is that of the three-dimensional strain, and what has flowed through the
// thickness, -(E_plastic_00 + E_plastic_11), follows. nu comes from the compliance, -s10 / sqrt(s00 s11), and is
// taken as 1/2 where it is more: no solid gets thinner than that.
//
// An element that is inverted or nearly flat does not flow: it has no shape worth keeping.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/parallel.h"
#include "math/svd.h"
#include "solver/solver.h"

namespace pliant {

namespace {

using Sym = Sym3<double>;
using Mat = Mat3<double>;

constexpr int64_t kBatchesPerChunk = 16;
constexpr double kFlat = 0.2;  // smallest stretch of an element that flows

/// Rest data stores symmetric matrices as (00, 11, 22, 12, 20, 01) and frames as their upper triangle.
constexpr int kFields = 6;
Sym sym_of(const double (&e)[kFields]) { return {e[0], e[1], e[2], e[5], e[4], e[3]}; }
Mat frame_of(const double (&m)[kFields]) { return {{m[0], 0, 0}, {m[1], m[3], 0}, {m[2], m[4], m[5]}}; }

/// The upper triangular M with M M^T = G; its last entry has the sign of `like`.
void frame_from_metric(const Mat& G, double like, double (&m)[kFields]) {
  const double m22 = std::sqrt(G(2, 2));
  m[2] = G(0, 2) / m22;
  m[4] = G(1, 2) / m22;
  m[3] = std::sqrt(G(1, 1) - m[4] * m[4]);
  m[1] = (G(0, 1) - m[2] * m[4]) / m[3];
  m[0] = std::sqrt(G(0, 0) - m[1] * m[1] - m[2] * m[2]);
  m[5] = m22;
  if (like < 0) {
    // Columns may change sign: the one of the last axis, as RestFrame has it.
    for (int k : {2, 4, 5}) m[k] = -m[k];
  }
}

/// Cp with determinant 1 and |Cp - I| / 2 not above max.
Mat limited(Mat Cp, double max) {
  const auto unimodular = [](const Mat& C) { return C * (1 / std::cbrt(determinant(C))); };
  Cp = unimodular(Cp);
  const Mat I = Mat::identity();
  const double norm = 0.5 * std::sqrt(norm_squared(Cp - I));
  if (norm > max) Cp = unimodular(I + (Cp - I) * (max / norm));
  return Cp;
}

struct Element {
  Vec3d x[4];
  double yield, share, max;
  double frame[kFields];     // now
  double original[kFields];  // at the start
  double plastic[kFields];   // additive: the entries of E_plastic, shear ones doubled
};

/// True if it flowed: the frame, or the plastic entries, are new.
bool flow_element(Element& e, bool additive) {
  const Mat M = frame_of(e.frame);
  const Mat F = Mat{e.x[1] - e.x[0], e.x[2] - e.x[0], e.x[3] - e.x[0]} * M;
  const Mat I = Mat::identity();
  Mat Ep = I * 0.0;
  if (additive) {
    double half[kFields];
    for (int k = 0; k < kFields; ++k) half[k] = k < 3 ? e.plastic[k] : 0.5 * e.plastic[k];
    Ep = to_matrix(sym_of(half));
  }
  const Mat strain = (to_matrix(gram(F)) - I) * 0.5 - Ep;
  const Mat deviator = strain - I * (trace(strain) / 3);
  if (!(norm_squared(deviator) > e.yield * e.yield)) return false;
  const Svd3<double> parts = svd(F);
  if (!(parts.s.z > kFlat)) return false;

  if (additive) {
    const Mat Cp = limited(I + (Ep + deviator * e.share) * 2.0, e.max);
    const Mat now = (Cp - I) * 0.5;
    const double entries[kFields] = {now(0, 0), now(1, 1), now(2, 2), 2 * now(1, 2), 2 * now(2, 0), 2 * now(0, 1)};
    std::memcpy(e.plastic, entries, sizeof(entries));
  } else {
    const double J = parts.s.x * parts.s.y * parts.s.z;
    const auto power = [&](double s) { return std::pow(s / std::cbrt(J), -2 * e.share); };
    const Mat& V = parts.v;
    const Mat scaled{V.c0 * power(parts.s.x), V.c1 * power(parts.s.y), V.c2 * power(parts.s.z)};
    const Mat G = M * mul_transpose(scaled, V) * transpose(M);  // M D^-2 M^T
    const Mat M0 = frame_of(e.original);
    const Mat Cp = limited(transpose(M0) * inverse(G) * M0, e.max);
    frame_from_metric(M0 * inverse(Cp) * transpose(M0), e.original[5], e.frame);
  }
  return true;
}

struct FlatElement {
  Vec3d x[3];
  double yield, share, max;
  double m00, m01, m11;  // the rest frame
  double nu;
  double plastic[3];  // E_00, E_11, 2 E_01
};

bool flow_triangle(FlatElement& e) {
  const Vec3d e1 = e.x[1] - e.x[0], e2 = e.x[2] - e.x[0];
  const Vec3d f0 = e1 * e.m00, f1 = e1 * e.m01 + e2 * e.m11;
  const double c00 = dot(f0, f0), c11 = dot(f1, f1), c01 = dot(f0, f1);
  const double middle = 0.5 * (c00 + c11), radius = std::hypot(0.5 * (c00 - c11), c01);
  if (!(middle - radius > kFlat * kFlat)) return false;
  const double a = 0.5 * (c00 - 1) - e.plastic[0], b = 0.5 * (c11 - 1) - e.plastic[1];
  const double shear = 0.5 * (c01 - e.plastic[2]);
  const double nu = std::min(e.nu, 0.5);
  const double through = -nu / (1 - nu) * (a + b);
  const double mean = (a + b + through) / 3;
  const auto norm = [](double x, double y, double z, double xy) {
    return std::sqrt(x * x + y * y + z * z + 2 * xy * xy);
  };
  if (!(norm(a - mean, b - mean, through - mean, shear) > e.yield)) return false;
  double p0 = e.plastic[0] + e.share * (a - mean), p1 = e.plastic[1] + e.share * (b - mean);
  double p01 = 0.5 * e.plastic[2] + e.share * shear;
  const double size = norm(p0, p1, p0 + p1, p01), shorter = size > e.max ? e.max / size : 1;
  e.plastic[0] = p0 * shorter;
  e.plastic[1] = p1 * shorter;
  e.plastic[2] = 2 * p01 * shorter;
  return true;
}

/// Which rest fields flow: `count` of them, from `first` on.
struct FlowingFields {
  int first = 0, count = kFields;
  bool additive = false;
  explicit FlowingFields(const TypeInfo& type) {
    const int fields = static_cast<int>(type.rest_fields.size());
    const bool triangle = type.points == 3;
    additive = triangle || fields > 2 * kFields;  // frame, two constants, plastic strain
    if (triangle) count = 3;
    if (additive) first = fields - count;
  }
};

}  // namespace

template <class Real>
void Solver<Real>::flow() {
  for (std::size_t index = 0; index < model_.groups.size(); ++index) {
    const Group<Real>& group = model_.groups[index];
    if (group.plastic.empty()) continue;
    const int fields = group.type->packed_fields;
    const int points = group.type->points;
    const FlowingFields flowing(*group.type);
    edges_stale_ = true;  // strains of the bases are in them, and change with the rest shape
    Real* rest = state_.plastic_rest[index].data();
    parallel_for(*jobs_, group.batches(), kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        for (int l = 0; l < kLanes; ++l) {
          if (group.plastic_number[b * kLanes + l] < 0) continue;
          const QuadAt* at = &group.particles[b * points * kLanes + l];
          const auto corner = [&](int i) {
            // A hub's ghosts have no place of their own between sweeps.
            auto p = static_cast<int32_t>(at[i * kLanes] / sizeof(Quad<Real>));
            for (const Hub& hub : group.hubs) {
              if (p >= hub.first_ghost && p < hub.first_ghost + hub.ghosts) p = hub.particle;
            }
            return position(p);
          };
          const Real* settings = &group.plastic[b * 3 * kLanes + l];
          const double yield = settings[0], share = std::min(1.0, settings[kLanes] * options_.step);
          const double max = settings[2 * kLanes];
          Real* lane = rest + b * fields * kLanes + l;
          const Real* start = &group.rest[b * fields * kLanes + l];
          const auto field = [&](int k) { return double(lane[k * kLanes]); };
          double now[kFields] = {};
          if (points == 3) {
            FlatElement e{{corner(0), corner(1), corner(2)},          yield, share, max, field(0), field(1), field(2),
                          -field(4) / std::sqrt(field(3) * field(5)), {}};
            for (int k = 0; k < 3; ++k) e.plastic[k] = field(flowing.first + k);
            if (!flow_triangle(e)) continue;
            std::copy_n(e.plastic, 3, now);
          } else {
            Element e{{corner(0), corner(1), corner(2), corner(3)}, yield, share, max, {}, {}, {}};
            for (int k = 0; k < kFields; ++k) {
              e.frame[k] = field(k);
              e.original[k] = start[k * kLanes];
              e.plastic[k] = flowing.additive ? field(flowing.first + k) : 0;
            }
            if (!flow_element(e, flowing.additive)) continue;
            std::copy_n(flowing.additive ? e.plastic : e.frame, kFields, now);
          }
          bool good = true;
          for (double v : now) good = good && is_finite(static_cast<Real>(v));
          for (int k = 0; good && k < flowing.count; ++k) {
            lane[(flowing.first + k) * kLanes] = static_cast<Real>(now[k]);
          }
        }
      }
    });
  }
}

template <class Real>
std::vector<double> Solver<Real>::plastic_state() const {
  std::vector<double> out(model_.plastic_constraints * kFields);
  for (std::size_t index = 0; index < model_.groups.size(); ++index) {
    const Group<Real>& group = model_.groups[index];
    const int64_t fields = group.type->packed_fields;
    const FlowingFields flowing(*group.type);
    for (int64_t slot = 0; slot < static_cast<int64_t>(group.plastic_number.size()); ++slot) {
      const int64_t number = group.plastic_number[slot];
      if (number < 0) continue;
      const Real* lane = &state_.plastic_rest[index][(slot / kLanes * fields + flowing.first) * kLanes + slot % kLanes];
      for (int k = 0; k < flowing.count; ++k) out[number * kFields + k] = lane[k * kLanes];
    }
  }
  return out;
}

template <class Real>
void Solver<Real>::set_plastic_state(std::span<const double> values) {
  for (std::size_t index = 0; index < model_.groups.size(); ++index) {
    const Group<Real>& group = model_.groups[index];
    const int64_t fields = group.type->packed_fields;
    const FlowingFields flowing(*group.type);
    edges_stale_ = true;
    for (int64_t slot = 0; slot < static_cast<int64_t>(group.plastic_number.size()); ++slot) {
      const int64_t number = group.plastic_number[slot];
      if (number < 0 || (number + 1) * kFields > static_cast<int64_t>(values.size())) continue;
      Real* lane = &state_.plastic_rest[index][(slot / kLanes * fields + flowing.first) * kLanes + slot % kLanes];
      for (int k = 0; k < flowing.count; ++k) lane[k * kLanes] = static_cast<Real>(values[number * kFields + k]);
    }
  }
}

template void Solver<float>::flow();
template void Solver<float>::set_plastic_state(std::span<const double>);
template std::vector<double> Solver<float>::plastic_state() const;
template void Solver<double>::flow();
template void Solver<double>::set_plastic_state(std::span<const double>);
template std::vector<double> Solver<double>::plastic_state() const;

}  // namespace pliant
