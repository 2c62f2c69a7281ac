// The order of the constraints, which real17 does not tell: the same base case with them in random orders.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "experiments/experiment.h"
#include "experiments/plain_pbd.h"
#include "fit/search.h"

namespace pliant::experiments {
namespace {

using fit::LoadCase;
using fit::Stiffness;

/// Order number n: the mesh's own, then random ones; by turns distances first, volumes first, all mixed.
std::vector<PlainConstraint> in_order(std::vector<PlainConstraint> all, std::size_t distances, int n) {
  if (n == 0) return all;
  std::mt19937_64 random(static_cast<uint64_t>(n));
  const auto shuffle = [&](std::size_t begin, std::size_t end) {  // std::shuffle differs between libraries
    for (std::size_t i = end; i > begin + 1; --i) std::swap(all[i - 1], all[begin + random() % (i - begin)]);
  };
  if (n % 3 == 0) {
    shuffle(0, all.size());
    return all;
  }
  shuffle(0, distances);
  shuffle(distances, all.size());
  if (n % 3 == 2) std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(distances), all.end());
  return all;
}

void run(Context& context, Report& report) {
  const int orders = context.quick() ? 3 : 60;
  constexpr double kStep = 0.01, kYoung = 1e3;
  const std::vector<double> poissons = {0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.47, 0.49};
  context.expect(3 * orders);
  report.table.columns({"scene", "order", "poisson", "error", "k_d", "k_v"});
  for (const char* scene : {"floor", "wall", "ceiling"}) {
    const LoadCase load = fit::cube(fit::load_kinds(scene)[0], {.equal_masses = true});
    std::size_t distances = 0;
    const std::vector<PlainConstraint> all = plain_constraints(load.mesh, distances);
    Plot plot{
        .title = std::string("e over orders, ") + scene, .x_label = "Poisson's ratio", .y_label = "e", .log_y = true};
    std::vector<std::vector<double>> errors(poissons.size());
    for (int n = 0; n < orders; ++n) {
      const std::vector<PlainConstraint> constraints = in_order(all, distances, n);
      std::map<Stiffness, std::optional<std::vector<Vec3d>>> known;  // rests depend neither on E nor on nu
      for (std::size_t i = 0; i < poissons.size(); ++i) {
        const std::vector<Vec3d> reference =
            fit::reference_displacements(load, fit::Reference::linear, kYoung, poissons[i]);
        const fit::Found found = fit::search(
            [&](const Stiffness& k) {
              auto at = known.find(k);
              if (at == known.end()) at = known.emplace(k, plain_rest(load, constraints, k, {.dt = kStep})).first;
              return at->second ? fit::error_of(*at->second, reference) : INFINITY;
            },
            {});
        errors[i].push_back(found.error);
        report.table.row({std::string(scene), double(n), poissons[i], found.error, found.stiffness.distance,
                          found.stiffness.volume});
      }
      context.did(1);
    }
    Series least{.title = "least"}, median{.title = "median"}, largest{.title = "largest"};
    for (std::size_t i = 0; i < poissons.size(); ++i) {
      std::sort(errors[i].begin(), errors[i].end());
      least.points.emplace_back(poissons[i], errors[i].front());
      median.points.emplace_back(poissons[i], errors[i][errors[i].size() / 2]);
      largest.points.emplace_back(poissons[i], errors[i].back());
    }
    plot.series = {least, median, largest};
    report.plots.push_back(plot);
    for (const std::size_t i : {std::size_t{0}, poissons.size() - 1}) {
      report.figures.push_back({.what = fmt::format("{}, nu = {}: largest e over orders [%]", scene, poissons[i]),
                                .value = 100 * errors[i].back()});
      report.figures.push_back({.what = fmt::format("{}, nu = {}: median e over orders [%]", scene, poissons[i]),
                                .value = 100 * errors[i][errors[i].size() / 2]});
    }
    if (std::string(scene) == "floor" && !context.quick()) {
      report.figures.push_back({.what = "floor: largest e at nu = 0.49 over largest e at nu = 0",
                                .value = errors.back().back() / errors.front().back(),
                                .at_least = 2,
                                .document = "75 % over 14 %: it rises steeply"});
    }
  }
}

}  // namespace

extern const Experiment real17_order;
const Experiment real17_order = {"real17_order", "what the order of the constraints does to a fitted stiffness",
                                 "real17, figures 4.2, 4.12, 4.22: the order is not told there", run};

}  // namespace pliant::experiments
