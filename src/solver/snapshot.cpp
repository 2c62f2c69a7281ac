// The State as bytes: hash, snapshot, restore.
//
//   magic, version | description (description.h) | sections (archive.h) | hash of all before it
//
// Written in the byte order of the machine, which is little endian on all that the engine runs on.

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "core/hash.h"
#include "solver/archive.h"
#include "solver/description.h"
#include "solver/solver.h"

namespace pliant {

namespace {

constexpr char kMagic[8] = {'P', 'L', 'I', 'A', 'N', 'T', 'S', 'S'};
constexpr uint32_t kVersion = 4;

}  // namespace

/// What carries over a step: all of the State but `start`, which each prediction writes before it is read.
template <class Real>
template <class Archive>
void Solver<Real>::persist(Archive& archive, Real& dt) const {
  State<Real>& s = state_;
  const auto add = [&](const std::string& name, auto& value, InHash counts) {
    archive.section(name, &value, sizeof(value), counts);
  };
  const auto add_all = [&](const std::string& name, auto& values) {
    archive.section(name, values.data(), values.size() * sizeof(values[0]), InHash::yes);
  };
  const auto add_particles = [&](const std::string& name, auto& values) {
    const std::size_t count = std::min(values.size(), static_cast<std::size_t>(model_.particles));
    archive.section(name, values.data(), count * sizeof(values[0]), InHash::yes);
  };
  add("time", s.time, InHash::no);
  add("steps", s.steps, InHash::no);
  add("substeps on base", s.substeps_on_base, InHash::no);
  add("time of multipliers", dt, InHash::no);
  add("has history", s.has_history, InHash::no);
  archive.section("held", s.held.data(), s.held.size(), InHash::no);
  add("origin", s.origin, InHash::yes);
  add_particles("base", s.base);
  add_particles("offset", s.offset);
  add_particles("velocity", s.velocity);
  add_particles("carry", s.carry);
  add_particles("last motion", s.last_motion);
  add_particles("last velocity", s.last_velocity);
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    add_all("multipliers of " + model_.groups[g].type->name, s.multipliers[g]);
  }
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    add_all("plastic rest of " + model_.groups[g].type->name, s.plastic_rest[g]);
  }
  add_all("multipliers of balloons", s.balloon_multipliers);
  add_all("rigid bodies", s.rigid);
}

template <class Real>
uint64_t Solver<Real>::state_hash() const {
  HashArchive archive;
  Real dt = dt_;
  persist(archive, dt);
  return archive.value();
}

template <class Real>
std::vector<std::byte> Solver<Real>::snapshot() const {
  OutArchive archive;
  archive.bytes(kMagic, sizeof(kMagic));
  archive.value(kVersion);
  const std::string description = describe(input_, options_, model_).text();
  archive.section("description", description.data(), description.size());
  Real dt = dt_;
  persist(archive, dt);
  archive.value(hash_bytes(archive.out.data(), archive.out.size()));
  return std::move(archive.out);
}

/// What had not happened in the state that was restored. A program that goes back again and again would pile it up.
template <class Real>
void Solver<Real>::forget_later_troubles() {
  std::map<std::string, std::size_t> body_of;
  for (std::size_t b = 0; b < input_.bodies.size(); ++b) body_of[input_.bodies[b].name] = b;
  std::erase_if(troubles_, [&](const Trouble& t) {
    if (t.kind != Trouble::Kind::non_finite) return t.step > state_.steps;
    const BodyInput& body = input_.bodies[body_of.at(t.body)];
    return state_.held[model_.to_engine[body.first_particle + t.vertex]] == 0;
  });
}

template <class Real>
void Solver<Real>::restore(std::span<const std::byte> bytes) {
  // Everything is checked before anything is changed.
  InArchive head(bytes);
  if (!std::ranges::equal(head.take(sizeof(kMagic)), std::as_bytes(std::span(kMagic)))) {
    throw Error("snapshot", "it is not a snapshot of this program",
                "give a file written by save_snapshot or --snapshot");
  }
  if (const auto version = head.value<uint32_t>(); version != kVersion) {
    throw Error(
        "snapshot",
        "it has format version " + std::to_string(version) + ", this program reads version " + std::to_string(kVersion),
        "make it anew");
  }
  const std::size_t body = head.left() - std::min(head.left(), sizeof(uint64_t));
  const std::span<const std::byte> content = head.take(body);
  if (head.value<uint64_t>() != hash_bytes(bytes.data(), bytes.size() - sizeof(uint64_t))) {
    throw Error("snapshot", "it is damaged or cut off (its check sum differs)", "use a complete file");
  }
  CheckArchive check(content);
  refuse_other_description(InArchive::text(check.next("description")), describe(input_, options_, model_).text());
  Real dt = dt_;
  persist(check, dt);
  if (check.left() > 0) {
    throw Error("snapshot", "it has " + std::to_string(check.left()) + " bytes too many",
                "use a file that nobody changed");
  }

  ReadArchive read(content);
  read.next("description");
  persist(read, dt);
  dt_ = dt;
  edges_stale_ = true;
  forget_body_contacts();
  ledger_.forget();
  find_unaligned();
  colliders_.forget();
  forget_later_troubles();
}

template uint64_t Solver<float>::state_hash() const;
template uint64_t Solver<double>::state_hash() const;
template std::vector<std::byte> Solver<float>::snapshot() const;
template std::vector<std::byte> Solver<double>::snapshot() const;
template void Solver<float>::restore(std::span<const std::byte>);
template void Solver<double>::restore(std::span<const std::byte>);

}  // namespace pliant
