#pragma once
// The baseline's constraints: XPBD as the literature states it, one structure per constraint, written
// with Eigen and without a thought for the machine. It is what the engine is measured against, so it
// must be neither slower than a competent first version nor cleverer.
//
//   d_lambda = -(C + a lambda) / (sum w |grad C|^2 + a),   a = compliance / dt^2
//   d_x_i = w_i grad_i C d_lambda
//
// Values, gradients and degenerate cases are those of src/constraints, by the same formulas.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <vector>

namespace pliant::baseline {

using Eigen::Vector3f;

struct Particle {
  Vector3f position;   // [m]
  Vector3f previous;   // [m] at the start of the substep
  Vector3f velocity;   // [m/s]
  float inverse_mass;  // [1/kg] zero: does not move
};

using Particles = std::vector<Particle>;

/// Moves the N particles of a constraint with value C along its gradients.
template <int N>
inline void move(Particles& particles, const int (&index)[N], const Vector3f (&gradient)[N], float C, float a,
                 float& multiplier) {
  float weight = 0;
  for (int i = 0; i < N; ++i) weight += particles[index[i]].inverse_mass * gradient[i].squaredNorm();
  if (weight + a <= 0) return;  // no particle moves, or there is no direction to move in
  const float step = -(C + a * multiplier) / (weight + a);
  multiplier += step;
  for (int i = 0; i < N; ++i) {
    Particle& particle = particles[index[i]];
    particle.position += particle.inverse_mass * step * gradient[i];
  }
}

/// C = |x1 - x0| - d
struct Distance {
  int particles[2];
  float length;      // d [m]
  float compliance;  // [m/N]
  float multiplier = 0;

  void project(Particles& all, float inverse_dt_squared) {
    Particle& p0 = all[particles[0]];
    Particle& p1 = all[particles[1]];
    const float a = compliance * inverse_dt_squared;
    const float weight = p0.inverse_mass + p1.inverse_mass;  // the gradients have length 1
    const Vector3f edge = p1.position - p0.position;
    const float now = edge.norm();
    if (now == 0 || weight + a <= 0) return;
    const float step = -(now - length + a * multiplier) / (weight + a);
    multiplier += step;
    const Vector3f push = edge * (step / now);
    p0.position -= p0.inverse_mass * push;
    p1.position += p1.inverse_mass * push;
  }
};

/// C = angle between the normals of two triangles about their common edge (0, 1) - angle at rest
struct Bend {
  int particles[4];
  float angle;       // [rad]
  float compliance;  // [rad^2/J]
  float multiplier = 0;

  void project(Particles& all, float inverse_dt_squared) {
    constexpr float kPi = 3.14159265f;
    const Vector3f& x0 = all[particles[0]].position;
    const Vector3f e = all[particles[1]].position - x0;
    const Vector3f d2 = all[particles[2]].position - x0;
    const Vector3f d3 = all[particles[3]].position - x0;
    const Vector3f n2 = e.cross(d2);
    const Vector3f n3 = d3.cross(e);
    const float ee = e.squaredNorm();
    const float nn2 = n2.squaredNorm();
    const float nn3 = n3.squaredNorm();
    if (ee == 0 || nn2 == 0 || nn3 == 0) return;
    const float l = std::sqrt(ee);
    float C = std::atan2(-l * d2.dot(n3), n2.dot(n3)) - angle;
    if (C > kPi) C -= 2 * kPi;
    if (C < -kPi) C += 2 * kPi;
    Vector3f gradient[4];
    gradient[2] = (-l / nn2) * n2;
    gradient[3] = (-l / nn3) * n3;
    gradient[1] = -(d2.dot(e) / ee) * gradient[2] - (d3.dot(e) / ee) * gradient[3];
    gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
    move(all, particles, gradient, C, compliance * inverse_dt_squared, multiplier);
  }
};

/// C = area of a triangle - A
struct TriangleArea {
  int particles[3];
  float area;        // A [m^2]
  float compliance;  // [m^4/J]
  float multiplier = 0;

  void project(Particles& all, float inverse_dt_squared) {
    const Vector3f& x0 = all[particles[0]].position;
    const Vector3f e1 = all[particles[1]].position - x0;
    const Vector3f e2 = all[particles[2]].position - x0;
    const Vector3f n = e1.cross(e2);
    const float l = n.norm();
    if (l == 0) return;
    const Vector3f half_normal = n * (0.5f / l);
    Vector3f gradient[3];
    gradient[1] = e2.cross(half_normal);
    gradient[2] = half_normal.cross(e1);
    gradient[0] = -(gradient[1] + gradient[2]);
    move(all, particles, gradient, 0.5f * l - area, compliance * inverse_dt_squared, multiplier);
  }
};

/// C = signed volume of a tet - V
struct TetVolume {
  int particles[4];
  float volume;      // V [m^3]
  float compliance;  // [m^6/J]
  float multiplier = 0;

  void project(Particles& all, float inverse_dt_squared) {
    constexpr float kSixth = 1.0f / 6;
    const Vector3f& x0 = all[particles[0]].position;
    const Vector3f e1 = all[particles[1]].position - x0;
    const Vector3f e2 = all[particles[2]].position - x0;
    const Vector3f e3 = all[particles[3]].position - x0;
    Vector3f gradient[4];
    gradient[1] = e2.cross(e3) * kSixth;
    gradient[2] = e3.cross(e1) * kSixth;
    gradient[3] = e1.cross(e2) * kSixth;
    gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
    move(all, particles, gradient, e1.dot(gradient[1]) - volume, compliance * inverse_dt_squared, multiplier);
  }
};

/// C = x0 - sum_j b_j x_j, a vector. Its three entries do not interact (their gradients are unit vectors
/// times 1 or -b_j), so that one division by the common weight solves all three.
template <int kCorners>
struct Attachment {
  int particles[1 + kCorners];
  float weights[kCorners];  // b_j
  float compliance;         // [m/N]
  Vector3f multiplier = Vector3f::Zero();

  void project(Particles& all, float inverse_dt_squared) {
    Particle& tied = all[particles[0]];
    Vector3f C = tied.position;
    float weight = tied.inverse_mass;
    for (int j = 0; j < kCorners; ++j) {
      const Particle& corner = all[particles[1 + j]];
      C -= weights[j] * corner.position;
      weight += weights[j] * weights[j] * corner.inverse_mass;
    }
    const float a = compliance * inverse_dt_squared;
    if (weight + a <= 0) return;
    const Vector3f step = -(C + a * multiplier) / (weight + a);
    multiplier += step;
    tied.position += tied.inverse_mass * step;
    for (int j = 0; j < kCorners; ++j) {
      Particle& corner = all[particles[1 + j]];
      corner.position -= (corner.inverse_mass * weights[j]) * step;
    }
  }
};

}  // namespace pliant::baseline
