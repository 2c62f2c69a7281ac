#include "experiments/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/assert.h"

namespace pliant::experiments {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
  return out;
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string bounds_text(const Figure& figure) {
  if (figure.at_least && figure.at_most) return fmt::format("{:g} to {:g}", *figure.at_least, *figure.at_most);
  if (figure.at_least) return fmt::format("at least {:g}", *figure.at_least);
  return fmt::format("at most {:g}", *figure.at_most);
}

}  // namespace

void Table::row(std::vector<Cell> cells) {
  PLIANT_CHECK(cells.size() == names_.size(), "a row has as many cells as the table has columns");
  rows_.push_back(std::move(cells));
}

std::string Table::csv() const {
  std::string out;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (i) out += ',';
    out += quoted(names_[i]);
  }
  out += '\n';
  for (const std::vector<Cell>& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i) out += ',';
      if (const double* number = std::get_if<double>(&row[i])) {
        out += fmt::format("{:.9g}", *number);
      } else {
        out += quoted(std::get<std::string>(row[i]));
      }
    }
    out += '\n';
  }
  return out;
}

bool Figure::inside() const {
  if (!judged()) return true;
  if (!std::isfinite(value)) return false;
  return (!at_least || value >= *at_least) && (!at_most || value <= *at_most);
}

bool Report::inside() const {
  return std::all_of(figures.begin(), figures.end(), [](const Figure& figure) { return figure.inside(); });
}

Json json_of(const Report& report) {
  Json figures = Json::array();
  for (const Figure& figure : report.figures) {
    Json entry = {{"what", figure.what}, {"value", number_or_null(figure.value)}};
    if (!figure.document.empty()) entry["document"] = figure.document;
    if (figure.at_least) entry["at_least"] = *figure.at_least;
    if (figure.at_most) entry["at_most"] = *figure.at_most;
    if (figure.judged()) entry["inside"] = figure.inside();
    figures.push_back(std::move(entry));
  }
  return {{"verdict", report.inside() ? "inside" : "outside"}, {"figures", figures}, {"notes", report.notes}};
}

std::string readable(const Report& report) {
  std::string out;
  for (const Figure& figure : report.figures) {
    out += fmt::format("  {} {}: {:.6g}", figure.judged() ? (figure.inside() ? "ok " : "OUT") : "   ", figure.what,
                       figure.value);
    if (figure.judged()) out += fmt::format(" ({})", bounds_text(figure));
    if (!figure.document.empty()) out += fmt::format("; document: {}", figure.document);
    out += '\n';
  }
  for (const std::string& note : report.notes) out += "  note: " + note + "\n";
  return out;
}

}  // namespace pliant::experiments
