// What the page's player reads, read here as src/render/player/motion.js does it.
#include "render/motion_code.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/pliant.h"
#include "render/unpacked.h"

namespace pliant::render {
namespace {

std::vector<int> decode_integers(const std::string& base64) {
  const std::string bytes = test::unpacked(base64);
  const size_t count = bytes.size() / 4;
  std::vector<int> out;
  uint32_t last = 0;  // differences wrap around
  for (size_t i = 0; i < count; ++i) {
    uint32_t code = 0;
    for (size_t b = 0; b < 4; ++b) code |= uint32_t{static_cast<unsigned char>(bytes[b * count + i])} << (8 * b);
    last += code >> 1 ^ (~(code & 1) + 1);
    out.push_back(static_cast<int>(last));
  }
  return out;
}

TEST(MotionCode, Integers) {
  for (const std::vector<int>& numbers : {std::vector<int>{}, {0}, {5, 4, 4, 100000, 0, -7, 2147483647, -2147483647}}) {
    EXPECT_EQ(decode_integers(code_integers(numbers)), numbers);
  }
}

class Decoder {
 public:
  Decoder(size_t vertices, bool values) : n_(3 * vertices), vertices_(vertices), has_values_(values) {}

  void read(const MotionCoder::Chunk& chunk, size_t count) {
    const std::string bytes = test::unpacked(chunk.base64);
    ASSERT_EQ(bytes.size(), count * (2 * n_ + (has_values_ ? vertices_ : 0)));
    const auto byte = [&](size_t i) { return static_cast<int>(static_cast<unsigned char>(bytes[i])); };
    for (size_t f = 0; f < count; ++f) {
      std::vector<uint16_t> frame(n_);
      const size_t k = frames.size();
      int beside = 0;
      for (size_t i = 0; i < n_; ++i) {
        const int code = byte(f * n_ + i) | byte((count + f) * n_ + i) << 8;
        const int difference = (code >> 1) ^ -(code & 1);
        int foretold = beside;
        if (k > 0) foretold = frames[k - 1][i];
        if (k > 1 && chunk.order == 2) foretold = 2 * frames[k - 1][i] - frames[k - 2][i];
        beside = frame[i] = static_cast<uint16_t>(foretold + difference);
      }
      frames.push_back(frame);
      std::vector<uint8_t> shown(vertices_);
      for (size_t v = 0; has_values_ && v < vertices_; ++v) {
        shown[v] = static_cast<uint8_t>(byte(2 * count * n_ + f * vertices_ + v) + (k > 0 ? values[k - 1][v] : 0));
      }
      values.push_back(shown);
    }
  }

  std::vector<std::vector<uint16_t>> frames;
  std::vector<std::vector<uint8_t>> values;

 private:
  size_t n_, vertices_;
  bool has_values_;
};

TEST(MotionCode, PositionsToHalfAStepOfTheirBody) {
  World world({.threads = 1});
  world.add(Cloth{.name = "sheet", .mesh = grid({1, 1}, {5, 4})});
  world.add(Rope{.name = "line", .mesh = rope({2000, 0, 0}, {2000, 3, 0}, 6)});
  const Shape shape = make_shape(world);
  ASSERT_EQ(shape.vertex_count, 30 + 7);

  // Smooth motion with a jump in it; both orders are used.
  std::vector<Frame> frames;
  for (int f = 0; f < 21; ++f) {
    Frame frame = capture(world, shape, ColorBy::speed);
    for (size_t v = 0; v < frame.positions.size(); ++v) {
      const auto phase = static_cast<float>(v) + 0.2f * static_cast<float>(f);
      frame.positions[v] +=
          Vec3f{std::sin(phase), f == 13 ? 5.0f : 0.0f, f > 15 ? 0.0f : 0.05f * static_cast<float>(f * f)};
      frame.values[v] = 0.5f + 0.5f * std::sin(phase);
    }
    frames.push_back(frame);
  }
  std::vector<Bounds> bounds(2);
  for (const Frame& frame : frames) {
    for (size_t v = 0; v < frame.positions.size(); ++v) bounds[v < 30 ? 0 : 1].add(frame.positions[v]);
  }
  MotionCoder coder(shape, bounds, 1);
  Decoder decoder(37, true);
  for (size_t first = 0; first < frames.size(); first += 4) {
    const size_t last = std::min(frames.size(), first + 4);
    decoder.read(coder.code({frames.begin() + static_cast<int>(first), frames.begin() + static_cast<int>(last)}),
                 last - first);
  }
  ASSERT_EQ(decoder.frames.size(), frames.size());
  for (size_t f = 0; f < frames.size(); ++f) {
    for (size_t v = 0; v < 37; ++v) {
      const Bounds& box = bounds[v < 30 ? 0 : 1];
      for (int i = 0; i < 3; ++i) {
        const float step = (box.high[i] - box.low[i]) / 65535;
        const float read = box.low[i] + step * decoder.frames[f][static_cast<size_t>(i) * 37 + v];
        // Half a step, and the rounding of a float as far from the origin as the rope is.
        ASSERT_NEAR(read, frames[f].positions[v][i], 0.5f * step + 3e-4f) << f << " " << v;
      }
      ASSERT_NEAR(decoder.values[f][v] / 255.0f, frames[f].values[v], 0.5f / 255 + 1e-5f);
    }
  }
}

}  // namespace
}  // namespace pliant::render
