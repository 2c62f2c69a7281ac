#include "render/motion_code.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base64.h"
#include "core/zlib_stream.h"

namespace pliant::render {
namespace {

/// Small numbers of both signs become small ones without: 0, -1, 1, -2 ... are 0, 1, 2, 3 ...
uint16_t zigzag(uint16_t difference) {
  const auto d = static_cast<int16_t>(difference);
  return static_cast<uint16_t>(static_cast<uint16_t>(d) << 1 ^ static_cast<uint16_t>(d >> 15));
}

uint16_t low_16_bits(int value) { return static_cast<uint16_t>(value & 0xffff); }

}  // namespace

void Bounds::add(const Vec3f& point) {
  for (int i = 0; i < 3; ++i) {
    low[i] = empty ? point[i] : std::min(low[i], point[i]);
    high[i] = empty ? point[i] : std::max(high[i], point[i]);
  }
  empty = false;
}

MotionCoder::MotionCoder(const Shape& shape, std::vector<Bounds> bounds, float largest_value)
    : bounds_(std::move(bounds)), largest_value_(largest_value) {
  for (size_t b = 0; b < shape.bodies.size(); ++b) {
    body_of_.insert(body_of_.end(), shape.bodies[b].vertices.size(), static_cast<int>(b));
  }
}

/// x of all vertices, then y, then z: what is alike stands together.
std::vector<uint16_t> MotionCoder::quantised(const Frame& frame) const {
  const size_t n = frame.positions.size();
  std::vector<uint16_t> out(3 * n);
  for (size_t v = 0; v < n; ++v) {
    const Bounds& box = bounds_[static_cast<size_t>(body_of_[v])];
    for (int i = 0; i < 3; ++i) {
      const float size = box.high[i] - box.low[i];
      const float part = size > 0 ? (frame.positions[v][i] - box.low[i]) / size : 0;
      out[static_cast<size_t>(i) * n + v] = static_cast<uint16_t>(std::lround(std::clamp(part, 0.0f, 1.0f) * 65535));
    }
  }
  return out;
}

MotionCoder::Chunk MotionCoder::code(const std::vector<Frame>& frames) {
  const size_t n = 3 * frames[0].positions.size(), count = frames.size();
  std::vector<std::vector<uint16_t>> all;
  if (!before_last_.empty()) all.push_back(before_last_);
  if (!last_.empty()) all.push_back(last_);
  const size_t known = all.size();
  for (const Frame& frame : frames) all.push_back(quantised(frame));

  std::string best;
  int best_order = 1;
  int64_t best_cost = 0;
  for (const int order : {1, 2}) {
    std::string planes(2 * count * n, '\0');  // low bytes of all frames, then high bytes
    int64_t cost = 0;
    for (size_t f = 0; f < count; ++f) {
      const size_t k = known + f;
      const std::vector<uint16_t>& frame = all[k];
      for (size_t i = 0; i < n; ++i) {
        int foretold = i > 0 ? frame[i - 1] : 0;  // the very first frame: as the vertex before
        if (k > 0) foretold = all[k - 1][i];
        if (k > 1 && order == 2) foretold = 2 * all[k - 1][i] - all[k - 2][i];
        const uint16_t code = zigzag(low_16_bits(frame[i] - foretold));
        planes[f * n + i] = static_cast<char>(code & 0xff);
        planes[(count + f) * n + i] = static_cast<char>(code >> 8);
        cost += code;
      }
    }
    if (order == 1 || cost < best_cost) {
      best = std::move(planes);
      best_order = order;
      best_cost = cost;
    }
  }
  for (const Frame& frame : frames) {
    std::vector<uint8_t> values;
    for (size_t v = 0; v < frame.values.size(); ++v) {
      const float part = std::clamp(frame.values[v] / largest_value_, 0.0f, 1.0f);
      values.push_back(static_cast<uint8_t>(std::lround(255 * part)));
      best += static_cast<char>(values.back() - (last_values_.empty() ? 0 : last_values_[v]));
    }
    last_values_ = std::move(values);
  }
  before_last_ = all.size() > 1 ? all[all.size() - 2] : std::vector<uint16_t>{};
  last_ = all.back();
  return {encode_base64(zlib_compress(best)), best_order};
}

std::string code_integers(const std::vector<int>& numbers) {
  std::string planes(4 * numbers.size(), '\0');
  uint32_t last = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto difference = static_cast<int32_t>(static_cast<uint32_t>(numbers[i]) - last);
    const uint32_t code = static_cast<uint32_t>(difference) << 1 ^ static_cast<uint32_t>(difference >> 31);
    for (size_t byte = 0; byte < 4; ++byte) {
      planes[byte * numbers.size() + i] = static_cast<char>(code >> (8 * byte) & 0xff);
    }
    last = static_cast<uint32_t>(numbers[i]);
  }
  return encode_base64(zlib_compress(planes));
}

}  // namespace pliant::render
