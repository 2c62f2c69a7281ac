// Polygon File Format (PLY): text and binary little endian. Read are x, y, z of "vertex", the list of
// "face" and the ends of "edge"; all other elements and properties are skipped by their types.

#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "io/mesh_formats.h"
#include "io/text_reader.h"

namespace pliant {

namespace {

enum class Type { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct Property {
  std::string name;
  Type type{};
  std::optional<Type> count_type;  // of a list
};

struct Element {
  std::string name;
  int64_t count = 0;
  std::vector<Property> properties;
};

struct Header {
  bool binary = false;
  std::vector<Element> elements;
};

Type type_named(TextReader& in, std::string_view name) {
  if (name == "char" || name == "int8") return Type::int8;
  if (name == "uchar" || name == "uint8") return Type::uint8;
  if (name == "short" || name == "int16") return Type::int16;
  if (name == "ushort" || name == "uint16") return Type::uint16;
  if (name == "int" || name == "int32") return Type::int32;
  if (name == "uint" || name == "uint32") return Type::uint32;
  if (name == "float" || name == "float32") return Type::float32;
  if (name == "double" || name == "float64") return Type::float64;
  in.fail(fmt::format("{} is no type of PLY", in_quotes(name)),
          "use char, uchar, short, ushort, int, uint, float or double");
}

/// Leaves `in` at the end of the header.
Header parse_header(TextReader& in, const std::string& file) {
  if (!in.next_line() || in.word("ply") != "ply") throw Error(file, "does not start with \"ply\"", "give a PLY file");
  Header header;
  bool has_format = false;
  for (;;) {
    if (!in.next_line()) in.fail("the file ends inside of its header", "give the whole file");
    const std::string_view keyword = in.word("a keyword");
    if (keyword == "comment" || keyword == "obj_info") continue;
    if (keyword == "end_header") break;
    if (keyword == "format") {
      const std::string_view format = in.word("a format");
      if (format != "ascii" && format != "binary_little_endian") {
        in.fail(fmt::format("format {} is not read", in_quotes(format)), "write it as ascii or binary_little_endian");
      }
      header.binary = format != "ascii";
      has_format = true;
    } else if (keyword == "element") {
      Element element;
      element.name = in.word("an element's name");
      element.count = in.count("a number of elements");
      header.elements.push_back(element);
    } else if (keyword == "property") {
      if (header.elements.empty()) in.fail("a property in front of the first element");
      Property property;
      std::string_view type = in.word("a type");
      if (type == "list") {
        property.count_type = type_named(in, in.word("the type of a count"));
        if (*property.count_type >= Type::float32) in.fail("the length of a list is no whole number");
        type = in.word("a type");
      }
      property.type = type_named(in, type);
      property.name = in.word("a property's name");
      header.elements.back().properties.push_back(property);
    } else {
      in.fail(fmt::format("{} is no keyword of a PLY header", in_quotes(keyword)), "give a PLY file");
    }
  }
  if (!has_format) in.fail("the header has no format line", "add: format ascii 1.0");
  // Every row takes at least a byte, so that a count alone cannot keep the reader busy.
  for (const Element& element : header.elements) {
    if (element.properties.empty() && element.count > 0) {
      throw Error(file, fmt::format("element {} has no properties", in_quotes(element.name)), "remove it");
    }
  }
  return header;
}

/// The values behind the header, one after the other.
class Values {
 public:
  Values(std::string_view bytes, const TextReader& behind_header, bool binary, const std::string& file)
      : bytes_(bytes), at_(behind_header.offset()), text_(behind_header), binary_(binary), file_(file) {}

  void enter(const std::string& element, int64_t row) {
    element_ = &element;
    row_ = row;
  }

  double next(Type type) {
    if (!binary_) {
      text_.allow_line_breaks();
      return text_.number("a value");
    }
    switch (type) {
      case Type::int8:
        return static_cast<int8_t>(unsigned_value(1));
      case Type::uint8:
        return static_cast<double>(unsigned_value(1));
      case Type::int16:
        return static_cast<int16_t>(unsigned_value(2));
      case Type::uint16:
        return static_cast<double>(unsigned_value(2));
      case Type::int32:
        return static_cast<int32_t>(unsigned_value(4));
      case Type::uint32:
        return static_cast<double>(unsigned_value(4));
      case Type::float32:
        return std::bit_cast<float>(static_cast<uint32_t>(unsigned_value(4)));
      case Type::float64:
        return std::bit_cast<double>(unsigned_value(8));
    }
    return 0;
  }

  void skip(Type type) {
    if (binary_) {
      next(type);
    } else {
      text_.allow_line_breaks();
      text_.word("a value");  // which may be "nan" where nobody looks
    }
  }

  /// A value that must be a whole number from 0 to `most`.
  int64_t next_index(Type type, int64_t most, const char* what) {
    const double value = next(type);
    if (!(value >= 0 && value <= static_cast<double>(most)) || value != std::floor(value)) {
      fail(fmt::format("{} {} is not a whole number from 0 to {}", what, value, most));
    }
    return static_cast<int64_t>(value);
  }

  std::size_t bytes_left() const { return binary_ ? bytes_.size() - at_ : text_.bytes_left(); }

  std::string where() const { return fmt::format("{}: {} {}", file_, *element_, row_); }
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy = "correct it") const {
    throw Error(where(), problem, remedy);
  }

 private:
  uint64_t unsigned_value(std::size_t size) {
    if (bytes_.size() - at_ < size) fail("the file ends here", "give the whole file");
    uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes_[at_ + i]);
    at_ += size;
    return value;
  }

  std::string_view bytes_;
  std::size_t at_;
  TextReader text_;
  bool binary_;
  const std::string& file_;
  const std::string* element_ = nullptr;
  int64_t row_ = 0;
};

/// Polygons wait here until all vertices are known.
struct Faces {
  std::vector<int> corners;
  std::vector<std::size_t> ends;
};

constexpr int64_t kMostInList = 1 << 24;  // corners of one face; the data must bring them in any case

void read_element(const Element& element, int64_t vertex_count, Values& values, MeshParts& mesh, Faces& faces) {
  const bool is_vertex = element.name == "vertex", is_face = element.name == "face", is_edge = element.name == "edge";
  if (is_vertex) reserve_claimed(mesh.positions, element.count, values.bytes_left(), 3);
  for (int64_t row = 0; row < element.count; ++row) {
    values.enter(element.name, row);
    Vec3d position{};
    Edge edge{};
    for (const Property& property : element.properties) {
      if (property.count_type) {
        const bool corners = is_face && (property.name == "vertex_indices" || property.name == "vertex_index");
        const int64_t length = values.next_index(*property.count_type, kMostInList, "the length of a list,");
        for (int64_t i = 0; i < length; ++i) {
          if (corners) {
            faces.corners.push_back(static_cast<int>(values.next_index(property.type, vertex_count - 1, "vertex")));
          } else {
            values.skip(property.type);
          }
        }
        if (corners) faces.ends.push_back(faces.corners.size());
      } else if (is_edge && (property.name == "vertex1" || property.name == "vertex2")) {
        edge[property.name == "vertex2"] =
            static_cast<int>(values.next_index(property.type, vertex_count - 1, "vertex"));
      } else if (is_vertex && (property.name == "x" || property.name == "y" || property.name == "z")) {
        const double value = values.next(property.type);
        if (!std::isfinite(value)) values.fail(property.name + " is not a finite number", "give a position [m]");
        position[property.name[0] - 'x'] = value;
      } else {
        values.skip(property.type);
      }
    }
    if (is_vertex) mesh.positions.push_back(position);
    if (is_edge) mesh.edges.push_back(edge);
  }
}

bool has_property(const Element& element, std::string_view name, bool list) {
  for (const Property& p : element.properties) {
    if (p.name == name && p.count_type.has_value() == list) return true;
  }
  return false;
}

void require_properties(const Element& element, const std::string& file) {
  const auto scalar = [&](const char* name) { return has_property(element, name, false); };
  if (element.name == "vertex" && !(scalar("x") && scalar("y") && scalar("z"))) {
    throw Error(file, "the vertices have no x, y and z", "give the three properties");
  }
  if (element.name == "face" && !has_property(element, "vertex_indices", true) &&
      !has_property(element, "vertex_index", true)) {
    throw Error(file, "the faces have no list vertex_indices", "give this property");
  }
  if (element.name == "edge" && !(scalar("vertex1") && scalar("vertex2"))) {
    throw Error(file, "the edges have no vertex1 and vertex2", "give the two properties");
  }
}

}  // namespace

MeshParts parse_ply(std::string_view bytes, const std::string& file) {
  TextReader in(bytes, file, 0);
  const Header header = parse_header(in, file);
  int64_t vertex_count = 0;
  for (const Element& element : header.elements) {
    require_properties(element, file);
    if (element.name == "vertex") vertex_count += element.count;
  }
  MeshParts mesh;
  Faces faces;
  Values values(bytes, in, header.binary, file);
  for (const Element& element : header.elements) read_element(element, vertex_count, values, mesh, faces);

  std::vector<int> corners;
  const std::string face_element = "face";
  for (std::size_t f = 0, begin = 0; f < faces.ends.size(); begin = faces.ends[f++]) {
    corners.assign(faces.corners.begin() + static_cast<std::ptrdiff_t>(begin),
                   faces.corners.begin() + static_cast<std::ptrdiff_t>(faces.ends[f]));
    values.enter(face_element, static_cast<int64_t>(f));
    add_polygon(corners, mesh.positions, values.where(), mesh.triangles);
  }
  return mesh;
}

}  // namespace pliant
