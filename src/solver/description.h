#pragma once
// What a snapshot depends on, in words: it fits a world whose description is the same, and an error names what differs.
//
// The rule: all that the motion depends on and that cannot be changed between two steps of a running world is described
// (docs/snapshots.md). So gravity, wind, forces and accelerations are not: those of the world that goes on count.

#include <string>
#include <string_view>

#include "pliant/world.h"

namespace pliant {

template <class Real>
struct Model;
struct ModelInput;

/// Lines of subject, setting and value.
class Description {
 public:
  void add(std::string_view subject, std::string_view setting, std::string_view value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <class Real>
Description describe(const ModelInput& input, const WorldOptions& options, const Model<Real>& model);

/// Throws an Error that names the first setting that differs, with both values.
void refuse_other_description(std::string_view of_snapshot, std::string_view of_world);

}  // namespace pliant
