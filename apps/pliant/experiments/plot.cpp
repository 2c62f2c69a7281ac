#include "experiments/plot.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "pliant/error.h"

namespace pliant::experiments {
namespace {

// The usual colours for eight series that the colour-blind can tell apart (Okabe and Ito 2008).
constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000", "#999999"};
constexpr int kPanelWidth = 520, kPanelHeight = 390;  // [px]
constexpr std::size_t kMostInARow = 4;                // panels; more of them stand in rows of three

/// In double quotes, with what gnuplot would read as commands of its own made harmless.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

const char* style_name(Series::Style style) {
  switch (style) {
    case Series::Style::points:
      return "points pt 7 ps 0.5";
    case Series::Style::both:
      return "linespoints lw 1.5 pt 7 ps 0.5";
    default:
      return "lines lw 1.5";
  }
}

/// A plot's data as gnuplot datablocks $p0s0, $p0s1, ...
std::string data_blocks(const Plot& plot, std::size_t index) {
  std::string out;
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    out += fmt::format("$p{}s{} << END\n", index, s);
    for (const auto& [x, y] : plot.series[s].points) {
      // Six digits are finer than a pixel.
      out += std::isfinite(x) && std::isfinite(y) ? fmt::format("{:.6g} {:.6g}\n", x, y) : "\n";
    }
    out += "END\n";
  }
  return out;
}

bool shows_a_shape(const Plot& plot) { return plot.x_label == "[m]" && plot.y_label == "[m]"; }

std::string panel(const Plot& plot, std::size_t index) {
  std::string out;
  out += fmt::format("set title {}\nset xlabel {}\nset ylabel {}\nset key {}\n", quoted(plot.title),
                     quoted(plot.x_label), quoted(plot.y_label), plot.key);
  out += plot.log_x ? "set logscale x\n" : "unset logscale x\n";
  out += plot.log_y ? "set logscale y\n" : "unset logscale y\n";
  out += "set autoscale y\n";
  if (plot.y_range) {
    const auto& [low, high] = *plot.y_range;
    out += fmt::format("set yrange [{}:{}]\n", low, high ? fmt::format("{}", *high) : "*");
  }
  out += shows_a_shape(plot) ? "set size ratio -1\n" : "set size noratio\n";
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    const Series& series = plot.series[s];
    out += s == 0 ? "plot " : ", \\\n     ";
    out += fmt::format("$p{}s{} using 1:2 with {} lc rgb \"{}\" title {}", index, s, style_name(series.style),
                       kColors[s % std::size(kColors)], quoted(series.title));
  }
  return out + "\n";
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File temporary_file() {
  File file(std::tmpfile());
  if (!file) throw Error("gnuplot", "no temporary file can be made", "free some space in the folder for them (TMPDIR)");
  return file;
}

std::string content(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, size);
  return text;
}

/// The same picture in two thirds of the file: gnuplot writes a group for every change of colour, also where nothing is
/// drawn in it, and in each the ends and corners of lines that SVG has anyway.
std::string compact(std::string svg) {
  const std::string defaults = " stroke-linecap=\"butt\" stroke-linejoin=\"miter\"";
  for (std::size_t at; (at = svg.find(defaults)) != std::string::npos;) svg.erase(at, defaults.size());
  std::string out;
  for (std::size_t begin = 0; begin < svg.size();) {
    const std::size_t end = std::min(svg.find('\n', begin), svg.size() - 1) + 1;
    const bool opens = svg.compare(begin, 3, "<g ") == 0 && svg[end - 2] == '>';
    if (opens && svg.compare(end, 5, "</g>\n") == 0) {
      begin = end + 5;
      continue;
    }
    out.append(svg, begin, end - begin);
    begin = end;
  }
  return out;
}

}  // namespace

std::string gnuplot_script(const std::vector<Plot>& plots, const std::string& output) {
  const std::size_t columns = plots.size() > kMostInARow ? 3 : plots.size();
  const std::size_t rows = columns == 0 ? 1 : (plots.size() + columns - 1) / columns;
  std::string out = fmt::format("set terminal svg noenhanced size {},{} font \"sans-serif,12\" background \"white\"\n",
                                kPanelWidth * columns, kPanelHeight * rows);
  if (!output.empty()) out += fmt::format("set output {}\n", quoted(output));
  out += "set grid lc rgb \"#dddddd\"\nset tics nomirror\nset border 3\n";
  for (std::size_t p = 0; p < plots.size(); ++p) out += data_blocks(plots[p], p);
  if (plots.size() > 1) out += fmt::format("set multiplot layout {},{}\n", rows, columns);
  for (std::size_t p = 0; p < plots.size(); ++p) out += panel(plots[p], p);
  if (plots.size() > 1) out += "unset multiplot\n";
  return out;
}

std::optional<std::string> draw_svg(const std::vector<Plot>& plots) {
  // Files in place of pipes: nothing waits for anything, whatever the sizes.
  const File in = temporary_file(), out = temporary_file(), err = temporary_file();
  const std::string script = gnuplot_script(plots, "");
  std::fwrite(script.data(), 1, script.size(), in.get());
  std::rewind(in.get());

  constexpr int kNoProgram = 127;  // as shells say it
  const pid_t child = fork();
  if (child < 0) throw Error("gnuplot", "cannot be started", "try again when the machine has less to do");
  if (child == 0) {
    if (dup2(fileno(in.get()), STDIN_FILENO) < 0 || dup2(fileno(out.get()), STDOUT_FILENO) < 0 ||
        dup2(fileno(err.get()), STDERR_FILENO) < 0) {
      _exit(1);
    }
    execlp("gnuplot", "gnuplot", "-", static_cast<char*>(nullptr));
    _exit(kNoProgram);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoProgram) return {};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error("gnuplot", "ended with an error: " + content(err.get()), "see whether `gnuplot --version` works");
  }
  return compact(content(out.get()));
}

}  // namespace pliant::experiments
