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
// An element that is inverted or nearly flat does not flow: it has no shape worth keeping.

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

}  // namespace

template <class Real>
void Solver<Real>::flow() {
  for (std::size_t index = 0; index < model_.groups.size(); ++index) {
    const Group<Real>& group = model_.groups[index];
    if (group.plastic.empty()) continue;
    const int fields = static_cast<int>(group.type->rest_fields.size());
    const bool additive = fields > 2 * kFields;  // frame, two constants, plastic strain
    const int first = additive ? fields - kFields : 0;
    Real* rest = state_.plastic_rest[index].data();
    parallel_for(*jobs_, group.batches(), kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        for (int l = 0; l < kLanes; ++l) {
          if (group.plastic_number[b * kLanes + l] < 0) continue;
          Element e;
          const QuadAt* at = &group.particles[b * 4 * kLanes + l];
          for (int i = 0; i < 4; ++i) {
            // A hub's ghosts have no place of their own between sweeps.
            auto p = static_cast<int32_t>(at[i * kLanes] / sizeof(Quad<Real>));
            for (const Hub& hub : group.hubs) {
              if (p >= hub.first_ghost && p < hub.first_ghost + hub.ghosts) p = hub.particle;
            }
            e.x[i] = position(p);
          }
          const Real* settings = &group.plastic[b * 3 * kLanes + l];
          e.yield = settings[0];
          e.share = std::min(1.0, settings[kLanes] * options_.step);
          e.max = settings[2 * kLanes];
          Real* lane = rest + b * fields * kLanes + l;
          const Real* start = &group.rest[b * fields * kLanes + l];
          for (int k = 0; k < kFields; ++k) {
            e.frame[k] = lane[k * kLanes];
            e.original[k] = start[k * kLanes];
            e.plastic[k] = additive ? double(lane[(first + k) * kLanes]) : 0;
          }
          if (!flow_element(e, additive)) continue;
          const double(&now)[kFields] = additive ? e.plastic : e.frame;
          bool good = true;
          for (double v : now) good = good && is_finite(static_cast<Real>(v));
          for (int k = 0; good && k < kFields; ++k) lane[(first + k) * kLanes] = static_cast<Real>(now[k]);
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
    const int64_t fields = static_cast<int64_t>(group.type->rest_fields.size());
    const int64_t first = fields > 2 * kFields ? fields - kFields : 0;
    for (int64_t slot = 0; slot < static_cast<int64_t>(group.plastic_number.size()); ++slot) {
      const int64_t number = group.plastic_number[slot];
      if (number < 0) continue;
      const Real* lane = &state_.plastic_rest[index][(slot / kLanes * fields + first) * kLanes + slot % kLanes];
      for (int k = 0; k < kFields; ++k) out[number * kFields + k] = lane[k * kLanes];
    }
  }
  return out;
}

template <class Real>
void Solver<Real>::set_plastic_state(std::span<const double> values) {
  for (std::size_t index = 0; index < model_.groups.size(); ++index) {
    const Group<Real>& group = model_.groups[index];
    const int64_t fields = static_cast<int64_t>(group.type->rest_fields.size());
    const int64_t first = fields > 2 * kFields ? fields - kFields : 0;
    for (int64_t slot = 0; slot < static_cast<int64_t>(group.plastic_number.size()); ++slot) {
      const int64_t number = group.plastic_number[slot];
      if (number < 0 || (number + 1) * kFields > static_cast<int64_t>(values.size())) continue;
      Real* lane = &state_.plastic_rest[index][(slot / kLanes * fields + first) * kLanes + slot % kLanes];
      for (int k = 0; k < kFields; ++k) lane[k * kLanes] = static_cast<Real>(values[number * kFields + k]);
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
