#include "scene/fill_surface.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <type_traits>

#include "core/file.h"
#include "core/hash.h"
#include "pliant/error.h"

namespace pliant::scene {
namespace {

// A file: magic, key, counts, warnings, positions, tets, and a hash of all that.
constexpr char kMagic[8] = {'P', 'L', 'T', 'E', 'T', 'S', '0', '1'};
/// Raise it when tetrahedralize() gives other meshes than before.
constexpr uint64_t kVersion = 1;

uint64_t key_of(const TriMesh& surface, const TetrahedralizeOptions& options) {
  Hash hash(kVersion);
  hash.add(options.cell).add(options.tets).add(options.keep_volume).add(options.keep_thin);
  hash.add(static_cast<uint64_t>(surface.positions.size())).add(static_cast<uint64_t>(surface.triangles.size()));
  hash.add_array(std::span<const Vec3d>(surface.positions)).add_array(std::span<const Triangle>(surface.triangles));
  return hash.value();
}

template <class T>
void put(std::string& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// Takes values from bytes; fails for good when there are too few.
struct Taker {
  const std::string& bytes;
  std::size_t at = 0;
  bool good = true;

  const char* take(std::size_t size) {
    if (!good || bytes.size() - at < size) {
      good = false;
      return nullptr;
    }
    at += size;
    return bytes.data() + at - size;
  }
  template <class T>
  T value() {
    T out{};
    if (const char* p = take(sizeof(T))) std::memcpy(&out, p, sizeof(T));
    return out;
  }
  template <class T>
  std::vector<T> array(uint64_t count) {
    std::vector<T> out;
    if (count > bytes.size() / sizeof(T)) good = false;
    if (const char* p = take(good ? count * sizeof(T) : 0); p && good) {
      out.resize(count);
      std::memcpy(out.data(), p, count * sizeof(T));
    }
    return out;
  }
};

std::string encode(const FilledSurface& filled, uint64_t key) {
  std::string out(kMagic, sizeof(kMagic));
  put(out, key);
  put(out, static_cast<uint64_t>(filled.warnings.size()));
  put(out, static_cast<uint64_t>(filled.mesh.positions.size()));
  put(out, static_cast<uint64_t>(filled.mesh.tets.size()));
  for (const std::string& warning : filled.warnings) {
    put(out, static_cast<uint64_t>(warning.size()));
    out += warning;
  }
  for (const Vec3d& x : filled.mesh.positions) put(out, x);
  for (const Tet& tet : filled.mesh.tets) put(out, tet);
  put(out, hash_bytes(out.data(), out.size()));
  return out;
}

std::optional<FilledSurface> decode(const std::string& bytes, uint64_t key) {
  if (bytes.size() < sizeof(kMagic) + 5 * sizeof(uint64_t)) return std::nullopt;
  const std::size_t body = bytes.size() - sizeof(uint64_t);
  uint64_t hash = 0;
  std::memcpy(&hash, bytes.data() + body, sizeof(hash));
  if (hash != hash_bytes(bytes.data(), body) || std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) != 0) {
    return std::nullopt;
  }
  Taker taker{bytes, sizeof(kMagic)};
  if (taker.value<uint64_t>() != key) return std::nullopt;
  const auto warnings = taker.value<uint64_t>(), positions = taker.value<uint64_t>(), tets = taker.value<uint64_t>();
  FilledSurface filled;
  for (uint64_t i = 0; i < warnings && taker.good; ++i) {
    const std::vector<char> text = taker.array<char>(taker.value<uint64_t>());
    filled.warnings.emplace_back(text.begin(), text.end());
  }
  filled.mesh.positions = taker.array<Vec3d>(positions);
  filled.mesh.tets = taker.array<Tet>(tets);
  if (!taker.good || taker.at != body) return std::nullopt;
  return filled;
}

}  // namespace

std::string mesh_cache_folder() {
  const auto variable = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
  if (const auto own = variable("PLIANT_CACHE")) return *own;
  if (const auto xdg = variable("XDG_CACHE_HOME"); xdg && !xdg->empty()) return *xdg + "/pliant";
  if (const auto home = variable("HOME"); home && !home->empty()) return *home + "/.cache/pliant";
  return {};
}

FilledSurface fill_surface(const TriMesh& surface, const TetrahedralizeOptions& options, const std::string& name) {
  const uint64_t key = key_of(surface, options);
  const std::string folder = mesh_cache_folder();
  const std::string file = fmt::format("{}/{:016x}.tets", folder, key);
  std::error_code ignored;
  if (!folder.empty() && std::filesystem::is_regular_file(file, ignored)) {
    try {
      if (auto filled = decode(read_file(file), key)) return std::move(*filled);
    } catch (const Error&) {  // unreadable: made anew
    }
  }
  const Tetrahedralized made = tetrahedralize(surface, options, name);
  FilledSurface filled{made.mesh, made.warnings()};
  if (!folder.empty()) {
    try {
      std::filesystem::create_directories(folder, ignored);
      write_file(file, encode(filled, key));  // whole or not at all: others may read and write it meanwhile
    } catch (const Error&) {                  // a cache that cannot be written to does not matter
    }
  }
  return filled;
}

}  // namespace pliant::scene
