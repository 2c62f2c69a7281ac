// Pictures, videos and pages as files.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "io/frame_rate.h"
#include "mesh/mesh_checks.h"
#include "pliant/pliant.h"
#include "scene/temporary_folder.h"

namespace pliant {
namespace {

using test::expect_error;
using test::read_text;
using test::TemporaryFolder;

World falling_sheet(double step = 1.0 / 60) {
  World world({.step = step, .substeps = 1, .threads = 1});
  const BodyId sheet =
      world.add(Cloth{.name = "</script>", .mesh = grid({1, 1}, {4, 4}), .place = {.position = {0, 1, 0}}});
  world.pin(sheet, {0, 4});
  world.add(Rope{.name = "line", .mesh = rope({1, 0, 0}, {1, 1, 0}, 4)});
  return world;
}

WriterOptions small(PictureOptions picture = {}) {
  picture.width = 64;
  picture.height = 36;
  picture.threads = 1;
  return {.picture = picture};
}

void write(const std::string& path, int frames, const WriterOptions& options, double step = 1.0 / 60) {
  World world = falling_sheet(step);
  Writer out(path, options);
  for (int i = 0; i < frames; ++i) {
    world.step();
    out.write(world);
  }
  out.close();
}

/// What a command prints.
std::string output_of(const std::string& command) {
  std::string out;
  std::FILE* pipe = popen(command.c_str(), "r");
  for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  pclose(pipe);
  return out;
}

bool is_installed(const std::string& program) { return !output_of("command -v " + program + " 2>/dev/null").empty(); }

TEST(PngWriter, ShowsTheLastFrameOrTheChosenOne) {
  const TemporaryFolder folder;
  write(folder.file("last.png"), 20, small());
  write(folder.file("chosen.png"), 20, small({.frame = 19}));
  write(folder.file("first.png"), 20, small({.frame = 0}));
  const std::string last = read_text(folder.file("last.png"));
  EXPECT_EQ(last.substr(1, 3), "PNG");
  EXPECT_EQ(read_text(folder.file("chosen.png")), last) << "the same bytes for the same frame";
  EXPECT_NE(read_text(folder.file("first.png")), last);
  EXPECT_EQ(folder.names().size(), 3u) << "nothing temporary is left";
}

TEST(PngWriter, SaysWhichFramesThereAre) {
  const TemporaryFolder folder;
  expect_error([&] { write(folder.file("a.png"), 3, small({.frame = 3})); }, folder.file("a.png"), "the last one is 2");
  EXPECT_TRUE(folder.names().empty());
}

TEST(FrameRate, TakesEveryStepUpToTheMostAndThinsOutMore) {
  FrameRate same(1.0 / 60, 1, 60);
  EXPECT_NEAR(same.rate(), 60, 1e-9);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(same.take());
  FrameRate slow(1.0 / 60, 0.5, 60);
  EXPECT_NEAR(slow.rate(), 30, 1e-9);
  FrameRate thin(1.0 / 100, 1, 60);
  EXPECT_NEAR(thin.rate(), 60, 1e-9);
  int taken = 0;
  for (int i = 0; i < 100; ++i) taken += thin.take();
  EXPECT_EQ(taken, 60);
  FrameRate half(1.0 / 60, 1, 30);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(half.take(), i % 2 == 0) << i;
}

TEST(VideoWriter, RefusesOddSizesAndWantsFfmpeg) {
  const TemporaryFolder folder;
  WriterOptions odd = small();
  odd.picture.width = 63;
  expect_error([&] { Writer(folder.file("a.mp4"), odd); }, folder.file("a.mp4"), "63 x 36");
  const std::string before = std::getenv("PATH") ? std::getenv("PATH") : "";
  setenv("PATH", folder.path().c_str(), 1);
  expect_error([&] { Writer(folder.file("a.webm"), small()); }, folder.file("a.webm"),
               "ffmpeg, which is not installed");
  setenv("PATH", before.c_str(), 1);
  EXPECT_TRUE(folder.names().empty());
}

TEST(VideoWriter, ReportsWhatFfmpegSays) {
  const TemporaryFolder folder;
  folder.write("bin/ffmpeg", "#!/bin/sh\necho no such encoder >&2\nexit 1\n");
  std::filesystem::permissions(folder.file("bin/ffmpeg"), std::filesystem::perms::owner_all);
  const std::string before = std::getenv("PATH") ? std::getenv("PATH") : "";
  setenv("PATH", (folder.file("bin") + ":" + before).c_str(), 1);
  expect_error([&] { write(folder.file("a.mp4"), 2, small()); }, folder.file("a.mp4"), "no such encoder");
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"bin"});
}

TEST(VideoWriter, HasAllFrames) {
  if (!is_installed("ffmpeg") || !is_installed("ffprobe")) GTEST_SKIP() << "ffmpeg is not installed";
  const TemporaryFolder folder;
  write(folder.file("a.mp4"), 12, small());
  write(folder.file("b.gif"), 30, small());
  write(folder.file("c.webm"), 10, small({.speed = 0.5}), 1.0 / 20);
  EXPECT_EQ(folder.names().size(), 3u) << "nothing temporary is left";
  const auto probe = [&](const std::string& name) {
    return output_of(
        "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
        "stream=width,height,r_frame_rate,nb_read_frames -of csv=p=0 " +
        folder.file(name));
  };
  EXPECT_EQ(probe("a.mp4"), "64,36,60/1,12\n");
  EXPECT_EQ(probe("b.gif"), "64,36,25/1,13\n") << "half a second at 25 per second";
  EXPECT_EQ(probe("c.webm"), "64,36,10/1,10\n");
}

TEST(HtmlWriter, IsOnePageWithAllFrames) {
  const TemporaryFolder folder;
  WriterOptions options = small({.color_by = ColorBy::speed});
  options.picture.title = "A <b>sheet</b>";
  write(folder.file("a.html"), 70, options);
  const std::string page = read_text(folder.file("a.html"));
  EXPECT_EQ(page.substr(0, 15), "<!doctype html>");
  EXPECT_EQ(page.substr(page.size() - 8), "</html>\n");
  EXPECT_EQ(page.find("http"), std::string::npos) << "nothing from elsewhere";
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_NE(page.find("\"title\":\"A \\u003cb>sheet"), std::string::npos) << "names cannot break the page";
  EXPECT_EQ(page.find("\"</script>\""), std::string::npos);
  int frames = 0;
  const std::regex count("data-count=\"([0-9]+)\"");
  for (auto i = std::sregex_iterator(page.begin(), page.end(), count); i != std::sregex_iterator(); ++i) {
    frames += std::stoi((*i)[1]);
  }
  EXPECT_EQ(frames, 35) << "every second of 70 frames at 60 per second";
  EXPECT_NE(page.find("\"frames\":35,\"rate\":30.0"), std::string::npos);
  EXPECT_EQ(folder.names().size(), 1u);
}

}  // namespace
}  // namespace pliant
