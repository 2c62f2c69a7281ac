#pragma once
// Numbers and words from a text, line by line, with the line's number at hand for messages.
// Independent of the process's locale: a decimal point is a point.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/error.h"

namespace pliant {

class TextReader {
 public:
  /// `comment` starts a remark that runs to the end of the line; 0: there are none.
  TextReader(std::string_view text, std::string file, char comment);

  /// Goes to the next line that has a word in it, over empty lines and remarks; false at the end.
  bool next_line();
  /// Whether the line has another word.
  bool has_word();
  /// The next word of the line; fails at its end. `what` says what was expected: "a vertex number".
  std::string_view word(const char* what);
  double number(const char* what);  // finite
  int64_t integer(const char* what);
  int64_t count(const char* what);  // an integer that is not negative
  /// The same words without regard to lines: goes on to the next line where one ends.
  void allow_line_breaks() {
    while (!has_word() && next_line()) {
    }
  }

  std::size_t bytes_left() const { return text_.size() - next_; }
  /// Where the next line starts.
  std::size_t offset() const { return next_; }
  /// Goes to a place in the text: the next line starts there. Lines in between count.
  void jump_to(std::size_t offset);
  /// "file:line", the line being the present one.
  std::string where() const;
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy = "correct this line") const;

 private:
  std::string_view text_;
  std::string file_;
  std::string_view line_;  // what is left of the present line
  std::size_t next_ = 0;
  int64_t line_number_ = 0;
  char comment_;
};

/// A word of a file for a message: in quotes, short, without control characters.
std::string in_quotes(std::string_view word);

/// Text as a number, all of it; false where it is none. "1e400", "nan" and "inf" are none.
bool parse_number(std::string_view text, double& value);
bool parse_integer(std::string_view text, int64_t& value);

/// Room for what a file says it holds, but never for more than its bytes can hold: a file that claims
/// 10^9 vertices costs nothing until they arrive.
template <class T>
void reserve_claimed(std::vector<T>& list, int64_t claimed, std::size_t bytes_left, std::size_t smallest_bytes_each) {
  const auto possible = static_cast<int64_t>(bytes_left / smallest_bytes_each);
  list.reserve(list.size() + static_cast<std::size_t>(claimed < possible ? claimed : possible));
}

/// Smallest bytes of a line with three numbers: "0 0 0" and its end.
inline constexpr std::size_t kSmallestLineOfThree = 6;

}  // namespace pliant
