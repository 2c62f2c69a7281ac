#include "solver/elastic.h"

#include <fmt/format.h>

#include <algorithm>

#include "constraints/registry.h"
#include "constraints/solve.h"
#include "constraints/tet_fiber.h"

namespace pliant {

namespace {

struct ElasticType {
  MaterialModel model;
  MaterialForm form;
  const char* type;
};
constexpr ElasticType kElasticTypes[] = {
    {MaterialModel::stvk, MaterialForm::xpbd, "tet_stvk"},
    {MaterialModel::neo_hookean, MaterialForm::xpbd, "tet_neo_hookean"},
    {MaterialModel::neo_hookean_stable, MaterialForm::xpbd, "tet_neo_hookean_stable"},
    {MaterialModel::corotated, MaterialForm::xpbd, "tet_corotated"},
    {MaterialModel::orthotropic, MaterialForm::xpbd, "tet_orthotropic"},
    {MaterialModel::anisotropic, MaterialForm::xpbd, "tet_orthotropic"},
    {MaterialModel::stvk, MaterialForm::pbd_energy, "tet_energy_stvk"},
    {MaterialModel::neo_hookean, MaterialForm::pbd_energy, "tet_energy_neo_hookean"},
    {MaterialModel::stvk, MaterialForm::cao22_density, "tet_density_stvk"},
    {MaterialModel::neo_hookean, MaterialForm::cao22_density, "tet_density_neo_hookean"},
};

/// St. Venant-Kirchhoff with a plastic part of the strain; multiplicative flow needs no type of its own.
constexpr const char* kPlasticType = "tet_stvk_plastic";

/// The largest of Young's moduli [Pa], with the fibers as if they all ran along it.
double largest_young(const Material& material) {
  double largest = material.young;
  if (material.model == MaterialModel::orthotropic) {
    largest = std::max({material.orthotropic.young_1, material.orthotropic.young_2, material.orthotropic.young_3});
  }
  if (material.model == MaterialModel::anisotropic) {
    largest = std::max({material.elasticity[0][0], material.elasticity[1][1], material.elasticity[2][2]});
  }
  for (const Fiber& fiber : material.fibers) largest += 2 * fiber.stiffness;
  return largest;
}

/// The inverse of a symmetric positive definite matrix, column by column.
ElasticityMatrix inverse_of(const ElasticityMatrix& a) {
  ElasticityMatrix out{};
  for (std::size_t k = 0; k < 6; ++k) {
    double A[6][6], column[6] = {};
    for (std::size_t i = 0; i < 6; ++i) std::copy(a[i].begin(), a[i].end(), A[i]);
    column[k] = 1;
    detail::solve_symmetric(A, column);
    for (std::size_t i = 0; i < 6; ++i) out[i][k] = column[i];
  }
  return out;
}

/// Puts the compliance (V K)^-1, seen from the frame of each element's rest data, behind that frame.
void set_compliance(const BodyInput& body, const Material& material, ConstraintInput& all) {
  constexpr std::size_t kFrame = 6;
  const std::size_t fields = all.type->rest_fields.size();
  Material base = material;
  base.fibers.clear();  // they have constraints of their own
  ElasticityMatrix stiffness = elasticity_matrix(base);
  for (std::size_t k = 0; k < body.tets.size(); ++k) {
    if (!material.axes_of_tets.empty()) {
      base.axes = material.axes_of_tets[k];
      stiffness = elasticity_matrix(base);
    }
    const Tet& t = body.tets[k];
    const Vec3d e1 = body.rest[t[1]] - body.rest[t[0]], e2 = body.rest[t[2]] - body.rest[t[0]];
    const Vec3d e3 = body.rest[t[3]] - body.rest[t[0]];
    const double volume = dot(e1, cross(e2, e3)) / 6;
    // The frame of RestFrame::from, and the axes of the rest shape as it sees them.
    const Vec3d q0 = e1 / length(e1), u = e2 - q0 * dot(q0, e2), q1 = u / length(u), q2 = cross(q0, q1);
    const std::array<Vec3d, 3> axes{{{q0.x, q1.x, q2.x}, {q0.y, q1.y, q2.y}, {q0.z, q1.z, q2.z}}};
    const ElasticityMatrix compliance = inverse_of(rotated(stiffness, axes));
    double* out = &all.rest[k * fields + kFrame];
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j <= i; ++j) *out++ = compliance[i][j] / volume;
    }
  }
}

void check_count(std::size_t given, const BodyInput& body, const std::string& where) {
  if (given == 0 || given == body.tets.size()) return;
  throw Error(where, fmt::format("there are {}", given),
              fmt::format("give one for each of the {} tets", body.tets.size()));
}

/// Constraints of the fibers, those of tets that the substeps resolve apart from the others.
void add_fibers(const BodyInput& body, const Material& material, const ConstraintInput& given,
                const std::vector<uint8_t>& reset, std::vector<ConstraintInput>& made) {
  for (const Fiber& fiber : material.fibers) {
    if (fiber.stiffness == 0) continue;
    for (const uint8_t which : {0, 1}) {
      ConstraintInput c;
      c.type = find_type("tet_fiber");
      c.settings.compliance = 1 / fiber.stiffness;
      c.settings.damping = given.settings.damping;
      c.settings.keep_multipliers = which == 0;
      for (std::size_t k = 0; k < body.tets.size(); ++k) {
        if (reset[k] != which) continue;
        const Tet& t = body.tets[k];
        const Vec3d x[4] = {body.rest[t[0]], body.rest[t[1]], body.rest[t[2]], body.rest[t[3]]};
        const Vec3d b = fiber.at(k, (x[0] + x[1] + x[2] + x[3]) * 0.25);
        if (length_squared(b) == 0) continue;
        for (int v : t) c.particles.push_back(body.first_particle + v);
        TetFiber<double>::rest(x, b).each([&](const char*, double field) { c.rest.push_back(field); });
      }
      if (!c.particles.empty()) made.push_back(std::move(c));
    }
  }
}

/// Below this strain its rounding in float, 4e-8, is made smaller (constraints/fine_strain.h). An error of 0.1 % of
/// what a strain does, at Poisson's ratio 0.49, is the rounding of one of 2e-4.
constexpr double kSmallStrain = 1e-3;

/// density g L / E: about the strain of a body under its own weight. Without gravity nothing is known of loads, and it
/// is zero.
double strain_of_weight(const BodyInput& body, const Material& material, double gravity) {
  Vec3d low = body.rest.front(), high = low;
  for (const Vec3d& x : body.rest) {
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
  }
  const Vec3d size = high - low;
  return material.density * gravity * std::max({size.x, size.y, size.z}) / largest_young(material);
}

/// In place of the resolution, for elements that are swept twice (solver/pressed.cpp).
constexpr double kTwice = 1e6;

}  // namespace

std::string elastic_type(const Material& material) {
  if (material.plasticity && material.plasticity->model == PlasticModel::additive) {
    const bool has_it = material.model == MaterialModel::stvk && material.form == MaterialForm::xpbd;
    return has_it ? kPlasticType : "";
  }
  for (const ElasticType& t : kElasticTypes) {
    if (t.model == material.model && t.form == material.form) return t.type;
  }
  return "";
}

Material material_of_type(const std::string& type) {
  if (type == kPlasticType) return {.plasticity = Plasticity{.model = PlasticModel::additive}};
  for (const ElasticType& t : kElasticTypes) {
    if (t.type == type) return {.model = t.model, .form = t.form};
  }
  throw Error(type, "it is not the constraint of a material", "add it to kElasticTypes, src/solver/elastic.cpp");
}

void check_elastic(const Material& material, const std::string& name) {
  validate(material, name);
  if (!material.fibers.empty() && material.form != MaterialForm::xpbd) {
    throw Error(name + ".fibers", "this form has none", "use the form xpbd");
  }
  if (!material.fibers.empty() && material.plasticity) {
    throw Error(name + ".fibers", "a material that flows has none", "leave out `plasticity` or the fibers");
  }
  if (material.plasticity && elastic_type(material) == "tet_orthotropic") {
    throw Error(name + ".plasticity", "only isotropic materials flow", "use stvk, neo_hookean or corotated");
  }
  if (material.plasticity && material.form != MaterialForm::xpbd) {
    throw Error(name + ".plasticity", "this form does not flow", "use the form xpbd");
  }
  if (!elastic_type(material).empty()) return;
  if (material.plasticity && material.plasticity->model == PlasticModel::additive) {
    throw Error(name + ".plasticity.model", "only stvk has the additive one", "use multiplicative");
  }
  if (material.form != MaterialForm::xpbd) {
    throw Error(name + ".form", "this model does not have it", "use the form xpbd, or stvk or neo_hookean");
  }
  throw Error(
      name + ".model", "the engine has no constraint for this material yet",
      "use stvk, neo_hookean, neo_hookean_stable, corotated, orthotropic or anisotropic; the reference solver knows "
      "the others");
}

std::optional<ResetElements> add_elastic(const BodyInput& body, const Material& material, const ConstraintInput& given,
                                         const WorldOptions& options, double dt, std::vector<ConstraintInput>& made) {
  if (material.form != MaterialForm::xpbd) {
    made.push_back(given);
    // The documents' forms bring their method with them.
    made.back().method = material.form == MaterialForm::pbd_energy ? Method::pbd : Method::xpbd;
    if (material.form == MaterialForm::cao22_density) made.back().settings.compliance = 1;  // cao22 eq. 10
    return {};
  }
  check_count(material.axes_of_tets.size(), body, body.name + ".material.axes_of_tets");
  for (std::size_t i = 0; i < material.fibers.size(); ++i) {
    check_count(material.fibers[i].directions.size(), body,
                body.name + fmt::format(".material.fibers[{}].directions", i));
  }
  ConstraintInput all = given;
  all.method = Method::xpbd;  // a modulus in Pa has no other meaning, whatever the other constraints are solved by
  if (all.type->name == "tet_orthotropic") set_compliance(body, material, all);
  all.plasticity = material.plasticity;
  all.small_strains = strain_of_weight(body, material, length(options.gravity)) < kSmallStrain;
  const std::vector<double> kappa = resolutions(body, largest_young(material), dt);
  // A sweep has to follow the stiffness of damping as well, which is c = damping / dt times that of elasticity. Kept
  // multipliers gained energy from (1 + c) kappa = 30 on, with c = 60 (damped_kick_slow_test.cpp); 26 was fine.
  constexpr double kMostDamped = 16;
  const double limit = resolved_limit(options);
  const double damped = std::max(1.0, limit / kMostDamped * (1 + all.settings.damping / dt));
  Material base = material;
  base.fibers.clear();
  const SweepLimits sweeps = sweep_limits(body, elasticity_matrix(base), largest_young(material), kappa, options);
  ResetElements found{0, sweeps.kept, std::vector<uint8_t>(body.tets.size(), 0)};
  double largest_kept = 0;
  for (std::size_t k = 0; k < body.tets.size(); ++k) {
    // In units of `found.limit`, for the report.
    const double resolution = std::max(kappa[k], kappa[k] * damped * (sweeps.kept / limit));
    found.largest = std::max(found.largest, resolution);
    found.reset[k] = sweeps.none || resolution > sweeps.kept;
    if (!found.reset[k]) largest_kept = std::max(largest_kept, kappa[k]);
  }
  // solver/pressed.cpp finds it as the strength of elements that keep their multipliers.
  all.settings.compliance = sweeps.twice ? kTwice : largest_kept;
  add_kept_and_reset(all, found.reset, made);
  add_fibers(body, material, given, found.reset, made);
  if (found.largest <= sweeps.kept) return {};
  return found;
}

}  // namespace pliant
