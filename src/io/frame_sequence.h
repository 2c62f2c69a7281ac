#pragma once
// Formats that hold one moment: a numbered file per frame.

#include <cstdint>
#include <string>

#include "io/writer.h"

namespace pliant {

/// "out.obj" -> out.0000.obj, out.0001.obj, ...; "out_###.obj" -> out_000.obj, out_001.obj, ... Numbers
/// that need more digits get them.
class FrameSequence : public Writer::Format {
 public:
  /// The bytes of a file that shows the world as it is now.
  using Encode = std::string (*)(const World& world);

  FrameSequence(const std::string& path, Encode encode, int64_t first_frame = 0);
  void write(const World& world) override;
  void close() override {}
  std::string summary() const override;

  std::string file_name(int64_t frame) const;
  int64_t first_frame() const { return first_; }

 private:
  std::string before_, after_;  // the number
  int digits_ = 0;
  Encode encode_;
  const int64_t first_;
  int64_t frames_ = 0;
};

/// The name for a file that belongs to a sequence as a whole: "out_###.vtu" -> "out.pvd", "out.vtu" -> "out.pvd".
std::string without_number(const std::string& path, const std::string& ending);

}  // namespace pliant
