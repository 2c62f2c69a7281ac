#pragma once
// A motion in few bytes, as the player's motion.js reads it: positions of 16 bits within the bounds of their body, as
// differences to what the frames before foretell, and compressed.

#include <cstdint>
#include <string>
#include <vector>

#include "render/shape.h"

namespace pliant::render {

/// Box around a body over the whole motion; positions are 65535ths of it.
struct Bounds {
  Vec3f low{}, high{};
  bool empty = true;
  void add(const Vec3f& point);
};

/// Codes frames in chunks, one after another.
class MotionCoder {
 public:
  /// `largest_value`: what is coded as 255.
  MotionCoder(const Shape& shape, std::vector<Bounds> bounds, float largest_value);

  struct Chunk {
    std::string base64;
    int order = 1;  // 1: a vertex is expected to stay, 2: to keep its velocity
  };
  /// Chunks follow each other in time, each with at least one frame.
  Chunk code(const std::vector<Frame>& frames);

 private:
  std::vector<uint16_t> quantised(const Frame& frame) const;

  std::vector<int> body_of_;  // vertex
  std::vector<Bounds> bounds_;
  float largest_value_;
  std::vector<uint16_t> last_, before_last_;  // frames before the chunk; empty: none
  std::vector<uint8_t> last_values_;
};

/// Whole numbers as differences, compressed, base64.
std::string code_integers(const std::vector<int>& numbers);

}  // namespace pliant::render
