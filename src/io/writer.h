#pragma once
// How an output format looks to Writer (pliant/io.h). A format is one file that implements
// Writer::Format and a function that makes it, and one line in the table of writer.cpp.

#include <memory>
#include <string>
#include <vector>

#include "pliant/io.h"

namespace pliant {

struct Writer::Format {
  virtual ~Format() = default;
  /// Adds a frame: the world as it is now.
  virtual void write(const World& world) = 0;
  /// Completes the output. Called once, also when no frame was written.
  virtual void close() = 0;
  /// What was written, for a person.
  virtual std::string summary() const = 0;

  bool closed = false;
};

/// Makes a format: one such function each, in the table of writer.cpp.
using MakeFormat = std::unique_ptr<Writer::Format>(const std::string& path, const WriterOptions& options);

/// The endings that Writer knows, with their dots: ".obj", ".ply", ...
std::vector<std::string> writer_endings();

/// Makes the folder that a file is to stand in, with all above it, where it is missing.
void make_folder_of(const std::string& path);

}  // namespace pliant
