#include "io/writer.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "pliant/error.h"

// Every output format: its ending and the function that makes it.
#define PLIANT_WRITER_FORMATS(FORMAT) \
  FORMAT(".usda", make_usda_writer)   \
  FORMAT(".glb", make_glb_writer)     \
  FORMAT(".pc2", make_pc2_writer)     \
  FORMAT(".mdd", make_mdd_writer)     \
  FORMAT(".vtu", make_vtu_writer)     \
  FORMAT(".pvd", make_vtu_writer)     \
  FORMAT(".obj", make_obj_writer)     \
  FORMAT(".ply", make_ply_writer)     \
  FORMAT(".png", make_png_writer)     \
  FORMAT(".mp4", make_mp4_writer)     \
  FORMAT(".webm", make_webm_writer)   \
  FORMAT(".gif", make_gif_writer)     \
  FORMAT(".html", make_html_writer)

namespace pliant {

#define PLIANT_DECLARE(ending, make) MakeFormat make;
PLIANT_WRITER_FORMATS(PLIANT_DECLARE)
#undef PLIANT_DECLARE

namespace {

struct Entry {
  const char* ending;
  MakeFormat* make;
};

#define PLIANT_ENTRY(ending, make) {ending, make},
constexpr Entry kFormats[] = {PLIANT_WRITER_FORMATS(PLIANT_ENTRY)};
#undef PLIANT_ENTRY

std::unique_ptr<Writer::Format> make_format(const std::string& path, const WriterOptions& options) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Entry& entry : kFormats) {
    if (ending != entry.ending) continue;
    make_folder_of(path);
    return entry.make(path, options);
  }
  throw Error(path, ending.empty() ? "the file name has no ending" : fmt::format("{} cannot be written", ending),
              fmt::format("use one of: {}", fmt::join(writer_endings(), ", ")));
}

}  // namespace

std::vector<std::string> writer_endings() {
  std::vector<std::string> endings;
  for (const Entry& entry : kFormats) endings.emplace_back(entry.ending);
  return endings;
}

void make_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(path, fmt::format("the folder {} cannot be made: {}", folder.string(), error.message()),
                "choose a folder that you may write to");
  }
}

Writer::Writer(const std::string& path, const WriterOptions& options) : format_(make_format(path, options)) {}

Writer::~Writer() {
  try {
    close();
  } catch (...) {  // a destructor cannot report it: call close() to hear of it
  }
}

Writer::Writer(Writer&& other) noexcept = default;

Writer& Writer::operator=(Writer&& other) noexcept {
  if (this != &other) {
    const Writer finished(std::move(*this));  // closes what was open
    format_ = std::move(other.format_);
  }
  return *this;
}

void Writer::write(const World& world) {
  if (!format_ || format_->closed) throw Error("Writer", "was closed or moved from", "write before close()");
  format_->write(world);
}

void Writer::close() {
  if (!format_ || format_->closed) return;
  format_->closed = true;  // also when it fails: a second try would write over the same fault
  format_->close();
}

std::string Writer::summary() const { return format_ ? format_->summary() : std::string(); }

}  // namespace pliant
