#include "picture_options.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <map>
#include <string>

namespace pliant::app {

void add_picture_options(CLI::App& command, PictureOptions& options) {
  const std::string group = "Pictures, videos, pages";
  command
      .add_option_function<std::string>(
          "--size",
          [&options](const std::string& text) {
            int width = 0, height = 0, end = 0;
            if (std::sscanf(text.c_str(), "%dx%d%n", &width, &height, &end) != 2 ||
                end != static_cast<int>(text.size())) {
              throw CLI::ValidationError("--size", "'" + text + "' is not a size; write for example 1280x720");
            }
            options.width = width;
            options.height = height;
          },
          "Width and height in pixels (1280x720)")
      ->group(group)
      ->type_name("WxH");
  static const std::map<std::string, ColorBy> kColors = {{"body", ColorBy::body},
                                                         {"speed", ColorBy::speed},
                                                         {"strain", ColorBy::strain},
                                                         {"stress", ColorBy::stress},
                                                         {"batch", ColorBy::batch}};
  command
      .add_option_function<std::string>(
          "--color-by", [&options](const std::string& name) { options.color_by = kColors.at(name); },
          "What colours show: body, speed, strain, stress or batch (of the solver)")
      ->check(CLI::IsMember({"body", "speed", "strain", "stress", "batch"}))
      ->group(group);
  command
      .add_option_function<double>(
          "--color-max", [&options](double value) { options.color_max = value; },
          "Value at the upper end of the legend (SI units); the largest that occurs if not given")
      ->check(CLI::Range(1e-30, 1e30))
      ->group(group);
  command.add_flag("--wireframe", options.wireframe, "Show the edges of triangles")->group(group);
  command
      .add_option_function<int>(
          "--frame", [&options](int frame) { options.frame = frame; },
          "Which frame a .png shows, from 0; the last one if not given")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  command.add_option("--speed", options.speed, "Speed of playing; 0.1 is slow motion")
      ->check(CLI::Range(1e-6, 1e6))
      ->group(group);
}

}  // namespace pliant::app
