#include "scene/reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/suggest.h"
#include "pliant/error.h"

namespace pliant::scene {
namespace {

using nlohmann::json;

/// A value as a message shows it: not the whole of a long one.
std::string shown(const json& value) {
  if (value.is_object()) return "an object {...}";
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  if (value.is_null()) return "null";
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_string()) {
    constexpr size_t kLongest = 40;
    const std::string text = value.get<std::string>();
    return fmt::format("the text \"{}\"", text.size() <= kLongest ? text : text.substr(0, kLongest) + "...");
  }
  return value.dump();
}

std::string with_unit(const std::string& text, const Field& field) {
  return field.unit.empty() ? text : fmt::format("{} [{}]", text, field.unit);
}

/// "above 0 and at most 1 [s]"
std::string range_of(const Field& field) {
  std::string low, high;
  if (field.above) low = fmt::format("above {}", *field.above);
  if (field.at_least) low = fmt::format("at least {}", *field.at_least);
  if (field.at_most) high = fmt::format("at most {}", *field.at_most);
  return with_unit(low.empty() || high.empty() ? low + high : low + " and " + high, field);
}

std::string example_of(const Field& field) {
  return field.example.empty() ? "" : fmt::format(", for example {}", field.example);
}

[[noreturn]] void wrong_type(const std::string& where, const json& value, const std::string& wanted,
                             const Field& field) {
  throw Error(where, fmt::format("{} is not {}", shown(value), wanted),
              fmt::format("give {}{}", with_unit(wanted, field), example_of(field)));
}

double read_number(const json& value, const std::string& where, const Field& field, const char* wanted = "a number") {
  if (!value.is_number()) wrong_type(where, value, wanted, field);
  const double number = value.get<double>();
  // The state is kept in float32 unless asked otherwise.
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (!(std::abs(number) <= kLargest)) {
    throw Error(where, fmt::format("{} is too large for the engine's numbers", value.dump()),
                fmt::format("give at most {:.1g} in size", kLargest));
  }
  const bool inside = !(field.above && !(number > *field.above)) && !(field.at_least && !(number >= *field.at_least)) &&
                      !(field.at_most && !(number <= *field.at_most));
  if (!inside) {
    throw Error(where, fmt::format("{} is out of range", value.dump()),
                fmt::format("give {} that is {}{}", wanted, range_of(field), example_of(field)));
  }
  return number;
}

int read_integer(const json& value, const std::string& where, const Field& field) {
  const char* wanted = "a whole number";
  const double number = read_number(value, where, field, wanted);
  if (number != std::floor(number)) wrong_type(where, value, wanted, field);
  constexpr double kLargest = std::numeric_limits<int>::max();
  if (std::abs(number) > kLargest) {
    throw Error(where, fmt::format("{} is out of range", value.dump()),
                fmt::format("give {} up to {:.0f}", wanted, kLargest));
  }
  return static_cast<int>(number);
}

std::string read_text(const json& value, const std::string& where, const Field& field) {
  if (!value.is_string()) wrong_type(where, value, "a text", field);
  std::string text = value.get<std::string>();
  if (text.empty()) throw Error(where, "the text is empty", "write something" + example_of(field));
  return text;
}

/// A vector of fixed length, each component through `read`.
template <class T, class Read>
void read_vector(const json& value, const std::string& where, const Field& field, std::span<T> values, Read read) {
  if (field.one_for_all && value.is_number()) {
    std::fill(values.begin(), values.end(), read(value, where, field));
    return;
  }
  if (!value.is_array() || value.size() != values.size()) {
    wrong_type(where, value, fmt::format("a list of {} numbers", values.size()), field);
  }
  for (size_t i = 0; i < values.size(); ++i) values[i] = read(value[i], fmt::format("{}[{}]", where, i), field);
}

template <class T, class Read>
void read_list(const json& value, const std::string& where, const Field& field, std::vector<T>& values, Read read) {
  if (!value.is_array()) wrong_type(where, value, "a list [...]", field);
  for (size_t i = 0; i < value.size(); ++i) values.push_back(read(value[i], fmt::format("{}[{}]", where, i), field));
}

}  // namespace

Reading::Reading(const json& object, std::string file, std::string path, std::string field_noun)
    : object_(object), file_(std::move(file)), path_(std::move(path)), field_noun_(std::move(field_noun)) {
  if (!object_.is_object()) {
    throw Error(where(), fmt::format("{} is not an object", shown(object_)), "give an object {...}");
  }
}

void Reading::finish() const {
  for (const auto& [name, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    throw Error(where_of(name), fmt::format("there is no {} '{}'", field_noun_, name), did_you_mean(name, known_));
  }
  for (const std::string& name : missing_) {
    throw Error(where_of(name), fmt::format("this {} is missing", field_noun_), "add it");
  }
  for (const auto& names : none_of_) {
    throw Error(where(), "the choice is missing", fmt::format("add one of: {}", fmt::join(names, ", ")));
  }
}

std::string Reading::where() const { return path_.empty() ? file_ : fmt::format("{}: {}", file_, path_); }
std::string Reading::path_of(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }
std::string Reading::where_of(const std::string& name) const { return fmt::format("{}: {}", file_, path_of(name)); }
bool Reading::given(const std::string& name) const { return object_.contains(name); }

const json* Reading::find(const std::string& name, const Field& field) {
  known_.push_back(name);
  const auto found = object_.find(name);
  if (found != object_.end()) return &*found;
  if (field.required) missing_.push_back(name);
  return nullptr;
}

void Reading::boolean(const std::string& name, bool& value, const Field& field) {
  const json* found = find(name, field);
  if (!found) return;
  if (!found->is_boolean()) wrong_type(where_of(name), *found, "true or false", field);
  value = found->get<bool>();
}

void Reading::integer(const std::string& name, int& value, const Field& field) {
  if (const json* found = find(name, field)) value = read_integer(*found, where_of(name), field);
}

void Reading::number(const std::string& name, double& value, const Field& field) {
  if (const json* found = find(name, field)) value = read_number(*found, where_of(name), field);
}

void Reading::text(const std::string& name, std::string& value, const Field& field) {
  if (const json* found = find(name, field)) value = read_text(*found, where_of(name), field);
}

void Reading::integers(const std::string& name, std::span<int> values, const Field& field) {
  if (const json* found = find(name, field)) read_vector(*found, where_of(name), field, values, read_integer);
}

void Reading::numbers(const std::string& name, std::span<double> values, const Field& field) {
  const auto read = [](const json& v, const std::string& where, const Field& f) { return read_number(v, where, f); };
  if (const json* found = find(name, field)) read_vector(*found, where_of(name), field, values, read);
}

void Reading::integer_list(const std::string& name, std::vector<int>& values, const Field& field) {
  if (const json* found = find(name, field)) read_list(*found, where_of(name), field, values, read_integer);
}

void Reading::number_list(const std::string& name, std::vector<double>& values, const Field& field) {
  const auto read = [](const json& v, const std::string& where, const Field& f) { return read_number(v, where, f); };
  if (const json* found = find(name, field)) read_list(*found, where_of(name), field, values, read);
}

void Reading::text_list(const std::string& name, std::vector<std::string>& values, const Field& field) {
  if (const json* found = find(name, field)) read_list(*found, where_of(name), field, values, read_text);
}

void Reading::word(const std::string& name, int& index, const std::vector<std::string>& words, const Field& field) {
  const json* found = find(name, field);
  if (!found) return;
  const std::string list = fmt::format("one of: {}", fmt::join(words, ", "));
  if (!found->is_string()) wrong_type(where_of(name), *found, list, field);
  const std::string text = found->get<std::string>();
  const auto at = std::find(words.begin(), words.end(), text);
  if (at == words.end()) {
    throw Error(where_of(name), fmt::format("'{}' is not {}", text, list), did_you_mean(text, words));
  }
  index = static_cast<int>(at - words.begin());
}

void Reading::exactly_one_of(const std::vector<std::string>& names) {
  at_most_one_of(names);
  if (std::none_of(names.begin(), names.end(), [&](const auto& n) { return given(n); })) none_of_.push_back(names);
}

void Reading::at_most_one_of(const std::vector<std::string>& names) {
  std::vector<std::string> both;
  std::copy_if(names.begin(), names.end(), std::back_inserter(both), [&](const auto& n) { return given(n); });
  if (both.size() > 1) {
    throw Error(where(), fmt::format("'{}' and '{}' exclude each other", both[0], both[1]), "give one of them");
  }
}

void Reading::not_here(const std::string& name, const std::string& remedy) {
  if (given(name))
    throw Error(where_of(name), fmt::format("the {} '{}' does not belong here", field_noun_, name), remedy);
}

void Reading::read_object(const json& value, const std::string& path, const ObjectTable& table) const {
  Reading inner(value, file_, path, table.field_noun);
  table.read(inner);
  inner.finish();
}

void Reading::nested(const std::string& name, const ObjectTable& table, const Field& field) {
  if (const json* found = find(name, field)) read_object(*found, path_of(name), table);
}

void Reading::nested_list(const std::string& name, const ObjectTable& table, const Field& field) {
  const json* found = find(name, field);
  if (!found) return;
  if (!found->is_array()) wrong_type(where_of(name), *found, "a list of objects [{...}, ...]", field);
  for (size_t i = 0; i < found->size(); ++i) read_object((*found)[i], fmt::format("{}[{}]", path_of(name), i), table);
}

void Reading::nested_switch(const std::string& name, const ObjectTable& table, const std::function<void(bool)>& turn,
                            const Field& field) {
  const json* found = find(name, field);
  if (!found) return;
  if (found->is_null()) {
    turn(false);
  } else if (found->is_boolean()) {
    turn(found->get<bool>());
  } else if (found->is_object()) {
    read_object(*found, path_of(name), table);
  } else {
    wrong_type(where_of(name), *found, "settings {...}, true, false or null", field);
  }
}

}  // namespace pliant::scene
