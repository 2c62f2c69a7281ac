#pragma once
// What stands behind World: what was put in, and the solver made from it. World's members are in world.cpp
// (state and views), world_add.cpp (bodies), world_pins.cpp (pins and attachments) and world_skin.cpp (skins).

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pliant/embed.h"
#include "pliant/world.h"
#include "solver/elastic.h"
#include "solver/solver.h"

namespace pliant {

struct World::Impl {
  WorldOptions options;
  std::shared_ptr<JobSystem> jobs;
  ModelInput input;
  std::vector<std::optional<ClothMaterial>> fabrics;  // of each body, for warnings
  Loads loads;
  std::vector<Vec3d> body_force;  // [N]
  std::unique_ptr<AnySolver> solver;
  /// A stiffness of a body that the substeps do not resolve. The softness of a solid is worked out when it is asked
  /// for, with the pins and the gravity of then.
  struct UnresolvedBody {
    int body;
    Stiffness stiffness;
    double largest, limit;  // resolution, and up to which it is followed
    std::optional<double> softness;
    ElasticityMatrix elasticity{};  // these two of solids
    std::vector<uint8_t> reset{};   // per tet
  };
  std::vector<UnresolvedBody> unresolved;
  /// A body that is held by default (defaults.h).
  struct BodyByDefault {
    int body;
    double softened;  // how many times softer it is than meant
  };
  std::vector<BodyByDefault> by_default;
  std::vector<std::string> notes_on_forms;  // of constraints that make energy, in plain words
  struct Skin {
    Embedding embedding;
    std::vector<Triangle> triangles;
    std::vector<std::array<Vec2d, 3>> texture_coordinates;  // of triangles, or empty
  };
  std::map<int, Skin> skins;  // by the body's number
  const Skin& skin(BodyId id) {
    const auto found = skins.find(id.index);
    if (found == skins.end()) throw Error(body(id).name, "it has no skin", "give it one by World::add_skin");
    return found->second;
  }
  bool stale = true;  // something was added or pinned since the solver was made

  AnySolver& built() {
    if (stale) build();
    return *solver;
  }

  void build();
  int bodies_built = 0, colliders_built = 0;

  std::function<void(const ContactEvent&)> on_contact;
  std::set<std::array<int, 3>> touching;  // collider, body, other: those that on_contact was told of
  std::function<void(const BodyContactEvent&)> on_body_contact;
  std::set<std::array<int, 2>> touching_bodies;  // those that on_body_contact was told of
  void tell_contacts();                          // world_colliders.cpp

  void send_loads();
  std::vector<Unresolved> find_unresolved();
  /// Pins or gravity have changed.
  void forget_softness() {
    for (UnresolvedBody& u : unresolved) {
      if (u.stiffness == Stiffness::solid) u.softness.reset();
    }
  }

  /// Where a body's vertices are, without building anew for what was added since.
  std::vector<Vec3d> present_positions(BodyId id) {
    return id.index < bodies_built ? solver->positions(id.index) : body(id).start;
  }

  BodyInput& body(BodyId id) {
    if (id.index < 0 || id.index >= static_cast<int>(input.bodies.size())) {
      throw Error("body", "there is no body number " + std::to_string(id.index), "use what World::add returned");
    }
    return input.bodies[id.index];
  }
  const std::string& vertex_check(const BodyInput& b, int vertex) const {
    if (vertex < 0 || vertex >= b.vertices()) {
      throw Error(b.name, "vertex " + std::to_string(vertex) + " does not exist",
                  "use 0 to " + std::to_string(b.vertices() - 1));
    }
    return b.name;
  }

  /// Names, places and weighs a body; the kind's add() has filled kind, rest, edges, triangles, tets.
  template <class Kind>
  BodyId take(BodyInput body, const Kind& given, std::vector<double> mass, double softened = 0);  // world_add.cpp
  std::optional<ResetElements> add_material(const BodyInput& body, const Material& material,
                                            const Constraints& settings, Method method,
                                            std::vector<ConstraintInput>& made);
  void add_material(const BodyInput& body, const Cloth& cloth, Method method, std::vector<ConstraintInput>& made,
                    std::vector<UnresolvedBody>& too_stiff);
  template <class Kind>
  void add_strain(const BodyInput& body, const Kind& given, Method method, std::vector<ConstraintInput>& made);
  static ConstraintInput constraints_of(const BodyInput& body, const std::string& type,
                                        const ConstraintSettings& settings, Method method, const std::string& where,
                                        const Lame& lame_constants = {1, 1});
  void attach(int32_t particle, std::vector<int32_t> corners, std::vector<double> weights,
              const ConstraintSettings& settings, const std::string& where);
};

/// The elements that a type makes one constraint of each, as constraint_types() calls them.
const char* element_name(Stencil stencil);

/// The step of implicit Euler that a substep is to its constraints [s]; see bdf2.cpp.
double implicit_step(const WorldOptions& options);

bool computes_in_double(const WorldOptions& options);

}  // namespace pliant
