#pragma once
// The same two tets in every format that holds volumes, and a square in glTF, as bytes.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "pliant/mesh.h"

namespace pliant::test {

inline const std::vector<Vec3d> kTwoTetPoints = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
inline const std::vector<Tet> kTwoTets = {{0, 1, 2, 3}, {1, 3, 2, 4}};

template <class T>
void put(std::string& out, T value, std::endian order = std::endian::little) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  for (std::size_t i = 0; i < sizeof(T); ++i) out += raw[order == std::endian::native ? i : sizeof(T) - 1 - i];
}

// Beside the tets a triangle, a point and a pyramid, and a node that nothing uses; numbers of nodes have gaps.
inline const std::string kMsh22 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"all of it\"\n$EndPhysicalNames\n"
    "$Nodes\n6\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 1 1 1\n60 9 9 9\n$EndNodes\n"
    "$Elements\n5\n1 15 2 0 1 10\n2 2 2 0 1 10 30 20\n3 4 2 0 1 10 20 30 40\n4 4 2 0 1 20 40 30 50\n"
    "5 7 0 10 20 30 40 50\n$EndElements\n";

inline std::string msh22_binary() {
  std::string out = "$MeshFormat\n2.2 1 8\n";
  put<int32_t>(out, 1);
  out += "\n$EndMeshFormat\n$Nodes\n5\n";
  for (std::size_t i = 0; i < 5; ++i) {
    put<int32_t>(out, static_cast<int32_t>(i + 1));
    for (int k = 0; k < 3; ++k) put<double>(out, kTwoTetPoints[i][k]);
  }
  out += "\n$EndNodes\n$Elements\n2\n";
  for (const int32_t v : {4, 2, 1}) put<int32_t>(out, v);
  for (std::size_t t = 0; t < 2; ++t) {
    put<int32_t>(out, static_cast<int32_t>(t + 1));
    put<int32_t>(out, 7);
    for (const int v : kTwoTets[t]) put<int32_t>(out, v + 1);
  }
  return out + "\n$EndElements\n";
}

inline const std::string kMsh41 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
    "$Nodes\n2 5 1 5\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n3 1 0 2\n4\n5\n0 0 1\n1 1 1\n$EndNodes\n"
    "$Elements\n1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 2 4 3 5\n$EndElements\n";

inline std::string msh41_binary() {
  std::string out = "$MeshFormat\n4.1 1 8\n";
  put<int32_t>(out, 1);
  out += "\n$EndMeshFormat\n$Nodes\n";
  for (const uint64_t v : {1, 5, 1, 5}) put<uint64_t>(out, v);
  for (const int32_t v : {3, 1, 0}) put<int32_t>(out, v);
  put<uint64_t>(out, 5);
  for (uint64_t v = 1; v <= 5; ++v) put<uint64_t>(out, v);
  for (const Vec3d& x : kTwoTetPoints) {
    for (int k = 0; k < 3; ++k) put<double>(out, x[k]);
  }
  out += "\n$EndNodes\n$Elements\n";
  for (const uint64_t v : {1, 2, 1, 2}) put<uint64_t>(out, v);
  for (const int32_t v : {3, 1, 4}) put<int32_t>(out, v);
  put<uint64_t>(out, 2);
  for (std::size_t t = 0; t < 2; ++t) {
    put<uint64_t>(out, t + 1);
    for (const int v : kTwoTets[t]) put<uint64_t>(out, static_cast<uint64_t>(v) + 1);
  }
  return out + "\n$EndElements\n";
}

inline const std::string kVtkText =
    "# vtk DataFile Version 2.0\ntwo tets and a wedge\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    "POINTS 5 float\n0 0 0 1 0 0\n0 1 0 0 0 1 1 1 1\nMETADATA\nINFORMATION 0\n\n"
    "CELLS 3 17\n4 0 1 2 3\n4 1 3 2 4\n6 0 1 2 3 4 0\nCELL_TYPES 3\n10\n10 13\n"
    "POINT_DATA 5\nSCALARS a float\nLOOKUP_TABLE default\n1 2 3 4 5\n";

/// Version 5.1: cells as offsets and connectivity, and a field in front.
inline std::string vtk_binary() {
  std::string out =
      "# vtk DataFile Version 5.1\n\nBINARY\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nTimeValue 1 1 double\n";
  put<double>(out, 0.5, std::endian::big);
  out += "\nPOINTS 5 double\n";
  for (const Vec3d& x : kTwoTetPoints) {
    for (int k = 0; k < 3; ++k) put<double>(out, x[k], std::endian::big);
  }
  out += "\nCELLS 3 8\nOFFSETS vtktypeint64\n";
  for (const int64_t v : {0, 4, 8}) put<int64_t>(out, v, std::endian::big);
  out += "\nCONNECTIVITY vtktypeint64\n";
  for (const Tet& t : kTwoTets) {
    for (const int v : t) put<int64_t>(out, v, std::endian::big);
  }
  out += "\nCELL_TYPES 2\n";
  for (int i = 0; i < 2; ++i) put<int32_t>(out, 10, std::endian::big);
  return out + "\n";
}

/// XML around four arrays: points, connectivity, offsets, types, each with its format and contents.
inline std::string vtu_with(const std::string& head, const std::string& format, const std::vector<std::string>& arrays,
                            const std::vector<std::string>& more, const std::string& tail) {
  const auto array = [&](const char* type, const char* name, std::size_t i) {
    return std::string("<DataArray type=\"") + type + "\" Name=\"" + name + "\" format=\"" + format + "\" " + more[i] +
           (arrays[i].empty() ? "/>\n" : ">\n" + arrays[i] + "\n</DataArray>\n");
  };
  return "<?xml version=\"1.0\"?>\n<!-- a > b -->\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" " + head +
         ">\n<UnstructuredGrid><Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">\n<CellData>" +
         "<DataArray type=\"Float32\" Name=\"x\" format=\"ascii\">1 nan</DataArray></CellData>\n<Points>" +
         array("Float32", "Points", 0) + "</Points>\n<Cells>" + array("Int64", "connectivity", 1) +
         array("Int64", "offsets", 2) + array("UInt8", "types", 3) + "</Cells></Piece></UnstructuredGrid>\n" + tail +
         "</VTKFile>\n";
}

inline std::string vtu_text() {
  return vtu_with("byte_order=\"LittleEndian\"", "ascii",
                  {"0 0 0 1 0 0 0 1 0\n 0 0 1 1 1 1", "0 1 2 3 1 3 2 4", "4 8", "10 10"}, {"", "", "", ""}, "");
}
inline std::string vtu_base64() {
  return vtu_with("byte_order=\"LittleEndian\"", "binary",
                  {"PAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPwAAgD8AAIA/AACAPw==",
                   "QAAAAAAAAAAAAAAAAQAAAAAAAAACAAAAAAAAAAMAAAAAAAAAAQAAAAAAAAADAAAAAAAAAAIAAAAAAAAABAAAAAAAAAA=",
                   "EAAAAAQAAAAAAAAACAAAAAAAAAA=", "AgAAAAoK"},
                  {"", "", "", ""}, "");
}
/// Compressed by zlib, in two blocks where there is enough.
inline std::string vtu_zlib() {
  return vtu_with(
      "byte_order=\"LittleEndian\" compressor=\"vtkZLibDataCompressor\"", "binary",
      {"AgAAACAAAAAcAAAAEAAAAA8AAAA=eJxjYEAGDfYMaHwADo4Bf3icY2BABg32yBgAFwAC/Q==",
       "AgAAACAAAAAAAAAAEwAAABMAAAA=eJxjYIAARijNBKWZoTQAAHAAB3icY2SAAGYozQSlWaA0AADIAAs=",
       "AgAAAAgAAAAAAAAACwAAAAsAAAA=eJxjYYAAAAAoAAV4nONggAAAAEgACQ==", "AQAAAAQAAAACAAAACgAAAA==eJzj4gIAACAAFQ=="},
      {"", "", "", ""}, "");
}
inline std::string vtu_raw() {
  std::string data = "_";
  const auto begin = [&](uint64_t bytes) { put<uint64_t>(data, bytes, std::endian::big); };
  begin(60);
  for (const Vec3d& x : kTwoTetPoints) {
    for (int k = 0; k < 3; ++k) put<float>(data, static_cast<float>(x[k]), std::endian::big);
  }
  begin(64);
  for (const Tet& t : kTwoTets) {
    for (const int v : t) put<int64_t>(data, v, std::endian::big);
  }
  begin(16);
  for (const int64_t v : {4, 8}) put<int64_t>(data, v, std::endian::big);
  begin(2);
  data += "\x0a\x0a";
  return vtu_with("byte_order=\"BigEndian\" header_type=\"UInt64\"", "appended", {"", "", "", ""},
                  {"offset=\"0\"", "offset=\"68\"", "offset=\"140\"", "offset=\"164\""},
                  "<AppendedData encoding=\"raw\">\n  " + data + "\n</AppendedData>\n");
}

/// A unit square of two triangles with a seam: six vertices at four places, texture coordinates; a node that doubles it
/// and moves it by 10 along x, its parent turned by a right angle about z.
inline std::string gltf_buffer() {
  std::string out;
  const float x[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const float st[6][2] = {{0, 1}, {1, 1}, {1, 0}, {0.5f, 1}, {0.75f, 0}, {0.5f, 0}};
  for (const auto& p : x) {
    for (const float c : p) put<float>(out, c);
  }
  for (const auto& t : st) {
    for (const float c : t) put<float>(out, c);
  }
  for (const uint16_t v : {0, 1, 2, 3, 4, 5}) put<uint16_t>(out, v);
  return out;
}
inline std::string gltf_json(const std::string& buffer) {
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [1]}],
 "nodes": [{"mesh": 0, "translation": [10, 0, 0], "scale": [2, 2, 2]},
           {"children": [0], "rotation": [0, 0, 0.70710678118654752, 0.70710678118654752]}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2},
                            {"attributes": {"POSITION": 0}, "mode": 0}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3"},
               {"bufferView": 0, "byteOffset": 72, "componentType": 5126, "count": 6, "type": "VEC2"},
               {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 120}, {"buffer": 0, "byteOffset": 120, "byteLength": 12}],
 "buffers": [{)" +
         buffer + R"("byteLength": 132}]})";
}
inline std::string glb() {
  std::string json = gltf_json("");
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const std::string buffer = gltf_buffer();
  std::string out = "glTF";
  put<uint32_t>(out, 2);
  put<uint32_t>(out, static_cast<uint32_t>(12 + 8 + json.size() + 8 + buffer.size()));
  put<uint32_t>(out, static_cast<uint32_t>(json.size()));
  out += "JSON" + json;
  put<uint32_t>(out, static_cast<uint32_t>(buffer.size()));
  return out + std::string("BIN\0", 4) + buffer;
}

}  // namespace pliant::test
