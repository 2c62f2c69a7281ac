#pragma once
// Small valid files of every format that is read, as text: the same tetrahedron-like surface, a line,
// and a volume of two tets.

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/mesh_formats.h"
#include "io/sample_volumes.h"

namespace pliant::test {

inline void put_u32(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}
inline void put_float(std::string& out, float value) { put_u32(out, std::bit_cast<uint32_t>(value)); }

inline const std::string kObj =
    "# a pyramid and a line\nmtllib x.mtl\no pyramid\n"
    "v 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\r\nv 0 1e0 0\nv +0.5 .5 1 # the tip\n"
    "vt 0 0\nvn 0 0 1\n"
    "f 4 3 2 1\nf 1 2 5\nf 2/1 3/1 5/1\nf -3//1 -2//1 -1//1\nf 4/1/1 \\\n 1/1/1 5/1/1\n"
    "v 5 5 5\nv 6 5 5\nv 7 5 5\nl 6 7 8\n";

inline const std::string kPlyText =
    "ply\nformat ascii 1.0\ncomment by hand\nobj_info none\n"
    "element vertex 5\nproperty double x\nproperty float64 y\nproperty float z\nproperty uchar red\nproperty float "
    "quality\n"
    "element face 2\nproperty list uchar int vertex_indices\nproperty float flags\n"
    "element edge 1\nproperty int vertex1\nproperty int vertex2\nproperty uchar crease\nend_header\n"
    "0 0 0 255 0.5\n1 0 0 255 nan\n1 1 0 255 0.5\n0 1 0 255 0.5\n0.5 0.5 1 255 0.5\n"
    "4 3 2 1 0 0\n3 0 1 4 0\n0 4 7\n";

inline std::string ply_binary() {
  std::string out =
      "ply\nformat binary_little_endian 1.0\n"
      "element vertex 5\nproperty float x\nproperty float y\nproperty float z\nproperty ushort id\n"
      "element tag 2\nproperty list uint char text\n"
      "element face 2\nproperty list uchar uint vertex_index\nend_header\n";
  const float x[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5f, 0.5f, 1}};
  for (const auto& p : x) {
    for (const float c : p) put_float(out, c);
    out += "\x01\x02";
  }
  put_u32(out, 3);
  out += "abc";
  put_u32(out, 0);
  out += '\4';
  for (const uint32_t v : {3, 2, 1, 0}) put_u32(out, v);
  out += '\3';
  for (const uint32_t v : {0, 1, 4}) put_u32(out, v);
  return out;
}

inline const std::string kOff =
    "OFF # pyramid\n5 3 0\n0 0 0\n1 0 0\n1 1 0\n\n0 1 0\n0.5 0.5 1\n4 3 2 1 0 255 0 0\n3 0 1 4\n3 1 2 4\n";

inline const std::string kStlText =
    "solid two triangles\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"
    "facet normal 0 0 1\n  outer loop\n    vertex -0 0 0\n    vertex 1 1 0\n    vertex 0 1 0\n  "
    "endloop\nendfacet\nendsolid\n";

inline std::string stl_binary() {
  std::string out(80, 's');
  put_u32(out, 2);
  const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 1, 1, 0}, {0, -0.0f, 0, 1, 1, 0, 0, 1, 0}};
  for (const auto& triangle : corners) {
    for (int i = 0; i < 3; ++i) put_float(out, 0);
    for (const float c : triangle) put_float(out, c);
    out += std::string(2, '\0');
  }
  return out;
}

inline const std::string kNode =
    "# points\n5 3 1 1\n1 0 0 0 7.5 1\n2 1 0 0 7.5 1\n3 0 1 0 7.5 0\n4 0 0 1 7.5 0\n5 1 1 1 7.5 0\n# end\n";
inline const std::string kEle = "2 4 1\n1 1 2 3 4 9\n2 2 4 3 5 9\n";

/// Every sample with the function that reads it. Tets come back as no triangles, only positions.
struct Sample {
  std::string name;
  std::string bytes;
  std::function<MeshParts(std::string_view)> parse;
};

inline std::vector<Sample> samples() {
  const auto tets = [](const TetMesh& mesh) { return MeshParts{mesh.positions, {}, {}}; };
  return {
      {"obj", kObj, [](std::string_view b) { return parse_obj(b, "f.obj"); }},
      {"ply text", kPlyText, [](std::string_view b) { return parse_ply(b, "f.ply"); }},
      {"ply binary", ply_binary(), [](std::string_view b) { return parse_ply(b, "f.ply"); }},
      {"off", kOff, [](std::string_view b) { return parse_off(b, "f.off"); }},
      {"stl text", kStlText, [](std::string_view b) { return parse_stl(b, "f.stl"); }},
      {"stl binary", stl_binary(), [](std::string_view b) { return parse_stl(b, "f.stl"); }},
      {"node", kNode, [tets](std::string_view b) { return tets(parse_tetgen(b, "f.node", kEle, "f.ele")); }},
      {"msh 2.2 text", kMsh22, [](std::string_view b) { return parse_gmsh(b, "f.msh"); }},
      {"msh 2.2 binary", msh22_binary(), [](std::string_view b) { return parse_gmsh(b, "f.msh"); }},
      {"msh 4.1 text", kMsh41, [](std::string_view b) { return parse_gmsh(b, "f.msh"); }},
      {"msh 4.1 binary", msh41_binary(), [](std::string_view b) { return parse_gmsh(b, "f.msh"); }},
      {"vtk text", kVtkText, [](std::string_view b) { return parse_vtk(b, "f.vtk"); }},
      {"vtk binary", vtk_binary(), [](std::string_view b) { return parse_vtk(b, "f.vtk"); }},
      {"vtu text", vtu_text(), [](std::string_view b) { return parse_vtu(b, "f.vtu"); }},
      {"vtu base64", vtu_base64(), [](std::string_view b) { return parse_vtu(b, "f.vtu"); }},
      {"vtu zlib", vtu_zlib(), [](std::string_view b) { return parse_vtu(b, "f.vtu"); }},
      {"vtu raw", vtu_raw(), [](std::string_view b) { return parse_vtu(b, "f.vtu"); }},
      {"glb", glb(),
       [](std::string_view b) { return parse_gltf(b, "f.glb", [](const auto&) { return gltf_buffer(); }); }},
      {"ele", kEle, [tets](std::string_view b) { return tets(parse_tetgen(kNode, "f.node", b, "f.ele")); }},
  };
}

}  // namespace pliant::test
