#pragma once
// The constant part of a simulation: what was put in (in double and in the user's numbering), and the
// Model made from it (in the engine's precision and numbering: particles reordered, constraints
// coloured and packed). A Model does not change while it is stepped; a State does.

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "constraints/balloon.h"
#include "constraints/constraint.h"
#include "contact/rigid_body.h"
#include "contact/shape.h"
#include "core/aligned.h"
#include "core/parallel.h"
#include "math/quaternion.h"
#include "pliant/world.h"
#include "solver/collider_surface.h"
#include "solver/schedule.h"

namespace pliant {

/// What a hair body has beside its vertices, as it was put in.
struct StrandsInput {
  int segments = 0;
  bool dynamic = true;
  double leader_push = 0.9;
  double shape_frequency = 0;  // [Hz]
};

/// A body as it was put in. Particles are numbered through all bodies: first_particle + vertex.
struct BodyInput {
  std::string name;
  std::string kind;  // "cloth", "solid", "rope", "hair"
  int first_particle = 0;
  std::vector<Vec3d> rest;   // rest shape, scaled [m]
  std::vector<Vec3d> start;  // where it stands at time zero [m]
  Vec3d scale{1, 1, 1};      // from the user's mesh to the rest shape
  Vec3d rotation{};          // from the rest shape to there, rotation vector [rad]
  Vec3d velocity{};
  std::vector<double> mass;  // [kg]
  std::vector<Edge> edges;
  std::vector<Triangle> triangles;  // cloth: all; solid: surface
  std::vector<Tet> tets;
  // What the solver does not look at: for writers and pictures.
  std::vector<std::array<Vec2d, 3>> texture_coordinates{};  // of triangles, or empty
  std::optional<Material> material{};
  std::optional<Vec3d> color{};
  std::optional<double> thickness;  // [m] in contact
  bool self_contact = true;
  bool held_by_default = false;  // by defaults.h
  Vec3d position{};              // of its placement [m]
  double diameter = 0;           // [m] of its segments, where it has no triangles
  std::optional<LongRange> long_range{};
  std::optional<StrandsInput> strands{};
  int vertices() const { return static_cast<int>(rest.size()); }
};

/// Whether its edges and triangles are kept from those of colliders. Strands of hair are not: they follow their roots
/// after all contacts, and a hair has many of them.
inline bool meets_collider_surfaces(const BodyInput& body) {
  return !body.strands && (!body.triangles.empty() || !body.edges.empty());
}

/// Constraints of one type with equal settings.
struct ConstraintInput {
  const TypeInfo* type = nullptr;
  Method method = Method::xpbd;
  ConstraintSettings settings;
  std::vector<int32_t> particles;     // type->points each; -1 - k: anchor k
  std::vector<double> rest;           // type->rest_fields each
  std::vector<float> rest_rounded{};  // in place of `rest`: half the memory, where the engine computes with float
  std::vector<double> compliances{};  // of each, in place of settings.compliance; empty: that one for all
  std::optional<Plasticity> plasticity{};
  bool small_strains = false;  // elastic tets: as small as the rounding of edges shows in (constraints/fine_strain.h)
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

/// A collider as it was put in.
struct ColliderInput {
  std::string name;
  ColliderOptions options;
  std::shared_ptr<const contact::Shape> shape;
  double thickness = 0;       // [m] distance that is kept
  int rigid = -1;             // number among the rigid bodies; -1: it is none
  contact::RigidBody body{};  // of a rigid body
};

/// A vertex that goes where a triangle of another body goes.
struct RiderInput {
  int32_t particle = 0;
  std::array<int32_t, 3> corners{};
  std::array<double, 3> weights{};
  Vec3d start{};  // where it is when the corners are at `corner_start` [m]
  std::array<Vec3d, 3> corner_start{};
};

struct ModelInput {
  std::vector<BodyInput> bodies;
  std::vector<Vec3d> anchors;  // points of space that something is attached to; numbered behind the bodies
  std::vector<ConstraintInput> constraints;
  std::vector<BalloonInput> balloons;
  std::vector<PinInput> pins;
  std::vector<ColliderInput> colliders;
  std::vector<RiderInput> riders;
  std::vector<ConstraintInput> derived;  // made from bodies and pins when the model is built (long_range.h)
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
  bool small_strains = false;
  bool equal_strength = false;  // `strength` is that of one batch, for all
  int64_t constraints = 0;
  std::vector<int> task_begin;    // batches of task t: task_begin[t] .. task_begin[t+1], see schedule.h
  std::vector<int> phase_begin;   // tasks of phase k: phase_begin[k] .. phase_begin[k+1]
  std::vector<int> task_order{};  // in which threads take the tasks of a phase, see share_among; empty: as they stand
  AlignedVector<QuadAt> particles;
  AlignedVector<Real> rest, strength, velocity_damping;
  AlignedVector<int16_t> frame_rounding;  // of small strains in float, see GroupView
  AlignedVector<uint16_t> statics;        // per batch, see static_bits
  std::vector<Hub> hubs;                  // particle and ghost numbers of the engine
  // Which constraint stands in a lane, counted through those of ModelInput, derived ones behind the others
  // [batch][part][kLanes]; -1: padding.
  std::vector<int32_t> numbers;
  // Plastic groups only: yield, creep and max [batch][3][kLanes], and which one of all plastic constraints stands in a
  // lane, in the order in which they were put in [batch][kLanes]; -1: none.
  AlignedVector<Real> plastic;
  std::vector<int64_t> plastic_number;

  /// Whose ghost a particle is; null: nobody's.
  const Hub* hub_of(int32_t ghost) const {
    const auto hub = std::find_if(hubs.begin(), hubs.end(), [&](const Hub& h) {
      return ghost >= h.first_ghost && ghost < h.first_ghost + h.ghosts;
    });
    return hub == hubs.end() ? nullptr : &*hub;
  }
  int batches() const { return task_begin.empty() ? 0 : task_begin.back(); }
  int phases() const { return phase_begin.empty() ? 0 : static_cast<int>(phase_begin.size()) - 1; }

  /// Calls f(first batch, batch after the last) for all batches, phase by phase, each phase on all threads.
  template <class F>
  void each_phase(JobSystem& jobs, F&& f) const {
    for (int phase = 0; phase < phases(); ++phase) {
      const int first = phase_begin[phase];
      const int64_t tasks = phase_begin[phase + 1] - first;
      // A few portions for each thread, so that one that is late is helped.
      const int64_t portion = std::max<int64_t>(1, tasks / (8 * jobs.threads()));
      if (portion > 1 || task_order.empty()) {
        parallel_for(jobs, tasks, portion,
                     [&](int64_t begin, int64_t end) { f(task_begin[first + begin], task_begin[first + end]); });
      } else {
        parallel_for(jobs, tasks, 1, [&](int64_t k, int64_t) {
          const int task = task_order[first + k];
          f(task_begin[task], task_begin[task + 1]);
        });
      }
    }
  }

  /// Few tasks are put in an order in which as many threads have as much work each.
  void share_among(int threads) {
    task_order.clear();
    for (int phase = 0; phase < phases(); ++phase) {
      const int first = phase_begin[phase], tasks = phase_begin[phase + 1] - first;
      std::vector<int> work(tasks);
      for (int k = 0; k < tasks; ++k) work[k] = task_begin[first + k + 1] - task_begin[first + k];
      for (const int k : balanced_order(work, threads)) task_order.push_back(first + k);
    }
  }
};

template <class Real>
struct Pin {
  std::vector<int32_t> particles;  // the engine's numbers
  std::vector<Vec3d> from_center;  // start position relative to the centre [m]
  Vec3d center{};
  std::vector<Keyframe> path;
};

struct Rider {
  int32_t particle = 0;  // the engine's numbers
  std::array<int32_t, 3> corners{};
  std::array<double, 3> weights{};
  Vec3d offset{};        // from the point of the triangle, in the triangle's frame [m]
  Quat<double> start{};  // from the triangle's frame to the world at the start
};

/// The strands of one hair body. They stand in groups of kLanes; row r of a group holds particle r of each of its
/// strands, in streamed order (math/quads.h). Strands that do not fill a group form a narrower one at the end.
template <class Real>
struct StrandSet {
  int first = 0;  // the engine's number of the first particle
  int strands = 0, rows = 0;
  bool dynamic = true;
  Real leader_push{};
  double shape_frequency = 0;      // [Hz]
  AlignedVector<Quad<Real>> rest;  // numbered like the particles: direction from the leader, w: distance [m]
  // Which of Model::riders or Model::pins turns the root's frame, and the strand's place in Solver::strand_upright_.
  std::vector<std::pair<int32_t, int32_t>> riders, pins;

  int64_t groups() const { return (strands + kLanes - 1) / kLanes; }
  /// The particle of a strand in row r, counted from `first`.
  int64_t place(int strand, int row) const {
    const int64_t group = strand / kLanes, width = lanes(group);
    const int lane = strand % kLanes;
    return group * kLanes * rows + row * width + (width == kLanes ? streamed_place(lane) : lane);
  }
  int64_t lanes(int64_t group) const { return group < strands / kLanes ? kLanes : strands % kLanes; }
};

/// What the wind acts on. Elements are numbered through: triangles, then segments, both padded to whole batches.
template <class Real>
struct Sails {
  AlignedVector<QuadAt> triangles, segments;  // [batch][corner][kLanes]
  AlignedVector<Real> share;                  // [triangle] 1, of a closed surface 1/2; 0: padding
  AlignedVector<Real> diameter;               // [segment] [m]; 0: padding
  // Elements of each vertex that has any: elements[begin[k]] .. elements[begin[k + 1]] at vertices[k].
  std::vector<int32_t> vertices, begin, elements;
  /// Ranges of `vertices` that lie in one body, and the work of the wind there [J].
  struct Part {
    int64_t begin = 0, end = 0;
    int body = 0;
    double work = 0;
  };
  std::vector<Part> parts;
};

template <class Real>
struct Model {
  int particles = 0;               // of bodies and anchors; then comes one that is padding, then ghosts, surfaces
  int all_particles = 0;           // all of these
  std::vector<int32_t> to_engine;  // user's number -> engine's
  std::vector<int32_t> to_user;
  std::vector<int> body_begin;       // particles of body b: body_begin[b] .. body_begin[b+1], in both numberings
  AlignedVector<Real> inverse_mass;  // [1/kg] zero: does not move by itself
  std::vector<double> mass;          // [kg] engine's numbering, pinned ones included
  std::vector<Group<Real>> groups;
  std::vector<Balloon<Real>> balloons;
  std::vector<Pin<Real>> pins;  // those with a path
  std::vector<Rider> riders;
  std::vector<StrandSet<Real>> strands;
  std::vector<ColliderSurface> surfaces;  // of colliders
  double reach = 0;               // [m] smallest mean edge length of a body: how far a particle goes from its base
  int32_t given_constraints = 0;  // those that are not derived: their numbers stay when others are added
  int64_t plastic_constraints = 0;

  int padding() const { return particles; }
};

template <class Real>
Sails<Real> build_sails(const ModelInput& input, const Model<Real>& model);  // wind.cpp
/// The order of a hair body's vertices in the engine: order[place] = vertex.
std::vector<int> strand_order(const BodyInput& body);  // strands.cpp
template <class Real>
StrandSet<Real> build_strands(const ModelInput& input, const BodyInput& body, const Model<Real>& model);

template <class Real>
Model<Real> build_model(const ModelInput& input, int iterations);

/// align.cpp: turns rest frames to the masses, and finds their rounding. Once, after build_model.
template <class Real>
void align_frames(Model<Real>& model, const ModelInput& input, JobSystem& jobs);

}  // namespace pliant
