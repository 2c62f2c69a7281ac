// What the solver made of a body's elements.

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "solver/world_impl.h"

namespace pliant {

namespace {

/// Calls f(list of elements) with the elements that a body is drawn by.
template <class F>
auto with_elements(const BodyInput& body, F&& f) {
  if (!body.tets.empty()) return f(body.tets);
  if (!body.triangles.empty()) return f(body.triangles);
  return f(body.edges);
}

}  // namespace

std::vector<int> World::element_batches(BodyId id) const {
  const BodyInput& body = impl_->body(id);
  const AnySolver& solver = impl_->built();
  return with_elements(body, [&](const auto& elements) {
    std::vector<std::vector<int>> at_vertex(static_cast<std::size_t>(body.vertices()));
    for (std::size_t e = 0; e < elements.size(); ++e) {
      for (const int v : elements[e]) at_vertex[static_cast<std::size_t>(v)].push_back(static_cast<int>(e));
    }
    std::vector<int> batches(elements.size(), -1);
    std::vector<std::size_t> corners(elements.size(), 0);  // of the constraint that gave the batch
    solver.visit_constraints(id.index, [&](const AnySolver::ConstraintAt& c) {
      for (const int e : at_vertex[static_cast<std::size_t>(c.vertices[0])]) {
        const auto& element = elements[static_cast<std::size_t>(e)];
        const bool inside = std::all_of(c.vertices.begin(), c.vertices.end(), [&](int v) {
          return std::find(element.begin(), element.end(), v) != element.end();
        });
        std::size_t& known = corners[static_cast<std::size_t>(e)];
        if (!inside || c.vertices.size() <= known) continue;
        known = c.vertices.size();
        batches[static_cast<std::size_t>(e)] = c.batch;
      }
    });
    return batches;
  });
}

std::vector<std::array<double, 6>> World::plastic_state(BodyId id) const {
  const BodyInput& body = impl_->body(id);
  return with_elements(body, [&](const auto& elements) {
    std::map<std::vector<int>, std::size_t> number;
    for (std::size_t e = 0; e < elements.size(); ++e) number[{elements[e].begin(), elements[e].end()}] = e;
    std::vector<std::array<double, 6>> out;
    impl_->built().visit_constraints(id.index, [&](const AnySolver::ConstraintAt& c) {
      if (c.plastic == nullptr) return;
      out.resize(elements.size());
      const auto found = number.find({c.vertices.begin(), c.vertices.end()});
      if (found != number.end()) std::copy_n(c.plastic, 6, out[found->second].begin());
    });
    return out;
  });
}

Deformation World::deformation(BodyId id) const {
  const BodyInput& body = impl_->body(id);
  const std::vector<Vec3d> x = positions(id);
  Deformation out;
  if (!body.edges.empty()) {
    out.smallest_stretch = std::numeric_limits<double>::infinity();
    out.mean_stretch = out.largest_stretch = 0;
    for (const Edge& e : body.edges) {
      const double stretch = length(x[e[1]] - x[e[0]]) / length(body.rest[e[1]] - body.rest[e[0]]);
      out.mean_stretch += stretch / static_cast<double>(body.edges.size());
      out.smallest_stretch = std::min(out.smallest_stretch, stretch);
      out.largest_stretch = std::max(out.largest_stretch, stretch);
    }
  }
  if (!body.tets.empty()) {
    const auto volume = [](const std::vector<Vec3d>& at, const Tet& t) {
      return dot(at[t[1]] - at[t[0]], cross(at[t[2]] - at[t[0]], at[t[3]] - at[t[0]]));
    };
    out.smallest_volume = std::numeric_limits<double>::infinity();
    out.largest_volume = -out.smallest_volume;
    for (const Tet& t : body.tets) {
      const double ratio = volume(x, t) / volume(body.rest, t);
      out.smallest_volume = std::min(out.smallest_volume, ratio);
      out.largest_volume = std::max(out.largest_volume, ratio);
    }
  }
  return out;
}

}  // namespace pliant
