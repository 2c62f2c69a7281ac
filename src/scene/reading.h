#pragma once
// Reads an object of a scene file through its table of fields (fields.h). Each mistake becomes a
// pliant::Error: "file: path.to.field: what is wrong; what to do".

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scene/fields.h"

namespace pliant::scene {

class Reading final : public Fields {
 public:
  /// `path` of the object inside of the file: "" for the file's own, "bodies[0].shape" for another.
  Reading(const nlohmann::json& object, std::string file, std::string path, std::string field_noun = "field");

  /// Complains about what no field took, then about what is missing. To be called when the table is
  /// done: a misspelt name is a better explanation than the absence of the right one.
  void finish() const;

  std::string where() const override;
  std::string file() const override { return file_; }
  bool given(const std::string& name) const override;

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
  void not_here(const std::string& name, const std::string& remedy) override;

 protected:
  void nested(const std::string& name, const ObjectTable& table, const Field& field) override;
  void nested_list(const std::string& name, const ObjectTable& table, const Field& field) override;
  void nested_switch(const std::string& name, const ObjectTable& table, const std::function<void(bool)>& turn,
                     const Field& field) override;

 private:
  /// The field's value, or null when it is absent. Takes note of the name.
  const nlohmann::json* find(const std::string& name, const Field& field);
  std::string path_of(const std::string& name) const;
  std::string where_of(const std::string& name) const;
  void read_object(const nlohmann::json& value, const std::string& path, const ObjectTable& table) const;

  const nlohmann::json& object_;
  const std::string file_, path_, field_noun_;
  std::vector<std::string> known_, missing_;
  std::vector<std::vector<std::string>> none_of_;
};

}  // namespace pliant::scene
