#include "scene/markdown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scene/describing.h"
#include "scene/tables.h"

namespace pliant::scene {
namespace {

using Json = nlohmann::ordered_json;

std::string code(const Json& value) { return fmt::format("`{}`", value.dump()); }

std::string link(const Json& reference) {
  const std::string target = reference["$ref"].get<std::string>();
  const std::string name = target.substr(target.rfind('/') + 1);
  return fmt::format("[{}](#{})", name, name);
}

std::string range(const Json& type) {
  std::string text;
  if (type.contains("exclusiveMinimum")) text += fmt::format(" above {}", type["exclusiveMinimum"].dump());
  if (type.contains("minimum")) text += fmt::format(" from {}", type["minimum"].dump());
  if (type.contains("maximum")) text += fmt::format(" up to {}", type["maximum"].dump());
  return text;
}

std::string type_of(const Json& property) {
  if (property.contains("$ref")) return link(property);
  if (property.contains("enum")) {
    std::vector<std::string> words;
    for (const Json& word : property["enum"]) words.push_back(code(word));
    return fmt::format("{}", fmt::join(words, " or "));
  }
  if (property.contains("anyOf")) {
    const Json& first = property["anyOf"][0];
    return first.contains("$ref") ? link(first) + ", `true`, `false` or `null`" : type_of(first) + ", or one for all";
  }
  const std::string type = property["type"].get<std::string>();
  if (type == "boolean") return "`true` or `false`";
  if (type == "string") return "text";
  if (type == "integer") return "whole number" + range(property);
  if (type == "number") return "number" + range(property);
  const Json& items = property["items"];
  if (items.contains("$ref")) return "list of " + link(items);
  const std::string plural = items["type"] == "integer"  ? "whole numbers"
                             : items["type"] == "number" ? "numbers"
                                                         : "texts";
  const std::string many = property.contains("minItems") ? property["minItems"].dump() + " " : "list of ";
  return many + plural + range(items);
}

std::string object_markdown(const std::string& name, const Json& object) {
  std::string text = fmt::format("\n### {}\n\n{}\n\n", name, object["description"].get<std::string>());
  for (const Json& rule : object.value("allOf", Json::array())) {
    std::vector<std::string> names;
    if (rule.contains("oneOf")) {
      for (const Json& choice : rule["oneOf"])
        names.push_back(fmt::format("`{}`", choice["required"][0].get<std::string>()));
      text += fmt::format("Exactly one of {} is given.\n\n", fmt::join(names, ", "));
    } else {
      for (const Json& one : rule["not"]["required"]) names.push_back(fmt::format("`{}`", one.get<std::string>()));
      text += fmt::format("At most one of {} is given.\n\n", fmt::join(names, ", "));
    }
  }
  text += "| field | type | unit | default | meaning | example |\n| --- | --- | --- | --- | --- | --- |\n";
  const Json required = object.value("required", Json::array());
  for (const auto& [field, property] : object["properties"].items()) {
    const bool must = std::find(required.begin(), required.end(), field) != required.end();
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", field, type_of(property), property.value("x-unit", ""),
                        must                           ? "required"
                        : property.contains("default") ? code(property["default"])
                                                       : "",
                        property["description"].get<std::string>(),
                        property.contains("examples") ? code(property["examples"][0]) : "");
  }
  return text;
}

/// What a body of each kind has before its scene says anything.
std::string defaults_markdown() {
  std::string text = "\n### Defaults of bodies\n\n| kind | density | held together by |\n| --- | --- | --- |\n";
  const std::pair<BodyKind, const char*> kinds[] = {
      {BodyKind::cloth,
       "cloth | {} kg/m^2 | edges that do not stretch, linear bending, long range attachments with ties"},
      {BodyKind::solid, "solid | {} kg/m^3 | springs and kept volumes, as stiff as its size and density want"},
      {BodyKind::rope, "rope | {} kg/m | segments that do not stretch, long range attachments"},
      {BodyKind::hair, "hair | {} kg/m | strands that follow their roots"}};
  for (const auto& [kind, row] : kinds) {
    text += "| " + fmt::format(fmt::runtime(row), default_density(kind)) + " |\n";
  }
  return text + "\n[defaults](defaults.md) has the figures and the reasons.\n";
}

}  // namespace

std::string fields_markdown() {
  const Json schema = scene_schema_tree();
  std::string text = std::string(kGeneratedMarker) + "\n\n## All fields\n";
  text += object_markdown(kSceneTable.name, schema);
  for (const auto& [name, object] : schema["$defs"].items()) text += object_markdown(name, object);
  return text + defaults_markdown();
}

}  // namespace pliant::scene
