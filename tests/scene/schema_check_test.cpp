#include "scene/schema_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace pliant::test {

using nlohmann::json;

namespace {

bool has_type(const json& value, const std::string& type) {
  if (type == "integer") return value.is_number() && value.get<double>() == std::floor(value.get<double>());
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

bool valid(const json& value, const json& schema, const json& root) {
  return schema_errors(value, schema, root).empty();
}

}  // namespace

std::vector<std::string> schema_errors(const json& value, const json& schema, const json& root,
                                       const std::string& path) {
  std::vector<std::string> errors;
  const auto fail = [&](const std::string& what) { errors.push_back(path + ": " + what); };
  const auto include = [&](const std::vector<std::string>& more) {
    errors.insert(errors.end(), more.begin(), more.end());
  };
  const auto count_valid = [&](const json& list) {
    int n = 0;
    for (const json& one : list) n += valid(value, one, root);
    return n;
  };
  static const std::set<std::string> kNotes = {"$schema",  "title",  "description", "default",
                                               "examples", "x-unit", "$defs",       "additionalProperties"};
  for (const auto& [keyword, rule] : schema.items()) {
    if (keyword == "$ref") {
      const std::string name = rule.get<std::string>();
      include(schema_errors(value, root.at(json::json_pointer(name.substr(1))), root, path));
    } else if (keyword == "type") {
      bool good = false;
      for (const json& type : rule.is_array() ? rule : json::array({rule}))
        good |= has_type(value, type.get<std::string>());
      if (!good) fail("type");
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end()) fail("enum");
    } else if (keyword == "minimum") {
      if (value.is_number() && value.get<double>() < rule.get<double>()) fail("minimum");
    } else if (keyword == "maximum") {
      if (value.is_number() && value.get<double>() > rule.get<double>()) fail("maximum");
    } else if (keyword == "exclusiveMinimum") {
      if (value.is_number() && value.get<double>() <= rule.get<double>()) fail("exclusiveMinimum");
    } else if (keyword == "minLength") {
      if (value.is_string() && value.get<std::string>().size() < rule.get<size_t>()) fail("minLength");
    } else if (keyword == "minItems") {
      if (value.is_array() && value.size() < rule.get<size_t>()) fail("minItems");
    } else if (keyword == "maxItems") {
      if (value.is_array() && value.size() > rule.get<size_t>()) fail("maxItems");
    } else if (keyword == "items") {
      if (!value.is_array()) continue;
      for (size_t i = 0; i < value.size(); ++i)
        include(schema_errors(value[i], rule, root, path + "[" + std::to_string(i) + "]"));
    } else if (keyword == "properties") {
      if (!value.is_object()) continue;
      for (const auto& [name, inner] : value.items()) {
        if (rule.contains(name)) {
          include(schema_errors(inner, rule[name], root, path + "." + name));
        } else if (schema.value("additionalProperties", true) == false) {
          fail("additionalProperties " + name);
        }
      }
    } else if (keyword == "required") {
      if (!value.is_object()) continue;
      for (const json& name : rule) {
        if (!value.contains(name.get<std::string>())) fail("required " + name.get<std::string>());
      }
    } else if (keyword == "allOf") {
      for (const json& one : rule) include(schema_errors(value, one, root, path));
    } else if (keyword == "anyOf") {
      if (count_valid(rule) == 0) fail("anyOf");
    } else if (keyword == "oneOf") {
      if (count_valid(rule) != 1) fail("oneOf");
    } else if (keyword == "not") {
      if (valid(value, rule, root)) fail("not");
    } else if (!kNotes.contains(keyword)) {
      fail("the validator does not know the keyword " + keyword);
    }
  }
  return errors;
}

TEST(SchemaCheck, TellsGoodFromBad) {
  const json schema = json::parse(R"({
    "type": "object", "additionalProperties": false, "required": ["a"],
    "properties": {"a": {"type": "integer", "minimum": 1}, "b": {"$ref": "#/$defs/b"}},
    "$defs": {"b": {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}, "minItems": 2, "maxItems": 2}},
    "allOf": [{"not": {"required": ["x", "y"]}}]
  })");
  const auto good = [&](const char* text) { return valid(json::parse(text), schema, schema); };
  EXPECT_TRUE(good(R"({"a": 1, "b": [1, 2.5]})"));
  EXPECT_FALSE(good(R"({"a": 0})"));
  EXPECT_FALSE(good(R"({"a": 1.5})"));
  EXPECT_FALSE(good(R"({"b": [1, 2]})"));
  EXPECT_FALSE(good(R"({"a": 1, "c": 2})"));
  EXPECT_FALSE(good(R"({"a": 1, "b": [1, 0]})"));
  EXPECT_FALSE(good(R"({"a": 1, "b": [1]})"));
  EXPECT_FALSE(good("[]"));
  EXPECT_FALSE(valid(1, json{{"unheard", 1}}, schema));
}

}  // namespace pliant::test
