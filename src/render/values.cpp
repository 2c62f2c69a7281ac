// What colours can show instead of bodies: speed, strain, stress, colours of the solver.
#include <algorithm>
#include <cmath>
#include <map>

#include "mesh/measure.h"
#include "render/shape.h"
#include "solver/element_fields.h"

namespace pliant::render {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

double size_of(const std::vector<Vec3d>& x, const Tet& t) {
  return std::fabs(six_volumes(x[at(t[0])], x[at(t[1])], x[at(t[2])], x[at(t[3])]));
}
double size_of(const std::vector<Vec3d>& x, const Triangle& t) {
  return length(double_area_normal(x[at(t[0])], x[at(t[1])], x[at(t[2])]));
}
double size_of(const std::vector<Vec3d>& x, const Edge& e) { return length(x[at(e[1])] - x[at(e[0])]); }

/// Mean of the elements at each vertex, weighted by their size at rest. An element without a value does not count, and
/// a vertex without any has 0.
template <class Element>
std::vector<float> vertex_means(const std::vector<Vec3d>& rest, const std::vector<Element>& elements,
                                const std::vector<double>& values) {
  std::vector<double> sums(rest.size()), weights(rest.size());
  for (size_t e = 0; e < elements.size(); ++e) {
    if (!std::isfinite(values[e])) continue;
    const double weight = size_of(rest, elements[e]);
    for (const int v : elements[e]) {
      sums[at(v)] += values[e] * weight;
      weights[at(v)] += weight;
    }
  }
  std::vector<float> means(rest.size());
  for (size_t v = 0; v < means.size(); ++v) {
    if (weights[v] > 0) means[v] = static_cast<float>(sums[v] / weights[v]);
  }
  return means;
}

}  // namespace

std::vector<float> vertex_values(const World& world, BodyId body, ColorBy color_by) {
  if (color_by == ColorBy::speed) {
    std::vector<float> values;
    for (const Vec3d& v : world.velocities(body)) values.push_back(static_cast<float>(length(v)));
    return values;
  }
  const ElementFields fields = element_fields(world, body);
  const std::vector<double>& values = color_by == ColorBy::stress ? fields.von_mises : fields.strain;
  const std::vector<Vec3d> rest = world.rest_positions(body);
  if (!world.tets(body).empty()) return vertex_means(rest, world.tets(body), values);
  if (!world.triangles(body).empty()) return vertex_means(rest, world.triangles(body), values);
  return vertex_means(rest, world.edges(body), values);
}

std::vector<float> solver_colors(const World& world, BodyId body) {
  const std::vector<int> colors = world.element_batches(body);
  const auto value = [&](size_t element) { return static_cast<float>(std::max(0, colors[element])); };
  std::vector<float> out;
  if (const auto& tets = world.tets(body); !tets.empty()) {
    std::map<Triangle, size_t> behind;  // corners in order -> tet; inner faces are there, too, and not asked for
    for (size_t t = 0; t < tets.size(); ++t) {
      for (size_t left_out = 0; left_out < 4; ++left_out) {
        Triangle face{};
        for (size_t i = 0, k = 0; i < 4; ++i) {
          if (i != left_out) face[k++] = tets[t][i];
        }
        std::sort(face.begin(), face.end());
        behind[face] = t;
      }
    }
    for (Triangle face : world.triangles(body)) {
      std::sort(face.begin(), face.end());
      out.push_back(value(behind.at(face)));
    }
  } else if (!world.triangles(body).empty()) {
    for (size_t t = 0; t < colors.size(); ++t) out.push_back(value(t));
  } else {
    out.resize(at(world.vertex_count(body)));
    for (size_t e = 0; e < colors.size(); ++e) {
      for (const int v : world.edges(body)[e]) out[at(v)] = value(e);
    }
  }
  return out;
}

}  // namespace pliant::render
