// Every value of a scene that uses everything is replaced by values of all other kinds. Whatever
// comes, the reader either takes it or throws a pliant::Error that names the file; and what the
// schema refuses, the reader refuses as well.
#include <gtest/gtest.h>

#include <vector>

#include "pliant/error.h"
#include "pliant/scene.h"
#include "scene/schema_check.h"

namespace pliant::test {
namespace {

using nlohmann::json;

const char* kEverything = R"({
  "title": "Everything", "frames": 2,
  "solver": {"fps": 60, "substeps": 2, "iterations": 2, "method": "xpbd", "precision": "float32", "threads": 1,
             "damping": {"point": 0.1, "global": 0.1}},
  "gravity": [0, -9.81, 0],
  "bodies": [
    {"name": "flag", "kind": "cloth", "density": 0.3, "shape": {"grid": {"size": [1, 2], "cells": [2, 2]}},
     "place": {"position": [0, 1, 0], "rotation": [90, 0, 0], "scale": [1, 2, 1]}, "velocity": [0, 0, 1],
     "method": "pbd", "force": [0, 0, 1], "acceleration": [0, 0, 1],
     "constraints": {"distance": {"stiffness": 0.5, "compression_stiffness": 0.1, "velocity_damping": 1}, "bend": false}},
    {"name": "ball", "kind": "solid", "shape": {"sphere": {"radius": 0.5, "cells": 2}},
     "copies": {"count": [2, 1, 1], "spacing": [2, 0, 0]},
     "constraints": {"distance": {"compliance": 1e-4, "damping": 0.01, "keep_multipliers": true}, "tet_volume": true}},
    {"name": "skin", "kind": "cloth", "shape": {"torus": {"radius": 0.5, "tube_radius": 0.2, "segments": 6, "tube_segments": 4}},
     "constraints": {"balloon": {"pressure": 1.5}}},
    {"name": "can", "kind": "solid", "shape": {"cylinder": {"radius": 0.5, "height": 1, "cells": 2, "rings": 1}}},
    {"name": "crate", "kind": "solid", "shape": {"box": {"size": 1, "cells": [1, 1, 1], "split": "six"}}},
    {"name": "rope", "kind": "rope", "shape": {"rope": {"from": [0, 2, 0], "to": [0, 1, 0], "segments": 3}},
     "constraints": {"distance": {"unilateral": true, "compression_compliance": 1}}}
  ],
  "pins": [
    {"body": "flag", "select": {"vertices": [0, -1]}, "path": [{"time": 0}, {"time": 1, "move": [0, 1, 0], "turn": [0, 90, 0]}]},
    {"body": "ball", "select": {"sphere": {"center": [0, 0, 0], "radius": 0.6}}},
    {"body": "skin", "select": {"box": {"min": [-1, -1, -1], "max": [0, 1, 1]}}},
    {"body": "can", "select": {"plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}}},
    {"body": "rope", "select": {"vertices": [0]}}
  ],
  "attachments": [
    {"body": "rope", "vertex": -1, "to": {"body": "crate"}, "compliance": 1e-3},
    {"body": "crate", "select": {"all": true}, "to": {"point": [0, 1, 0]}, "compliance": 0.1}
  ]
})";

void collect(json& value, std::vector<json::json_pointer>& places, const json::json_pointer& place) {
  places.push_back(place);
  if (value.is_object()) {
    for (auto& [key, inner] : value.items()) collect(inner, places, place / key);
  } else if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) collect(value[i], places, place / i);
  }
}

/// Whether it was read.
bool is_read(const json& scene, const std::string& what) {
  try {
    parse_scene(scene.dump(), "everything.json");
    return true;
  } catch (const Error& error) {
    EXPECT_TRUE(error.where().starts_with("everything.json")) << what << ": " << error.what();
    EXPECT_FALSE(error.remedy().empty()) << what << ": " << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << what << ": not a pliant::Error: " << error.what();
  }
  return false;
}

class Mutation : public testing::Test {
 protected:
  void SetUp() override { collect(scene, places, json::json_pointer()); }

  void try_one(const json& mutated, const std::string& what) {
    ++tried;
    const bool read = is_read(mutated, what);
    refused += !read;
    if (!schema_errors(mutated, schema, schema).empty()) {
      EXPECT_FALSE(read) << what << ": the schema refuses what the reader takes";
    }
  }

  json scene = json::parse(kEverything);
  const json schema = json::parse(scene_schema());
  std::vector<json::json_pointer> places;
  int tried = 0, refused = 0;
};

TEST_F(Mutation, StartsFromAGoodScene) {
  EXPECT_TRUE(is_read(scene, "as it is"));
  EXPECT_TRUE(schema_errors(scene, schema, schema).empty());
  EXPECT_GT(places.size(), 150u);
}

TEST_F(Mutation, ReplacedValues) {
  const json values[] = {nullptr, true, -1, 0, 2.5, 1e300, "x", "", json::array(), json::object()};
  for (const auto& place : places) {
    for (const json& value : values) {
      json mutated = scene;
      mutated[place] = value;
      try_one(mutated, place.to_string() + " = " + value.dump());
    }
  }
  EXPECT_GT(refused, tried / 2);  // most of it is nonsense
}

TEST_F(Mutation, RemovedAndAddedValues) {
  for (const auto& place : places) {
    if (place.empty()) continue;
    json mutated = scene;
    json& parent = mutated[place.parent_pointer()];
    if (parent.is_object()) parent.erase(place.back());
    if (parent.is_array()) parent.erase(std::stoul(place.back()));
    try_one(mutated, place.to_string() + " removed");
    mutated = scene;
    if (mutated[place].is_object()) mutated[place]["surprise"] = 1;
    if (mutated[place].is_array()) mutated[place].push_back(1);
    if (!mutated[place].is_structured()) continue;
    try_one(mutated, place.to_string() + " with one more");
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace pliant::test
