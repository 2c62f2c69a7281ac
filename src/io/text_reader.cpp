#include "io/text_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace pliant {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0'; }

}  // namespace

std::string in_quotes(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string text(word.substr(0, kLongest));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return fmt::format("\"{}{}\"", text, word.size() > kLongest ? "..." : "");
}

bool parse_number(std::string_view text, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty() || text.front() == '+') return false;
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
#else  // an older standard library: strtod reads more (hexadecimal, the locale's comma); the first is refused here
  const std::string copy(text);
  if (copy.find_first_not_of("0123456789.eE+-") != std::string::npos) return false;
  char* end = nullptr;
  value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return false;
#endif
  return std::isfinite(value);
}

bool parse_integer(std::string_view text, int64_t& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty() || text.front() == '+') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

TextReader::TextReader(std::string_view text, std::string file, char comment)
    : text_(text), file_(std::move(file)), comment_(comment) {}

bool TextReader::next_line() {
  line_ = {};
  while (next_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', next_), text_.size());
    line_ = text_.substr(next_, end - next_);
    next_ = std::min(end + 1, text_.size());
    ++line_number_;
    if (comment_ != 0) line_ = line_.substr(0, line_.find(comment_));
    if (has_word()) return true;
  }
  return false;
}

void TextReader::jump_to(std::size_t offset) {
  offset = std::min(offset, text_.size());
  if (offset > next_) {
    const std::string_view between = text_.substr(next_, offset - next_);
    line_number_ += std::count(between.begin(), between.end(), '\n');
  }
  line_ = {};
  next_ = offset;
}

bool TextReader::has_word() {
  while (!line_.empty() && is_blank(line_.front())) line_.remove_prefix(1);
  return !line_.empty();
}

std::string_view TextReader::word(const char* what) {
  if (!has_word()) {
    if (next_ >= text_.size()) fail(fmt::format("the file ends where {} should be", what), "give the whole file");
    fail(fmt::format("the line ends where {} should be", what));
  }
  std::size_t length = 0;
  while (length < line_.size() && !is_blank(line_[length])) ++length;
  const std::string_view found = line_.substr(0, length);
  line_.remove_prefix(length);
  return found;
}

double TextReader::number(const char* what) {
  const std::string_view text = word(what);
  double value = 0;
  if (!parse_number(text, value)) fail(fmt::format("{} is not {}", in_quotes(text), what), "give a finite number");
  return value;
}

int64_t TextReader::integer(const char* what) {
  const std::string_view text = word(what);
  int64_t value = 0;
  if (!parse_integer(text, value)) fail(fmt::format("{} is not {}", in_quotes(text), what), "give a whole number");
  return value;
}

int64_t TextReader::count(const char* what) {
  const int64_t value = integer(what);
  if (value < 0) fail(fmt::format("{} is not {}", value, what), "give a number that is not negative");
  return value;
}

std::string TextReader::where() const { return fmt::format("{}:{}", file_, line_number_); }

void TextReader::fail(const std::string& problem, const std::string& remedy) const {
  throw Error(where(), problem, remedy);
}

}  // namespace pliant
