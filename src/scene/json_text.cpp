// The tree is built here from the parser's events instead of by the library: its own builder
// overwrites a field that comes twice without a word, and gives no position for a number that does
// not fit.
#include "scene/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pliant/error.h"

namespace pliant::scene {
namespace {

using nlohmann::json;

class TreeBuilder : public nlohmann::json_sax<json> {
 public:
  TreeBuilder(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // text formats have none

  bool start_object(size_t) override { return open(json::object()); }
  bool start_array(size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (level.node->contains(name)) {
      throw Error(fmt::format("{}: {}", file_, path()), "this field is given twice", "keep one of the two");
    }
    return true;
  }

  bool parse_error(size_t position, const std::string& last_token, const nlohmann::detail::exception& error) override {
    // The parser has read the offending character, hence the one before the position.
    const auto end =
        text_.begin() + static_cast<std::ptrdiff_t>(std::min(position > 0 ? position - 1 : 0, text_.size()));
    const auto line = 1 + std::count(text_.begin(), end, '\n');
    auto line_start = end;
    while (line_start != text_.begin() && *(line_start - 1) != '\n') --line_start;
    throw Error(fmt::format("{}: line {}, column {}", file_, line, 1 + (end - line_start)),
                reason(error.what(), last_token), "correct the JSON there or just before");
  }

 private:
  struct Level {
    json* node;
    std::string key;
  };

  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json value) {
    levels_.push_back({place(std::move(value)), {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  json* place(json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = levels_.back();
    if (level.node->is_array()) {
      level.node->push_back(std::move(value));
      return &level.node->back();
    }
    return &((*level.node)[level.key] = std::move(value));
  }

  std::string path() const {
    std::string path;
    for (const Level& level : levels_) {
      if (level.node->is_array()) {
        path += fmt::format("[{}]", level.node->size() - 1);
      } else {
        path += (path.empty() ? "" : ".") + level.key;
      }
    }
    return path;
  }

  /// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..." without
  /// the parts that the message has elsewhere.
  static std::string reason(std::string what, const std::string& last_token) {
    if (const auto at = what.find("] "); what.starts_with('[') && at != std::string::npos) what.erase(0, at + 2);
    if (what.starts_with("parse error at line")) {
      if (const auto at = what.find(": "); at != std::string::npos) what.erase(0, at + 2);
    }
    return what.empty() ? fmt::format("cannot be understood near '{}'", last_token) : what;
  }

  const std::string& text_;
  const std::string& file_;
  json root_;
  std::vector<Level> levels_;
};

using nlohmann::ordered_json;

/// On one line, with a blank behind each colon and comma.
std::string one_line(const ordered_json& json) {
  if (!json.is_structured()) return json.dump();
  std::string text;
  for (const auto& [key, value] : json.items()) {
    if (!text.empty()) text += ", ";
    if (json.is_object()) text += ordered_json(key).dump() + ": ";
    text += one_line(value);
  }
  return fmt::format(fmt::runtime(json.is_object() ? "{{{}}}" : "[{}]"), text);
}

/// `column`: where the text starts.
std::string readable(const ordered_json& json, size_t indent, size_t column) {
  constexpr size_t kColumns = 110;
  std::string line = one_line(json);
  if (!json.is_structured() || column + line.size() <= kColumns) return line;
  const std::string margin(indent + 2, ' ');
  std::string text;
  for (const auto& [key, value] : json.items()) {
    std::string head = margin + (json.is_object() ? ordered_json(key).dump() + ": " : "");
    text += (text.empty() ? "\n" : ",\n") + head + readable(value, indent + 2, head.size());
  }
  text.append(1, '\n').append(indent, ' ');
  return fmt::format(fmt::runtime(json.is_object() ? "{{{}}}" : "[{}]"), text);
}

}  // namespace

std::string readable_json(const ordered_json& json) { return readable(json, 0, 0) + "\n"; }

nlohmann::json parse_json(const std::string& text, const std::string& file) {
  TreeBuilder builder(text, file);
  const bool kStrict = true, kIgnoreComments = true;
  json::sax_parse(text, &builder, json::input_format_t::json, kStrict, kIgnoreComments);
  return builder.take();
}

}  // namespace pliant::scene
