// Files with one mistake each: the message names file, line and mistake.

#include <gtest/gtest.h>

#include "io/sample_files.h"
#include "mesh/mesh_checks.h"

namespace pliant {
namespace {

struct Case {
  const char* where;
  const char* text;  // in the message
  std::string bytes;
};

class Malformed : public testing::TestWithParam<Case> {};

const std::string kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
const std::string kPlyHead =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
const std::string kPlyFace = "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
const std::string kPlyPoints = "0 0 0\n1 0 0\n0 1 0\n";
const std::string kPlyBinary =
    "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";

TEST_P(Malformed, IsNamed) {
  const Case& c = GetParam();
  const std::string where = c.where;
  test::expect_error(
      [&] {
        if (where.starts_with("a.obj")) parse_obj(c.bytes, "a.obj");
        if (where.starts_with("a.ply")) parse_ply(c.bytes, "a.ply");
        if (where.starts_with("a.off")) parse_off(c.bytes, "a.off");
        if (where.starts_with("a.stl")) parse_stl(c.bytes, "a.stl");
        if (where.starts_with("a.node")) parse_tetgen(c.bytes, "a.node", test::kEle, "a.ele");
        if (where.starts_with("a.ele")) parse_tetgen(test::kNode, "a.node", c.bytes, "a.ele");
      },
      where, c.text);
}

std::string stl_with(float value) {
  std::string bytes = test::stl_binary();
  std::string number;
  test::put_float(number, value);
  return bytes.replace(84 + 50 + 12, 4, number);
}

INSTANTIATE_TEST_SUITE_P(
    Obj, Malformed,
    testing::Values(Case{"a.obj:2", "\"x\" is not a coordinate", "v 0 0 0\nv 1 x 0\n"},
                    Case{"a.obj:1", "line ends where a coordinate should be", "v 0 0\nv 1 0 0\n"},
                    Case{"a.obj:1", "file ends where a coordinate should be", "v 0 0"},
                    Case{"a.obj:1", "\"nan\" is not a coordinate", "v 0 0 nan\n"},
                    Case{"a.obj:1", "\"inf\" is not a coordinate", "v 0 inf 0\n"},
                    Case{"a.obj:1", "\"1e999\" is not a coordinate", "v 0 1e999 0\n"},
                    Case{"a.obj:1", "\"1,5\" is not a coordinate", "v 0 1,5 0\n"},
                    Case{"a.obj:1", "\"0x10\" is not a coordinate", "v 0 0x10 0\n"},
                    Case{"a.obj:4", "vertex 4 does not exist; the file has 3", kTriangle + "f 1 2 4\n"},
                    Case{"a.obj:4", "vertex 0 does not exist", kTriangle + "f 0 1 2\n"},
                    Case{"a.obj:4", "vertex -4 does not exist", kTriangle + "f -4 1 2\n"},
                    Case{"a.obj:4", "vertex 9999999999 does not exist", kTriangle + "f 1 2 9999999999\n"},
                    Case{"a.obj:4", "does not start with a vertex number", kTriangle + "f 1 2 99999999999999999999\n"},
                    Case{"a.obj:4", "does not start with a vertex number", kTriangle + "f 1 2 /3\n"},
                    Case{"a.obj:4", "2 corners", kTriangle + "f 1 2\n"},
                    Case{"a.obj:4", "0 corners", kTriangle + "f\n"},
                    Case{"a.obj:5", "fewer than two", kTriangle + "# ...\nl 1\n"}));

INSTANTIATE_TEST_SUITE_P(
    Ply, Malformed,
    testing::Values(
        Case{"a.ply", "does not start with \"ply\"", "plum\n"}, Case{"a.ply", "does not start", ""},
        Case{"a.ply:3", "ends inside of its header", "ply\nformat ascii 1.0\nelement vertex 3\n"},
        Case{"a.ply:2", "format \"binary_big_endian\" is not read", "ply\nformat binary_big_endian 1.0\n"},
        Case{"a.ply:2", "\"banana\" is no keyword", "ply\nbanana\n"},
        Case{"a.ply:2", "no format line", "ply\nend_header\n"},
        Case{"a.ply:3", "-1 is not a number of elements", "ply\nformat ascii 1.0\nelement vertex -1\n"},
        Case{"a.ply:3", "in front of the first element", "ply\nformat ascii 1.0\nproperty int x\n"},
        Case{"a.ply:4", "\"quad\" is no type", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\n"},
        Case{"a.ply:4", "no whole number", "ply\nformat ascii 1.0\nelement f 1\nproperty list float int x\n"},
        Case{"a.ply", "\"ghost\" has no properties", "ply\nformat ascii 1.0\nelement ghost 1000000000\nend_header\n"},
        Case{"a.ply", "no x, y and z", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n"},
        Case{"a.ply", "no list vertex_indices", kPlyHead + "element face 1\nproperty int x\nend_header\n"},
        Case{"a.ply", "no vertex1 and vertex2", kPlyHead + "element edge 1\nproperty int x\nend_header\n"},
        Case{"a.ply:11", "\"z\" is not a value", kPlyHead + kPlyFace + "0 0 0\n1 0 z\n"},
        Case{"a.ply: face 0", "vertex 3 is not a whole number from 0 to 2",
             kPlyHead + kPlyFace + kPlyPoints + "3 0 1 3\n"},
        Case{"a.ply: face 0", "vertex -1", kPlyHead + kPlyFace + kPlyPoints + "3 0 1 -1\n"},
        Case{"a.ply: face 0", "vertex 0.5", kPlyHead + kPlyFace + kPlyPoints + "3 0 1 0.5\n"},
        Case{"a.ply: face 0", "2 corners", kPlyHead + kPlyFace + kPlyPoints + "2 0 1\n"},
        Case{"a.ply: face 0", "length of a list, -3", kPlyHead + kPlyFace + kPlyPoints + "-3 0 1\n"},
        Case{"a.ply:13", "file ends where a value", kPlyHead + kPlyFace + kPlyPoints + "3 0 1\n"},
        Case{"a.ply: vertex 0", "the file ends here", kPlyBinary + "end_header\n12345678901"},
        Case{"a.ply: vertex 0", "x is not a finite number",
             kPlyBinary + "end_header\n" + std::string("\0\0\xc0\x7f\0\0\0\0\0\0\0\0", 12)}));

INSTANTIATE_TEST_SUITE_P(
    Off, Malformed,
    testing::Values(Case{"a.off", "is empty", "# nothing\n"}, Case{"a.off:1", "does not start with OFF", "3 1 0\n"},
                    Case{"a.off:1", "does not start with OFF", "4OFF\n1 0 0\n"},
                    Case{"a.off:2", "-3 is not the number of vertices", "OFF\n-3 1 0\n"},
                    Case{"a.off:2", "line ends where the number of faces", "OFF\n3\n0 0 0\n"},
                    Case{"a.off:4", "line ends where a coordinate", "OFF\n3 1 0\n0 0 0\n1 0\n0 1 0\n3 0 1 2\n"},
                    Case{"a.off:6", "vertex 3 does not exist", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"},
                    Case{"a.off:6", "file ends where a vertex number", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n5 0 1 2\n"},
                    Case{"a.off:5", "file ends where the number of corners", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n"},
                    Case{"a.off:6", "1 corners", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n1 0\n"}));

INSTANTIATE_TEST_SUITE_P(
    Stl, Malformed,
    testing::Values(Case{"a.stl", "too short", "abc"}, Case{"a.stl", "too short", ""},
                    Case{"a.stl", "2 triangles, but ends after 1", test::stl_binary().substr(0, 183)},
                    Case{"a.stl: triangle 1", "not a finite number", stl_with(INFINITY)},
                    Case{"a.stl:2", "\"banana\" is no keyword", "solid x\nbanana\n"},
                    Case{"a.stl:2", "outside of a facet", "solid x\nvertex 0 0 0\n"},
                    Case{"a.stl:4", "a facet with 1 corners", "solid x\nfacet\nvertex 0 0 0\nendfacet\n"},
                    Case{"a.stl:3", "inside of another", "solid x\nfacet\nfacet\n"},
                    Case{"a.stl:3", "\"q\" is not a coordinate", "solid x\nfacet\nvertex q 0 0\n"},
                    Case{"a.stl:2", "ends before endsolid", "solid x\nfacet\n"}));

INSTANTIATE_TEST_SUITE_P(
    Tetgen, Malformed,
    testing::Values(Case{"a.node:0", "file ends where the number of points", ""},
                    Case{"a.node:1", "not in three dimensions", "4 2 0 0\n"},
                    Case{"a.node:2", "first point has number 5", "1 3 0 0\n5 0 0 0\n"},
                    Case{"a.node:3", "point 3 stands where 2 should be", "2 3 0 0\n1 0 0 0\n3 0 0 0\n"},
                    Case{"a.node:2", "file ends where a point's number", "2 3 0 0\n1 0 0 0\n"},
                    Case{"a.node:1", "-2 is not the number of points", "-2 3 0 0\n"},
                    Case{"a.ele:1", "10 points each", "1 10 0\n"}, Case{"a.ele", "has no tets", "0 4 0\n"},
                    Case{"a.ele:2", "point 6 does not exist; a.node has 1 to 5", "1 4 0\n1 1 2 3 6\n"},
                    Case{"a.ele:2", "point 0 does not exist", "1 4 0\n1 1 2 3 0\n"},
                    Case{"a.ele:2", "line ends where a point's number", "2 4 0\n1 1 2 3\n2 1 2 3 4\n"},
                    Case{"a.ele:2", "\"1.5\" is not a point's number", "1 4 0\n1 1 2 3 1.5\n"}));

/// Whatever is read must be safe to use.
void expect_valid(const MeshParts& mesh, const std::string& what) {
  const auto count = static_cast<int>(mesh.positions.size());
  for (const auto& [x, y, z] : mesh.positions) {
    ASSERT_TRUE(std::isfinite(x) && std::isfinite(y) && std::isfinite(z)) << what;
  }
  for (const Triangle& t : mesh.triangles) {
    for (const int v : t) ASSERT_TRUE(v >= 0 && v < count) << what;
  }
  for (const Edge& e : mesh.edges) {
    for (const int v : e) ASSERT_TRUE(v >= 0 && v < count) << what;
  }
}

/// An Error with a place, or a valid mesh; anything else fails the test or the whole program.
bool is_refused(const test::Sample& sample, std::string_view bytes, const std::string& what) {
  try {
    expect_valid(sample.parse(bytes), what);
    return false;
  } catch (const Error& error) {
    EXPECT_TRUE(error.where().starts_with("f.")) << what << ": " << error.what();
    return true;
  }
}

TEST(Damaged, CutOffAtEveryByte) {
  for (const test::Sample& sample : test::samples()) {
    std::size_t refused = 0;
    for (std::size_t size = 0; size < sample.bytes.size(); ++size) {
      // A copy of exactly this size, so that the address sanitizer sees a read behind its end.
      const std::vector<char> cut(sample.bytes.begin(), sample.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      refused += is_refused(sample, {cut.data(), cut.size()}, sample.name + " cut at " + std::to_string(size));
    }
    EXPECT_FALSE(is_refused(sample, sample.bytes, sample.name));
    EXPECT_GT(refused, sample.bytes.size() / 10) << sample.name;
  }
}

TEST(Damaged, EveryByteReplaced) {
  for (const test::Sample& sample : test::samples()) {
    for (std::size_t at = 0; at < sample.bytes.size(); ++at) {
      for (const char c : {'\0', ' ', '\n', '-', '9', '#', '\\', '\x7f', '\xff'}) {
        std::vector<char> damaged(sample.bytes.begin(), sample.bytes.end());
        damaged[at] = c;
        is_refused(sample, {damaged.data(), damaged.size()}, sample.name + " at " + std::to_string(at));
      }
    }
  }
}

}  // namespace
}  // namespace pliant
