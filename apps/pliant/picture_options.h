#pragma once
// The arguments that say how pictures, videos and pages look.

#include <CLI/App.hpp>

#include "pliant/picture.h"

namespace pliant::app {

void add_picture_options(CLI::App& command, PictureOptions& options);

}  // namespace pliant::app
