#include "solver/elastic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

/// Up to here multipliers may be kept from substep to substep: measured, an undamped kick dies out up to
/// about 2 and can grow above 4 (docs/constraints/tet_elastic.md).
constexpr double kResolved = 2;

struct ElasticType {
  MaterialModel model;
  const char* type;
};
constexpr ElasticType kElasticTypes[] = {
    {MaterialModel::stvk, "tet_stvk"},
    {MaterialModel::neo_hookean, "tet_neo_hookean"},
};

/// How stiff an element is for its mass and size against what a substep can follow:
/// E dt^2 / (density h^2), with h the edge of the cube corner of the same volume, h^3 = 6 V.
double resolution(const BodyInput& body, const Tet& t, const Material& material, double dt) {
  const Vec3d& a = body.rest[t[0]];
  const double six_volumes = dot(body.rest[t[1]] - a, cross(body.rest[t[2]] - a, body.rest[t[3]] - a));
  return material.young * dt * dt / (material.density * std::pow(six_volumes, 2.0 / 3));
}

}  // namespace

std::string elastic_type(const Material& material) {
  for (const ElasticType& t : kElasticTypes) {
    if (t.model == material.model) return t.type;
  }
  return "";
}

Material material_of_type(const std::string& type) {
  for (const ElasticType& t : kElasticTypes) {
    if (t.type == type) return {.model = t.model};
  }
  throw Error(type, "it is not the constraint of a material", "add it to kElasticTypes, src/solver/elastic.cpp");
}

void check_elastic(const Material& material, const std::string& name) {
  validate(material, name);
  if (elastic_type(material).empty() || !material.fibers.empty()) {
    throw Error(name + ".model", "the engine has no constraint for this material yet",
                "use stvk or neo_hookean without fibers; the reference solver knows the others");
  }
}

void add_elastic(const BodyInput& body, const Material& material, const ConstraintInput& all, double dt, int substeps,
                 std::vector<ConstraintInput>& made, std::vector<std::string>& warnings) {
  ConstraintInput kept = all, reset = all;
  for (ConstraintInput* part : {&kept, &reset}) {
    part->particles.clear();
    part->rest.clear();
  }
  kept.settings.keep_multipliers = true;
  const std::size_t fields = all.type->rest_fields.size();
  double worst = 0;
  for (std::size_t k = 0; k < body.tets.size(); ++k) {
    const double r = resolution(body, body.tets[k], material, dt);
    worst = std::max(worst, r);
    ConstraintInput& part = r <= kResolved ? kept : reset;
    part.particles.insert(part.particles.end(), &all.particles[k * 4], &all.particles[k * 4] + 4);
    part.rest.insert(part.rest.end(), &all.rest[k * fields], &all.rest[k * fields] + fields);
  }
  if (worst > kResolved && all.method == Method::xpbd) {
    warnings.push_back(fmt::format(
        "{}: the material is stiffer than the substeps resolve (E dt^2 / (density h^2) = {:.6g}, above {}), so it will "
        "look softer than it is; use {} substeps or larger elements",
        body.name, worst, kResolved, static_cast<int64_t>(std::ceil(substeps * std::sqrt(worst / kResolved)))));
  }
  for (ConstraintInput* part : {&kept, &reset}) {
    if (!part->particles.empty()) made.push_back(std::move(*part));
  }
}

}  // namespace pliant
