#pragma once
// Videos through the program ffmpeg, which gets the pictures by a pipe.

#include <sys/types.h>

#include <string>
#include <vector>

#include "render/image.h"

namespace pliant {

/// A video that appears whole or not at all: written under a temporary name, renamed by close(), removed by the
/// destructor if that was not reached. Ctrl-C does not reach ffmpeg: the frames up to then make a shorter video.
class Ffmpeg {
 public:
  /// Starts the program. `rate` [1/s]; `encoding`: its options between the pictures and the file's name.
  Ffmpeg(const std::string& path, int width, int height, double rate, const std::vector<std::string>& encoding);
  ~Ffmpeg();
  Ffmpeg(const Ffmpeg&) = delete;
  Ffmpeg& operator=(const Ffmpeg&) = delete;

  void write(const render::Image& image);
  void close();

 private:
  void stop() noexcept;
  int wait();
  [[noreturn]] void fail();

  std::string path_, temporary_;
  int pipe_ = -1;      // to the program's standard input
  int messages_ = -1;  // what it said: a file without a name
  pid_t process_ = -1;
};

/// Throws Error where the program is not installed, so that it is known before a simulation and not after it.
void require_ffmpeg(const std::string& path);

/// Options for ffmpeg that suit a file's ending: ".mp4", ".webm" or ".gif".
std::vector<std::string> video_encoding(const std::string& ending);

}  // namespace pliant
