// The formats that hold all frames in one file, and the VTK series: read back by small readers of our own, which know
// the format from its specification and not from the writer.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "io/body_shape.h"
#include "io/mesh_reader.h"
#include "io/small_world.h"
#include "mesh/mesh_checks.h"
#include "pliant/pliant.h"
#include "scene/temporary_folder.h"
#include "solver/element_fields.h"

namespace pliant {
namespace {

using nlohmann::json;
using test::expect_error;
using test::falling_world;
using test::read_text;
using test::TemporaryFolder;

constexpr int kFrames = 5;

/// Frames 1 to kFrames of the falling world in a file; what there was to see in each.
std::vector<std::vector<BodyShape>> write_frames(const std::string& path, World& world) {
  std::vector<std::vector<BodyShape>> shapes;
  Writer out(path);
  for (int f = 0; f < kFrames; ++f) {
    world.step();
    out.write(world);
    shapes.push_back(shapes_of(world));
  }
  out.close();
  return shapes;
}

template <class T>
T value_at(const std::string& bytes, std::size_t offset, bool big_endian = false) {
  if (offset + sizeof(T) > bytes.size()) throw std::out_of_range("the file ends early");
  char raw[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) raw[i] = bytes[offset + (big_endian ? sizeof(T) - 1 - i : i)];
  T value;
  std::memcpy(&value, raw, sizeof(T));
  return value;
}

std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> out;
  const std::regex number("-?[0-9][-+.0-9e]*");
  for (std::sregex_iterator it(text.begin(), text.end(), number), end; it != end; ++it) out.push_back(stod(it->str()));
  return out;
}

void expect_floats(const std::vector<Vec3d>& expected, const std::vector<double>& numbers, std::size_t from = 0) {
  ASSERT_GE(numbers.size(), from + 3 * expected.size());
  for (std::size_t i = 0; i < 3 * expected.size(); ++i) {
    EXPECT_EQ(static_cast<float>(numbers[from + i]), static_cast<float>(expected[i / 3][static_cast<int>(i % 3)]));
  }
}

// ------------------------------------------------------------------ usda

/// What stands behind "CODE: " in the time samples of an attribute of a prim.
std::string sample(const std::string& text, const std::string& prim, const std::string& attribute, int code) {
  std::size_t at = text.find("\"" + prim + "\"");
  EXPECT_NE(at, std::string::npos) << prim;
  at = text.find(" " + attribute + ".timeSamples = {", at);
  EXPECT_NE(at, std::string::npos) << attribute;
  const std::string label = "            " + std::to_string(code) + ": ";
  const std::size_t end = text.find("        }\n", at);
  at = text.find(label, at);
  EXPECT_LT(at, end) << attribute << " has no frame " << code;
  at += label.size();
  return text.substr(at, text.find('\n', at) - at);
}

TEST(UsdaWriter, HoldsAllFrames) {
  const TemporaryFolder folder;
  World world = falling_world();
  const auto shapes = write_frames(folder.file("a.usda"), world);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.usda"}) << "nothing else is left";
  const std::string text = read_text(folder.file("a.usda"));
  EXPECT_TRUE(text.starts_with("#usda 1.0\n"));
  for (const char* line : {"startTimeCode = 1\n", "endTimeCode = 5\n", "timeCodesPerSecond = 60\n",
                           "framesPerSecond = 60\n", "metersPerUnit = 1\n", "upAxis = \"Y\"\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
  for (int f = 0; f < kFrames; ++f) {
    const auto& now = shapes[static_cast<std::size_t>(f)];
    expect_floats(now[0].positions, numbers_in(sample(text, "sheet", "point3f[] points", f + 1)));
    expect_floats(now[0].normals, numbers_in(sample(text, "sheet", "normal3f[] normals", f + 1)));
    expect_floats(now[1].positions, numbers_in(sample(text, "jelly", "point3f[] points", f + 1)));
    expect_floats(now[2].positions, numbers_in(sample(text, "line", "point3f[] points", f + 1)));
    const std::vector<double> extent = numbers_in(sample(text, "line", "float3[] extent", f + 1));
    ASSERT_EQ(extent.size(), 6u);
    for (int i = 0; i < 3; ++i) {
      float low = INFINITY, high = -INFINITY;
      for (const Vec3d& x : now[2].positions) {
        low = std::min(low, static_cast<float>(x[i]));
        high = std::max(high, static_cast<float>(x[i]));
      }
      EXPECT_EQ(static_cast<float>(extent[static_cast<std::size_t>(i)]), low);
      EXPECT_EQ(static_cast<float>(extent[static_cast<std::size_t>(i) + 3]), high);
    }
  }
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_EQ(std::count(text.begin(), text.end(), '['), std::count(text.begin(), text.end(), ']'));
  EXPECT_NE(text.find("int[] curveVertexCounts = [5]"), std::string::npos);
  // 0.2 of a picture is 0.0331 of the light.
  EXPECT_NE(text.find("primvars:displayColor = [(0.0331"), std::string::npos);
  const std::size_t st = text.find("texCoord2f[] primvars:st = [") + 28;
  EXPECT_EQ(numbers_in(text.substr(st, text.find(']', st) - st)).size(), 2u * 3u * 18u) << "of each corner";
}

TEST(UsdaWriter, NamesBecomeIdentifiers) {
  const TemporaryFolder folder;
  World world({.threads = 1});
  for (const char* name : {"a b", "a.b", "7\"\\up", "Materials"}) {
    world.add(Rope{.name = name, .mesh = rope({0, 0, 0}, {1, 0, 0}, 1)});
  }
  Writer out(folder.file("a.usda"));
  out.write(world);
  out.close();
  const std::string text = read_text(folder.file("a.usda"));
  for (const char* prim : {"\"a_b\" (", "\"a_b_2\" (", "\"_7__up\" (", "\"Materials_2\" ("}) {
    EXPECT_NE(text.find(std::string("def BasisCurves ") + prim), std::string::npos) << prim;
  }
  EXPECT_NE(text.find("string name = \"7\\\"_up\""), std::string::npos) << "a backslash is gone from names already";
}

TEST(UsdaWriter, ARateOfFramesIsWholeWhereItIsMeant) {
  const TemporaryFolder folder;
  for (const auto& [step, rate] : std::vector<std::pair<double, std::string>>{
           {0.0166667, "60"}, {0.04, "25"}, {0.0625, "16"}, {0.3, "3.3333333333333335"}, {2, "0.5"}}) {
    World world({.step = step, .threads = 1});
    world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 1)});
    Writer out(folder.file("a.usda"));
    out.write(world);
    out.close();
    EXPECT_NE(read_text(folder.file("a.usda")).find("timeCodesPerSecond = " + rate + "\n"), std::string::npos) << step;
  }
}

// ------------------------------------------------------------------ all of one file

class OneFile : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, OneFile, testing::Values(".usda", ".glb", ".pc2", ".mdd"));

TEST_P(OneFile, AppearsWhenClosedAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.write(std::string("a") + GetParam(), "old");
  World world = falling_world();
  {
    Writer out(path);
    out.write(world);
    EXPECT_EQ(read_text(path), "old") << "not before it is complete";
    EXPECT_NE(out.summary().find("1 frames"), std::string::npos) << out.summary();
  }
  EXPECT_GT(read_text(path).size(), 100u) << "closed by the destructor";
  for (const std::string& name : folder.names()) EXPECT_EQ(name.find(".part-"), std::string::npos) << name;
}

TEST_P(OneFile, WithoutFramesThereIsNone) {
  const TemporaryFolder folder;
  Writer out(folder.file(std::string("a") + GetParam()));
  out.close();
  EXPECT_TRUE(folder.names().empty());
  EXPECT_NE(out.summary().find("no frames"), std::string::npos);
}

TEST_P(OneFile, RefusesOtherMeshesInLaterFrames) {
  const TemporaryFolder folder;
  World world = falling_world();
  Writer out(folder.file(std::string("a") + GetParam()));
  out.write(world);
  world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 1)});
  expect_error([&] { out.write(world); }, folder.file(std::string("a") + GetParam()), "write a sequence of files");
  out.close();
}

TEST_P(OneFile, AWorldWithoutBodiesIsAValidFile) {
  const TemporaryFolder folder;
  const World world;
  Writer out(folder.file(std::string("a") + GetParam()));
  out.write(world);
  out.close();
  EXPECT_FALSE(folder.names().empty());
}

TEST_P(OneFile, AFolderOfThisNameIsToldAtOnce) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file(std::string("a") + GetParam()));
  expect_error([&] { Writer(folder.file(std::string("a") + GetParam())); }, folder.file(std::string("a") + GetParam()),
               "is a folder");
}

// ------------------------------------------------------------------ point caches

TEST(PointCache, Pc2HoldsAllFrames) {
  const TemporaryFolder folder;
  World world = falling_world();
  const auto shapes = write_frames(folder.file("a.pc2"), world);
  const std::string bytes = read_text(folder.file("a.pc2"));
  ASSERT_EQ(bytes.substr(0, 12), std::string("POINTCACHE2\0", 12));
  EXPECT_EQ(value_at<int32_t>(bytes, 12), 1);
  const auto points = static_cast<std::size_t>(value_at<int32_t>(bytes, 16));
  EXPECT_EQ(points, 16u + 56u + 5u);
  EXPECT_EQ(value_at<float>(bytes, 20), 1.0f) << "the first frame";
  EXPECT_EQ(value_at<float>(bytes, 24), 1.0f) << "frames per sample";
  ASSERT_EQ(value_at<int32_t>(bytes, 28), kFrames);
  ASSERT_EQ(bytes.size(), 32 + 12 * points * kFrames);
  std::size_t at = 32;
  for (const auto& frame : shapes) {
    for (const BodyShape& body : frame) {
      for (const Vec3d& x : body.positions) {
        for (int i = 0; i < 3; ++i, at += 4) EXPECT_EQ(value_at<float>(bytes, at), static_cast<float>(x[i]));
      }
    }
  }
  const TriMesh mesh = read_tri_mesh(folder.file("a.rest.obj"));
  EXPECT_EQ(mesh.positions.size(), points);
  const std::string text = read_text(folder.file("a.rest.obj"));
  EXPECT_EQ(text.find("\no "), text.rfind("\no ")) << "one object, or programs would count vertices anew";
}

TEST(PointCache, MddHoldsAllFrames) {
  const TemporaryFolder folder;
  World world = falling_world();
  const auto shapes = write_frames(folder.file("a.mdd"), world);
  const std::string bytes = read_text(folder.file("a.mdd"));
  ASSERT_EQ(value_at<int32_t>(bytes, 0, true), kFrames);
  const auto points = static_cast<std::size_t>(value_at<int32_t>(bytes, 4, true));
  ASSERT_EQ(bytes.size(), 8 + 4 * kFrames + 12 * points * kFrames);
  for (int f = 0; f < kFrames; ++f) {
    EXPECT_FLOAT_EQ(value_at<float>(bytes, 8 + 4 * static_cast<std::size_t>(f), true), static_cast<float>(f + 1) / 60);
  }
  const std::size_t last = 8 + 4 * kFrames + 12 * points * (kFrames - 1);
  const Vec3d& x = shapes.back()[0].positions[5];
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(value_at<float>(bytes, last + 60 + 4 * static_cast<std::size_t>(i), true), static_cast<float>(x[i]));
  }
}

// ------------------------------------------------------------------ glb

struct Glb {
  json scene;
  std::string binary;

  explicit Glb(const std::string& bytes) {
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(value_at<uint32_t>(bytes, 4), 2u);
    EXPECT_EQ(value_at<uint32_t>(bytes, 8), bytes.size());
    const uint32_t json_size = value_at<uint32_t>(bytes, 12);
    EXPECT_EQ(bytes.substr(16, 4), "JSON");
    EXPECT_EQ(json_size % 4, 0u);
    scene = json::parse(bytes.substr(20, json_size));
    const uint32_t binary_size = value_at<uint32_t>(bytes, 20 + json_size);
    EXPECT_EQ(bytes.substr(24 + json_size, 4), std::string("BIN\0", 4));
    binary = bytes.substr(28 + json_size);
    EXPECT_EQ(binary.size(), binary_size);
  }

  /// Numbers of an accessor, sparse ones filled in.
  template <class T>
  std::vector<T> read(std::size_t number) const {
    const json& accessor = scene["accessors"][number];
    const std::map<std::string, std::size_t> sizes{{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}};
    const std::size_t width = sizes.at(accessor["type"]);
    std::vector<T> out(accessor["count"].get<std::size_t>() * width);
    const auto offset = [&](std::size_t view) { return scene["bufferViews"][view]["byteOffset"].get<std::size_t>(); };
    if (accessor.contains("bufferView")) {
      const std::size_t start = offset(accessor["bufferView"]) + accessor.value("byteOffset", std::size_t{0});
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = value_at<T>(binary, start + i * sizeof(T));
    }
    if (accessor.contains("sparse")) {
      const json& sparse = accessor["sparse"];
      for (std::size_t i = 0; i < sparse["count"].get<std::size_t>(); ++i) {
        const auto place = value_at<uint32_t>(binary, offset(sparse["indices"]["bufferView"]) + 4 * i);
        out.at(place) = value_at<T>(binary, offset(sparse["values"]["bufferView"]) + i * sizeof(T));
      }
    }
    return out;
  }
};

TEST(GlbWriter, HoldsAllFrames) {
  const TemporaryFolder folder;
  World world = falling_world();
  const auto shapes = write_frames(folder.file("a.glb"), world);
  const Glb glb(read_text(folder.file("a.glb")));
  ASSERT_EQ(glb.scene["meshes"].size(), 3u);
  const json& animation = glb.scene["animations"][0];
  const std::vector<float> times = glb.read<float>(animation["samplers"][0]["input"]);
  const std::vector<float> weights = glb.read<float>(animation["samplers"][0]["output"]);
  ASSERT_EQ(times.size(), std::size_t{kFrames});
  ASSERT_EQ(weights.size(), std::size_t{kFrames * (kFrames - 1)});
  EXPECT_EQ(animation["channels"].size(), 3u);
  for (std::size_t f = 0; f < kFrames; ++f) EXPECT_FLOAT_EQ(times[f], static_cast<float>(f) / 60);

  for (std::size_t b = 0; b < 3; ++b) {
    const json& primitive = glb.scene["meshes"][b]["primitives"][0];
    const std::vector<uint32_t> indices = glb.read<uint32_t>(primitive["indices"]);
    const std::vector<float> base = glb.read<float>(primitive["attributes"]["POSITION"]);
    ASSERT_EQ(primitive["targets"].size(), std::size_t{kFrames - 1});
    const BodyShape& first = shapes[0][b];
    EXPECT_EQ(primitive["mode"], first.edges.empty() ? 4 : 1);
    for (std::size_t f = 0; f < kFrames; ++f) {
      // The specification's sum: base + sum of weight times target.
      std::vector<float> shown = base;
      for (std::size_t t = 0; t + 1 < kFrames; ++t) {
        const std::vector<float> target = glb.read<float>(primitive["targets"][t]["POSITION"]);
        for (std::size_t i = 0; i < shown.size(); ++i) shown[i] += weights[f * (kFrames - 1) + t] * target[i];
      }
      const std::size_t corners = first.edges.empty() ? 3 : 2;
      ASSERT_EQ(indices.size(), corners * (first.edges.size() + first.triangles.size()));
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const int vertex =
            first.edges.empty() ? first.triangles[i / corners][i % corners] : first.edges[i / corners][i % corners];
        const Vec3d& x = test::at(shapes[f][b].positions, vertex);
        for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(shown[3 * indices[i] + k], x[static_cast<int>(k)], 1e-6);
      }
    }
    // Bounds are those of the numbers, as the specification demands.
    const json& accessor = glb.scene["accessors"][primitive["targets"][1]["POSITION"].get<std::size_t>()];
    const std::vector<float> target = glb.read<float>(primitive["targets"][1]["POSITION"]);
    float high = -INFINITY;
    for (std::size_t i = 1; i < target.size(); i += 3) high = std::max(high, target[i]);
    EXPECT_EQ(accessor["max"][1].get<float>(), high);
  }
  // A vertex on the seam is there twice; texture coordinates count from above.
  const json& attributes = glb.scene["meshes"][0]["primitives"][0]["attributes"];
  const std::vector<float> texture = glb.read<float>(attributes["TEXCOORD_0"]);
  EXPECT_EQ(texture.size() / 2, 16u + 4u);
  const std::vector<uint32_t> indices = glb.read<uint32_t>(glb.scene["meshes"][0]["primitives"][0]["indices"]);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Vec2d& expected = shapes[0][0].texture_coordinates[i / 3][i % 3];
    EXPECT_FLOAT_EQ(texture[2 * indices[i]], static_cast<float>(expected.x));
    EXPECT_FLOAT_EQ(texture[2 * indices[i] + 1], static_cast<float>(1 - expected.y));
  }
}

TEST(GlbWriter, OneFrameIsAMeshWithoutAnimation) {
  const TemporaryFolder folder;
  const World world = falling_world();
  Writer out(folder.file("a.glb"));
  out.write(world);
  out.close();
  const Glb glb(read_text(folder.file("a.glb")));
  EXPECT_FALSE(glb.scene.contains("animations"));
  EXPECT_FALSE(glb.scene["meshes"][0]["primitives"][0].contains("targets"));
}

// ------------------------------------------------------------------ vtu

/// The bytes of an array of a .vtu with raw appended data.
std::vector<float> vtu_floats(const std::string& bytes, const std::string& name) {
  const std::size_t tag = bytes.find("Name=\"" + name + "\"");
  EXPECT_NE(tag, std::string::npos) << name;
  const std::size_t offset_at = bytes.find("offset=\"", tag) + 8;
  const std::size_t start = bytes.find("<AppendedData encoding=\"raw\">");
  const std::size_t array = bytes.find('_', start) + 1 + std::stoul(bytes.substr(offset_at));
  std::vector<float> out(value_at<uint64_t>(bytes, array) / 4);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = value_at<float>(bytes, array + 8 + 4 * i);
  return out;
}

TEST(VtuWriter, HoldsFieldsAndAListOfTimes) {
  const TemporaryFolder folder;
  World world = falling_world();
  write_frames(folder.file("a.pvd"), world);
  EXPECT_EQ(folder.names().size(), kFrames + 1u);
  const std::string list = read_text(folder.file("a.pvd"));
  EXPECT_NE(list.find("<DataSet timestep=\"0.0833333333333\" part=\"0\" file=\"a.0004.vtu\"/>"), std::string::npos)
      << list;
  const std::string bytes = read_text(folder.file("a.0004.vtu"));
  EXPECT_NE(bytes.find("NumberOfPoints=\"85\" NumberOfCells=\"157\""), std::string::npos) << bytes.substr(0, 800);
  const std::vector<float> points = vtu_floats(bytes, "Points"), velocity = vtu_floats(bytes, "velocity"),
                           mises = vtu_floats(bytes, "von_mises"), strain = vtu_floats(bytes, "strain");
  ASSERT_EQ(points.size(), 3u * 85u);
  const Vec3d x = world.positions(BodyId{1})[7], v = world.velocities(BodyId{1})[7];
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(points[3 * 23 + static_cast<std::size_t>(i)], static_cast<float>(x[i]));
    EXPECT_EQ(velocity[3 * 23 + static_cast<std::size_t>(i)], static_cast<float>(v[i]));
  }
  ASSERT_EQ(mises.size(), 157u);
  EXPECT_TRUE(std::isnan(mises[0])) << "a cloth has no material";
  EXPECT_GT(mises[18], 0);
  EXPECT_TRUE(std::isnan(mises[156])) << "nor a rope";
  for (const float s : strain) EXPECT_TRUE(s >= 0 && s < 1) << s;
}

TEST(VtuWriter, AResumedRunListsWhatWasThereBefore) {
  const TemporaryFolder folder;
  World world = falling_world();
  const auto write_two = [&](int64_t first) {
    Writer out(folder.file("b_##.vtu"), {.first_frame = first});
    for (int i = 0; i < 2; ++i) {
      world.step();
      out.write(world);
    }
    out.close();
  };
  write_two(0);
  write_two(2);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"b.pvd", "b_00.vtu", "b_01.vtu", "b_02.vtu", "b_03.vtu"}));
  const std::string list = read_text(folder.file("b.pvd"));
  for (const char* entry : {"\"0.0166666666667\" part=\"0\" file=\"b_00.vtu\"", "file=\"b_01.vtu\"",
                            "\"0.05\" part=\"0\" file=\"b_02.vtu\"", "file=\"b_03.vtu\""}) {
    EXPECT_NE(list.find(entry), std::string::npos) << entry << " in " << list;
  }
}

// ------------------------------------------------------------------ element fields

TEST(ElementFields, KnownDeformations) {
  World world({.gravity = {}, .threads = 1});
  const Material material{.model = MaterialModel::stvk, .young = 1e5, .poisson = 0.25};
  const BodyId solid = world.add(Solid{.mesh = box_tets({1, 1, 1}, {1, 1, 1}), .material = material});
  const BodyId cloth = world.add(Cloth{.mesh = grid({1, 1}, {1, 1})});
  const BodyId line = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 2)});
  // Pulled along x by a tenth, everything turned by a right angle about z: strain and energy do not see the turn.
  for (const BodyId body : {solid, cloth, line}) {
    std::vector<Vec3d> x = world.positions(body);
    for (Vec3d& p : x) p = {-p.y, 1.1 * p.x, p.z};
    world.set_positions(body, x);
  }
  const ElementFields of_solid = element_fields(world, solid);
  // E_xx = (1.1^2 - 1)/2 = 0.105; lambda = mu = 4e4 Pa: S_xx = 3 lambda E_xx, S_yy = S_zz = lambda E_xx;
  // Cauchy: sigma_xx = 1.1 S_xx, sigma_yy = S_yy / 1.1. psi = (lambda/2 + mu) E_xx^2.
  const double e = 0.105, lambda = 4e4;
  ASSERT_EQ(of_solid.strain.size(), 5u);
  for (std::size_t t = 0; t < 5; ++t) {
    EXPECT_NEAR(of_solid.strain[t], 0.1, 1e-6);
    EXPECT_NEAR(of_solid.energy_density[t], 1.5 * lambda * e * e, 1e-2);
    EXPECT_NEAR(of_solid.stress[t][1], 1.1 * 3 * lambda * e, 0.1) << "what was x is y now";
    EXPECT_NEAR(of_solid.stress[t][0], lambda * e / 1.1, 0.1);
    EXPECT_NEAR(of_solid.stress[t][3], 0, 0.1);
    EXPECT_NEAR(of_solid.von_mises[t], 1.1 * 3 * lambda * e - lambda * e / 1.1, 0.2);
  }
  for (const double strain : element_fields(world, cloth).strain) EXPECT_NEAR(strain, 0.1, 1e-6);
  for (const double strain : element_fields(world, line).strain) EXPECT_NEAR(strain, 0.1, 1e-6);
  EXPECT_TRUE(std::isnan(element_fields(world, cloth).von_mises[0]));
}

// The solver reports the energy that its constraints store, from what has flowed; ours comes from the fields.
TEST(ElementFields, EnergyOfWhatHasFlowedIsTheSolvers) {
  for (const PlasticModel model : {PlasticModel::multiplicative, PlasticModel::additive}) {
    World world({.step = 1.0 / 60, .substeps = 20, .gravity = {}, .threads = 1, .precision = Precision::float64});
    const Material material{.young = 1e5, .poisson = 0.25, .plasticity = Plasticity{model, 0.02, 10, 0.3}};
    const BodyId bar = world.add(Solid{.mesh = box_tets({2, 1, 1}, {4, 2, 2}), .material = material});
    std::vector<Vec3d> x = world.positions(bar);
    for (Vec3d& p : x) p = {1.3 * p.x, p.y + 0.2 * p.x, p.z};
    world.set_positions(bar, x);
    double largest = 0;
    for (int i = 0; i < 30; ++i) world.step();
    const ElementFields fields = element_fields(world, bar);
    const std::vector<Vec3d> rest = world.rest_positions(bar);
    double energy = 0;
    for (std::size_t t = 0; t < fields.energy_density.size(); ++t) {
      const auto& [a, b, c, d] = world.tets(bar)[t];
      const Vec3d o = rest[std::size_t(a)];
      const double volume =
          dot(rest[std::size_t(b)] - o, cross(rest[std::size_t(c)] - o, rest[std::size_t(d)] - o)) / 6;
      energy += fields.energy_density[t] * volume;
      largest = std::max(largest, fields.von_mises[t]);
    }
    // It has flowed: as an elastic body it would hold far more.
    World elastic({.gravity = {}, .threads = 1, .precision = Precision::float64});
    const BodyId same =
        elastic.add(Solid{.mesh = box_tets({2, 1, 1}, {4, 2, 2}), .material = Material{.young = 1e5, .poisson = 0.25}});
    elastic.set_positions(same, world.positions(bar));
    EXPECT_GT(elastic.measures().elastic_energy, 1.5 * energy);
    EXPECT_NEAR(energy, world.measures().elastic_energy, 1e-6 * energy);
    EXPECT_GT(largest, 0);
  }
}

// Of a skin: its texture coordinates and the colour of its body.
TEST(BodyShape, SkinHasTextureAndColor) {
  World world({.threads = 1});
  const BodyId box = world.add(Solid{.mesh = box_tets({1, 1, 1}, {1, 1, 1}), .color = Vec3d{0.2, 0.7, 0.3}});
  TriMesh skin{{{0, 0, 0.5}, {0.4, 0, 0.5}, {0, 0.4, 0.5}}, {{0, 1, 2}}};
  skin.texture_coordinates = {{Vec2d{0, 0}, Vec2d{1, 0}, Vec2d{0, 0.5}}};
  world.add_skin(box, skin);
  const std::vector<BodyShape> shapes = shapes_of(world);
  ASSERT_EQ(shapes[0].texture_coordinates.size(), 1u);
  EXPECT_EQ(shapes[0].texture_coordinates[0][2].y, 0.5);
  EXPECT_EQ(shapes[0].color, (Vec3d{0.2, 0.7, 0.3}));
}

}  // namespace
}  // namespace pliant
