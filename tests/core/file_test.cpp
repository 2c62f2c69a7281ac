#include "core/file.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "pliant/error.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

class File : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "pliant-file-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string in_folder(const std::string& name) const { return (folder / name).string(); }
  int files_in_folder() const {
    int count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++count;
    return count;
  }

  fs::path folder;
};

/// The message of the Error that f throws; "" if it throws none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST_F(File, ComesBackAsWritten) {
  std::string bytes;
  for (int i = 0; i < 3'000'000; ++i) bytes += static_cast<char>(i * 7 + i / 256);  // several buffers, all values
  for (const std::string& content : {std::string(), std::string("a"), std::string("line\r\n\0end", 10), bytes}) {
    write_file(in_folder("file.bin"), content);
    EXPECT_TRUE(read_file(in_folder("file.bin")) == content) << content.size() << " bytes";
  }
  EXPECT_EQ(files_in_folder(), 1);
}

TEST_F(File, WritesInPieces) {
  AtomicFile out(in_folder("pieces.txt"));
  for (int i = 0; i < 1000; ++i) out.write(std::to_string(i) + "\n");
  out.write("", 0);
  out.commit();
  const std::string text = read_file(in_folder("pieces.txt"));
  EXPECT_EQ(text.substr(0, 6), "0\n1\n2\n");
  EXPECT_EQ(text.size(), 10 * 2 + 90 * 3 + 900 * 4u);
}

TEST_F(File, MissingFilesAreNamed) {
  const std::string path = in_folder("nothing.json");
  EXPECT_EQ(error_of([&] { read_file(path); }), path + ": no such file; check the name and the folder");
}

TEST_F(File, FoldersAreNotFiles) {
  EXPECT_EQ(error_of([&] { read_file(folder.string()); }), folder.string() + ": is a folder; give a file");
  EXPECT_EQ(error_of([&] { AtomicFile out(folder.string()); }),
            folder.string() + ": is a folder; give a file name inside it");
}

TEST_F(File, TooLargeIsRefused) {
  write_file(in_folder("file"), std::string(1000, 'x'));
  EXPECT_EQ(read_file(in_folder("file"), 1000).size(), 1000u);
  EXPECT_EQ(error_of([&] { read_file(in_folder("file"), 999); }),
            in_folder("file") + ": is larger than 999 bytes; split it, or check that it is the right file");
}

TEST_F(File, MissingFoldersAreNamed) {
  const std::string path = in_folder("no/such/file.obj");
  EXPECT_EQ(error_of([&] { AtomicFile out(path); }),
            path + ": the folder " + in_folder("no/such") + " does not exist; make it first");
  EXPECT_NE(error_of([] { AtomicFile out(""); }), "");
}

TEST_F(File, AppearsOnlyWhenComplete) {
  const std::string path = in_folder("out.obj");
  {
    AtomicFile out(path);
    out.write("half");
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(files_in_folder(), 0) << "nothing is left behind";
}

TEST_F(File, TheOldFileStaysUntilTheNewOneIsComplete) {
  const std::string path = in_folder("out.obj");
  write_file(path, "old");
  {
    AtomicFile out(path);
    out.write("new, given up");
  }
  EXPECT_EQ(read_file(path), "old");
  AtomicFile out(path);
  out.write("new");
  EXPECT_EQ(read_file(path), "old");
  out.commit();
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(files_in_folder(), 1);
}

TEST_F(File, TwoWritersOfOneNameDoNotMix) {
  const std::string path = in_folder("out");
  AtomicFile a(path), b(path);
  a.write("aaaa");
  b.write("bb");
  a.commit();
  EXPECT_EQ(read_file(path), "aaaa");
  b.commit();
  EXPECT_EQ(read_file(path), "bb");
}

TEST_F(File, MayBeMoved) {
  AtomicFile first(in_folder("a"));
  first.write("one ");
  AtomicFile second = std::move(first);
  second.write("two");
  AtomicFile third(in_folder("b"));
  third = std::move(second);
  third.commit();
  EXPECT_EQ(read_file(in_folder("a")), "one two");
  EXPECT_EQ(files_in_folder(), 1) << "b was given up";
}

TEST_F(File, RelativeNamesNeedNoFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  write_file("plain.txt", "here");
  const std::string text = read_file("plain.txt");
  fs::current_path(before);
  EXPECT_EQ(text, "here");
}

TEST_F(File, CommittingTwiceIsAProgrammersMistake) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  AtomicFile out(in_folder("a"));
  out.commit();
  EXPECT_DEATH(out.commit(), "commit once");
  EXPECT_DEATH(out.write("x"), "write before commit");
}

#if defined(__linux__)

TEST_F(File, KeepsPermissionsAndLinks) {
  const std::string path = in_folder("real");
  write_file(path, "old");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  fs::create_symlink("real", in_folder("link"));
  write_file(in_folder("link"), "new");
  EXPECT_TRUE(fs::is_symlink(in_folder("link")));
  EXPECT_EQ(read_file(path), "new");
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(File, DevicesAreWrittenDirectlyAndAFullDiskIsReported) {
  const std::string pipe = in_folder("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_file(pipe, "through");
  char bytes[16] = {};
  EXPECT_EQ(read(reader, bytes, sizeof(bytes)), 7);
  EXPECT_STREQ(bytes, "through");
  close(reader);
  // Only if the pipe was not replaced by a file is it safe to try with the machine's own devices.
  ASSERT_TRUE(fs::is_fifo(pipe));
  write_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(read_file("/dev/null"), "");
  const std::string full = "/dev/full: cannot be written: No space left on device; free some space on this disk";
  EXPECT_EQ(error_of([] { write_file("/dev/full", "some bytes"); }), full);
  EXPECT_EQ(error_of([] { write_file("/dev/full", std::string(5'000'000, 'x')); }), full);
}

TEST_F(File, NothingIsLeftWhenWritingFailsHalfWay) {
  const std::string path = in_folder("big");
  write_file(path, "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = error_of([&] { write_file(path, std::string(5'000'000, 'x')); });
  const std::string error_at_commit = error_of([&] { write_file(path, std::string(150'000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(error, path + ": cannot be written: File too large");
  EXPECT_EQ(error_at_commit, path + ": cannot be written: File too large");
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(files_in_folder(), 1);
}

/// Root may read and write everything: as root, be nobody for a while.
class WithoutPrivileges {
 public:
  explicit WithoutPrivileges(const fs::path& folder) : was_root_(geteuid() == 0) {
    constexpr uid_t kNobody = 65534;
    works_ = !was_root_ || (chown(folder.c_str(), kNobody, static_cast<gid_t>(-1)) == 0 && seteuid(kNobody) == 0);
  }
  ~WithoutPrivileges() {
    if (was_root_ && seteuid(0) != 0) std::abort();
  }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;
  bool works() const { return works_; }

 private:
  bool was_root_;
  bool works_;
};

TEST_F(File, ForbiddenFilesAreNamed) {
  const WithoutPrivileges nobody(folder);
  if (!nobody.works()) GTEST_SKIP() << "root, and not allowed to be anybody else";
  write_file(in_folder("secret"), "x");
  ASSERT_EQ(chmod(in_folder("secret").c_str(), 0), 0);
  EXPECT_EQ(error_of([&] { read_file(in_folder("secret")); }),
            in_folder("secret") + ": cannot be read: Permission denied");
  ASSERT_EQ(chmod(folder.c_str(), 0500), 0);
  EXPECT_EQ(
      error_of([&] { AtomicFile out(in_folder("new")); }),
      in_folder("new") + ": cannot be opened for writing: Permission denied; choose a folder that you may write to");
  ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
}

TEST_F(File, ReadsPipes) {
  const std::string path = in_folder("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const pid_t child = fork();
  if (child == 0) {
    std::FILE* pipe = std::fopen(path.c_str(), "wb");
    for (int i = 0; i < 100'000; ++i) std::fputs("0123456789", pipe);
    std::fclose(pipe);
    _exit(0);
  }
  EXPECT_EQ(read_file(path).size(), 1'000'000u);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
}

#endif

}  // namespace
}  // namespace pliant
