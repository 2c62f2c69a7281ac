#pragma once
// Files out: one Writer per output, format by the name's ending.

#include <cstdint>
#include <memory>
#include <string>

#include "pliant/picture.h"
#include "pliant/world.h"

namespace pliant {

struct WriterOptions {
  int64_t first_frame = 0;  // number of the first file of a sequence: a run that is resumed goes on counting
  PictureOptions picture{};
};

/// Writes the surfaces of all bodies, frame by frame; docs/output.md has the formats.
///   .usda .glb .pc2 .mdd    one file with all frames, which appears when it is closed
///   .obj .ply .vtu          numbered files out.0000.obj, out.0001.obj, ... (or put the number where you
///                           like: "out_####.obj"); .vtu or .pvd makes a list of them, too: out.pvd
///   .png                    a picture
///   .mp4 .webm .gif         a video, through the program ffmpeg
///   .html                   a page that plays the motion
/// Every file is written under a temporary name and renamed when complete. Memory does not grow with
/// the number of frames.
class Writer {
 public:
  explicit Writer(const std::string& path, const WriterOptions& options = {});
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  void write(const World&);
  /// Finishes the file; the destructor does it too, but cannot report an error.
  void close();
  /// What was written, for a person: "out.0000.obj ... out.0119.obj".
  std::string summary() const;

  struct Format;  // one per ending, see src/io/writer.h

 private:
  std::unique_ptr<Format> format_;
};

/// Snapshot to and from a file (temporary name, then renamed).
void save_snapshot(const World&, const std::string& path);
void load_snapshot(World&, const std::string& path);

}  // namespace pliant
