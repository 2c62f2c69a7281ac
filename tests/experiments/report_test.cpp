// Tables, figures and plots of experiments.
#include "experiments/report.h"

#include <gtest/gtest.h>

#include <limits>

namespace pliant::experiments {
namespace {

TEST(ExperimentReport, FigureKeepsItsBounds) {
  EXPECT_TRUE((Figure{.what = "free", .value = 1e300}.inside()));
  EXPECT_TRUE((Figure{.what = "a", .value = 1, .at_least = 1, .at_most = 1}.inside()));
  EXPECT_FALSE((Figure{.what = "b", .value = 1.1, .at_most = 1}.inside()));
  EXPECT_FALSE((Figure{.what = "c", .value = 0.9, .at_least = 1}.inside()));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE((Figure{.what = "d", .value = nan, .at_most = 1}.inside()));
  EXPECT_FALSE((Figure{.what = "e", .value = -INFINITY, .at_most = 1}.inside()));
}

TEST(ExperimentReport, OneFigureOutsideIsTheVerdict) {
  Report report;
  report.figures = {{.what = "good", .value = 0, .at_most = 1}, {.what = "told", .value = NAN}};
  EXPECT_TRUE(report.inside());
  EXPECT_EQ(json_of(report)["verdict"], "inside");
  EXPECT_TRUE(json_of(report)["figures"][1]["value"].is_null());
  EXPECT_FALSE(json_of(report)["figures"][1].contains("inside"));
  report.figures.push_back({.what = "bad", .value = 2, .at_most = 1, .document = "1"});
  EXPECT_FALSE(report.inside());
  EXPECT_EQ(json_of(report)["verdict"], "outside");
  EXPECT_EQ(json_of(report)["figures"][2]["inside"], false);
  EXPECT_EQ(json_of(report)["figures"][2]["document"], "1");
  EXPECT_NE(readable(report).find("OUT bad: 2 (at most 1); document: 1"), std::string::npos) << readable(report);
}

TEST(ExperimentReport, TableIsCsv) {
  Table table;
  table.columns({"name", "force, total [N]"});
  table.row({"plain", 0.1});
  table.row({"with \"quotes\"", 1e-20});
  EXPECT_EQ(table.csv(), "name,\"force, total [N]\"\nplain,0.1\n\"with \"\"quotes\"\"\",1e-20\n");
}

TEST(ExperimentPlot, ScriptHasDataAndGaps) {
  const std::vector<Plot> plots = {
      {.title = "a \"b\"", .log_y = true, .series = {{.title = "s", .points = {{1, 2}, {2, NAN}, {3, 4}}}}}};
  const std::string script = gnuplot_script(plots, "x.svg");
  EXPECT_NE(script.find("$p0s0 << END\n1 2\n\n3 4\nEND\n"), std::string::npos) << script;
  EXPECT_NE(script.find("set title \"a \\\"b\\\"\""), std::string::npos) << script;
  EXPECT_NE(script.find("set logscale y"), std::string::npos);
  EXPECT_NE(script.find("set output \"x.svg\""), std::string::npos);
  EXPECT_EQ(gnuplot_script(plots, "").find("set output"), std::string::npos);
}

TEST(ExperimentPlot, DrawsSvgWhereGnuplotIs) {
  const auto svg = draw_svg({{.title = "t", .series = {{.title = "curve", .points = {{0, 0}, {1, 1}}}}}});
  if (!svg) GTEST_SKIP() << "gnuplot is not installed";
  EXPECT_NE(svg->find("<svg"), std::string::npos);
  EXPECT_NE(svg->find("curve"), std::string::npos);
  EXPECT_NE(svg->find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace pliant::experiments
