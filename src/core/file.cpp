#include "core/file.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif

#include "core/assert.h"
#include "pliant/error.h"

namespace pliant {

namespace fs = std::filesystem;

namespace {

std::string reason(int error_number) { return std::generic_category().message(error_number); }

int process_id() {
#if defined(_WIN32)
  return _getpid();
#else
  return static_cast<int>(getpid());
#endif
}

int seek(std::FILE* file, uint64_t offset, int from) {
#if defined(_WIN32)
  return _fseeki64(file, static_cast<long long>(offset), from);
#else
  return fseeko(file, static_cast<off_t>(offset), from);
#endif
}

/// A name that no other process and no other file of this process uses, in the target's own folder
/// (a rename is whole or not at all only inside one file system). The ending stays in front of the
/// suffix's dot, so that "*.obj" does not match half a file.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> next{0};
  return target + ".part-" + std::to_string(process_id()) + "-" + std::to_string(next.fetch_add(1));
}

Error failure(const std::string& path, const char* doing, int error_number) {
  const char* remedy = "";
  if (error_number == ENOSPC || error_number == EDQUOT) remedy = "free some space on this disk";
  if (error_number == EACCES || error_number == EPERM || error_number == EROFS)
    remedy = "choose a folder that you may write to";
  return Error(path, std::string("cannot be ") + doing + ": " + reason(error_number), remedy);
}

struct CloseFile {
  std::FILE* file;
  ~CloseFile() { std::fclose(file); }
};

}  // namespace

std::string read_file(const std::string& path, uint64_t largest) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw Error(path, "is a folder", "give a file");
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    const int error_number = errno;
    if (error_number == ENOENT) throw Error(path, "no such file", "check the name and the folder");
    throw Error(path, "cannot be read: " + reason(error_number));
  }
  const CloseFile closing{file};

  // The size is a hint only: pipes have none, and a file may grow while it is read.
  std::string bytes;
  const uintmax_t size = fs::file_size(path, ignored);
  if (!ignored && size <= largest) bytes.reserve(static_cast<std::size_t>(size) + 1);
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (;;) {
    const std::size_t before = bytes.size();
    const std::size_t room = bytes.capacity() - before;
    bytes.resize(before + (room > 0 && room < kPiece ? room : kPiece));
    const std::size_t got = std::fread(bytes.data() + before, 1, bytes.size() - before, file);
    bytes.resize(before + got);
    if (bytes.size() > largest) {
      throw Error(path, "is larger than " + std::to_string(largest) + " bytes",
                  "split it, or check that it is the right file");
    }
    if (got > 0) continue;
    if (std::ferror(file)) throw Error(path, "cannot be read: " + reason(errno));
    return bytes;
  }
}

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(path) {
  if (path.empty()) throw Error("output", "has an empty file name", "give a name");
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) {
    const fs::path pointed_at = fs::weakly_canonical(path, ignored);
    if (!ignored) target_ = pointed_at.string();
  }
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::is_directory(status)) throw Error(path, "is a folder", "give a file name inside it");
  const bool direct = fs::exists(status) && !fs::is_regular_file(status);
  const fs::path folder = fs::path(target_).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    throw Error(path, "the folder " + folder.string() + " does not exist", "make it first");
  }

  if (direct) {
    file_ = std::fopen(target_.c_str(), "wb");
  } else {
    temporary_ = temporary_name(target_);
    file_ = std::fopen(temporary_.c_str(), "wbx");
    // A process of the same number that was killed may have left this name behind.
    if (file_ == nullptr && errno == EEXIST) file_ = std::fopen(temporary_.c_str(), "wb");
  }
  if (file_ == nullptr) {
    const int error_number = errno;
    temporary_.clear();
    fail("opened for writing", error_number);
  }
  constexpr std::size_t kBuffer = std::size_t{1} << 18;  // few system calls, still inside the L2 cache
  std::setvbuf(file_, nullptr, _IOFBF, kBuffer);
  if (!direct && fs::exists(status)) fs::permissions(temporary_, status.permissions(), ignored);
}

AtomicFile::~AtomicFile() { discard(); }

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::exchange(other.file_, nullptr)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  path_ = std::move(other.path_);
  target_ = std::move(other.target_);
  temporary_ = std::exchange(other.temporary_, {});
  file_ = std::exchange(other.file_, nullptr);
  return *this;
}

void AtomicFile::write(const void* data, std::size_t size) {
  PLIANT_CHECK(file_ != nullptr, "write before commit()");
  if (size == 0) return;
  if (std::fwrite(data, 1, size, file_) != size) fail("written", errno);
}

void AtomicFile::commit() {
  PLIANT_CHECK(file_ != nullptr, "commit once");
  if (std::fflush(file_) != 0) fail("written", errno);  // a full disk often shows only here
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail("written", errno);
  if (temporary_.empty()) return;
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) fail("renamed to its final name", error.value());
  temporary_.clear();
}

void AtomicFile::fail(const char* doing, int error_number) {
  discard();
  throw failure(path_, doing, error_number);
}

void AtomicFile::discard() noexcept {
  if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
  if (!temporary_.empty()) std::remove(temporary_.c_str());
  temporary_.clear();
}

Spool::Spool(const std::string& beside) : path_(beside), temporary_(temporary_name(beside)) {
  file_ = std::fopen(temporary_.c_str(), "w+b");
  if (file_ == nullptr) throw failure(path_, "opened for writing", errno);
  constexpr std::size_t kBuffer = std::size_t{1} << 18;
  std::setvbuf(file_, nullptr, _IOFBF, kBuffer);
#if !defined(_WIN32)
  std::remove(temporary_.c_str());  // the file stays until it is closed
  temporary_.clear();
#endif
}

Spool::~Spool() {
  std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void Spool::append(const void* data, std::size_t size) {
  if (size == 0) return;
  if (!at_end_ && seek(file_, 0, SEEK_END) != 0) throw failure(path_, "written", errno);
  at_end_ = true;
  if (std::fwrite(data, 1, size, file_) != size) throw failure(path_, "written", errno);
  size_ += size;
}

void Spool::read(uint64_t offset, void* data, std::size_t size) {
  PLIANT_CHECK(offset <= size_ && size <= size_ - offset, "read what was appended");
  if (size == 0) return;
  at_end_ = false;
  if (seek(file_, offset, SEEK_SET) != 0 || std::fread(data, 1, size, file_) != size) {
    throw failure(path_, "written (its frames, which were put aside, cannot be read again)", errno);
  }
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace pliant
