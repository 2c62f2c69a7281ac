// Wind on triangles and segments (docs/wind.md).
//
// Relative wind u = wind - mean velocity of the corners. A triangle with area vector a = A n has
//
//   drag  F = C_D rho/2 |a . u| u                        the area that the wind sees, times rho/2 |u|^2, along u
//   lift  F = C_L rho/2 (a . u) (|u| n - (n . u) u/|u|)  across u, towards the side of the normal that the wind leaves
//
// half of it where the surface is closed: there both its front and its back count. A segment of length L and diameter
// d, with u across it, has F = C_D rho/2 d L |u| u. All are odd in u. Corners get equal parts.
//
// Each element has a rate of exchange q = rho/2 |a . u| [kg/s] (or rho/2 d L |u|), and a vertex of inverse mass w
//
//   dv = w dt F / (1 + w dt (C_D + C_L) q) - e v_rel,    b = w dt C_L q / (1 + ...),  e = 1 - sqrt(1 - b^2)
//
// with F and q summed over its elements: drag alone takes part of the relative velocity, never more than all of it, and
// lift turns it without making it longer. Both differ from an explicit step by terms of second order in dt.
//
// Gusts travel with the wind: the phase of a wave at x is that of the origin at an earlier time.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/parallel.h"
#include "math/functions.h"
#include "mesh/topology.h"
#include "solver/solver.h"

namespace pliant {

namespace {

constexpr int64_t kBatchesPerChunk = 32;
constexpr int64_t kVerticesPerChunk = 1024;

/// The wind at a time, as a function of place.
template <class T>
class Air {
  using S = ScalarOf<T>;
  static constexpr int kWaves = 3;
  // Frequencies without a short common period, amplitudes that sum to one.
  static constexpr double kFrequency[kWaves] = {1, 2.37, 5.11}, kAmplitude[kWaves] = {0.5, 0.3, 0.2};

 public:
  Air(const Wind& wind, double time, const Vec3d& origin) : mean_(cast_to(wind.velocity)) {
    const double speed = length(wind.velocity);
    gusts_ = wind.gust_strength > 0 && speed > 0;
    if (!gusts_) return;
    const Vec3d along = wind.velocity / speed;
    const Vec3d up = std::abs(along.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
    const Vec3d side = cross(up, along) / length(cross(up, along));
    for (int k = 0; k < kWaves; ++k) {
      const double turns = wind.gust_frequency * kFrequency[k];  // [1/s]
      const double phase = turns * (time - dot(origin, along) / speed);
      phase_[k] = T(S(2 * std::numbers::pi * (phase - std::floor(phase)) + k));
      wave_[k] = cast_to(along * (-2 * std::numbers::pi * turns / speed));
      // Across the wind a third as strong as along it.
      const double size = wind.gust_strength * speed * kAmplitude[k] / std::hypot(1.0, 1.0 / 3);
      along_[k] = cast_to(along * size);
      across_[k] = cast_to((k % 2 == 0 ? side : cross(along, side)) * (size / 3));
    }
  }
  /// x from the origin [m].
  Vec3<T> at(const Vec3<T>& x) const {
    Vec3<T> v = mean_;
    if (!gusts_) return v;
    for (int k = 0; k < kWaves; ++k) {
      const auto [sine, cosine] = sin_cos(dot(wave_[k], x) + phase_[k]);
      v = mul_add(along_[k], sine, mul_add(across_[k], cosine, v));
    }
    return v;
  }

 private:
  static Vec3<T> cast_to(const Vec3d& v) { return {T(S(v.x)), T(S(v.y)), T(S(v.z))}; }
  bool gusts_ = false;
  Vec3<T> mean_, wave_[kWaves], along_[kWaves], across_[kWaves];
  T phase_[kWaves];
};

/// Corners of W elements: places relative to the first corner, the first corner's own, and the mean velocity.
template <class T, int N>
struct Corners {
  using S = ScalarOf<T>;
  Vec3<T> x[N], first, velocity;
  Corners(const Quad<S>* base, const Quad<S>* offset, const Quad<S>* velocities, const QuadAt* at) {
    const auto base0 = Quads<T>::gather(base, at), offset0 = Quads<T>::gather(offset, at);
    first = (base0 + offset0).xyz();
    auto sum = Quads<T>::gather(velocities, at);
    for (int i = 1; i < N; ++i) {
      const QuadAt* corner = at + i * kLanes;
      x[i] = ((Quads<T>::gather(offset, corner) - offset0) + (Quads<T>::gather(base, corner) - base0)).xyz();
      sum = sum + Quads<T>::gather(velocities, corner);
    }
    velocity = sum.xyz() * T(S(1) / S(N));
  }
};

template <class T>
T inverse_or_zero(const T& a) {
  return select(a > T(ScalarOf<T>(0)), T(ScalarOf<T>(1)) / a, T(ScalarOf<T>(0)));
}

/// Writes a vector and a fourth number per element.
template <class T>
void write(Quad<ScalarOf<T>>* out, const Vec3<T>& v, const T& fourth) {
  constexpr int W = NumberTraits<T>::kWidth;
  ScalarOf<T> x[W], y[W], z[W], w[W];
  store(v.x, x);
  store(v.y, y);
  store(v.z, z);
  store(fourth, w);
  for (int l = 0; l < W; ++l) out[l] = {x[l], y[l], z[l], w[l]};
}

/// Sets every corner's third of the drag (q in w; both without C_D) and of the lift (with C_L) of a batch.
template <class Real, int W>
void blow_triangles(const ParticlesView<Real>& p, const QuadAt* at, const Real* share, const Wind& wind,
                    const Air<Wide<Real, W>>& air, Quad<Real>* drag, Quad<Real>* lift) {
  using T = Wide<Real, W>;
  const T half_density(Real(wind.density / 2 / 3)), lift_factor(Real(wind.lift));
  for (int lane = 0; lane < kLanes; lane += W) {
    const Corners<T, 3> c(p.base, p.offset, p.velocity, at + lane);
    const Vec3<T> area = cross(c.x[1], c.x[2]) * T(Real(0.5));
    const Vec3<T> middle = mul_add(c.x[1] + c.x[2], T(Real(1) / Real(3)), c.first);
    const Vec3<T> u = air.at(middle) - c.velocity;
    const T flow = load<T>(share + lane) * half_density * dot(area, u);
    const T q = abs(flow);
    write<T>(drag + lane, u * q, q);
    const T speed = length(u);
    const Vec3<T> n = area * inverse_or_zero(length(area));
    const Vec3<T> across = mul_add(u, -(dot(n, u) * inverse_or_zero(speed)), n * speed);
    write<T>(lift + lane, across * (flow * lift_factor), T(Real(0)));
  }
}

template <class Real, int W>
void blow_segments(const ParticlesView<Real>& p, const QuadAt* at, const Real* diameter, const Wind& wind,
                   const Air<Wide<Real, W>>& air, Quad<Real>* drag) {
  using T = Wide<Real, W>;
  const T half_density(Real(wind.density / 2 / 2));
  for (int lane = 0; lane < kLanes; lane += W) {
    const Corners<T, 2> c(p.base, p.offset, p.velocity, at + lane);
    const T l = length(c.x[1]);
    const Vec3<T> t = c.x[1] * inverse_or_zero(l);
    const Vec3<T> u = air.at(mul_add(c.x[1], T(Real(0.5)), c.first)) - c.velocity;
    const Vec3<T> across = mul_add(t, -dot(t, u), u);
    const T q = half_density * load<T>(diameter + lane) * l * length(across);
    write<T>(drag + lane, across * q, q);
  }
}

}  // namespace

template <class Real>
void Solver<Real>::blow(double time) {
  if (!wind_) return;
  const Wind& wind = *wind_;
  const Sails<Real>& sails = sails_;
  const ParticlesView<Real> p = particles();
  const auto elements = [&]<int W>(std::integral_constant<int, W>) {
    const Air<Wide<Real, W>> air(wind, time, state_.origin);
    const auto triangles = static_cast<int64_t>(sails.share.size());
    parallel_for(*jobs_, triangles / kLanes, kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        blow_triangles<Real, W>(p, &sails.triangles[b * 3 * kLanes], &sails.share[b * kLanes], wind, air,
                                &wind_drag_[b * kLanes], &wind_lift_[b * kLanes]);
      }
    });
    const auto segments = static_cast<int64_t>(sails.diameter.size());
    parallel_for(*jobs_, segments / kLanes, kBatchesPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        blow_segments<Real, W>(p, &sails.segments[b * 2 * kLanes], &sails.diameter[b * kLanes], wind, air,
                               &wind_drag_[triangles + b * kLanes]);
      }
    });
  };
  switch (width_) {
    case 1:
      elements(std::integral_constant<int, 1>());
      break;
    case 4:
      elements(std::integral_constant<int, 4>());
      break;
    case 8:
      elements(std::integral_constant<int, 8>());
      break;
    default:
      elements(std::integral_constant<int, 16>());
      break;
  }

  using V = Pack<Real, 4>;
  const Real drag = static_cast<Real>(wind.drag), lift = static_cast<Real>(wind.lift), dt = dt_;
  const auto triangles = static_cast<int32_t>(sails.share.size());
  parallel_for(*jobs_, static_cast<int64_t>(sails_.parts.size()), 1, [&](int64_t part_begin, int64_t part_end) {
    for (int64_t at = part_begin; at < part_end; ++at) {
      auto& blown = sails_.parts[static_cast<std::size_t>(at)];
      double work = 0;
      for (int64_t k = blown.begin; k < blown.end; ++k) {
        const int32_t i = sails.vertices[k];
        const Real w = state_.offset[i].w;
        if (w == Real(0)) continue;
        V dragged(Real(0)), lifted(Real(0));  // w of the first: q
        for (int32_t e = sails.begin[k]; e < sails.begin[k + 1]; ++e) {
          const int32_t element = sails.elements[e];
          dragged = dragged + V::load(&wind_drag_[element].x);
          if (element < triangles) lifted = lifted + V::load(&wind_lift_[element].x);
        }
        const Real q = lane(dragged, 3);
        if (!(q > Real(0)) || !is_finite(q)) continue;  // no wind, or a body that is too far away already
        const Real across = sails.elements[sails.begin[k]] < triangles ? lift : Real(0);
        const Real impulse = w * dt;
        const Real part = impulse / mul_add(impulse * (drag + across), q, Real(1));
        const Real b = part * across * q;
        const Real turned = b * b / (Real(1) + std::sqrt(std::max(Real(0), neg_mul_add(b, b, Real(1)))));  // e
        // The mean relative wind is dragged / q.
        const V dv = mul_add(dragged, V(part * drag + turned / q), lifted * V(part));
        Quad<Real>& v = state_.velocity[i];
        Quad<Real> gain;
        dv.store(&gain.x);
        if (!is_finite(gain.x + gain.y + gain.z)) continue;
        const Quad<Real> old = v;
        v = {v.x + gain.x, v.y + gain.y, v.z + gain.z, v.w};
        work += double(gain.x * (old.x + v.x) + gain.y * (old.y + v.y) + gain.z * (old.z + v.z)) / (2 * double(w));
      }
      blown.work += work;
    }
  });
}

template <class Real>
Sails<Real> build_sails(const ModelInput& input, const Model<Real>& model) {
  Sails<Real> out;
  std::vector<std::vector<int32_t>> of_vertex(model.body_begin.back());
  const auto padded = [](std::size_t count) { return (count + kLanes - 1) / kLanes * kLanes; };
  const auto add = [&](AlignedVector<QuadAt>& corners, std::size_t element, std::size_t number, auto particles) {
    const std::size_t points = particles.size();
    for (std::size_t i = 0; i < points; ++i) {
      corners[(element / kLanes * points + i) * kLanes + element % kLanes] = quad_at<Real>(particles[i]);
      of_vertex[particles[i]].push_back(static_cast<int32_t>(number));
    }
  };
  std::size_t triangles = 0, segments = 0;
  for (const BodyInput& body : input.bodies) {
    triangles += body.triangles.size();
    if (body.triangles.empty() && body.diameter > 0) segments += body.edges.size();
  }
  out.share.assign(padded(triangles), Real(0));
  out.triangles.assign(out.share.size() * 3, quad_at<Real>(model.padding()));
  out.diameter.assign(padded(segments), Real(0));
  out.segments.assign(out.diameter.size() * 2, quad_at<Real>(model.padding()));

  std::size_t triangle = 0, segment = 0;
  for (const BodyInput& body : input.bodies) {
    const auto engine = [&](int v) { return model.to_engine[body.first_particle + v]; };
    // In the order of the engine's particles: neighbours in memory stand together.
    std::vector<std::array<int32_t, 3>> faces;
    for (const Triangle& t : body.triangles) faces.push_back({engine(t[0]), engine(t[1]), engine(t[2])});
    std::stable_sort(faces.begin(), faces.end(), [](const auto& a, const auto& b) {
      return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
    });
    const bool closed = !body.triangles.empty() && is_closed(body.triangles);
    for (const auto& face : faces) {
      out.share[triangle] = Real(closed ? 0.5 : 1);
      add(out.triangles, triangle, triangle, face);
      ++triangle;
    }
    if (!body.triangles.empty() || !(body.diameter > 0)) continue;
    std::vector<std::array<int32_t, 2>> lines;
    for (const Edge& e : body.edges) lines.push_back({engine(e[0]), engine(e[1])});
    std::stable_sort(lines.begin(), lines.end(),
                     [](const auto& a, const auto& b) { return std::min(a[0], a[1]) < std::min(b[0], b[1]); });
    for (const auto& line : lines) {
      out.diameter[segment] = static_cast<Real>(body.diameter);
      add(out.segments, segment, out.share.size() + segment, line);
      ++segment;
    }
  }
  for (std::size_t v = 0; v < of_vertex.size(); ++v) {
    if (of_vertex[v].empty()) continue;
    out.vertices.push_back(static_cast<int32_t>(v));
    out.begin.push_back(static_cast<int32_t>(out.elements.size()));
    out.elements.insert(out.elements.end(), of_vertex[v].begin(), of_vertex[v].end());
  }
  out.begin.push_back(static_cast<int32_t>(out.elements.size()));
  for (std::size_t b = 0; b < input.bodies.size(); ++b) {
    const auto place = [&](int particle) {
      return std::lower_bound(out.vertices.begin(), out.vertices.end(), particle) - out.vertices.begin();
    };
    const int64_t last = place(model.body_begin[b + 1]);
    for (int64_t begin = place(model.body_begin[b]); begin < last; begin += kVerticesPerChunk) {
      out.parts.push_back({begin, std::min(begin + kVerticesPerChunk, last), static_cast<int>(b), 0});
    }
  }
  return out;
}

template void Solver<float>::blow(double);
template void Solver<double>::blow(double);
template Sails<float> build_sails(const ModelInput&, const Model<float>&);
template Sails<double> build_sails(const ModelInput&, const Model<double>&);

}  // namespace pliant
