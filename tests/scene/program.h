#pragma once
// The program from outside: runs it with arguments, and gives its exit code and what it printed.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "scene/temporary_folder.h"
#include "test_paths.h"

namespace pliant::test {

class ProgramTest : public testing::Test {
 protected:
  struct Result {
    int exit_code = -1;  // negative: ended by that signal
    std::string out, err;
  };

  void SetUp() override {
    if (!std::filesystem::exists(PLIANT_PROGRAM))
      GTEST_SKIP() << PLIANT_PROGRAM << " is not built (PLIANT_BUILD_APPS=OFF)";
  }

  /// `terminal`: where errors and progress go instead of a file. `search_path`: PATH for the program, if not "".
  pid_t start(std::vector<std::string> arguments, const std::string& terminal = {},
              const std::string& search_path = {}) const {
    arguments.insert(arguments.begin(), PLIANT_PROGRAM);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const auto redirect = [](const std::string& path, int to) {
        const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0644);
        if (file < 0 || dup2(file, to) < 0) _exit(99);
      };
      redirect(files.file("stdout"), STDOUT_FILENO);
      redirect(terminal.empty() ? files.file("stderr") : terminal, STDERR_FILENO);
      if (!search_path.empty()) setenv("PATH", search_path.c_str(), 1);
      execv(PLIANT_PROGRAM, argv.data());
      _exit(99);
    }
    return child;
  }

  Result wait(pid_t child) const {
    int status = 0;
    waitpid(child, &status, 0);
    const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return {exit_code, read_text(files.file("stdout")), read_text(files.file("stderr"))};
  }

  Result run(std::vector<std::string> arguments) const { return wait(start(std::move(arguments))); }

  TemporaryFolder folder;
  TemporaryFolder files;  // what the program prints, apart from what it writes
};

inline void expect_no_control_characters(const std::string& text) {
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << int(c) << " in " << text;
}

}  // namespace pliant::test
