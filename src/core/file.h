#pragma once
// Whole files in, whole files out.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace pliant {

/// Larger than any mesh or scene that fits the engine's 32-bit particle numbers, smaller than what
/// would fill a machine's memory by mistake.
inline constexpr uint64_t kLargestFile = uint64_t{4} << 30;  // [bytes]

/// All bytes of a file. Throws Error (where = path) when it is missing, unreadable, a folder or
/// larger than `largest` bytes.
std::string read_file(const std::string& path, uint64_t largest = kLargestFile);

/// A file that appears whole or not at all: written under a temporary name beside the target, renamed
/// by commit(), removed by the destructor if that was not reached. A file of that name from before
/// stays untouched until then, and keeps its permissions.
///
///   AtomicFile out("mesh.obj");
///   out.write("v 0 0 0\n");
///   out.commit();
///
/// Every failure (missing folder, no permission, full disk) throws Error (where = path). A device or
/// pipe (/dev/stdout) is written directly: replacing it would be wrong.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;

  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Completes the file and gives it its name. Nothing can be written afterwards.
  void commit();

  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(const char* doing, int error_number);
  void discard() noexcept;

  std::string path_;       // as the caller wrote it
  std::string target_;     // what it stands for: links followed
  std::string temporary_;  // empty: written directly, or committed
  std::FILE* file_ = nullptr;
};

/// Bytes that are put aside and read again, in a file without a name: it goes away with the object, also when the
/// process is killed. `beside` is the file that they are meant for; its disk has the room, and messages name it.
class Spool {
 public:
  explicit Spool(const std::string& beside);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  void append(const void* data, std::size_t size);
  void read(uint64_t offset, void* data, std::size_t size);
  uint64_t size() const { return size_; }

 private:
  std::string path_, temporary_;
  std::FILE* file_ = nullptr;
  uint64_t size_ = 0;
  bool at_end_ = true;
};

/// The whole of a small file at once.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace pliant
