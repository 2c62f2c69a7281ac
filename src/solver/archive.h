#pragma once
// What the state of a simulation consists of is said once, in Solver::persist(): a walk over named sections. What is
// done with them is an archive's: hash them, write them into a snapshot, look at whether a snapshot has them, read
// them.
//
// A section in a snapshot is
//
//   length of its name (u32), name, bytes that follow (u64), bytes

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash.h"
#include "pliant/error.h"

namespace pliant {

/// Whether a section counts in World::state_hash(): the clock and what follows from the rest do not.
enum class InHash { yes, no };

class HashArchive {
 public:
  void section(std::string_view, void* data, std::size_t size, InHash counts) {
    if (counts == InHash::yes) hash_.add_bytes(data, size);
  }
  uint64_t value() const { return hash_.value(); }

 private:
  Hash hash_;
};

class OutArchive {
 public:
  template <class T>
  void value(const T& v) {
    bytes(&v, sizeof(T));
  }
  void bytes(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    out.insert(out.end(), from, from + size);
  }
  void section(std::string_view name, const void* data, std::size_t size, InHash = InHash::yes) {
    value(static_cast<uint32_t>(name.size()));
    bytes(name.data(), name.size());
    value(static_cast<uint64_t>(size));
    bytes(data, size);
  }
  std::vector<std::byte> out;
};

/// Takes a snapshot apart. Throws where it ends too early or is another one, and changes nothing then.
class InArchive {
 public:
  explicit InArchive(std::span<const std::byte> bytes) : left_(bytes) {}
  template <class T>
  T value() {
    T v;
    const std::span<const std::byte> from = take(sizeof(T));
    std::memcpy(&v, from.data(), sizeof(T));
    return v;
  }
  std::span<const std::byte> take(uint64_t size) {
    if (left_.size() < size) throw Error("snapshot", "it ends too early", "use a complete file");
    const std::span<const std::byte> out = left_.first(static_cast<std::size_t>(size));
    left_ = left_.subspan(static_cast<std::size_t>(size));
    return out;
  }
  /// The bytes of the next section, which must be this one.
  std::span<const std::byte> next(std::string_view name) {
    const std::string found = text(take(value<uint32_t>()));
    if (found != name) {
      throw Error("snapshot", "its `" + found + "` stands where `" + std::string(name) + "` should", "make it anew");
    }
    return take(value<uint64_t>());
  }
  std::size_t left() const { return left_.size(); }

  static std::string text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::byte> left_;
};

/// Looks at whether all sections are there and as long as they should be.
class CheckArchive : public InArchive {
 public:
  using InArchive::InArchive;
  void section(std::string_view name, const void*, std::size_t size, InHash) {
    if (const std::size_t found = next(name).size(); found != size) {
      throw Error("snapshot",
                  "its `" + std::string(name) + "` has " + std::to_string(found) + " bytes where this scene needs " +
                      std::to_string(size),
                  "use a complete file");
    }
  }
};

/// Reads what a CheckArchive has found to be right.
class ReadArchive : public InArchive {
 public:
  using InArchive::InArchive;
  void section(std::string_view name, void* data, std::size_t size, InHash) {
    const std::span<const std::byte> from = next(name);
    if (size > 0) std::memcpy(data, from.data(), size);
  }
};

}  // namespace pliant
