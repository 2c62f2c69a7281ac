#include "solver/resolution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/eigen.h"
#include "math/matrix.h"
#include "solver/conjugate_gradients.h"
#include "solver/elastic_body.h"

namespace pliant {

namespace {

Sym3<double> outer(const Vec3d& g) { return {g.x * g.x, g.y * g.y, g.z * g.z, g.x * g.y, g.x * g.z, g.y * g.z}; }

/// For one that stops early where a body is large: the time of a second or so.
int iterations_for(std::size_t elements) {
  constexpr double kWorkload = 2e7;
  return static_cast<int>(std::clamp(kWorkload / static_cast<double>(elements), 30.0, 2000.0));
}

}  // namespace

void add_kept_and_reset(const ConstraintInput& all, const std::vector<uint8_t>& reset,
                        std::vector<ConstraintInput>& made) {
  const std::size_t points = static_cast<std::size_t>(all.type->points), fields = all.type->rest_fields.size();
  for (const uint8_t which : {0, 1}) {
    const auto count = static_cast<std::size_t>(std::count(reset.begin(), reset.end(), which));
    if (count == 0) continue;
    ConstraintInput part;
    part.type = all.type;
    part.method = all.method;
    part.settings = all.settings;
    part.settings.keep_multipliers = which == 0;
    part.plasticity = all.plasticity;
    part.small_strains = all.small_strains;
    const auto take = [&](const auto& from, std::size_t each, auto& to) {
      to.reserve(count * each);
      for (std::size_t k = 0; k < reset.size(); ++k) {
        if (reset[k] == which) to.insert(to.end(), from.data() + k * each, from.data() + (k + 1) * each);
      }
    };
    take(all.particles, points, part.particles);
    take(all.rest, fields, part.rest);
    if (!all.compliances.empty()) take(all.compliances, 1, part.compliances);
    made.push_back(std::move(part));
  }
}

/// The sum over an element's corners of (stiffness at the corner) / (mass at the corner), with the stiffness
/// E sum V |grad N|^2 over all tets there: a bound of the eigenvalues of M^-1 K that sees slivers and masses as they
/// are and does not change at a free surface. Where all tets around are flat or thin in the same direction it is not
/// enough, as all of it then acts in one direction; hence the factor of the shape, fitted to kicks of boxes with cells
/// of up to 1 : 20 (docs/constraints/tet_elastic.md).
std::vector<double> resolutions(const BodyInput& body, double young, double dt) {
  constexpr double kCornerOfCell = 22.8;  // the sum in box_tets, times density h^2 / E: 12 + 3 * 3.6
  constexpr double kEvenShape = 1.4;      // largest share of one direction, times three, in a box of cubes
  const std::vector<LinearTet> elements = linear_tets(body);
  std::vector<Sym3<double>> at(body.rest.size());  // sum V grad N grad N^T
  for (const LinearTet& e : elements) {
    for (int i = 0; i < 4; ++i) at[e.corners[i]] = at[e.corners[i]] + outer(e.gradient[i]) * e.volume;
  }
  std::vector<double> out;
  out.reserve(elements.size());
  for (const LinearTet& e : elements) {
    Sym3<double> around{};
    double sum = 0;
    for (int v : e.corners) {
      around = around + at[v];
      sum += (at[v].xx + at[v].yy + at[v].zz) / body.mass[v];
    }
    const double share = 3 * symmetric_eigen(around).values.x / (around.xx + around.yy + around.zz);
    const double shape = std::max(1.0, share / kEvenShape);
    out.push_back(young * dt * dt * sum / kCornerOfCell * shape * shape);
  }
  return out;
}

namespace {

/// What there is below the surface of a body. The longest wave has nodes on the surface; `wave` is its squared wave
/// number per cell, pi^2 sum 1 / n^2 for a box. The smallest eigenvalue of the differences along edges, R = phi K phi /
/// phi M phi, which is 16 / 20 of it in the cells of box_tets and 1 / 1.4 in regular tets. The solution of K phi = M 1
/// is close enough to its vector: R is 1 % too large for a plate.
struct Inside {
  double wave;  // how short the longest wave is; infinite where all vertices are on the surface
  double tets;  // at an inner vertex, on average
};
Inside inside_of(const BodyInput& body) {
  constexpr double kPerCell = 1.25;
  std::vector<double> mass(body.rest.size()), diagonal(body.rest.size());
  for (const Tet& t : body.tets) {
    for (const int v : t) {
      mass[v] += 1;
      diagonal[v] += 3;
    }
  }
  for (const Triangle& t : body.triangles) {
    for (const int v : t) diagonal[v] = 0;
  }
  constexpr double kTolerance = 1e-2;
  int64_t iterations = iterations_for(body.tets.size());
  const std::vector<double> phi = conjugate_gradients(mass, diagonal, kTolerance, iterations,
                                                      [&](const std::vector<double>& p, std::vector<double>& f) {
                                                        for (const Tet& t : body.tets) {
                                                          const double sum = p[t[0]] + p[t[1]] + p[t[2]] + p[t[3]];
                                                          for (const int v : t) f[v] += 4 * p[v] - sum;
                                                        }
                                                      });
  double once = 0, squared = 0, inner = 0, tets = 0;  // phi K phi = phi M 1
  for (std::size_t v = 0; v < phi.size(); ++v) {
    if (diagonal[v] == 0) continue;
    once += mass[v] * phi[v];
    squared += mass[v] * phi[v] * phi[v];
    inner += 1;
    tets += mass[v];
  }
  if (inner == 0) return {INFINITY, 0};
  return {kPerCell * once / squared, tets / inner};
}

/// Up to which resolution one sweep is enough for a body of Lame's constants `lambda` and `mu`, both over Young's
/// modulus: somewhat less than where undamped kicks of boxes of 1 to 48 cells began to grow
/// (docs/constraints/tet_elastic.md), in cells of box_tets, which have five tets, and two triangles on a face. What
/// counts is the longest wave of pressure, which is zero on the surface, and how many elements share a vertex: each of
/// them wants its volume kept. Limits above `resolution` need not be exact.
double one_sweep_limit(const BodyInput& body, double lambda, double mu, double resolution) {
  constexpr double kOfAnyBody = 1.2;  // however thick
  constexpr double kInBox = 20;       // tets at a vertex
  const double triangles = std::max(1.0, static_cast<double>(body.triangles.size()));
  const double depth = static_cast<double>(body.tets.size()) / 5 / (triangles / 2);
  const double of_a_cube = 12 * std::pow(6 * depth, 2);  // triangles of one that has this depth
  // Beyond Poisson's ratio 0.4954 small bodies grow as well, between some resolution and a tenfold one.
  double waves = (lambda < 36 ? 30 : std::clamp(130 / lambda, 1.3, 3.5)) / lambda;
  if (const double beyond_shear = lambda - mu; resolution * beyond_shear > kOfAnyBody) {
    const Inside inside = inside_of(body);
    const double square = inside.wave * inside.wave, more = 18 * square + 50 * square * square;
    waves = std::min(waves, (kOfAnyBody + more * std::pow(kInBox / inside.tets, 7)) / beyond_shear);
  }
  if (triangles <= 1.5 * of_a_cube) return waves;
  // Long and wide bodies bend slowly, the slower the thinner.
  return std::min(std::min(waves, std::max(3.6, 4.3 * depth) / lambda), 1.75 * depth);
}

/// How many times as far several sweeps reach. If one leaves 1 - 1/p of what slow motions need, with p = 1 +
/// resolution / limit, n leave (1 - 1/p)^n, and half is as much as may be left (the text in resolution.h).
double reach_of(int sweeps) { return 1 / (1 - std::pow(2, -1.0 / sweeps)) - 1; }

constexpr double kBdf2Part = 0.25;

/// BDF2 takes no energy out of slow motions. Nearly incompressible bodies of any size then grow; these are four fifths
/// of where kicks of cubes of 4 to 16 cells began to, for lambda of 5 to 66 times Young's modulus
/// (docs/integration.md).
double bdf2_limit(double one_sweep, double lambda, int sweeps) {
  if (sweeps == 1) return 0.27 * std::pow(lambda, -1.45);
  return std::min(kBdf2Part * one_sweep, 18 * std::pow(lambda, -1.8));
}

}  // namespace

SweepLimits sweep_limits(const BodyInput& body, const ElasticityMatrix& stiffness, double young,
                         std::vector<double> resolution, const WorldOptions& options) {
  const double any = resolved_limit(options);
  SweepLimits out{any, false};
  if (resolution.empty()) return out;
  // Half of the elements count, not single stiff ones: what grows are motions of all of the body.
  const auto middle = resolution.begin() + static_cast<std::ptrdiff_t>(resolution.size() / 2);
  std::nth_element(resolution.begin(), middle, resolution.end());
  const double lambda = std::max({stiffness[0][1], stiffness[0][2], stiffness[1][2], 1e-9 * young}) / young;
  const double mu = std::min({stiffness[3][3], stiffness[4][4], stiffness[5][5]}) / young;
  const int sweeps = options.iterations;
  if (*middle > any) return out;  // mostly reset
  const bool bdf2 = options.integrator == Integrator::bdf2;
  const double one = one_sweep_limit(body, lambda, mu, (bdf2 ? 1 / kBdf2Part : 1) * *middle);
  double kept = one * reach_of(std::max(sweeps, 2));
  if (bdf2) {
    kept = bdf2_limit(one, lambda, sweeps);
  } else {
    out.twice = sweeps == 1 && *middle > one;
  }
  out.none = *middle > kept;
  if (out.none) out.kept = kept;
  return out;
}

/// An element whose multipliers start at zero and that is projected once has the stiffness of a spring in series with
/// its own step: softer by 1 + dt^2 sum_i w_i |f_i|^2 / (f . u). Weighted with the energy of the elements and summed
/// up, R, this is how much further the body sags, but for the help that elements get from their neighbours in the same
/// sweep: measured, 0.22 to 0.45 of R for cubes, cantilevers and plates.
///
/// Further iterations: with q = dt^2 omega^2 of the static shape and the part (1 + q) / (1 + q + 0.4 R) of the error
/// taken off in an iteration, the fixed point of "predict, iterate n times" sags by (1 + q) r / (1 - r) more, r what n
/// iterations leave. r is not a power of n, as some of the error goes slower: (1 + speed (n - 1) x)^-2.
double softness_of(double alone, double q, int iterations, double speed) {
  constexpr double kAlone = 0.4;
  const double first = kAlone * alone / (1 + q + kAlone * alone);  // left by one iteration
  if (!(first > 0)) return 0;
  const double slower = 1 - speed * (iterations - 1) * std::log(first);
  const double left = first / (slower * slower);
  return (1 + q) * left / (1 - left);
}

double softness_at_rest(const BodyInput& body, const ElasticityMatrix& stiffness, const std::vector<uint8_t>& reset,
                        std::vector<uint8_t> held, Vec3d gravity, double dt, int iterations) {
  Vec3d low = body.rest.front(), high = low;
  for (const Vec3d& x : body.rest) {
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
  }
  if (!(length(gravity) > 0)) {
    // Nothing is known of loads: a weight that strains the body by a millionth, where all is linear.
    const double mass = std::accumulate(body.mass.begin(), body.mass.end(), 0.0), size = length(high - low);
    gravity = {0, -1e-6 * stiffness[1][1] * size * size / mass, 0};
  }
  const Vec3d down = gravity / length(gravity);
  if (std::none_of(held.begin(), held.end(), [](uint8_t h) { return h != 0; })) {
    double lowest = -INFINITY, highest = INFINITY;
    for (const Vec3d& x : body.rest) {
      lowest = std::max(lowest, dot(x, down));
      highest = std::min(highest, dot(x, down));
    }
    for (std::size_t v = 0; v < held.size(); ++v) {
      held[v] = dot(body.rest[v], down) >= lowest - 0.02 * (lowest - highest);
    }
  }
  // About a second, and as much again for the softer one; never less than what moves a large body at all.
  const int64_t budget = std::max<int64_t>(20'000'000, 60 * static_cast<int64_t>(body.tets.size()));
  const ElasticBody elastic(body, stiffness, held);
  std::vector<Vec3d> load(body.rest.size()), u(body.rest.size());
  for (std::size_t v = 0; v < load.size(); ++v) load[v] = gravity * body.mass[v];
  elastic.settle(load, {}, u, budget);

  double weight = 0, square = 0;
  for (std::size_t v = 0; v < u.size(); ++v) {
    weight += held[v] ? 0 : dot(load[v], u[v]);
    square += held[v] ? 0 : body.mass[v] * dot(u[v], u[v]);
  }
  if (!(square > 0)) return 0;  // nothing moves
  const double q = dt * dt * weight / square;
  // What bears the shape that was found: where it is not quite at rest, that is no matter of softness.
  std::fill(load.begin(), load.end(), Vec3d{});
  std::vector<double> softer(elastic.size(), 1);
  for (std::size_t k = 0; k < elastic.size(); ++k) {
    Vec3d f[4];
    elastic.forces(k, u, f);
    const Tet& corners = elastic.element(k).corners;
    double alone = 0;
    for (int i = 0; i < 4; ++i) {
      if (held[corners[i]]) continue;
      load[corners[i]] += f[i];
      alone += dt * dt * dot(f[i], f[i]) / body.mass[corners[i]];
    }
    const double work = elastic.work(k, u);
    if (reset[k] && work > 0) softer[k] = 1 + softness_of(alone / work, q, iterations);
  }
  std::vector<Vec3d> engine = u;
  elastic.settle(load, softer, engine, budget);
  // Where it is off most: a body of which only thin parts are too stiff sags as far as it should on the whole.
  double off = 0, farthest = 0;
  for (std::size_t v = 0; v < u.size(); ++v) {
    off = std::max(off, length(engine[v] - u[v]));
    farthest = std::max(farthest, length(u[v]));
  }
  return off / farthest;
}

}  // namespace pliant
