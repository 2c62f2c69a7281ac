#pragma once
// Our statics against GetFEM and CalculiX, on the same meshes with the same materials: answers that nobody here
// computed (tests/reference/*.json, written by script/validate).

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "fem/bodies.h"
#include "fem/statics.h"
#include "reference/cases.h"
#include "test_paths.h"

namespace pliant::fem {

// GetFEM's answers are kept with eleven digits and iterated to about 1e-11. CalculiX prints seven, so each number is
// off by up to 5e-8 of itself and, through coordinates near a power of ten, up to 5e-7.
inline constexpr double kGetfemTolerance = 1e-8;
inline constexpr double kCalculixTolerance = 6e-7;

/// Case name -> what was recorded, over all families.
inline std::map<std::string, nlohmann::json> recorded_cases() {
  std::map<std::string, nlohmann::json> all;
  for (const char* family : reference::kFamilies) {
    std::ifstream file(std::string(PLIANT_SOURCE_DIR "/tests/reference/") + family + ".json");
    EXPECT_TRUE(file) << family << ".json is missing; run script/validate";
    if (!file) continue;
    nlohmann::json contents = nlohmann::json::parse(file);
    for (auto& entry : contents["cases"]) {
      std::string name = entry["name"];
      all.emplace(std::move(name), std::move(entry));
    }
  }
  return all;
}

/// Largest difference over the largest displacement, over the recorded vertices.
inline double relative_error(const std::vector<Vec3d>& ours, const nlohmann::json& record, const char* program) {
  double difference = 0, size = 0;
  const auto& vertices = record["vertices"];
  EXPECT_EQ(vertices.size(), record[program].size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto& u = record[program][i];
    const Vec3d theirs = {u[0], u[1], u[2]};
    difference = std::max(difference, length(ours.at(vertices[i]) - theirs));
    size = std::max(size, length(theirs));
  }
  return difference / size;
}

/// `expected_by_two`: linear and St. Venant-Kirchhoff cases, which both programs do.
inline void compare(const std::string& family, std::size_t expected_count, std::size_t expected_by_two) {
  static const std::map<std::string, nlohmann::json> recorded = recorded_cases();
  std::size_t count = 0, by_two = 0;
  double worst_getfem = 0, worst_calculix = 0;
  for (const reference::Case& c : reference::cases()) {
    if (c.family != family) continue;
    ++count;
    const auto found = recorded.find(c.name);
    ASSERT_NE(found, recorded.end()) << c.name << " has no answer; run script/validate";
    const nlohmann::json& record = found->second;
    ASSERT_EQ(record["fingerprint"], fingerprint(c)) << c.name << " has changed; run script/validate";
    const StaticsResult result = c.problem.material.model == MaterialModel::linear
                                     ? solve_linear_statics(c.problem)
                                     : solve_statics(c.problem, {.newton = {}, .load_steps = c.load_steps});
    EXPECT_TRUE(result.converged) << c.name;
    const double getfem = relative_error(result.displacements, record, "getfem");
    EXPECT_LE(getfem, kGetfemTolerance) << c.name;
    worst_getfem = std::max(worst_getfem, getfem);
    if (record.contains("calculix")) {
      const double calculix = relative_error(result.displacements, record, "calculix");
      EXPECT_LE(calculix, kCalculixTolerance) << c.name;
      worst_calculix = std::max(worst_calculix, calculix);
      ++by_two;
    }
  }
  EXPECT_EQ(count, expected_count);
  EXPECT_EQ(by_two, expected_by_two);
  std::printf("%s: %zu cases, largest relative difference %.1e to GetFEM, %.1e to CalculiX\n", family.c_str(), count,
              worst_getfem, worst_calculix);
}

}  // namespace pliant::fem
