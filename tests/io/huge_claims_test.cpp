// Files that say they hold a thousand million elements: memory grows with what arrives, not with what
// is announced.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "io/sample_files.h"
#include "io/text_reader.h"
#include "pliant/error.h"

namespace {
std::atomic<std::size_t> largest_request{0};
}

// Not inlined: GCC would see malloc or free through one of a pair and warn about a mismatch.
__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  std::size_t largest = largest_request.load();
  while (size > largest && !largest_request.compare_exchange_weak(largest, size)) {
  }
  return std::malloc(size == 0 ? 1 : size);
}
__attribute__((noinline)) void* operator new(std::size_t size) {
  void* memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace pliant {
namespace {

template <class Read>
void expect_refused_cheaply(const char* what, Read read) {
  largest_request = 0;
  EXPECT_THROW(read(), Error) << what;
  EXPECT_LT(largest_request.load(), 65536u) << what;
}

TEST(HugeClaims, CostNothing) {
  const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
  expect_refused_cheaply("vertices, text ply", [&] {
    parse_ply("ply\nformat ascii 1.0\nelement vertex 1000000000\n" + xyz + "end_header\n0 0 0\n", "x");
  });
  expect_refused_cheaply("vertices, binary ply", [&] {
    parse_ply("ply\nformat binary_little_endian 1.0\nelement vertex 1000000000\n" + xyz + "end_header\n0123456789ab",
              "x");
  });
  expect_refused_cheaply("more than an int64", [&] {
    parse_ply("ply\nformat ascii 1.0\nelement vertex 99999999999999999999\n" + xyz + "end_header\n", "x");
  });
  expect_refused_cheaply("faces, binary ply", [&] {
    parse_ply(
        "ply\nformat binary_little_endian 1.0\nelement face 1000000000\nproperty list uchar int vertex_indices\n"
        "end_header\nabc",
        "x");
  });
  expect_refused_cheaply("a long list, binary ply", [&] {
    parse_ply(
        "ply\nformat binary_little_endian 1.0\nelement tag 1\nproperty list uint int a\nend_header\n"
        "\xff\xff\xff\x7fxxxx",
        "x");
  });
  expect_refused_cheaply("vertices, off", [] { parse_off("OFF\n1000000000 1000000000 0\n0 0 0\n", "x"); });
  expect_refused_cheaply("corners, off", [] { parse_off("OFF\n1 1 0\n0 0 0\n1000000000 0 0 0\n", "x"); });
  expect_refused_cheaply("points, tetgen", [] { parse_tetgen("1000000000 3 0 0\n0 0 0 0\n", "x", test::kEle, "y"); });
  expect_refused_cheaply("tets, tetgen", [] { parse_tetgen(test::kNode, "x", "1000000000 4 0\n1 1 2 3 4\n", "y"); });
  const std::string msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
  expect_refused_cheaply("nodes, msh text", [&] { parse_gmsh(msh + "$Nodes\n1000000000\n1 0 0 0\n", "x"); });
  expect_refused_cheaply("elements, msh text", [&] { parse_gmsh(msh + "$Elements\n1000000000\n1 15 0 1\n", "x"); });
  std::string blocks = test::msh41_binary();
  blocks.replace(blocks.find("$Nodes\n") + 7 + 32 + 12, 8, std::string("\0\0\0\x40\0\0\0\0", 8));
  expect_refused_cheaply("a block, msh binary", [&] { parse_gmsh(blocks, "x"); });
  const std::string vtk = "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\n";
  expect_refused_cheaply("points, vtk", [&] { parse_vtk(vtk + "POINTS 1000000000 double\n12345678", "x"); });
  expect_refused_cheaply("cells, vtk", [&] { parse_vtk(vtk + "CELLS 1000000000 2000000000\n12345678", "x"); });
  expect_refused_cheaply("types, vtk", [&] { parse_vtk(vtk + "CELL_TYPES 1000000000\n12345678", "x"); });
  expect_refused_cheaply("a field, vtk",
                         [&] { parse_vtk(vtk + "FIELD f 1\na 1000000000 1000000000 double\n12345678", "x"); });
  std::string long_array = test::vtu_raw();
  long_array.replace(long_array.find("\n  _") + 4, 8, std::string("\0\0\0\0\x40\0\0\0", 8));
  expect_refused_cheaply("an array, vtu", [&] { parse_vtu(long_array, "x"); });
  expect_refused_cheaply("blocks, vtu", [&] {  // 2^30 blocks
    parse_vtu(test::vtu_with("compressor=\"vtkZLibDataCompressor\"", "binary",
                             {"AAAAQCAAAAAcAAAAEAAAAA8AAAA=", "", "", ""}, {"", "", "", ""}, ""),
              "x");
  });
  std::string gltf = test::gltf_json("");
  gltf.replace(gltf.find("\"count\": 6"), 10, "\"count\": 1000000000");
  expect_refused_cheaply("vertices, gltf", [&] { parse_gltf(gltf, "x", [](const auto&) { return std::string(); }); });
  std::string stl(80, ' ');
  test::put_u32(stl, 1000000000);
  expect_refused_cheaply("triangles, stl", [&] { parse_stl(stl, "x"); });
}

TEST(HugeClaims, RoomIsMadeForWhatCanCome) {
  std::vector<double> list;
  reserve_claimed(list, 1000000000, 600, 6);
  EXPECT_GE(list.capacity(), 100u);
  EXPECT_LT(list.capacity(), 200u);
  std::vector<double> few;
  reserve_claimed(few, 5, 600, 6);
  EXPECT_LT(few.capacity(), 100u);
}

}  // namespace
}  // namespace pliant
