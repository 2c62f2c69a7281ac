// script/soak defaults: whatever a newcomer types works.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

#include "defaults_case.h"
#include "ledger.h"
#include "pliant/scene.h"
#include "runner.h"

namespace pliant::soak {

namespace {

constexpr int kSteps = 300;
// Vertices times substeps of a case: 1000 of them then take about half an hour on two cores.
constexpr double kWork = 1.2e6, kQuickWork = 6000;

/// Where the vertices of a scene's body are at its start.
struct Start {
  std::vector<Vec3d> x;
  Vec3d low, high;
};

Start start_of(const World& world, BodyId body) {
  Start s{world.positions(body), {}, {}};
  s.low = s.high = s.x[0];
  for (const Vec3d& p : s.x) {
    s.low = {std::min(s.low.x, p.x), std::min(s.low.y, p.y), std::min(s.low.z, p.z)};
    s.high = {std::max(s.high.x, p.x), std::max(s.high.y, p.y), std::max(s.high.z, p.z)};
  }
  return s;
}

int nearest(const std::vector<Vec3d>& x, Vec3d to) {
  int best = 0;
  for (int v = 1; v < static_cast<int>(x.size()); ++v) {
    if (length(x[v] - to) < length(x[best] - to)) best = v;
  }
  return best;
}

std::vector<int> held_vertices(const DefaultsCase& c, const World& world, BodyId body, const Start& start) {
  std::vector<int> out;
  Random random(c.seed, 0);
  const std::vector<Vec3d> rest = world.rest_positions(body);  // its sides are along the axes
  Vec3d low = rest[0], high = rest[0];
  for (const Vec3d& p : rest) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  switch (c.pins) {
    case DefaultsCase::Pins::free:
      break;
    case DefaultsCase::Pins::corners:
      for (int k = 0; k < c.points; ++k) {
        const auto side = [&](double a, double b) { return random.chance(0.5) ? a : b; };
        out.push_back(nearest(rest, {side(low.x, high.x), side(low.y, high.y), side(low.z, high.z)}));
      }
      break;
    case DefaultsCase::Pins::edges: {  // all of one side
      const int axis = random.whole(0, 2);
      const bool at_low = random.chance(0.5);
      const double reach = 1e-6 * (high[axis] - low[axis]);
      for (int v = 0; v < static_cast<int>(rest.size()); ++v) {
        if (at_low ? rest[v][axis] <= low[axis] + reach : rest[v][axis] >= high[axis] - reach) out.push_back(v);
      }
      break;
    }
    case DefaultsCase::Pins::points:
      for (int k = 0; k < c.points; ++k) out.push_back(random.whole(0, static_cast<int>(rest.size()) - 1));
      break;
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (out.size() == start.x.size()) out.clear();  // a flat cloth across its thickness
  return out;
}

struct Numbers {
  double gain = 0, mean = 0, worst = 0;
  Shape volume;  // at its worst
};

bool out_of_volume(const Shape& s) { return s.volume < 0.9 || s.volume > 1.1 || s.smallest < 0.5 || s.largest > 1.5; }

Verdict judge(const Options& options, int index) {
  Random random(options.seed, index);
  const DefaultsCase c = random_case(random, options.quick ? kQuickWork : kWork);
  const bool details = options.only.has_value();
  Verdict verdict{c.kind, "", fmt::format("{}", c.line())};

  // The body as it stands tells where its pins and the ground are.
  std::string text = c.scene;
  {
    const Scene alone = parse_scene(text + "\n}\n", "soak.json", {.threads = 1});
    const BodyId body = *alone.world.find(DefaultsCase::kBody);
    const Start start = start_of(alone.world, body);
    const std::vector<int> held = held_vertices(c, alone.world, body, start);
    if (!held.empty()) {
      text += fmt::format(",\n  \"pins\": [{{\"body\": \"{}\", \"select\": {{\"vertices\": [{}]}}}}]",
                          DefaultsCase::kBody, fmt::join(held, ", "));
    }
    if (c.ground) {
      text +=
          fmt::format(",\n  \"colliders\": [{{\"plane\": {{\"point\": [0, {}, 0]}}}}]", start.low.y - c.gap * c.size);
    }
    text += "\n}\n";
  }
  if (!options.scene.empty()) {
    std::ofstream out(options.scene);
    if (c.motion == DefaultsCase::Motion::spun) {
      out << fmt::format("// Spun about [{}, {}, {}] at {} m/s in the soak, which a scene cannot say.\n", c.direction.x,
                         c.direction.y, c.direction.z, c.speed);
    }
    out << text;
  }

  Scene scene = parse_scene(text, "soak.json", {.threads = 1});
  World& world = scene.world;
  const BodyId body = *world.find(DefaultsCase::kBody);
  world.build();
  if (c.motion == DefaultsCase::Motion::spun) {
    const std::vector<Vec3d> x = world.positions(body);
    const Start start = start_of(world, body);
    const Vec3d middle = (start.low + start.high) * 0.5;
    const double reach = std::max(length(start.high - start.low) / 2, 1e-9);
    std::vector<Vec3d> v(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) v[k] = cross(c.direction, x[k] - middle) * (c.speed / reach);
    world.set_velocities(body, v);
  }

  const bool hair = c.kind == "hair";
  const bool loose = c.pins == DefaultsCase::Pins::free && !c.ground && !hair;
  Ledger ledger(world, body, hair, loose, c.size);
  const ShapeWatch shape(world, body);
  Numbers n;
  int first_gain = -1, first_stretch = -1;
  bool finite = true;
  if (details)
    std::printf("%s%5s %12s %12s %12s %9s %9s %9s %9s\n", text.c_str(), "step", "energy [J]", "had [J]", "gain", "mean",
                "worst", "volume", "least");
  for (int step = 1; step <= kSteps && finite; ++step) {
    world.step();
    if (step > 20 && step % 10 != 0 && !hair) continue;
    ledger.look(world);
    if (first_gain < 0 && !(ledger.relative_gain() <= 0.01)) first_gain = step;
    if (step > 5 && step % 10 != 0) continue;
    const Shape s = shape.look(world);
    n.mean = std::max(n.mean, s.mean_stretch);
    n.worst = std::max(n.worst, s.worst_stretch);
    if (!out_of_volume(n.volume) && (out_of_volume(s) || step == kSteps)) n.volume = s;
    if (first_stretch < 0 && (n.mean > 0.1 || n.worst > 0.5)) first_stretch = step;
    finite = s.finite;
    if (details) {
      std::printf("%5d %12.4g %12.4g %12.4g %9.3g %9.3g %9.3g %9.3g\n", step, ledger.now(), ledger.had(),
                  ledger.relative_gain(), s.mean_stretch, s.worst_stretch, s.volume, s.smallest);
    }
    if (!details && ledger.relative_gain() > 1e6) break;  // it will not get better
  }
  for (const Trouble& t : world.troubles()) finite = finite && t.kind != Trouble::Kind::non_finite;

  // What is asked for may be impossible; then it has to be said.
  const bool stretched = n.mean > 0.1 || n.worst > 0.5, squeezed = out_of_volume(n.volume);
  std::vector<std::string> said;
  if (stretched || squeezed || details) {
    said = said_of(world, DefaultsCase::kBody);
    for (const std::string& w : scene.warnings) {
      if (w.find(DefaultsCase::kBody) != std::string::npos) said.push_back(w);
    }
  }
  if (details) {
    for (const std::string& s : said) std::printf("it said: %s\n", s.c_str());
  }
  std::vector<std::string> symptoms;
  if (!finite) symptoms.emplace_back("NaN");
  if (first_gain >= 0) symptoms.emplace_back("energy");
  if (stretched && said.empty()) symptoms.emplace_back("stretch");
  if (squeezed && said.empty()) symptoms.emplace_back("volume");
  verdict.symptom = fmt::format("{}", fmt::join(symptoms, "+"));
  verdict.description += fmt::format("; gain {:.3g}{}, mean stretch {:.3g}, worst {:.3g}{}", ledger.relative_gain(),
                                     first_gain >= 0 ? fmt::format(" (from step {})", first_gain) : "", n.mean, n.worst,
                                     first_stretch >= 0 ? fmt::format(" (from step {})", first_stretch) : "");
  if (c.kind == "solid") {
    verdict.description +=
        fmt::format(", volume {:.3g} ({:.3g} to {:.3g})", n.volume.volume, n.volume.smallest, n.volume.largest);
  }
  if (stretched || squeezed) verdict.description += said.empty() ? ", nothing was said" : ", it was said";
  return verdict;
}

}  // namespace

int defaults(const Options& options) {
  return run_cases("script/soak defaults" + std::string(options.quick ? " --quick" : ""), options, options.count,
                   [&](int index) { return judge(options, index); });
}

}  // namespace pliant::soak
