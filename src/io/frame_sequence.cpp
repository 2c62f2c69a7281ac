#include "io/frame_sequence.h"

#include <filesystem>

#include <fmt/format.h>

#include "core/file.h"

namespace pliant {

FrameSequence::FrameSequence(const std::string& path, Encode encode, int64_t first_frame)
    : encode_(encode), first_(first_frame) {
  const std::filesystem::path whole(path);
  const std::string name = whole.filename().string();
  const std::string folder = path.substr(0, path.size() - name.size());
  const std::size_t last = name.rfind('#');
  if (last == std::string::npos) {
    const std::string ending = whole.extension().string();
    before_ = path.substr(0, path.size() - ending.size()) + ".";
    after_ = ending;
    digits_ = 4;
    return;
  }
  std::size_t first = last;
  while (first > 0 && name[first - 1] == '#') --first;
  before_ = folder + name.substr(0, first);
  after_ = name.substr(last + 1);
  digits_ = static_cast<int>(last + 1 - first);
}

std::string without_number(const std::string& path, const std::string& ending) {
  std::filesystem::path name(path);
  std::string stem = name.stem().string();
  std::erase(stem, '#');
  while (stem.size() > 1 && (stem.back() == '_' || stem.back() == '.' || stem.back() == '-')) stem.pop_back();
  return name.replace_filename((stem.empty() ? "frames" : stem) + ending).string();
}

std::string FrameSequence::file_name(int64_t frame) const {
  return fmt::format("{}{:0{}}{}", before_, frame, digits_, after_);
}

void FrameSequence::write(const World& world) {
  write_file(file_name(first_ + frames_), encode_(world));
  ++frames_;
}

std::string FrameSequence::summary() const {
  if (frames_ == 0) return "no frames of " + before_ + std::string(static_cast<std::size_t>(digits_), '#') + after_;
  if (frames_ == 1) return file_name(first_);
  return file_name(first_) + " ... " + file_name(first_ + frames_ - 1);
}

}  // namespace pliant
