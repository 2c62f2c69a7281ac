#pragma once
// Corners with equal coordinates become one vertex, numbered in the order of their first appearance.

#include <array>
#include <unordered_map>
#include <vector>

#include "core/hash.h"
#include "pliant/mesh.h"

namespace pliant {

class Welder {
 public:
  explicit Welder(std::vector<Vec3d>& positions) : positions_(positions) {}

  int vertex(double x, double y, double z) {
    const Coordinates key{{x + 0.0, y + 0.0, z + 0.0}};  // -0 + 0 = 0: equal numbers, equal bytes
    const auto [it, is_new] = numbers_.try_emplace(key, static_cast<int>(positions_.size()));
    if (is_new) positions_.push_back({key.x[0], key.x[1], key.x[2]});
    return it->second;
  }
  int vertex(const Vec3d& x) { return vertex(x.x, x.y, x.z); }

 private:
  struct Coordinates {
    std::array<double, 3> x;
    friend bool operator==(const Coordinates&, const Coordinates&) = default;
  };
  struct HashOfCoordinates {
    std::size_t operator()(const Coordinates& c) const {
      return static_cast<std::size_t>(hash_bytes(c.x.data(), sizeof(c.x)));
    }
  };

  std::vector<Vec3d>& positions_;
  std::unordered_map<Coordinates, int, HashOfCoordinates> numbers_;
};

}  // namespace pliant
