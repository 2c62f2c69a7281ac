// pliant schema: the JSON Schema of scene files.
#include <cstdio>
#include <memory>

#include "commands.h"
#include "pliant/scene.h"
#include "scene/markdown.h"

namespace pliant::app {

void add_schema(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of scene files.");
  auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "The same as tables: the second half of docs/scene.md");
  command->footer("\nExample:\n  pliant schema > docs/scene.schema.json");
  command->callback([&action, markdown] {
    action = [markdown] {
      const std::string text = *markdown ? scene::fields_markdown() : scene_schema();
      std::fputs(text.c_str(), stdout);
      return kOk;
    };
  });
}

}  // namespace pliant::app
