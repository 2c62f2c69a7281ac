// Gmsh's .msh, versions 2.2 and 4.1, text and binary: nodes and elements; all other sections are skipped.
//
//   2.2   $Nodes  count | number x y z ...           $Elements  count | number type tags... nodes...
//         binary elements come in runs of one type: type, count, tags | number, tags, nodes
//   4.1   $Nodes  blocks nodes min max | dimension entity parametric count | numbers | x y z [u v w] ...
//         $Elements  blocks elements min max | dimension entity type count | number nodes ...
//
// Numbers of nodes may have gaps.

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/byte_reader.h"
#include "io/cells.h"
#include "io/text_reader.h"

namespace pliant {

namespace {

struct ElementType {
  int number, nodes;
  CellKind kind;
  const char* name;
};

constexpr ElementType kTypes[] = {
    {1, 2, CellKind::line, "line"},
    {2, 3, CellKind::triangle, "triangle"},
    {3, 4, CellKind::polygon, "quad"},
    {4, 4, CellKind::tet, "tet"},
    {5, 8, CellKind::unsupported, "hexahedron"},
    {6, 6, CellKind::unsupported, "prism"},
    {7, 5, CellKind::unsupported, "pyramid"},
    {8, 3, CellKind::line, "line of second order"},
    {9, 6, CellKind::triangle, "triangle of second order"},
    {10, 9, CellKind::unsupported, "quad of second order"},
    {11, 10, CellKind::tet, "tet of second order"},
    {12, 27, CellKind::unsupported, "hexahedron of second order"},
    {13, 18, CellKind::unsupported, "prism of second order"},
    {14, 14, CellKind::unsupported, "pyramid of second order"},
    {15, 1, CellKind::unsupported, "point"},
    {16, 8, CellKind::unsupported, "quad of second order"},
    {17, 20, CellKind::unsupported, "hexahedron of second order"},
    {18, 15, CellKind::unsupported, "prism of second order"},
    {19, 13, CellKind::unsupported, "pyramid of second order"},
    {20, 9, CellKind::triangle, "triangle of third order"},
    {21, 10, CellKind::triangle, "triangle of third order"},
    {26, 4, CellKind::line, "line of third order"},
    {29, 20, CellKind::tet, "tet of third order"},
};

/// The same numbers from text or from bytes.
class Source {
 public:
  Source(std::string_view bytes, const std::string& file)
      : bytes_(bytes), file_(file), text_(bytes, file, 0), binary_(bytes, file) {}

  bool is_binary = false;

  /// Moves to the section that starts next; its name without '$', or empty at the end.
  std::string next_section() {
    while (text_.next_line()) {
      const std::string_view word = text_.word("a section");
      if (word.starts_with("$End")) continue;
      if (word.starts_with('$')) return std::string(word.substr(1));
      text_.fail(fmt::format("{} stands where a section should start", in_quotes(word)), "give a .msh file of Gmsh");
    }
    return {};
  }
  void skip_section(const std::string& name) {
    const std::string end = "$End" + name;
    const std::size_t at = bytes_.find(end, text_.offset());
    if (at == std::string_view::npos) throw Error(file_, fmt::format("${} does not end", name), "give the whole file");
    text_.jump_to(at);
  }

  TextReader& text() { return text_; }
  /// Goes on with bytes behind the present line, and back to text.
  ByteReader& bytes() {
    binary_ = ByteReader(bytes_.substr(text_.offset()), file_, order_);
    return binary_;
  }
  void end_bytes() { text_.jump_to(text_.offset() + binary_.offset()); }
  void set_order(std::endian order) { order_ = order; }

 private:
  std::string_view bytes_;
  std::string file_;
  TextReader text_;
  ByteReader binary_;
  std::endian order_ = std::endian::little;
};

class GmshReader {
 public:
  GmshReader(std::string_view bytes, const std::string& file) : in_(bytes, file), file_(file), cells_(file) {}

  MeshParts read() {
    bool has_format = false;
    for (std::string section = in_.next_section(); !section.empty(); section = in_.next_section()) {
      if (!has_format && section != "MeshFormat")
        throw Error(file_, "does not start with $MeshFormat", "give a .msh file");
      if (section == "MeshFormat") {
        read_format();
        has_format = true;
      } else if (section == "Nodes") {
        version4_ ? read_nodes_4() : read_nodes_2();
      } else if (section == "Elements") {
        version4_ ? read_elements_4() : read_elements_2();
      }
      in_.skip_section(section);
    }
    if (!has_format) throw Error(file_, "has no $MeshFormat", "give a .msh file of Gmsh");
    return cells_.finish(std::move(positions_));
  }

 private:
  void read_format() {
    TextReader& in = in_.text();
    in.next_line();
    const std::string_view version = in.word("a version");
    if (version != "2.2" && version != "4.1") {
      in.fail(fmt::format("version {} is not read", in_quotes(version)), "save it as 2.2 or 4.1 (gmsh -format msh41)");
    }
    version4_ = version == "4.1";
    in_.is_binary = in.integer("0 (text) or 1 (binary)") == 1;
    if (in.integer("the size of a number") != 8) in.fail("its numbers do not have 8 bytes", "save it again");
    if (!in_.is_binary) return;
    const auto one = in_.bytes().next<int32_t>();
    in_.end_bytes();
    if (one == 1) return;
    if (one != 0x01000000) throw Error(file_, "its byte order cannot be made out", "save it again");
    in_.set_order(std::endian::big);
  }

  void add_node(int64_t number, double x, double y, double z) {
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) {
      throw Error(file_, fmt::format("node {} is not at a finite place", number), "give three finite numbers [m]");
    }
    if (!numbers_.try_emplace(number, static_cast<int>(positions_.size())).second) {
      throw Error(file_, fmt::format("there are two nodes with number {}", number), "number them differently");
    }
    positions_.push_back({x, y, z});
  }

  static const ElementType* find(int64_t type) {
    for (const ElementType& t : kTypes) {
      if (t.number == type) return &t;
    }
    return nullptr;
  }
  const ElementType& type_of(int64_t number) const {
    const ElementType* type = find(number);
    if (type == nullptr) {
      throw Error(file_, fmt::format("elements of type {} are not known", number), "save tets of first order");
    }
    return *type;
  }

  void add_element(const ElementType& type) {
    if (type.kind != CellKind::unsupported) {
      for (int64_t& node : nodes_) {
        const auto found = numbers_.find(node);
        if (found == numbers_.end()) {
          throw Error(file_, fmt::format("an element uses node {}, which does not exist", node), "correct it");
        }
        node = found->second;
      }
    }
    cells_.add(type.kind, type.name, nodes_, positions_.size());
  }

  // -------------------------------------------------------------- 2.2

  void read_nodes_2() {
    TextReader& in = in_.text();
    in.next_line();
    const int64_t count = in.count("the number of nodes");
    if (in_.is_binary) {
      ByteReader& bytes = in_.bytes();
      for (int64_t i = 0; i < count; ++i) {
        const auto number = bytes.next<int32_t>();
        const double x = bytes.next<double>(), y = bytes.next<double>(), z = bytes.next<double>();
        add_node(number, x, y, z);
      }
      in_.end_bytes();
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      in.next_line();
      const int64_t number = in.integer("a node's number");
      const double x = in.number("a coordinate"), y = in.number("a coordinate"), z = in.number("a coordinate");
      add_node(number, x, y, z);
    }
  }

  void read_elements_2() {
    TextReader& in = in_.text();
    in.next_line();
    const int64_t count = in.count("the number of elements");
    if (in_.is_binary) {
      ByteReader& bytes = in_.bytes();
      for (int64_t done = 0; done < count;) {
        const ElementType& type = type_of(bytes.next<int32_t>());
        const auto run = bytes.next<int32_t>(), tags = bytes.next<int32_t>();
        if (run <= 0 || run > count - done || tags < 0) bytes.fail("a run of elements has an impossible length");
        for (int32_t i = 0; i < run; ++i) {
          bytes.skip(4 * (1 + static_cast<uint64_t>(tags)));
          nodes_.resize(static_cast<std::size_t>(type.nodes));
          for (int64_t& node : nodes_) node = bytes.next<int32_t>();
          add_element(type);
        }
        done += run;
      }
      in_.end_bytes();
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      in.next_line();
      in.integer("an element's number");
      const ElementType& type = type_of(in.integer("an element's type"));
      const int64_t tags = in.count("the number of tags");
      for (int64_t t = 0; t < tags; ++t) in.word("a tag");
      read_text_nodes(in, type);
      add_element(type);
    }
  }

  void read_text_nodes(TextReader& in, const ElementType& type) {
    nodes_.resize(static_cast<std::size_t>(type.nodes));
    for (int64_t& node : nodes_) node = in.integer("a node's number");
  }

  // -------------------------------------------------------------- 4.1

  void read_nodes_4() {
    if (in_.is_binary) {
      ByteReader& in = in_.bytes();
      const auto blocks = in.next<uint64_t>();
      in.skip(24);
      for (uint64_t b = 0; b < blocks; ++b) {
        const auto dimension = in.next<int32_t>();
        in.skip(4);
        const bool parametric = in.next<int32_t>() != 0;
        const auto count = in.next<uint64_t>();
        if (count > in.left() / 32) in.fail("a block says that it has more nodes than there are");
        tags_.clear();
        for (uint64_t i = 0; i < count; ++i) tags_.push_back(static_cast<int64_t>(in.next<uint64_t>()));
        for (const int64_t tag : tags_) {
          const double x = in.next<double>(), y = in.next<double>(), z = in.next<double>();
          if (parametric) in.skip(8 * static_cast<uint64_t>(std::clamp(dimension, 0, 3)));
          add_node(tag, x, y, z);
        }
      }
      in_.end_bytes();
      return;
    }
    TextReader& in = in_.text();
    in.next_line();
    const int64_t blocks = in.count("the number of blocks");
    for (int64_t b = 0; b < blocks; ++b) {
      in.next_line();
      in.integer("a dimension"), in.integer("an entity"), in.integer("0 or 1");
      const int64_t count = in.count("the number of nodes");
      tags_.clear();
      for (int64_t i = 0; i < count; ++i) {
        in.next_line();
        tags_.push_back(in.integer("a node's number"));
      }
      for (const int64_t tag : tags_) {
        in.next_line();
        const double x = in.number("a coordinate"), y = in.number("a coordinate"), z = in.number("a coordinate");
        add_node(tag, x, y, z);
      }
    }
  }

  void read_elements_4() {
    if (in_.is_binary) {
      ByteReader& in = in_.bytes();
      const auto blocks = in.next<uint64_t>();
      in.skip(24);
      for (uint64_t b = 0; b < blocks; ++b) {
        in.skip(8);
        const ElementType& type = type_of(in.next<int32_t>());
        const auto count = in.next<uint64_t>();
        for (uint64_t i = 0; i < count; ++i) {
          in.skip(8);
          nodes_.resize(static_cast<std::size_t>(type.nodes));
          for (int64_t& node : nodes_) node = static_cast<int64_t>(in.next<uint64_t>());
          add_element(type);
        }
      }
      in_.end_bytes();
      return;
    }
    TextReader& in = in_.text();
    in.next_line();
    const int64_t blocks = in.count("the number of blocks");
    for (int64_t b = 0; b < blocks; ++b) {
      in.next_line();
      in.integer("a dimension"), in.integer("an entity");
      const ElementType& type = type_of(in.integer("an element's type"));
      const int64_t count = in.count("the number of elements");
      for (int64_t i = 0; i < count; ++i) {
        in.next_line();
        in.integer("an element's number");
        read_text_nodes(in, type);
        add_element(type);
      }
    }
  }

  Source in_;
  std::string file_;
  bool version4_ = false;
  std::vector<Vec3d> positions_;
  std::unordered_map<int64_t, int> numbers_;  // of a node -> of its position
  std::vector<int64_t> nodes_, tags_;
  CellCollector cells_;
};

}  // namespace

MeshParts parse_gmsh(std::string_view bytes, const std::string& file) { return GmshReader(bytes, file).read(); }

}  // namespace pliant
