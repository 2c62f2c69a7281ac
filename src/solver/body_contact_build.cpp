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
                                 JobSystem& jobs, State<Real>& state, const Real& dt)
    : options_(options), jobs_(&jobs), state_(state), dt_(dt) {
  BodyContactData<Real>& contact = contact_;
  serves_ = std::clamp(static_cast<int>(kContactTime * options.substeps / options.step), 1, options.substeps);
  contact.friction = static_cast<Real>(options.contact->friction);
  ContactSurface& s = contact.surface;
  s.body.assign(model.particles, -1);
  s.half_thickness.assign(model.particles, 0);
  s.rest.assign(model.particles, {});
  s.is_tied.assign(model.particles, 0);
  for (std::size_t b = 0; b < input.bodies.size(); ++b) {
    const BodyInput& body = input.bodies[b];
    const EdgeLengths edges = edge_lengths(body);
    const double thickness = body.thickness               ? *body.thickness
                             : options.contact->thickness ? *options.contact->thickness
                                                          : kThicknessOfEdge * edges.mean;
    s.edge_length.push_back(static_cast<float>(edges.mean));
    s.longest_edge.push_back(static_cast<float>(edges.longest * (1 + 1e-6)));
    s.touches_itself.push_back(options.contact->self && body.self_contact);
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
  s.body_begin.push_back(static_cast<int>(s.vertices.size()));
  s.tied = tied_particles(input, model.to_engine, s.body);
  for (const auto& pair : s.tied) s.is_tied[pair[0]] = s.is_tied[pair[1]] = 1;

  contact.broad_phase.build(s, static_cast<float>(kContactBand), static_cast<float>(kArriving));
  contact.motion.resize(model.particles);
  for (int p = 0; p < model.particles; ++p) contact.motion[p].w = static_cast<Real>(s.half_thickness[p]);
  if (options.integrator == Integrator::bdf2) contact.from.resize(model.particles);
  contact.colors_of.assign(model.particles, 0);
  contact.scale = std::vector<std::atomic<uint32_t>>(model.particles);
  for (auto& scale : contact.scale) scale.store(kWholeMotion, std::memory_order_relaxed);
  contact.last_scale.assign(model.particles, kWholeMotion);
  contact.slowed_in.assign(model.particles, -1);
  contact.slowed_at.assign(model.particles, -1);
  contact.tangled.assign(model.particles, 0);
}

template BodyContacts<float>::BodyContacts(const ModelInput&, const Model<float>&, const WorldOptions&, JobSystem&,
                                           State<float>&, const float&);
template BodyContacts<double>::BodyContacts(const ModelInput&, const Model<double>&, const WorldOptions&, JobSystem&,
                                            State<double>&, const double&);

}  // namespace pliant
