#include "roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <regex>
#include <vector>

#include "constraints/all.h"
#include "constraints/sweep.h"
#include "counted.h"
#include "measure.h"
#include "pliant/error.h"

namespace pliant::bench {

namespace {

struct Cost {
  Operations operations;  // of one projection
  double bytes = 0;       // read in order, or written, by one projection; particles stay in caches
};

/// Counts one projection of a slightly deformed stencil by the plain way of all types: gather (differences of offsets
/// and bases), solve, add. Clusters are counted by their parts, which gather less.
template <template <class> class Type>
Cost cost_of() {
  using C = Type<Counted>;
  constexpr bool kCompliant = solved_by<C>(true);
  constexpr int N = C::kPoints, E = entries_of<C>();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(-0.02, 0.02);
  constexpr double kCorners[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}};
  Vec3d rest_x[N];
  Vec3<Counted> offset[N], base[N], x[N], d[N];
  Counted w[N];
  for (int i = 0; i < N; ++i) {
    // Two triangles of a hinge lie on both sides of their edge; all others are corners of a cube.
    const bool wing = C::kStencil == Stencil::hinges && i == 3;
    rest_x[i] = wing ? Vec3d{0.5, -1, 0.1} : Vec3d{kCorners[i][0], kCorners[i][1], kCorners[i][2]};
    for (int k = 0; k < 3; ++k) {
      base[i][k] = Counted(rest_x[i][k]);
      offset[i][k] = Counted(noise(random));
    }
    w[i] = Counted(1);
  }
  auto from = Type<double>::rest(rest_x);
  if constexpr (has_aligned_frame<Type<double>>()) from.frame.align({1, 1, 1, 1});
  typename C::Rest rest{};
  std::vector<double> fields;
  from.each([&](const char*, double& field) { fields.push_back(field); });
  std::size_t at = 0;
  rest.each([&](const char*, Counted& field) { field = Counted(fields[at++]); });
  Counted lambda[E];

  Counted::tally = {};
  for (int i = 1; i < N; ++i) x[i] = (offset[i] - offset[0]) + (base[i] - base[0]);
  solve_constraint<C, kCompliant, false, true, true>(rest, x, w, Strength<Counted>{Counted(1e-6), 0, 0}, Counted(1e-3),
                                                     nullptr, lambda, d);
  for (int i = 0; i < N; ++i) offset[i] = offset[i] + d[i];

  Cost cost;
  cost.operations = Counted::tally;
  // Places, rest data, strength; multipliers are read and written.
  cost.bytes = 4.0 * (N + rest_fields_of<Type<double>>() + 1 + (kCompliant ? 2 * E : 0));
  return cost;
}

template <template <class> class Type>
void add_cost(std::map<std::string, Cost>& costs, const char* name) {
  if constexpr (!is_cluster<Type<double>>()) costs[name] = cost_of<Type>();
}

std::map<std::string, Cost> all_costs() {
  std::map<std::string, Cost> costs;
#define PLIANT_CONSTRAINT(name, Type, header) add_cost<Type>(costs, #name);
#include "constraints/list.h"
#undef PLIANT_CONSTRAINT
  return costs;
}

/// Fused multiply-adds of the build's packs per second, one thread.
double packs_per_second() {
  using V = Pack<float, kNativeLanes<float>>;
  constexpr int kChains = 12, kRounds = 200'000;
  double best = 0;
  volatile float keep = 1;
  for (int k = 0; k < 5; ++k) {
    V chain[kChains];
    for (V& x : chain) x = V(static_cast<float>(keep));
    const V a(0.999f), b(0.001f);
    const Duration time = time_of([&] {
      for (int i = 0; i < kRounds; ++i) {
        for (V& x : chain) x = mul_add(x, a, b);
      }
    });
    for (const V& x : chain) keep = keep + lane(x, 0);
    best = std::max(best, kChains * double{kRounds} / time.cpu);
  }
  return best;
}

/// Bytes per second that one thread reads in order from memory that no cache holds.
double bytes_per_second() {
  const std::vector<float> data(std::size_t{64} << 20, 1.0f);
  using V = Pack<float, kNativeLanes<float>>;
  constexpr int kAtOnce = 4;
  double best = 0;
  volatile float keep = 0;
  for (int k = 0; k < 3; ++k) {
    V sum[kAtOnce];
    const Duration time = time_of([&] {
      for (std::size_t i = 0; i + kAtOnce * kNativeLanes<float> <= data.size(); i += kAtOnce * kNativeLanes<float>) {
        for (int c = 0; c < kAtOnce; ++c) sum[c] = sum[c] + V::load(&data[i + c * kNativeLanes<float>]);
      }
    });
    for (const V& x : sum) keep = keep + lane(x, 0);
    best = std::max(best, 4.0 * static_cast<double>(data.size()) / time.cpu);
  }
  return best;
}

struct Line {
  std::string name;
  double ns = 0, arithmetic = 0, memory = 0;
  bool drawn = false;  // the picture has room for those that have a baseline
  double limit() const { return std::max(arithmetic, memory); }
};

void draw(const std::vector<Line>& lines, const Report& report, const std::string& svg_path) {
  std::string script = fmt::format(
      "set terminal svg size 1200,520 font 'sans,12'\nset output '{}'\nset multiplot layout 1,2\nset grid ytics lc "
      "'#dddddd'\nset key top left\n",
      svg_path);
  script += "$kernels << EOD\n";
  for (const Line& line : lines) {
    if (!line.drawn) continue;
    script += fmt::format("\"{}\" {} {} {}\n", line.name, line.ns, line.arithmetic, line.memory);
  }
  script += "EOD\n";
  std::map<int, std::map<double, double>> by_threads[2];
  const std::regex block("scene/block_([0-9]+)_tets(_pbd_energy)?");
  for (const Row& row : report.rows()) {
    std::smatch match;
    if (!row.ns_per_constraint_iteration || !std::regex_match(row.name, match, block)) continue;
    by_threads[match[2].matched ? 1 : 0][row.threads][std::stod(match[1])] = *row.ns_per_constraint_iteration;
  }
  std::string curves;
  for (int form = 0; form < 2; ++form) {
    for (const auto& [threads, points] : by_threads[form]) {
      const std::string name = fmt::format("$form{}_{}", form, threads);
      script += name + " << EOD\n";
      for (const auto& [tets, ns] : points) script += fmt::format("{} {}\n", tets, ns);
      script += "EOD\n";
      curves +=
          fmt::format("{}{} using 1:2 with linespoints pt 7 lw 2 title '{}, {} thread{}'", curves.empty() ? "" : ", ",
                      name, form == 0 ? "Neo-Hookean, xpbd" : "Neo-Hookean, C = E", threads, threads == 1 ? "" : "s");
    }
  }
  script +=
      "set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.8 border -1\nset "
      "boxwidth "
      "0.9\nset xtics rotate by -40 noenhanced\nset logscale y\nset ylabel 'ns per constraint and iteration'\nset "
      "title "
      "'one thread'\nplot $kernels using 2:xtic(1) title 'measured' lc '#3366aa', '' using 3 title 'arithmetic limit' "
      "lc "
      "'#ddaa33', '' using 4 title 'memory limit' lc '#bbbbbb'\n";
  if (!curves.empty()) {
    script +=
        "unset style\nset xtics norotate\nset logscale x\nset yrange [1:*]\nset format x '%.0s %c'\nset xlabel "
        "'tets'\nset ylabel 'ns per tet "
        "and "
        "iteration'\nset title 'blocks of tets'\nplot " +
        curves + "\n";
  }
  script += "unset multiplot\n";
  std::FILE* gnuplot = popen("gnuplot", "w");
  const bool written = gnuplot && std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
  const int code = gnuplot ? pclose(gnuplot) : -1;
  if (!written || code != 0) throw Error(svg_path, "gnuplot did not draw it", "install gnuplot (package gnuplot-nox)");
}

}  // namespace

void write_roofline(const Report& report, const std::string& svg_path) {
  const std::map<std::string, Cost> costs = all_costs();
  const double packs = packs_per_second(), bytes = bytes_per_second();
  fmt::print(
      "\none thread of this machine: {:.1f} billion fused multiply-adds of {} lanes per second, {:.1f} GB/s from "
      "memory\n"
      "{:<26} {:>9} {:>6} {:>9} {:>10} {:>6} {:>11} {:>9} {:>12}\n",
      packs * 1e-9, kNativeLanes<float>, bytes * 1e-9, "constraint", "sums", "prod.", "div.", "limit [ns]", "bytes",
      "memory [ns]", "measured", "over limit");
  std::vector<Line> lines;
  for (const Row& row : report.rows()) {
    if (!row.name.starts_with("constraint/") || !row.ns_per_constraint_iteration) continue;
    const auto found = costs.find(row.name.substr(11));
    if (found == costs.end()) continue;
    const Operations& o = found->second.operations;
    // A division or root of eight lanes keeps its unit as long as about five other operations.
    const double slots = static_cast<double>(o.sums + o.products + 5 * o.divisions);
    const Line line{found->first, *row.ns_per_constraint_iteration, 1e9 * slots / (packs * kNativeLanes<float>),
                    1e9 * found->second.bytes / bytes, row.baseline_ratio.has_value()};
    fmt::print("{:<26} {:>9} {:>6} {:>9} {:>10.2f} {:>6.0f} {:>11.2f} {:>9.2f} {:>12.1f}\n", line.name, o.sums,
               o.products, o.divisions, line.arithmetic, found->second.bytes, line.memory, line.ns,
               line.ns / line.arithmetic);
    lines.push_back(line);
  }
  if (lines.empty()) throw Error("--roofline", "no constraint was measured", "let --filter pass some constraint/NAME");
  draw(lines, report, svg_path);
}

}  // namespace pliant::bench
