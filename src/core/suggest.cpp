#include "core/suggest.h"

#include <algorithm>

namespace pliant {

namespace {

/// Lower case, '-' and ' ' as '_'. ASCII: names of fields and types are.
std::string folded(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-' || c == ' ') c = '_';
  }
  return out;
}

/// Edit distance with swaps of neighbours ("optimal string alignment"): three rows of the table
/// d(i, j) = distance of the first i letters of a and the first j of b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t kLongestName = 100;  // what is longer is no misspelt name, and the table is quadratic
  if (word.empty() || word.size() > kLongestName) return {};
  const std::string wanted = folded(word);
  const std::string* nearest = nullptr;
  std::size_t smallest = 0;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongestName) continue;
    const std::size_t distance = edit_distance(wanted, folded(candidate));
    if (3 * distance > std::max(wanted.size(), candidate.size())) continue;
    if (nearest != nullptr && distance >= smallest) continue;
    nearest = &candidate;
    smallest = distance;
  }
  return nearest != nullptr ? *nearest : std::string();
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string nearest = nearest_name(word, candidates);
  if (!nearest.empty()) return "did you mean \"" + nearest + "\"?";
  if (candidates.empty()) return {};
  std::string text = candidates.size() == 1 ? "use " : "use one of: ";
  for (std::size_t i = 0; i < candidates.size(); ++i) text += (i > 0 ? ", " : "") + candidates[i];
  return text;
}

}  // namespace pliant
