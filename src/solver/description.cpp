#include "solver/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/hash.h"
#include "solver/model.h"

namespace pliant {

namespace {

/// In front of a value that is a hash: two of them say nothing to a person but that they differ.
constexpr char kHashMark = '#';
/// The last setting of all.
constexpr std::string_view kNumbering = "numbering";

std::string hashed(const Hash& hash) { return fmt::format("{}{:016x}", kHashMark, hash.value()); }

template <class T>
Hash& add_all(Hash& hash, const std::vector<T>& values) {
  return hash.add_array(std::span<const T>(values));
}
Hash& add(Hash& hash, Vec3d v) { return hash.add(v.x).add(v.y).add(v.z); }

/// As floats: rest data is made by functions whose last digit may be another one in another build.
Hash& add_rounded(Hash& hash, const std::vector<double>& values) {
  for (const double v : values) hash.add(static_cast<float>(v));
  return hash;
}

std::string word(bool yes) { return yes ? "yes" : "no"; }
std::string word(double number) { return fmt::format("{}", number); }
std::string word(const std::optional<double>& number) { return number ? word(*number) : "none"; }
std::string word(Method method) { return method == Method::pbd ? "pbd" : "xpbd"; }
std::string word(const Vec3d& v) { return fmt::format("({}, {}, {})", v.x, v.y, v.z); }
std::string word(const std::vector<Keyframe>& path) {
  if (path.empty()) return "none";
  Hash hash;
  for (const Keyframe& key : path) add(add(hash.add(key.time), key.move), key.turn);
  return hashed(hash);
}

void add_options(Description& out, const WorldOptions& options, bool doubles) {
  const auto add = [&](std::string_view setting, const std::string& value) { out.add("", setting, value); };
  add("precision", doubles ? "float64" : "float32");
  add("step", word(options.step));
  add("substeps", std::to_string(options.substeps));
  add("iterations", std::to_string(options.iterations));
  add("integrator", options.integrator == Integrator::euler ? "euler" : "bdf2");
  add("point_damping", word(options.point_damping));
  add("global_damping", word(options.global_damping));
  if (options.energy_watch == EnergyWatch::limit) add("energy_watch", "limit");  // others change no motion
  add("contact", word(options.contact.has_value()));
  if (!options.contact) return;
  add("contact.self", word(options.contact->self));
  add("contact.friction", word(options.contact->friction));
  add("contact.thickness", word(options.contact->thickness));
}

void add_body(Description& out, const BodyInput& body) {
  const std::string subject = fmt::format("{} '{}'", body.kind, body.name);
  const auto add = [&](std::string_view setting, const std::string& value) { out.add(subject, setting, value); };
  add("vertices", std::to_string(body.vertices()));
  add("mass", word(std::accumulate(body.mass.begin(), body.mass.end(), 0.0)));
  Hash masses, shape, elements;
  add("masses", hashed(add_rounded(masses, body.mass)));
  for (const Vec3d& x : body.rest) add_rounded(shape, {x.x, x.y, x.z});
  add("rest shape", hashed(shape));
  add_all(add_all(add_all(elements, body.edges), body.triangles), body.tets);
  add("elements", hashed(elements));
  add("thickness", word(body.thickness));
  add("self_contact", word(body.self_contact));
  if (!body.strands) return;
  add("segments", std::to_string(body.strands->segments));
  add("dynamic", word(body.strands->dynamic));
  add("leader_push", word(body.strands->leader_push));
  add("shape_frequency", word(body.strands->shape_frequency));
}

void add_strength(Description& out, const std::string& subject, Method method, const ConstraintSettings& s) {
  out.add(subject, "method", word(method));
  if (method == Method::xpbd) {
    out.add(subject, "compliance", word(s.compliance));
    out.add(subject, "compression_compliance", word(s.compression_compliance));
    out.add(subject, "damping", word(s.damping));
    out.add(subject, "keep_multipliers", word(s.keep_multipliers));
  } else {
    out.add(subject, "stiffness", word(s.stiffness));
    out.add(subject, "compression_stiffness", word(s.compression_stiffness));
  }
  out.add(subject, "unilateral", word(s.unilateral));
  out.add(subject, "velocity_damping", word(s.velocity_damping));
}

const BodyInput& body_of(const ModelInput& input, int32_t particle) {
  const auto behind = std::upper_bound(input.bodies.begin(), input.bodies.end(), particle,
                                       [](int32_t p, const BodyInput& body) { return p < body.first_particle; });
  return *(behind - 1);
}

void add_constraints(Description& out, const ModelInput& input, const ConstraintInput& c, std::string_view kind) {
  const auto of_body = std::find_if(c.particles.begin(), c.particles.end(), [](int32_t p) { return p >= 0; });
  const std::string subject = of_body == c.particles.end()
                                  ? c.type->name
                                  : fmt::format("{}{} of '{}'", kind, c.type->name, body_of(input, *of_body).name);
  out.add(subject, "constraints", std::to_string(c.particles.size() / static_cast<std::size_t>(c.type->points)));
  add_strength(out, subject, c.method, c.settings);
  Hash particles, rest, compliances;
  out.add(subject, "vertices", hashed(add_all(particles, c.particles)));
  out.add(subject, "rest data", hashed(add_all(add_rounded(rest, c.rest), c.rest_rounded)));
  out.add(subject, "compliances", hashed(add_rounded(compliances, c.compliances)));
  if (!c.plasticity) return;
  out.add(subject, "yield", word(c.plasticity->yield));
  out.add(subject, "creep", word(c.plasticity->creep));
  out.add(subject, "max", word(c.plasticity->max));
}

void add_pin(Description& out, const ModelInput& input, const PinInput& pin) {
  const std::string subject = fmt::format("pins of '{}'", body_of(input, pin.particles.front()).name);
  Hash particles;
  out.add(subject, "vertices", std::to_string(pin.particles.size()));
  out.add(subject, "choice of vertices", hashed(add_all(particles, pin.particles)));
  out.add(subject, "path", word(pin.path));
  if (pin.path.empty()) return;  // where they are is state
  Hash places;
  for (const Vec3d& x : pin.positions) add_rounded(places, {x.x, x.y, x.z});
  out.add(subject, "start", hashed(places));
}

void add_collider(Description& out, const ColliderInput& c) {
  const std::string subject = fmt::format("collider '{}'", c.name);
  const ColliderOptions& o = c.options;
  const auto add = [&](std::string_view setting, const std::string& value) { out.add(subject, setting, value); };
  add("friction", word(o.friction));
  add("static_friction", word(o.static_friction));
  add("restitution", word(o.restitution));
  add("thickness", word(c.thickness));
  add("push_speed", word(o.push_speed));
  add("rigid", word(c.rigid >= 0));
  if (c.rigid >= 0) {
    add("inverse mass", word(static_cast<double>(static_cast<float>(c.body.inverse_mass))));
  } else {
    add("position", word(o.position));
    add("rotation", word(o.rotation));
    add("path", word(o.path));
  }
  const contact::Bounds box = c.shape->bounds();
  Hash shape;
  for (const Vec3d& v : {box.min, box.max}) add_rounded(shape, {v.x, v.y, v.z});
  for (const Vec3d& v : c.shape->surface().positions) add_rounded(shape, {v.x, v.y, v.z});
  add("shape", hashed(shape));
}

/// The engine's own order of all that: another one in another version of the program.
template <class Real>
std::string numbering_of(const Model<Real>& model) {
  Hash hash;
  add_all(hash.add(model.particles), model.to_engine);
  for (const Group<Real>& g : model.groups) {
    hash.add(g.type->name).add(uint8_t{g.compliant}).add(uint8_t{g.general}).add(uint8_t{g.keep});
    hash.add(uint8_t{g.small_strains}).add_array(std::span<const QuadAt>(g.particles));
  }
  return hashed(hash);
}

struct Line {
  std::string_view subject, setting, value;
};

/// The next line, taken off the text.
Line next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  const std::size_t first = line.find('\t'), second = line.find('\t', first == line.npos ? first : first + 1);
  if (second == line.npos) return {line, {}, {}};
  return {line.substr(0, first), line.substr(first + 1, second - first - 1), line.substr(second + 1)};
}

std::string of(const Line& line) {
  std::string out = fmt::format("`{}`", line.setting);
  if (!line.subject.empty()) out += fmt::format(" of {}", line.subject);
  return out;
}

}  // namespace

void Description::add(std::string_view subject, std::string_view setting, std::string_view value) {
  const std::size_t begin = text_.size();
  text_ += subject;
  // Users choose names: what ends a line or a column must not stand in them.
  std::replace_if(
      text_.begin() + static_cast<std::ptrdiff_t>(begin), text_.end(), [](char c) { return c == '\t' || c == '\n'; },
      ' ');
  text_ += '\t';
  text_ += setting;
  text_ += '\t';
  text_ += value;
  text_ += '\n';
}

template <class Real>
Description describe(const ModelInput& input, const WorldOptions& options, const Model<Real>& model) {
  Description out;
  add_options(out, options, sizeof(Real) == sizeof(double));
  const auto count = [&](std::string_view what, std::size_t number) { out.add("", what, std::to_string(number)); };
  count("bodies", input.bodies.size());
  count("colliders", input.colliders.size());
  count("pins", input.pins.size());
  count("riders", input.riders.size());
  count("points to attach to", input.anchors.size());
  for (const BodyInput& body : input.bodies) add_body(out, body);
  for (const ConstraintInput& c : input.constraints) add_constraints(out, input, c, "");
  for (const BalloonInput& b : input.balloons) {
    const std::string subject = fmt::format("balloon of '{}'", input.bodies[static_cast<std::size_t>(b.body)].name);
    add_strength(out, subject, b.method, b.settings);
    out.add(subject, "pressure", word(b.settings.pressure));
  }
  for (const PinInput& pin : input.pins) add_pin(out, input, pin);
  for (const ConstraintInput& c : input.derived) add_constraints(out, input, c, "long range ");
  for (const ColliderInput& c : input.colliders) add_collider(out, c);
  Hash anchors, riders;
  for (const Vec3d& x : input.anchors) add(anchors, x);
  out.add("points to attach to", "positions", hashed(anchors));
  for (const Rider& r : model.riders) {
    riders.add(r.particle).add_array(std::span<const int32_t>(r.corners));
    for (int k = 0; k < 3; ++k) riders.add(static_cast<float>(r.weights[k])).add(static_cast<float>(r.offset[k]));
  }
  out.add("riders", "places", hashed(riders));
  out.add("", kNumbering, numbering_of(model));
  return out;
}

void refuse_other_description(std::string_view of_snapshot, std::string_view of_world) {
  if (of_snapshot == of_world) return;
  const char* remedy = "restore it into the scene it was made from, with the settings of then (docs/snapshots.md)";
  while (true) {
    const bool any = !of_snapshot.empty() && !of_world.empty();
    const Line then = next_line(of_snapshot), now = next_line(of_world);
    if (any && then.subject == now.subject && then.setting == now.setting) {
      if (then.value == now.value) continue;
      if (then.setting == kNumbering) {
        throw Error("snapshot", "it was made by another version of this program", "make it anew");
      }
      const bool number = !then.value.starts_with(kHashMark) && !now.value.starts_with(kHashMark);
      throw Error("snapshot",
                  number ? fmt::format("{} is {} in the snapshot and {} here", of(then), then.value, now.value)
                         : fmt::format("{} is not the one of the snapshot", of(then)),
                  remedy);
    }
    throw Error("snapshot",
                then.setting.empty()  ? fmt::format("it has no {}", of(now))
                : now.setting.empty() ? fmt::format("it has {}, which is not here", of(then))
                                      : fmt::format("it has {} where this world has {}", of(then), of(now)),
                remedy);
  }
}

template Description describe(const ModelInput&, const WorldOptions&, const Model<float>&);
template Description describe(const ModelInput&, const WorldOptions&, const Model<double>&);

}  // namespace pliant
