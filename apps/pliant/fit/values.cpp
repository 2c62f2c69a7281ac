#include "fit/values.h"

#include <charconv>
#include <cmath>

#include "pliant/error.h"

namespace pliant::fit {

namespace {

constexpr const char* kRemedy = "give numbers with commas, or first:step:last";
constexpr std::size_t kMost = 100000;

double number(const std::string& text, const std::string& option) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw Error(option, "\"" + text + "\" is not a number", kRemedy);
  }
  return value;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

}  // namespace

std::vector<double> values_of(const std::string& text, const std::string& option) {
  std::vector<double> values;
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> range = split(part, ':');
    if (range.size() == 1) {
      values.push_back(number(part, option));
      continue;
    }
    if (range.size() != 3) throw Error(option, "\"" + part + "\" is not a range", kRemedy);
    const double first = number(range[0], option), step = number(range[1], option), last = number(range[2], option);
    const double count = std::floor((last - first) / step + 1e-9) + 1;
    if (!(step != 0) || !(count >= 1) || count > kMost) {
      throw Error(option, "\"" + part + "\" has no values, or more than " + std::to_string(kMost), kRemedy);
    }
    for (int i = 0; i < count; ++i) {
      // Rounded to 12 digits: 0.07 and not 0.07000000000000001.
      const double exact = first + i * step;
      values.push_back(std::round(exact * 1e12) / 1e12);
    }
  }
  return values;
}

}  // namespace pliant::fit
