#include "scene/describing.h"

#include <cmath>

#include "pliant/scene.h"
#include "scene/json_text.h"
#include "scene/tables.h"

namespace pliant::scene {
namespace {

using Json = nlohmann::ordered_json;

/// 3 rather than 3.0 where the number is whole.
Json tidy(double number) {
  constexpr double kExact = 1e15;  // whole numbers up to here are exact in both
  if (number == std::floor(number) && std::abs(number) < kExact) return static_cast<int64_t>(number);
  return number;
}

Json number_type(const char* type, const Field& field) {
  Json json = {{"type", type}};
  if (field.above) json["exclusiveMinimum"] = tidy(*field.above);
  if (field.at_least) json["minimum"] = tidy(*field.at_least);
  if (field.at_most) json["maximum"] = tidy(*field.at_most);
  return json;
}

template <class T>
Json vector_type(const char* type, std::span<const T> values, const Field& field) {
  const Json one = number_type(type, field);
  const Json list = {{"type", "array"}, {"items", one}, {"minItems", values.size()}, {"maxItems", values.size()}};
  if (!field.one_for_all) return list;
  return {{"anyOf", Json::array({list, one})}};
}

template <class T>
Json initial_vector(std::span<const T> values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(tidy(static_cast<double>(value)));
  return json;
}

}  // namespace

Json Describing::schema(const std::string& doc) const {
  Json json = {{"description", doc}, {"type", "object"}, {"properties", properties_}};
  if (!required_.empty()) json["required"] = required_;
  if (!rules_.empty()) json["allOf"] = rules_;
  json["additionalProperties"] = false;
  return json;
}

void Describing::add(const std::string& name, const Field& field, Json type, Json initial) {
  Json json = {{"description", field.doc}};
  json.update(type);
  if (!field.unit.empty()) json["x-unit"] = field.unit;
  if (!field.required && !field.hide_default && !initial.is_null()) json["default"] = initial;
  if (!field.example.empty()) json["examples"] = Json::array({Json::parse(field.example)});
  properties_[name] = json;
  if (field.required) required_.push_back(name);
}

void Describing::boolean(const std::string& name, bool& value, const Field& field) {
  add(name, field, {{"type", "boolean"}}, value);
}
void Describing::integer(const std::string& name, int& value, const Field& field) {
  add(name, field, number_type("integer", field), value);
}
void Describing::number(const std::string& name, double& value, const Field& field) {
  add(name, field, number_type("number", field), tidy(value));
}
void Describing::text(const std::string& name, std::string& value, const Field& field) {
  add(name, field, {{"type", "string"}, {"minLength", 1}}, value);
}
void Describing::integers(const std::string& name, std::span<int> values, const Field& field) {
  add(name, field, vector_type<int>("integer", values, field), initial_vector<int>(values));
}
void Describing::numbers(const std::string& name, std::span<double> values, const Field& field) {
  add(name, field, vector_type<double>("number", values, field), initial_vector<double>(values));
}
void Describing::integer_list(const std::string& name, std::vector<int>& values, const Field& field) {
  add(name, field, {{"type", "array"}, {"items", number_type("integer", field)}}, values);
}
void Describing::number_list(const std::string& name, std::vector<double>& values, const Field& field) {
  add(name, field, {{"type", "array"}, {"items", number_type("number", field)}}, values);
}
void Describing::text_list(const std::string& name, std::vector<std::string>& values, const Field& field) {
  add(name, field, {{"type", "array"}, {"items", {{"type", "string"}, {"minLength", 1}}}}, values);
}
void Describing::word(const std::string& name, int& index, const std::vector<std::string>& words, const Field& field) {
  add(name, field, {{"enum", words}}, words[static_cast<size_t>(index)]);
}

void Describing::exactly_one_of(const std::vector<std::string>& names) {
  Json choices = Json::array();
  for (const std::string& name : names) choices.push_back({{"required", Json::array({name})}});
  rules_.push_back({{"oneOf", choices}});
}

void Describing::at_most_one_of(const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    for (size_t j = i + 1; j < names.size(); ++j) {
      rules_.push_back({{"not", {{"required", Json::array({names[i], names[j]})}}}});
    }
  }
}

Json Describing::reference_to(const ObjectTable& table) {
  if (!definitions_.contains(table.name)) {
    definitions_[table.name] = nullptr;  // takes its place: an object comes before those inside of it
    Describing inner(definitions_);
    table.describe(inner);
    definitions_[table.name] = inner.schema(table.doc);
  }
  return {{"$ref", "#/$defs/" + table.name}};
}

void Describing::nested(const std::string& name, const ObjectTable& table, const Field& field) {
  add(name, field, reference_to(table), nullptr);
}
void Describing::nested_list(const std::string& name, const ObjectTable& table, const Field& field) {
  add(name, field, {{"type", "array"}, {"items", reference_to(table)}}, nullptr);
}
void Describing::nested_switch(const std::string& name, const ObjectTable& table, const std::function<void(bool)>&,
                               const Field& field) {
  add(name, field, {{"anyOf", Json::array({reference_to(table), {{"type", {"boolean", "null"}}}})}}, nullptr);
}

Json scene_schema_tree() {
  Json definitions = Json::object();
  Describing describing(definitions);
  SceneSpec fresh;
  kSceneTable.fields(describing, fresh);
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Pliant scene"}};
  schema.update(describing.schema(kSceneTable.doc));
  schema["$defs"] = definitions;
  return schema;
}

}  // namespace pliant::scene

namespace pliant {

std::string scene_schema() { return scene::readable_json(scene::scene_schema_tree()); }

}  // namespace pliant
