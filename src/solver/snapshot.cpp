// The State as bytes: hash, snapshot, restore.
//
//   magic, version, precision, model fingerprint | clock | arrays | hash of all before it
//
// Written in the byte order of the machine, which is little endian on all that the engine runs on.

#include <cstring>
#include <map>
#include <string>

#include "core/hash.h"
#include "solver/solver.h"

namespace pliant {

namespace {

constexpr char kMagic[8] = {'P', 'L', 'I', 'A', 'N', 'T', 'S', 'S'};
constexpr uint32_t kVersion = 3;

class Out {
 public:
  template <class T>
  void value(const T& v) {
    bytes(&v, sizeof(T));
  }
  void bytes(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    out.insert(out.end(), from, from + size);
  }
  std::vector<std::byte> out;
};

class In {
 public:
  explicit In(std::span<const std::byte> bytes) : left_(bytes) {}
  template <class T>
  T value() {
    T v;
    bytes(&v, sizeof(T));
    return v;
  }
  void bytes(void* to, std::size_t size) {
    if (left_.size() < size) throw Error("snapshot", "it ends too early", "use a complete file");
    if (size > 0) std::memcpy(to, left_.data(), size);
    left_ = left_.subspan(size);
  }

 private:
  std::span<const std::byte> left_;
};

/// Calls f(data, bytes) for every array of the State that carries over a step. `start` is written by
/// each prediction before it is read.
template <class Real, class S, class F>
void each_array(S& state, int particles, F&& f) {
  const std::size_t bytes = static_cast<std::size_t>(particles) * sizeof(Quad<Real>);
  f(state.base.data(), bytes);
  f(state.offset.data(), bytes);
  f(state.velocity.data(), bytes);
  f(state.carry.data(), bytes);
  if (!state.last_motion.empty()) {
    f(state.last_motion.data(), bytes);
    f(state.last_velocity.data(), bytes);
  }
  for (auto& m : state.multipliers) f(m.data(), m.size() * sizeof(Real));
  for (auto& r : state.plastic_rest) f(r.data(), r.size() * sizeof(Real));
  f(state.balloon_multipliers.data(), state.balloon_multipliers.size() * sizeof(Real));
  f(state.rigid.data(), state.rigid.size() * sizeof(contact::RigidState));
}

}  // namespace

template <class Real>
uint64_t Solver<Real>::state_hash() const {
  Hash hash;
  hash.add_bytes(&state_.origin, sizeof(state_.origin));
  each_array<Real>(state_, model_.particles, [&](const void* data, std::size_t size) { hash.add_bytes(data, size); });
  return hash.value();
}

template <class Real>
std::vector<std::byte> Solver<Real>::snapshot() const {
  Out out;
  out.bytes(kMagic, sizeof(kMagic));
  out.value(kVersion);
  out.value(static_cast<uint32_t>(sizeof(Real)));
  out.value(model_.fingerprint);
  out.value(state_.time);
  out.value(state_.steps);
  out.value(state_.origin);
  out.value(static_cast<int32_t>(state_.substeps_on_base));
  out.value(dt_);
  out.value(state_.has_history);
  each_array<Real>(state_, model_.particles, [&](const void* data, std::size_t size) { out.bytes(data, size); });
  out.bytes(state_.held.data(), state_.held.size());
  out.value(hash_bytes(out.out.data(), out.out.size()));
  return std::move(out.out);
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
  In head(bytes);
  char magic[8];
  head.bytes(magic, sizeof(magic));
  if (std::memcmp(magic, kMagic, sizeof(kMagic)) != 0) {
    throw Error("snapshot", "it is not a snapshot of this program",
                "give a file written by save_snapshot or --snapshot");
  }
  if (const auto version = head.value<uint32_t>(); version != kVersion) {
    throw Error(
        "snapshot",
        "it has format version " + std::to_string(version) + ", this program reads version " + std::to_string(kVersion),
        "make it anew");
  }
  if (head.value<uint32_t>() != sizeof(Real)) {
    throw Error("snapshot", "it was made in another precision", "set the same `precision` in the scene");
  }
  if (head.value<uint64_t>() != model_.fingerprint) {
    throw Error("snapshot", "it belongs to another scene or to other settings of this one",
                "restore it into the scene it was made from");
  }
  const std::size_t size = bytes.size();
  std::size_t expected = sizeof(kMagic) + 2 * sizeof(uint32_t) + sizeof(model_.fingerprint) + sizeof(state_.time) +
                         sizeof(state_.steps) + sizeof(state_.origin) + sizeof(state_.substeps_on_base) + sizeof(dt_) +
                         sizeof(state_.has_history) + state_.held.size() + sizeof(uint64_t);
  each_array<Real>(state_, model_.particles, [&](const void*, std::size_t n) { expected += n; });
  if (size != expected) {
    throw Error("snapshot",
                "it has " + std::to_string(size) + " bytes where this scene needs " + std::to_string(expected),
                "use a complete file");
  }
  uint64_t stored = 0;
  std::memcpy(&stored, bytes.data() + size - sizeof(stored), sizeof(stored));
  if (stored != hash_bytes(bytes.data(), size - sizeof(stored))) {
    throw Error("snapshot", "it is damaged (its check sum differs)", "use a complete file");
  }
  state_.time = head.value<double>();
  state_.steps = head.value<int64_t>();
  state_.origin = head.value<Vec3d>();
  state_.substeps_on_base = head.value<int32_t>();
  dt_ = head.value<Real>();
  state_.has_history = head.value<uint8_t>();
  edges_stale_ = true;
  forget_body_contacts();
  each_array<Real>(state_, model_.particles, [&](void* data, std::size_t n) { head.bytes(data, n); });
  head.bytes(state_.held.data(), state_.held.size());
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
