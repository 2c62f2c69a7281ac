#pragma once
// The constant part of a simulation: what was put in (in double and in the user's numbering), and the
// Model made from it (in the engine's precision and numbering: particles reordered, constraints
// coloured and packed). A Model does not change while it is stepped; a State does.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "constraints/balloon.h"
#include "constraints/constraint.h"
#include "core/aligned.h"
#include "pliant/world.h"
#include "solver/coloring.h"

namespace pliant {

/// A body as it was put in. Particles are numbered through all bodies: first_particle + vertex.
struct BodyInput {
  std::string name;
  std::string kind;  // "cloth", "solid", "rope"
  int first_particle = 0;
  std::vector<Vec3d> rest;    // rest shape, scaled [m]
  std::vector<Vec3d> start;   // where it stands at time zero [m]
  Vec3d rotation{};           // from the rest shape to there, rotation vector [rad]
  Vec3d velocity{};
  std::vector<double> mass;   // [kg]
  std::vector<Edge> edges;
  std::vector<Triangle> triangles;  // cloth: all; solid: surface
  std::vector<Tet> tets;
  int vertices() const { return static_cast<int>(rest.size()); }
};

/// Constraints of one type with equal settings.
struct ConstraintInput {
  const TypeInfo* type = nullptr;
  Method method = Method::xpbd;
  ConstraintSettings settings;
  std::vector<int32_t> particles;  // type->points each; -1 - k: anchor k
  std::vector<double> rest;        // type->rest_fields each
  std::vector<double> compliances{};  // of each, in place of settings.compliance; empty: that one for all
  std::optional<Plasticity> plasticity{};
};

struct BalloonInput {
  int body = 0;
  Method method = Method::xpbd;
  ConstraintSettings settings;
};

/// Vertices that do not move by themselves.
struct PinInput {
  std::vector<int32_t> particles;
  std::vector<Vec3d> positions;  // where they were when they were pinned [m]
  std::vector<Keyframe> path;    // empty: fixed
};

struct ModelInput {
  std::vector<BodyInput> bodies;
  std::vector<Vec3d> anchors;  // points of space that something is attached to; numbered behind the bodies
  std::vector<ConstraintInput> constraints;
  std::vector<BalloonInput> balloons;
  std::vector<PinInput> pins;
  int particles_of_bodies = 0;
  /// Number of a particle as it stands in a ConstraintInput.
  int32_t particle(int32_t p) const { return p >= 0 ? p : particles_of_bodies + (-1 - p); }
  int particles() const { return particles_of_bodies + static_cast<int>(anchors.size()); }
};

/// Constraints of one type, solved in one way, coloured and packed in batches of kLanes.
template <class Real>
struct Group {
  const TypeInfo* type = nullptr;
  bool compliant = true;  // xpbd
  bool general = false;   // two-sided strengths or Rayleigh damping
  bool keep = false;      // multipliers kept from substep to substep
  int64_t constraints = 0;
  std::vector<int> color_begin;  // batches of colour k: color_begin[k] .. color_begin[k+1]
  AlignedVector<QuadAt> particles;
  AlignedVector<Real> rest, strength, velocity_damping;
  AlignedVector<uint16_t> statics;  // per batch, see static_bits
  std::vector<Hub> hubs;  // particle and ghost numbers of the engine
  // Plastic groups only: yield, creep and max [batch][3][kLanes], and which one of all plastic constraints stands in a
  // lane, in the order in which they were put in [batch][kLanes]; -1: none.
  AlignedVector<Real> plastic;
  std::vector<int64_t> plastic_number;

  int batches() const { return color_begin.empty() ? 0 : color_begin.back(); }
  int colors() const { return color_begin.empty() ? 0 : static_cast<int>(color_begin.size()) - 1; }
};

template <class Real>
struct Pin {
  std::vector<int32_t> particles;    // the engine's numbers
  std::vector<Vec3d> from_center;    // start position relative to the centre [m]
  Vec3d center{};
  std::vector<Keyframe> path;
};

template <class Real>
struct Model {
  int particles = 0;      // of bodies and anchors; then comes one that is padding, then ghosts
  int all_particles = 0;  // all of these
  std::vector<int32_t> to_engine;  // user's number -> engine's
  std::vector<int32_t> to_user;
  std::vector<int> body_begin;     // particles of body b: body_begin[b] .. body_begin[b+1], in both numberings
  AlignedVector<Real> inverse_mass;  // [1/kg] zero: does not move by itself
  std::vector<double> mass;        // [kg] engine's numbering, pinned ones included
  std::vector<Group<Real>> groups;
  std::vector<Balloon<Real>> balloons;
  std::vector<Pin<Real>> pins;  // those with a path
  double reach = 0;             // [m] smallest mean edge length of a body: how far a particle goes from its base
  int64_t plastic_constraints = 0;
  uint64_t fingerprint = 0;     // of all that a snapshot depends on

  int padding() const { return particles; }
};

template <class Real>
Model<Real> build_model(const ModelInput& input, int iterations);

}  // namespace pliant
