#pragma once
// What an experiment found: a table, plots, and figures with the bounds that they have to keep.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "experiments/plot.h"

namespace pliant::experiments {

/// Rows of numbers and words under named columns; a column's name carries its unit: "stress [Pa]".
class Table {
 public:
  using Cell = std::variant<double, std::string>;

  void columns(std::vector<std::string> names) { names_ = std::move(names); }
  /// As many cells as there are columns.
  void row(std::vector<Cell> cells);
  std::string csv() const;
  std::size_t size() const { return rows_.size(); }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<Cell>> rows_;
};

/// A number that the experiment stands for. Without bounds it is told and not judged.
struct Figure {
  std::string what;  // a short sentence, unit in brackets
  double value = 0;
  std::optional<double> at_least{}, at_most{};
  std::string document{};  // what the document prints, in its words; "" if nothing

  bool judged() const { return at_least || at_most; }
  /// Always true for a figure without bounds; never for one that is not a number.
  bool inside() const;
};

struct Report {
  Table table;
  std::vector<Plot> plots;  // side by side in one picture
  std::vector<Figure> figures;
  std::vector<std::string> notes;  // what a reader of the figures must know

  bool inside() const;
};

/// The report as JSON without the table; numbers that are not finite become null.
nlohmann::ordered_json json_of(const Report& report);

/// The figures as lines for a person.
std::string readable(const Report& report);

}  // namespace pliant::experiments
