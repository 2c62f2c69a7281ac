// The surface that contact works on, made once from what was put in.

#include <algorithm>
#include <cmath>
#include <map>

#include "mesh/topology.h"
#include "solver/body_contacts.h"

namespace pliant {

namespace {

struct EdgeLengths {
  double mean = 0, longest = 0;  // [m]
};
EdgeLengths edge_lengths(const BodyInput& body) {
  const std::vector<Edge> edges = body.triangles.empty() ? body.edges : edges_of(body.triangles);
  EdgeLengths out;
  for (const Edge& e : edges) {
    const double here = length(body.rest[e[0]] - body.rest[e[1]]);
    out.mean += here / static_cast<double>(edges.size());
    out.longest = std::max(out.longest, here);
  }
  return out;
}

/// Gives each vertex and edge to the first element that has it.
class Owners {
 public:
  explicit Owners(int vertices) : vertex_taken_(vertices, 0) {}
  uint8_t vertices(const std::array<int, 3>& corner) {
    uint8_t bits = 0;
    for (int k = 0; k < 3; ++k) {
      if (vertex_taken_[corner[k]]) continue;
      vertex_taken_[corner[k]] = 1;
      bits = static_cast<uint8_t>(bits | 1 << k);
    }
    return bits;
  }
  uint8_t edges(const std::array<int, 3>& corner, int count) {
    uint8_t bits = 0;
    for (int k = 0; k < count; ++k) {
      const int a = corner[k], b = corner[(k + 1) % 3];
      if (edge_taken_.emplace(std::array<int, 2>{std::min(a, b), std::max(a, b)}, 1).second) {
        bits = static_cast<uint8_t>(bits | 1 << k);
      }
    }
    return bits;
  }

 private:
  std::vector<uint8_t> vertex_taken_;
  std::map<std::array<int, 2>, int> edge_taken_;
};

/// Particles of different bodies that stand in one constraint.
std::vector<std::array<int32_t, 2>> tied_particles(const ModelInput& input, const std::vector<int32_t>& to_engine,
                                                   const std::vector<int32_t>& body_of) {
  std::vector<std::array<int32_t, 2>> tied;
  for (const ConstraintInput& c : input.constraints) {
    if (c.type->stencil != Stencil::pairs) continue;
    const std::size_t points = static_cast<std::size_t>(c.type->points);
    for (std::size_t first = 0; first < c.particles.size(); first += points) {
      for (std::size_t i = 0; i < points; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (c.particles[first + i] < 0 || c.particles[first + j] < 0) continue;
          const int32_t a = to_engine[c.particles[first + i]], b = to_engine[c.particles[first + j]];
          if (body_of[a] != body_of[b]) tied.push_back({std::min(a, b), std::max(a, b)});
        }
      }
    }
  }
  std::sort(tied.begin(), tied.end());
  tied.erase(std::unique(tied.begin(), tied.end()), tied.end());
  return tied;
}

}  // namespace

template <class Real>
BodyContacts<Real>::BodyContacts(const ModelInput& input, const Model<Real>& model, const WorldOptions& options,
                                 JobSystem& jobs, State<Real>& state, ColliderStage<Real>& colliders, const Real& dt)
    : input_(input),
      options_(options),
      jobs_(&jobs),
      state_(state),
      colliders_(colliders),
      surfaces_(model.surfaces),
      dt_(dt) {
  BodyContactData<Real>& contact = contact_;
  serves_ = std::clamp(static_cast<int>(kContactTime * options.substeps / options.step), 1, options.substeps);
  if (options.contact) contact.friction = static_cast<Real>(options.contact->friction);
  ContactSurface& s = contact.surface;
  const int particles = surfaces_.empty() ? model.particles : model.all_particles;
  s.bodies_meet = options.contact.has_value();
  s.body.assign(particles, -1);
  s.half_thickness.assign(particles, 0);
  s.rest.assign(particles, {});
  s.is_tied.assign(particles, 0);
  for (std::size_t b = 0; b < input.bodies.size(); ++b) {
    const BodyInput& body = input.bodies[b];
    const EdgeLengths edges = edge_lengths(body);
    const double thickness = !options.contact             ? 0
                             : body.thickness             ? *body.thickness
                             : options.contact->thickness ? *options.contact->thickness
                                                          : kThicknessOfEdge * edges.mean;
    s.collider.push_back(-1);
    s.meets_colliders.push_back(meets_collider_surfaces(body));
    s.edge_length.push_back(static_cast<float>(edges.mean));
    s.longest_edge.push_back(static_cast<float>(edges.longest * (1 + 1e-6)));
    s.touches_itself.push_back(options.contact && options.contact->self && body.self_contact);
    s.rope.push_back(body.triangles.empty());
    s.body_begin.push_back(static_cast<int>(s.vertices.size()));
    Owners owners(body.vertices());
    const auto engine = [&](int v) { return model.to_engine[body.first_particle + v]; };
    const auto add = [&](const std::array<int, 3>& corner, bool face) {
      SurfaceElement e;
      for (int k = 0; k < 3; ++k) e.corner[k] = engine(corner[k]);
      e.body = static_cast<int32_t>(b);
      e.vertices = owners.vertices(corner);
      e.edges = owners.edges(corner, face ? 3 : 1);
      e.face = face;
      for (int k = 0; k < 3; ++k) {
        if (e.vertices >> k & 1) s.vertices.push_back(e.corner[k]);
      }
      s.elements.push_back(e);
    };
    if (body.triangles.empty()) {
      for (const Edge& e : body.edges) add({e[0], e[1], e[1]}, false);
    } else {
      for (const Triangle& t : body.triangles) add(t, true);
    }
    std::sort(s.vertices.begin() + s.body_begin.back(), s.vertices.end());
    for (int v = 0; v < body.vertices(); ++v) {
      const int32_t p = engine(v);
      s.body[p] = static_cast<int32_t>(b);
      s.half_thickness[p] = static_cast<float>(thickness / 2);
      s.rest[p] = {body.rest[v].x, body.rest[v].y, body.rest[v].z};
    }
  }
  for (std::size_t k = 0; k < surfaces_.size(); ++k) add_collider(static_cast<int>(k));
  s.body_begin.push_back(static_cast<int>(s.vertices.size()));
  s.tied = tied_particles(input, model.to_engine, s.body);
  for (const auto& pair : s.tied) s.is_tied[pair[0]] = s.is_tied[pair[1]] = 1;

  contact.broad_phase.build(s, static_cast<float>(kContactBand), static_cast<float>(kArriving));
  contact.motion.resize(particles);
  for (int p = 0; p < particles; ++p) contact.motion[p].w = static_cast<Real>(s.half_thickness[p]);
  if (options.integrator == Integrator::bdf2) contact.from.resize(particles);
  contact.colors_of.assign(particles, 0);
  contact.scale = std::vector<std::atomic<uint32_t>>(particles);
  for (auto& scale : contact.scale) scale.store(kWholeMotion, std::memory_order_relaxed);
  contact.last_scale.assign(particles, kWholeMotion);
  contact.slowed_in.assign(particles, -1);
  contact.slowed_at.assign(particles, -1);
  contact.freed.tangled.assign(particles, 0);
  contact.freed.body = &s.body;
  contact.particles_begin = model.body_begin;
  contact.inside.assign(particles, 0);
  if (options.contact) find_crossings_at_rest();
  contact.carrier.assign(surfaces_.empty() ? 0 : static_cast<std::size_t>(particles), -1);
  contact.rigid_scale = std::vector<std::atomic<uint32_t>>(surfaces_.size());
  for (auto& scale : contact.rigid_scale) scale.store(kWholeMotion, std::memory_order_relaxed);
}

/// The surface of a collider, as a body of its own.
template <class Real>
void BodyContacts<Real>::add_collider(int number) {
  ContactSurface& s = contact_.surface;
  const ColliderSurface& from = surfaces_[static_cast<std::size_t>(number)];
  const TriMesh& mesh = from.mesh;
  const int32_t body = static_cast<int32_t>(s.collider.size());
  // Margins follow the smaller edges: those of a large box say nothing about how far something is from it.
  const float of_bodies = *std::max_element(s.edge_length.begin(), s.edge_length.end());
  double longest = 0;
  std::vector<uint8_t> cuts(mesh.positions.size(), 0), taken = cuts;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      longest = std::max(longest, length(mesh.positions[a] - mesh.positions[b]));
      if (from.sharp[t] >> k & 1) cuts[a] = cuts[b] = 1;
    }
  }
  s.collider.push_back(number);
  s.meets_colliders.push_back(0);
  s.edge_length.push_back(std::min(of_bodies, static_cast<float>(contact::mean_edge(mesh))));
  s.longest_edge.push_back(static_cast<float>(longest * (1 + 1e-6)));
  s.touches_itself.push_back(0);
  s.rope.push_back(0);
  s.body_begin.push_back(static_cast<int>(s.vertices.size()));
  Owners owners(static_cast<int>(mesh.positions.size()));
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& corner = mesh.triangles[t];
    SurfaceElement e;
    e.body = body;
    e.face = true;
    e.vertices = owners.vertices(corner);
    e.edges = static_cast<uint8_t>(owners.edges(corner, 3) & from.sharp[t]);
    for (int k = 0; k < 3; ++k) {
      e.corner[k] = from.first_particle + corner[k];
      if (!cuts[corner[k]]) e.vertices = static_cast<uint8_t>(e.vertices & ~(1 << k));
      if (!taken[corner[k]]) s.vertices.push_back(e.corner[k]);
      taken[corner[k]] = 1;
    }
    s.elements.push_back(e);
  }
  std::sort(s.vertices.begin() + s.body_begin.back(), s.vertices.end());
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const std::size_t p = static_cast<std::size_t>(from.first_particle) + v;
    s.body[p] = body;
    s.half_thickness[p] = static_cast<float>(from.thickness);
    s.rest[p] = {mesh.positions[v].x, mesh.positions[v].y, mesh.positions[v].z};
  }
}

template BodyContacts<float>::BodyContacts(const ModelInput&, const Model<float>&, const WorldOptions&, JobSystem&,
                                           State<float>&, ColliderStage<float>&, const float&);
template BodyContacts<double>::BodyContacts(const ModelInput&, const Model<double>&, const WorldOptions&, JobSystem&,
                                            State<double>&, ColliderStage<double>&, const double&);

}  // namespace pliant
