#pragma once
// Turns tables of fields (fields.h) into a JSON Schema (draft 2020-12). Each object becomes an entry
// of $defs; units are kept as the additional keyword "x-unit".

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scene/fields.h"

namespace pliant::scene {

class Describing final : public Fields {
 public:
  /// `definitions` collects the objects that this one mentions.
  explicit Describing(nlohmann::ordered_json& definitions) : definitions_(definitions) {}

  /// The object's schema, once its table has run.
  nlohmann::ordered_json schema(const std::string& doc) const;

  std::string where() const override { return {}; }
  std::string file() const override { return {}; }
  bool given(const std::string&) const override { return false; }

  using Fields::integer;
  using Fields::number;
  void boolean(const std::string& name, bool& value, const Field& field) override;
  void integer(const std::string& name, int& value, const Field& field) override;
  void number(const std::string& name, double& value, const Field& field) override;
  void text(const std::string& name, std::string& value, const Field& field) override;
  void integers(const std::string& name, std::span<int> values, const Field& field) override;
  void numbers(const std::string& name, std::span<double> values, const Field& field) override;
  void integer_list(const std::string& name, std::vector<int>& values, const Field& field) override;
  void number_list(const std::string& name, std::vector<double>& values, const Field& field) override;
  void text_list(const std::string& name, std::vector<std::string>& values, const Field& field) override;
  void word(const std::string& name, int& index, const std::vector<std::string>& words, const Field& field) override;
  void exactly_one_of(const std::vector<std::string>& names) override;
  void at_most_one_of(const std::vector<std::string>& names) override;
  void not_here(const std::string&, const std::string&) override {}

 protected:
  void nested(const std::string& name, const ObjectTable& table, const Field& field) override;
  void nested_list(const std::string& name, const ObjectTable& table, const Field& field) override;
  void nested_switch(const std::string& name, const ObjectTable& table, const std::function<void(bool)>& turn,
                     const Field& field) override;

 private:
  /// Puts the type together with what all fields have: sentence, unit, default, example.
  void add(const std::string& name, const Field& field, nlohmann::ordered_json type, nlohmann::ordered_json initial);
  nlohmann::ordered_json reference_to(const ObjectTable& table);

  nlohmann::ordered_json& definitions_;
  nlohmann::ordered_json properties_ = nlohmann::ordered_json::object();
  nlohmann::ordered_json required_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json rules_ = nlohmann::ordered_json::array();
};

/// The schema of scene files as a tree; scene_schema() is its text.
nlohmann::ordered_json scene_schema_tree();

}  // namespace pliant::scene
