#pragma once
// Plots as SVG, drawn by gnuplot as an external program.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pliant::experiments {

struct Series {
  enum class Style { lines, points, both };
  std::string title;
  std::vector<std::pair<double, double>> points{};  // one that is not finite breaks the line
  Style style = Style::lines;
};

struct Plot {
  std::string title{}, x_label{}, y_label{};  // both "[m]": a shape, drawn with equal units
  bool log_x = false, log_y = false;
  std::optional<std::pair<double, std::optional<double>>> y_range{};  // nothing: as high as the data
  std::string key = "top left";                                       // where the legend stands, in gnuplot's words
  std::vector<Series> series{};
};

/// A gnuplot script with its data in it. It writes SVG to `output`, or to its standard output if that is "".
std::string gnuplot_script(const std::vector<Plot>& plots, const std::string& output);

/// The picture; nothing if there is no program named gnuplot. Throws Error when it fails.
std::optional<std::string> draw_svg(const std::vector<Plot>& plots);

}  // namespace pliant::experiments
