#include "io/ffmpeg.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "pliant/error.h"

extern char** environ;

namespace pliant {

namespace {

constexpr const char* kInstall =
    "install it (Debian, Ubuntu: apt-get install ffmpeg), or write .html or .png, which need nothing";

/// "30", or a fraction's digits where it is no whole number.
std::string rate_text(double rate) {
  return std::fabs(rate - std::round(rate)) < 1e-3 * rate ? fmt::format("{:.0f}", rate) : fmt::format("{:.6g}", rate);
}

}  // namespace

void require_ffmpeg(const std::string& path) {
  const char* search = std::getenv("PATH");
  std::string folder;
  for (std::istringstream folders(search ? search : "/usr/bin:/bin"); std::getline(folders, folder, ':');) {
    if (access((folder + "/ffmpeg").c_str(), X_OK) == 0) return;
  }
  throw Error(path, "videos need the program ffmpeg, which is not installed", kInstall);
}

std::vector<std::string> video_encoding(const std::string& ending) {
  const std::vector<std::string> color = {"-vf",
                                          "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
                                          "-colorspace",
                                          "bt709",
                                          "-color_primaries",
                                          "bt709",
                                          "-color_trc",
                                          "bt709",
                                          "-color_range",
                                          "tv"};
  std::vector<std::string> options;
  if (ending == ".mp4") {
    options = {"-c:v", "libx264", "-preset", "medium", "-crf", "18", "-movflags", "+faststart", "-f", "mp4"};
  } else if (ending == ".webm") {
    options = {"-c:v", "libvpx-vp9", "-crf", "28",      "-b:v", "0",  "-deadline",
               "good", "-cpu-used",  "4",    "-row-mt", "1",    "-f", "webm"};
  } else {  // a palette for each frame: one for all would need all frames in memory
    return {"-vf", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=sierra2_4a", "-f",
            "gif"};
  }
  options.insert(options.begin(), color.begin(), color.end());
  return options;
}

Ffmpeg::Ffmpeg(const std::string& path, int width, int height, double rate, const std::vector<std::string>& encoding)
    : path_(path) {
  static std::atomic<unsigned> next{0};
  temporary_ = fmt::format("{}.part-{}-{}", path, getpid(), next.fetch_add(1));
  std::vector<std::string> arguments = {"ffmpeg",
                                        "-hide_banner",
                                        "-loglevel",
                                        "error",
                                        "-y",
                                        "-f",
                                        "rawvideo",
                                        "-pixel_format",
                                        "rgb24",
                                        "-video_size",
                                        fmt::format("{}x{}", width, height),
                                        "-framerate",
                                        rate_text(rate),
                                        "-i",
                                        "pipe:0"};
  arguments.insert(arguments.end(), encoding.begin(), encoding.end());
  arguments.push_back("file:" + temporary_);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  // A pair of sockets instead of a pipe: writing to a program that has ended is then an error, not a signal.
  int ends[2];
  // Closed in every other program that is started, or this ffmpeg would wait for that one to end, too.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(path, "no pipe can be made for ffmpeg");
  pipe_ = ends[0];
  std::FILE* messages = std::tmpfile();
  messages_ = messages ? dup(fileno(messages)) : -1;
  if (messages) std::fclose(messages);
  if (messages_ >= 0) fcntl(messages_, F_SETFD, FD_CLOEXEC);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (messages_ >= 0) posix_spawn_file_actions_adddup2(&files, messages_, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // apart from the terminal's Ctrl-C
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error = posix_spawnp(&process_, "ffmpeg", &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  ::close(ends[1]);
  if (error != 0) {
    process_ = -1;
    stop();
    throw Error(path, fmt::format("ffmpeg cannot be started: {}", std::strerror(error)), kInstall);
  }
}

Ffmpeg::~Ffmpeg() { stop(); }

void Ffmpeg::write(const render::Image& image) {
  const auto* bytes = reinterpret_cast<const char*>(image.rgb.data());
  size_t left = image.rgb.size();
  while (left > 0) {
    const ssize_t sent = send(pipe_, bytes, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) fail();
    bytes += sent;
    left -= static_cast<size_t>(sent);
  }
}

void Ffmpeg::close() {
  ::close(std::exchange(pipe_, -1));
  if (wait() != 0) fail();
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) {
    stop();
    throw Error(path_, "cannot be renamed to its final name: " + error.message(), "choose another folder");
  }
  temporary_.clear();
}

int Ffmpeg::wait() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void Ffmpeg::fail() {
  if (pipe_ >= 0) ::close(std::exchange(pipe_, -1));
  if (process_ >= 0) wait();
  std::string said(4096, '\0');
  const ssize_t size = messages_ >= 0 ? pread(messages_, said.data(), said.size(), 0) : 0;
  said.resize(size > 0 ? static_cast<size_t>(size) : 0);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  for (char& c : said) c = c == '\n' ? ' ' : c;
  stop();
  throw Error(path_, "ffmpeg failed" + (said.empty() ? "" : ": " + said),
              "free space on the disk, or install an ffmpeg with the encoders libx264 and libvpx-vp9");
}

void Ffmpeg::stop() noexcept {
  if (pipe_ >= 0) ::close(std::exchange(pipe_, -1));
  if (process_ >= 0) {
    kill(process_, SIGKILL);
    wait();
  }
  if (messages_ >= 0) ::close(std::exchange(messages_, -1));
  if (!temporary_.empty()) std::remove(temporary_.c_str());
  temporary_.clear();
}

}  // namespace pliant
