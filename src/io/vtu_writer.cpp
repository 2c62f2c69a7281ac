// VTK unstructured grids (.vtu, a file per frame) and the list of them with their times (.pvd), for ParaView and other
// tools of engineers. All vertices and elements of all bodies, inner ones too: tets, triangles and lines.
//
//   point data   velocity [m/s]
//   cell data    body (its number), strain, and where there is a material: stress [Pa], von_mises [Pa],
//                energy_density [J/m^3] (solver/element_fields.h); not a number elsewhere
//
// Arrays stand behind the XML as raw little-endian bytes, each behind its own 64-bit length.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "core/file.h"
#include "io/frame_sequence.h"
#include "solver/element_fields.h"

namespace pliant {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

// Numbers of the VTK file formats.
constexpr uint8_t kVtkLine = 3, kVtkTriangle = 5, kVtkTet = 10;

/// The XML of a piece and the bytes behind it, side by side.
class Arrays {
 public:
  void open(const char* tag) { fmt::format_to(std::back_inserter(xml_), "      <{}>\n", tag); }
  void close(const char* tag) { fmt::format_to(std::back_inserter(xml_), "      </{}>\n", tag); }

  template <class T>
  void add(const char* name, int components, const std::vector<T>& values, const std::string& more = {}) {
    const char* type = std::is_same_v<T, float>     ? "Float32"
                       : std::is_same_v<T, int64_t> ? "Int64"
                       : std::is_same_v<T, int32_t> ? "Int32"
                                                    : "UInt8";
    fmt::format_to(std::back_inserter(xml_),
                   "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"{} format=\"appended\" "
                   "offset=\"{}\"/>\n",
                   type, name, components, more, bytes_.size());
    const uint64_t size = values.size() * sizeof(T);
    append(&size, sizeof(size));
    append(values.data(), size);
  }

  const std::string& xml() const { return xml_; }
  const std::string& bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
  }
  std::string xml_, bytes_;
};

struct Grid {
  std::vector<float> points, velocity;
  std::vector<int64_t> connectivity, offsets;
  std::vector<uint8_t> types;
  std::vector<int32_t> body;
  std::vector<float> strain, von_mises, energy_density, stress;
};

void add_vectors(std::vector<float>& to, const std::vector<Vec3d>& from) {
  for (const Vec3d& v : from) {
    for (int i = 0; i < 3; ++i) to.push_back(static_cast<float>(v[i]));
  }
}

template <std::size_t N>
void add_cells(Grid& grid, const std::vector<std::array<int, N>>& elements, uint8_t type, int64_t first, int body) {
  for (const auto& element : elements) {
    for (const int v : element) grid.connectivity.push_back(first + v);
    grid.offsets.push_back(static_cast<int64_t>(grid.connectivity.size()));
    grid.types.push_back(type);
    grid.body.push_back(body);
  }
}

Grid grid_of(const World& world) {
  Grid grid;
  for (int b = 0; b < world.body_count(); ++b) {
    const BodyId body{b};
    const auto first = static_cast<int64_t>(grid.points.size() / 3);
    add_vectors(grid.points, world.positions(body));
    add_vectors(grid.velocity, world.velocities(body));
    if (!world.tets(body).empty()) {
      add_cells(grid, world.tets(body), kVtkTet, first, b);
    } else if (!world.triangles(body).empty()) {
      add_cells(grid, world.triangles(body), kVtkTriangle, first, b);
    } else {
      add_cells(grid, world.edges(body), kVtkLine, first, b);
    }
    const ElementFields fields = element_fields(world, body);
    for (const double v : fields.strain) grid.strain.push_back(static_cast<float>(v));
    for (const double v : fields.von_mises) grid.von_mises.push_back(static_cast<float>(v));
    for (const double v : fields.energy_density) grid.energy_density.push_back(static_cast<float>(v));
    for (const auto& s : fields.stress) {
      for (const double v : s) grid.stress.push_back(static_cast<float>(v));
    }
  }
  return grid;
}

std::string encode(const World& world) {
  const Grid grid = grid_of(world);
  Arrays arrays;
  arrays.open("PointData Vectors=\"velocity\"");
  arrays.add("velocity", 3, grid.velocity);
  arrays.close("PointData");
  arrays.open("CellData Scalars=\"strain\"");
  arrays.add("strain", 1, grid.strain);
  arrays.add("von_mises", 1, grid.von_mises);
  arrays.add("energy_density", 1, grid.energy_density);
  // ParaView names the components of a symmetric tensor by itself, in this order.
  arrays.add("stress", 6, grid.stress,
             " ComponentName0=\"XX\" ComponentName1=\"YY\" ComponentName2=\"ZZ\" ComponentName3=\"XY\" "
             "ComponentName4=\"YZ\" ComponentName5=\"XZ\"");
  arrays.add("body", 1, grid.body);
  arrays.close("CellData");
  arrays.open("Points");
  arrays.add("Points", 3, grid.points);
  arrays.close("Points");
  arrays.open("Cells");
  arrays.add("connectivity", 1, grid.connectivity);
  arrays.add("offsets", 1, grid.offsets);
  arrays.add("types", 1, grid.types);
  arrays.close("Cells");

  std::string out = fmt::format(
      "<?xml version=\"1.0\"?>\n<!-- pliant {}, time {:.9g} s -->\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "  <UnstructuredGrid>\n    <FieldData>\n"
      "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{:.17g}</DataArray>\n"
      "    </FieldData>\n    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n{}    </Piece>\n"
      "  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _",
      version(), world.time(), world.time(), grid.points.size() / 3, grid.types.size(), arrays.xml());
  out += arrays.bytes();
  out += "\n  </AppendedData>\n</VTKFile>\n";
  return out;
}

std::string with_ending(const std::string& path, const char* ending) {
  return std::filesystem::path(path).replace_extension(ending).string();
}

std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

class VtuWriter final : public FrameSequence {
 public:
  VtuWriter(const std::string& path, int64_t first_frame)
      : FrameSequence(with_ending(path, ".vtu"), encode, first_frame), list_(without_number(path, ".pvd")) {
    AtomicFile can_be_written(list_);
  }

  void write(const World& world) override {
    FrameSequence::write(world);
    times_.push_back(world.time());
    step_ = world.options().step;
  }

  void close() override {
    if (times_.empty()) return;
    AtomicFile file(list_);
    file.write(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
        "  <Collection>\n");
    const auto add = [&](int64_t frame, double time) {
      file.write(fmt::format("    <DataSet timestep=\"{:.12g}\" part=\"0\" file=\"{}\"/>\n", time,
                             xml_text(std::filesystem::path(file_name(frame)).filename().string())));
    };
    // Frames that an earlier run left, before it was resumed.
    for (int64_t frame = 0; frame < first_frame(); ++frame) {
      std::error_code error;
      if (std::filesystem::exists(file_name(frame), error)) add(frame, static_cast<double>(frame + 1) * step_);
    }
    for (std::size_t i = 0; i < times_.size(); ++i) add(first_frame() + static_cast<int64_t>(i), times_[i]);
    file.write("  </Collection>\n</VTKFile>\n");
    file.commit();
  }

  std::string summary() const override {
    return times_.empty() ? FrameSequence::summary() : list_ + ", " + FrameSequence::summary();
  }

 private:
  std::string list_;
  std::vector<double> times_;  // [s] of each frame: eight bytes, the only thing that grows
  double step_ = 0;
};

}  // namespace

std::unique_ptr<Writer::Format> make_vtu_writer(const std::string& path, const WriterOptions& options) {
  return std::make_unique<VtuWriter>(path, options.first_frame);
}

}  // namespace pliant
