#include "constraints/balloon.h"

#include "core/parallel.h"

namespace pliant {

namespace {
constexpr int64_t kVerticesPerChunk = 512;

template <class Real>
Vec3<Real> relative(const ParticlesView<Real>& p, int32_t i, int32_t origin) {
  const Quad<Real>&b = p.base[i], &b0 = p.base[origin], &o = p.offset[i], &o0 = p.offset[origin];
  return {(o.x - o0.x) + (b.x - b0.x), (o.y - o0.y) + (b.y - b0.y), (o.z - o0.z) + (b.z - b0.z)};
}
}  // namespace

template <class Real>
void Balloon<Real>::project(const ParticlesView<Real>& particles, Real dt, Real& lambda, JobSystem& jobs) const {
  const int64_t count = static_cast<int64_t>(vertices.size());
  const int64_t chunks = chunk_count(count, kVerticesPerChunk);
  gradient.resize(count);
  partial.resize(2 * chunks);
  const int32_t origin = vertices[0];

  parallel_for_chunks(jobs, count, kVerticesPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    double volume3 = 0, weight = 0;  // sum of x_i . grad_i is three times the volume: each triangle thrice
    for (int64_t v = begin; v < end; ++v) {
      Vec3<Real> g{};
      for (int32_t k = fan_begin[v]; k < fan_begin[v + 1]; k += 2) {
        g += cross(relative(particles, fan[k], origin), relative(particles, fan[k + 1], origin));
      }
      g *= Real(1.0 / 6);
      const Real w = particles.offset[vertices[v]].w;
      gradient[v] = {g.x, g.y, g.z, w};
      volume3 += dot(g, relative(particles, vertices[v], origin));
      weight += w * dot(g, g);
    }
    partial[2 * chunk] = volume3;
    partial[2 * chunk + 1] = weight;
  });
  double volume = 0, s = 0;
  for (int64_t c = 0; c < chunks; ++c) {
    volume += partial[2 * c];
    s += partial[2 * c + 1];
  }
  volume /= 3;

  const double C = volume - target;
  double step;
  if (compliant) {
    const double a = static_cast<double>(strength) / (static_cast<double>(dt) * dt);
    step = -(C + a * lambda) / (s + a);
  } else {
    step = -strength * C / s;
  }
  const Real move = static_cast<Real>(step);
  if (!is_finite(move)) return;  // nothing can move, or a vertex is not finite
  if (compliant) lambda += move;
  parallel_for(jobs, count, kVerticesPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      const Quad<Real>& g = gradient[v];
      if (g.w == Real(0)) continue;
      Quad<Real>& o = particles.offset[vertices[v]];
      const Real scale = g.w * move;
      o.x = mul_add(g.x, scale, o.x);
      o.y = mul_add(g.y, scale, o.y);
      o.z = mul_add(g.z, scale, o.z);
    }
  });
}

template <class Real>
double Balloon<Real>::volume(const ParticlesView<Real>& particles) const {
  double sum = 0;
  const int32_t origin = vertices[0];
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const Vec3d x = cast<double>(relative(particles, vertices[v], origin));
    for (int32_t k = fan_begin[v]; k < fan_begin[v + 1]; k += 2) {
      sum += dot(x, cross(cast<double>(relative(particles, fan[k], origin)),
                          cast<double>(relative(particles, fan[k + 1], origin))));
    }
  }
  return sum / 18;
}

template struct Balloon<float>;
template struct Balloon<double>;

}  // namespace pliant
