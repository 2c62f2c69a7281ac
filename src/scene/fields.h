#pragma once
// The fields of a scene file, told once and used by everything that needs them.
//
// A table is a function that names the fields of one object and the variables they go to:
//
//   void fields_of(Fields& f, SphereSpec& s) {
//     f.number("radius", s.radius, {.doc = "Radius.", .unit = "m", .above = 0, .example = "0.5"});
//   }
//
// Run with a Reading it fills the variables from JSON, run with a Describing it writes the JSON
// Schema; the default of a field is the value that its variable has in a fresh object. What the
// reader takes and what the schema says therefore cannot differ.

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pliant/vec.h"

namespace pliant::scene {

/// What is known about one field beside its name and type.
struct Field {
  std::string doc;           // one sentence
  std::string unit = {};     // "m", "kg/m^3"; empty: a plain number
  std::string example = {};  // JSON
  // Range of a number, or of each number of a vector or list.
  std::optional<double> above = {}, at_least = {}, at_most = {};
  bool required = false;
  bool one_for_all = false;   // a vector may be given as one number, which then stands for each component
  bool hide_default = false;  // absent means something else than the variable's initial value
};

class Fields;

/// The fields of an object of type T. `name` is its name in the schema and in the documentation.
template <class T>
struct Table {
  const char* name;
  const char* doc;
  void (*fields)(Fields&, T&);
  const char* field_noun = "field";  // what its fields are called in messages
};

/// A table with its type forgotten.
struct ObjectTable {
  std::string name, doc, field_noun;
  std::function<void(Fields&)> read;      // into the variable at hand
  std::function<void(Fields&)> describe;  // on a fresh object
};

class Fields {
 public:
  virtual ~Fields() = default;

  /// "scene.json: bodies[0]" when reading, for messages about what can only be judged later.
  virtual std::string where() const = 0;
  /// The file that is read; relative file names count from its folder.
  virtual std::string file() const = 0;
  /// Whether the file has this field (never when describing).
  virtual bool given(const std::string& name) const = 0;

  virtual void boolean(const std::string& name, bool& value, const Field& field) = 0;
  virtual void integer(const std::string& name, int& value, const Field& field) = 0;
  virtual void number(const std::string& name, double& value, const Field& field) = 0;
  virtual void text(const std::string& name, std::string& value, const Field& field) = 0;
  virtual void integers(const std::string& name, std::span<int> values, const Field& field) = 0;
  virtual void numbers(const std::string& name, std::span<double> values, const Field& field) = 0;
  virtual void integer_list(const std::string& name, std::vector<int>& values, const Field& field) = 0;
  virtual void number_list(const std::string& name, std::vector<double>& values, const Field& field) = 0;
  virtual void text_list(const std::string& name, std::vector<std::string>& values, const Field& field) = 0;
  /// One of several words; `index` says which.
  virtual void word(const std::string& name, int& index, const std::vector<std::string>& words, const Field& field) = 0;

  /// Of these fields exactly one is given, or at most one.
  virtual void exactly_one_of(const std::vector<std::string>& names) = 0;
  virtual void at_most_one_of(const std::vector<std::string>& names) = 0;
  /// A name that a user may well try here, and what to do instead.
  virtual void not_here(const std::string& name, const std::string& remedy) = 0;

  void vector(const std::string& name, Vec2d& value, const Field& field) {
    double v[2] = {value.x, value.y};
    numbers(name, v, field);
    value = {v[0], v[1]};
  }
  void vector(const std::string& name, Vec3d& value, const Field& field) {
    double v[3] = {value.x, value.y, value.z};
    numbers(name, v, field);
    value = {v[0], v[1], v[2]};
  }

  /// Fields that need no value: the variable stays empty when the file does not have them.
  void number(const std::string& name, std::optional<double>& value, Field field) {
    read_optional(name, value, std::move(field), [this](auto&&... a) { number(a...); });
  }
  void vector(const std::string& name, std::optional<Vec3d>& value, Field field) {
    read_optional(name, value, std::move(field), [this](auto&&... a) { vector(a...); });
  }
  void integer(const std::string& name, std::optional<int>& value, Field field) {
    read_optional(name, value, std::move(field), [this](auto&&... a) { integer(a...); });
  }

  template <class E>
  using Words = std::vector<std::pair<std::string, E>>;
  template <class E>
  void choice(const std::string& name, E& value, const Words<E>& words, const Field& field) {
    std::vector<std::string> names;
    int index = 0;
    for (const auto& [text, meaning] : words) {
      if (meaning == value) index = static_cast<int>(names.size());
      names.push_back(text);
    }
    word(name, index, names, field);
    value = words[static_cast<size_t>(index)].second;
  }
  template <class E>
  void choice(const std::string& name, std::optional<E>& value, const Words<E>& words, Field field) {
    read_optional(name, value, std::move(field),
                  [&](const std::string& n, E& v, const Field& f) { choice(n, v, words, f); });
  }

  /// An object with a table of its own.
  template <class T>
  void object(const std::string& name, T& value, const Table<T>& table, const Field& field) {
    nested(name, erase(table, [&value, &table](Fields& f) { table.fields(f, value); }), field);
  }
  template <class T>
  void object(const std::string& name, std::optional<T>& value, const Table<T>& table, const Field& field) {
    nested(name, erase(table, [&value, &table](Fields& f) { table.fields(f, value.emplace()); }), field);
  }
  /// A list of objects, appended to what is there already.
  template <class T>
  void list(const std::string& name, std::vector<T>& values, const Table<T>& table, const Field& field) {
    nested_list(name,
                erase(table,
                      [&values, &table](Fields& f) {
                        T value{};
                        table.fields(f, value);
                        values.push_back(std::move(value));
                      }),
                field);
  }
  /// An object that can be switched: `false` or null takes it away, `true` takes it as it is.
  template <class T>
  void switchable(const std::string& name, std::optional<T>& value, const Table<T>& table, const Field& field) {
    nested_switch(
        name,
        erase(table,
              [&value, &table](Fields& f) {
                if (!value) value.emplace();
                table.fields(f, *value);
              }),
        [&value](bool on) {
          if (!on) value.reset();
          if (on && !value) value.emplace();
        },
        field);
  }

 protected:
  virtual void nested(const std::string& name, const ObjectTable& table, const Field& field) = 0;
  virtual void nested_list(const std::string& name, const ObjectTable& table, const Field& field) = 0;
  virtual void nested_switch(const std::string& name, const ObjectTable& table, const std::function<void(bool)>& turn,
                             const Field& field) = 0;

 private:
  template <class T, class Read>
  void read_optional(const std::string& name, std::optional<T>& value, Field field, Read read) {
    field.hide_default = true;
    T v = value.value_or(T{});
    read(name, v, std::as_const(field));
    if (given(name)) value = v;
  }

  template <class T>
  static ObjectTable erase(const Table<T>& table, std::function<void(Fields&)> read) {
    return {table.name, table.doc, table.field_noun, std::move(read), [&table](Fields& f) {
              T fresh{};
              table.fields(f, fresh);
            }};
  }
};

}  // namespace pliant::scene
