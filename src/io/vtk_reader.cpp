// VTK's legacy format (.vtk) with an unstructured grid or polygons, text or binary (big endian): points, cells and
// their types. Data of points and cells, which comes behind, is not read.
//
//   CELLS n size | k v0 .. vk-1 ...                     up to version 4
//   CELLS n+1 m | OFFSETS type | ... | CONNECTIVITY type | ...       from version 5.1 on

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/byte_reader.h"
#include "io/text_reader.h"
#include "io/vtk_cells.h"

namespace pliant {

namespace {

class VtkReader {
 public:
  VtkReader(std::string_view bytes, const std::string& file)
      : bytes_(bytes), file_(file), text_(bytes, file, 0), data_({}, file, std::endian::big), cells_(file) {}

  MeshParts read() {
    read_head();
    bool has_dataset = false;
    while (text_.next_line()) {
      const std::string keyword = upper(text_.word("a keyword"));
      if (keyword == "POINT_DATA" || keyword == "CELL_DATA") break;
      if (keyword == "DATASET") {
        const std::string kind = upper(text_.word("a kind of data"));
        if (kind != "UNSTRUCTURED_GRID" && kind != "POLYDATA") {
          text_.fail(fmt::format("{} is not read", in_quotes(kind)), "save it as an unstructured grid");
        }
        has_dataset = true;
      } else if (keyword == "FIELD") {
        skip_field();
      } else if (keyword == "POINTS") {
        read_points();
      } else if (keyword == "CELLS") {
        read_lists(cell_begin_, cell_nodes_);
      } else if (keyword == "CELL_TYPES") {
        const int64_t count = text_.count("the number of cells");
        begin_values();
        for (int64_t i = 0; i < count; ++i) types_.push_back(integer("int"));
        end_values();
      } else if (keyword == "POLYGONS" || keyword == "LINES" || keyword == "TRIANGLE_STRIPS") {
        const int64_t type = keyword == "POLYGONS" ? 7 : keyword == "LINES" ? 4 : 6;
        const std::size_t before = cell_count();
        read_lists(cell_begin_, cell_nodes_);
        types_.resize(types_.size() + cell_count() - before, type);
      } else if (keyword == "VERTICES") {
        std::vector<std::size_t> begin;
        std::vector<int64_t> nodes;
        read_lists(begin, nodes);
      }  // METADATA and its lines mean nothing here
    }
    if (!has_dataset) throw Error(file_, "has no DATASET", "give a .vtk file with an unstructured grid");
    if (types_.size() != cell_count()) {
      throw Error(file_, fmt::format("has {} cells, but types of {}", cell_count(), types_.size()),
                  "give one per cell");
    }
    for (std::size_t c = 0; c < types_.size(); ++c) {
      const VtkCellType type = vtk_cell_type(types_[c]);
      const std::span<const int64_t> nodes(cell_nodes_.data() + cell_begin_[c], cell_begin_[c + 1] - cell_begin_[c]);
      cells_.add(type.kind, type.name, nodes, positions_.size());
    }
    return cells_.finish(std::move(positions_));
  }

 private:
  static std::string upper(std::string_view word) {
    std::string out(word.substr(0, 40));
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
    return out;
  }

  std::size_t cell_count() const { return cell_begin_.empty() ? 0 : cell_begin_.size() - 1; }

  void read_head() {
    if (!bytes_.starts_with("# vtk DataFile"))
      throw Error(file_, "does not start with \"# vtk DataFile\"", "give a .vtk file");
    text_.next_line();
    // The title stands in between; it may be empty.
    for (int line = 0; line < 2; ++line) {
      if (!text_.next_line()) break;
      const std::string word = upper(text_.word("ASCII or BINARY"));
      if (word == "ASCII" || word == "BINARY") {
        binary_ = word == "BINARY";
        return;
      }
    }
    text_.fail("neither ASCII nor BINARY stands in the third line", "give a .vtk file");
  }

  void read_points() {
    const int64_t count = text_.count("the number of points");
    const std::string type(text_.word("a type"));
    begin_values();
    reserve_claimed(positions_, count, bytes_.size(), 6);
    for (int64_t i = 0; i < count; ++i) {
      const double x = number(type), y = number(type), z = number(type);
      if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) {
        throw Error(fmt::format("{}: point {}", file_, i), "is not at a finite place", "give three finite numbers [m]");
      }
      positions_.push_back({x, y, z});
    }
    end_values();
  }

  /// Appends lists of nodes: list i is nodes[begin[i]] .. nodes[begin[i + 1]].
  void read_lists(std::vector<std::size_t>& begin, std::vector<int64_t>& nodes) {
    const int64_t count = text_.count("the number of cells"), size = text_.count("the size of the list");
    if (begin.empty()) begin.push_back(0);
    const std::size_t behind = text_.offset();
    const std::size_t next_word = bytes_.find_first_not_of(" \t\r\n", behind);
    if (next_word != std::string_view::npos && bytes_.substr(next_word).starts_with("OFFSETS")) {
      read_offset_lists(count, size, begin, nodes);
      return;
    }
    begin_values();
    for (int64_t c = 0, used = 0; c < count; ++c) {
      const int64_t length = integer("int");
      if (length < 0 || length > size - used - 1) {
        throw Error(file_, fmt::format("cell {} has {} nodes, more than the list has left", c, length), "correct it");
      }
      for (int64_t i = 0; i < length; ++i) nodes.push_back(integer("int"));
      begin.push_back(nodes.size());
      used += length + 1;
    }
    end_values();
  }

  void read_offset_lists(int64_t offsets, int64_t size, std::vector<std::size_t>& begin, std::vector<int64_t>& nodes) {
    text_.next_line();
    text_.word("OFFSETS");
    std::string type(text_.word("a type"));
    begin_values();
    const std::size_t first = nodes.size();
    int64_t last = 0;
    for (int64_t i = 0; i < offsets; ++i) {
      const int64_t offset = integer(type);
      if ((i == 0 && offset != 0) || offset < last || offset > size) {
        throw Error(file_, fmt::format("offset {} is {}, which cannot be", i, offset), "correct it");
      }
      if (i > 0) begin.push_back(first + static_cast<std::size_t>(offset));
      last = offset;
    }
    end_values();
    text_.next_line();
    if (upper(text_.word("CONNECTIVITY")) != "CONNECTIVITY") text_.fail("CONNECTIVITY should stand here", "correct it");
    type = std::string(text_.word("a type"));
    begin_values();
    for (int64_t i = 0; i < size; ++i) nodes.push_back(integer(type));
    end_values();
    if (begin.back() > nodes.size()) throw Error(file_, "the offsets go beyond the list of nodes", "correct it");
    nodes.resize(begin.back());
  }

  void skip_field() {
    text_.word("a name");
    const int64_t arrays = text_.count("the number of arrays");
    for (int64_t a = 0; a < arrays; ++a) {
      text_.next_line();
      text_.word("a name");
      const int64_t components = text_.count("the number of components"), tuples = text_.count("the number of tuples");
      const std::string type(text_.word("a type"));
      if (components > 0 && tuples > static_cast<int64_t>(bytes_.size()) / components) {
        text_.fail("an array is longer than the file", "give the whole file");
      }
      begin_values();
      for (int64_t i = 0; i < components * tuples; ++i) {
        if (binary_) {
          number(type);
        } else {
          text_.allow_line_breaks();
          text_.word("a value");
        }
      }
      end_values();
    }
  }

  // -------------------------------------------------------------- values

  void begin_values() { data_ = ByteReader(bytes_.substr(text_.offset()), file_, std::endian::big); }
  void end_values() {
    if (binary_) text_.jump_to(text_.offset() + data_.offset());
  }

  double number(const std::string& type) {
    if (!binary_) {
      text_.allow_line_breaks();
      return text_.number("a value");
    }
    if (type == "float") return data_.next<float>();
    if (type == "double") return data_.next<double>();
    return static_cast<double>(integer(type));
  }
  int64_t integer(const std::string& type) {
    if (!binary_) {
      text_.allow_line_breaks();
      return text_.integer("a whole number");
    }
    if (type == "int" || type == "unsigned_int" || type == "vtkIdType") return data_.next<int32_t>();
    if (type == "vtktypeint64" || type == "long" || type == "vtktypeuint64") return data_.next<int64_t>();
    if (type == "short" || type == "unsigned_short") return data_.next<int16_t>();
    if (type == "char" || type == "unsigned_char") return data_.next<int8_t>();
    throw Error(file_, fmt::format("numbers of type {} are not read", in_quotes(type)),
                "save it with int, float or double");
  }

  std::string_view bytes_;
  std::string file_;
  TextReader text_;
  ByteReader data_;
  bool binary_ = false;
  std::vector<Vec3d> positions_;
  std::vector<std::size_t> cell_begin_;
  std::vector<int64_t> cell_nodes_, types_;
  CellCollector cells_;
};

}  // namespace

MeshParts parse_vtk(std::string_view bytes, const std::string& file) { return VtkReader(bytes, file).read(); }

}  // namespace pliant
