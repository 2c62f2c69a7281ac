// VTK's XML format with an unstructured grid (.vtu) or polygons (.vtp): points and cells of all pieces. Arrays may be
// text, base64, or appended behind the XML as base64 or raw bytes, compressed with zlib or not. Of XML just what these
// files use: tags with attributes, and the text of an array.
//
//   array of bytes             length | data
//   compressed                 blocks, size of a block, size of the last, compressed sizes ... | zlib streams

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base64.h"
#include "core/zlib_stream.h"
#include "io/byte_reader.h"
#include "io/text_reader.h"
#include "io/vtk_cells.h"

namespace pliant {

namespace {

struct Tag {
  std::string name;  // "/Piece" closes one
  std::map<std::string, std::string> attributes;
  std::size_t end = 0;  // behind its '>'

  std::string get(const std::string& name_of, const char* otherwise = "") const {
    const auto found = attributes.find(name_of);
    return found == attributes.end() ? otherwise : found->second;
  }
};

class VtuReader {
 public:
  VtuReader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file), cells_(file) {}

  MeshParts read() {
    find_appended();
    std::string section;
    bool is_grid = false;
    Arrays arrays;
    for (Tag tag; next_tag(tag);) {
      if (tag.name == "VTKFile") {
        read_head(tag);
        is_grid = true;
      } else if (tag.name == "Piece") {
        arrays.clear();
      } else if (tag.name == "/Piece") {
        add_piece(arrays);
      } else if (is_section(tag.name)) {
        section = tag.name;
      } else if (tag.name == "DataArray" && !section.empty()) {
        const std::string name = section == "Points" ? "Points" : section + "/" + tag.get("Name");
        arrays[name] = read_array(tag);
      } else if (!section.empty() && tag.name == "/" + section) {
        section.clear();
      }
    }
    if (!is_grid) throw Error(file_, "is no VTK file", "give a .vtu or .vtp file");
    return cells_.finish(std::move(positions_));
  }

 private:
  using Arrays = std::map<std::string, std::vector<double>>;  // whole numbers are exact up to 2^53

  static bool is_section(const std::string& name) {
    return name == "Points" || name == "Cells" || name == "Polys" || name == "Lines" || name == "Strips";
  }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy = "give the whole file") const {
    throw Error(file_, problem, remedy);
  }

  /// The XML ends where appended bytes begin: in them '<' means nothing.
  void find_appended() {
    xml_ = bytes_;
    const std::size_t tag = bytes_.find("<AppendedData");
    if (tag == std::string_view::npos) return;
    xml_ = bytes_.substr(0, tag);
    const std::size_t end = bytes_.find('>', tag), start = bytes_.find('_', end);
    if (end == std::string_view::npos || start == std::string_view::npos) fail("its appended data does not begin");
    appended_raw_ = bytes_.substr(tag, end - tag).find("\"raw\"") != std::string_view::npos;
    appended_ = bytes_.substr(start + 1);
  }

  bool next_tag(Tag& tag) {
    tag = {};
    for (;;) {
      at_ = xml_.find('<', at_);
      if (at_ == std::string_view::npos) return false;
      const std::string_view rest = xml_.substr(at_);
      if (!rest.starts_with("<?") && !rest.starts_with("<!")) break;
      const char* close = rest.starts_with("<!--") ? "-->" : ">";
      const std::size_t end = xml_.find(close, at_);
      if (end == std::string_view::npos) return false;
      at_ = end;
    }
    const std::size_t end = xml_.find('>', at_);
    if (end == std::string_view::npos) fail("a tag does not end");
    std::string_view inside = xml_.substr(at_ + 1, end - at_ - 1);
    at_ = tag.end = end + 1;
    const std::size_t name_end = std::min(inside.find_first_of(" \t\r\n/", 1), inside.size());
    tag.name = std::string(inside.substr(0, name_end));
    inside.remove_prefix(name_end);
    for (;;) {
      const std::size_t equals = inside.find('=');
      if (equals == std::string_view::npos) return true;
      const std::string_view before = inside.substr(0, equals);
      const std::size_t from = before.find_first_not_of(" \t\r\n/");
      const std::size_t to = before.find_last_not_of(" \t\r\n");
      const std::size_t open = inside.find_first_of("\"'", equals);
      if (from == std::string_view::npos || open == std::string_view::npos) return true;
      const std::size_t close = inside.find(inside[open], open + 1);
      if (close == std::string_view::npos) return true;
      tag.attributes[std::string(before.substr(from, to + 1 - from))] =
          std::string(inside.substr(open + 1, close - open - 1));
      inside.remove_prefix(close + 1);
    }
  }

  void read_head(const Tag& tag) {
    const std::string type = tag.get("type");
    if (type != "UnstructuredGrid" && type != "PolyData") {
      fail(fmt::format("holds {}, which is not read", in_quotes(type)), "save it as an unstructured grid");
    }
    order_ = tag.get("byte_order") == "BigEndian" ? std::endian::big : std::endian::little;
    wide_header_ = tag.get("header_type", "UInt32") == "UInt64";
    const std::string compressor = tag.get("compressor");
    if (!compressor.empty() && compressor != "vtkZLibDataCompressor") {
      fail(fmt::format("is compressed by {}", in_quotes(compressor)), "save it with zlib or without compression");
    }
    compressed_ = !compressor.empty();
  }

  // -------------------------------------------------------------- arrays

  std::vector<double> read_array(const Tag& tag) {
    const std::string format = tag.get("format", "ascii"), type = tag.get("type");
    if (format == "appended") {
      int64_t offset = 0;
      if (!parse_integer(tag.get("offset"), offset) || offset < 0 ||
          static_cast<uint64_t>(offset) > static_cast<uint64_t>(appended_.size())) {
        fail(fmt::format("array {} stands at no place of the appended data", in_quotes(tag.get("Name"))));
      }
      const std::string_view data = appended_.substr(static_cast<std::size_t>(offset));
      return numbers(appended_raw_ ? raw_bytes(data) : base64_bytes(data), type);
    }
    const std::size_t end = xml_.find('<', tag.end);
    if (end == std::string_view::npos) fail("an array does not end");
    const std::string_view text = xml_.substr(tag.end, end - tag.end);
    if (format == "binary") return numbers(base64_bytes(text), type);
    if (format != "ascii") fail(fmt::format("arrays of format {} are not read", in_quotes(format)), "save it again");
    std::vector<double> out;
    TextReader in(text, file_, 0);
    while (in.next_line()) {
      while (in.has_word()) out.push_back(in.number("a number"));
    }
    return out;
  }

  std::size_t header_size() const { return wide_header_ ? 8 : 4; }
  uint64_t header_word(ByteReader& in) const { return wide_header_ ? in.next<uint64_t>() : in.next<uint32_t>(); }

  std::string raw_bytes(std::string_view data) const {
    ByteReader in(data, file_, order_);
    if (!compressed_) {
      const uint64_t size = header_word(in);
      if (size > in.left()) fail("an array is longer than the data");
      return std::string(in.take(static_cast<std::size_t>(size)));
    }
    const std::vector<uint64_t> blocks = compression_header(in);
    return inflated(blocks, data.substr(in.offset()));
  }

  std::string base64_bytes(std::string_view text) const {
    const std::size_t from = text.find_first_not_of(" \t\r\n");
    if (from == std::string_view::npos) return {};
    text.remove_prefix(from);
    text = text.substr(0, text.find_first_of(" \t\r\n<"));
    if (!compressed_) {
      const std::string bytes = decoded(text);
      ByteReader in(bytes, file_, order_);
      const uint64_t size = header_word(in);
      if (size > in.left()) fail("an array is longer than its data");
      return std::string(in.take(static_cast<std::size_t>(size)));
    }
    // The header is coded by itself, and padded; what it says tells how long it is.
    const auto coded = [](std::size_t bytes) { return (bytes + 2) / 3 * 4; };
    const std::string head = decoded(text.substr(0, coded(3 * header_size())));
    ByteReader in(head, file_, order_);
    const uint64_t count = header_word(in);
    if (count > text.size()) fail("an array has more blocks than bytes");
    const std::size_t length = coded((3 + static_cast<std::size_t>(count)) * header_size());
    if (length > text.size()) fail("an array ends too early");
    const std::string whole = decoded(text.substr(0, length));
    ByteReader whole_in(whole, file_, order_);
    const std::vector<uint64_t> blocks = compression_header(whole_in);
    return inflated(blocks, decoded(text.substr(length)));
  }

  /// Appended base64 runs on into the next array behind the padding; decoding stops there.
  std::string decoded(std::string_view text) const {
    std::string bytes;
    if (!decode_base64(text, bytes)) fail("its base64 text is damaged");
    return bytes;
  }

  /// Size of a block, of the last one (0: as the others), compressed sizes.
  std::vector<uint64_t> compression_header(ByteReader& in) const {
    const uint64_t count = header_word(in);
    if (count > in.left() / header_size()) fail("an array has more blocks than bytes");
    std::vector<uint64_t> words;
    for (uint64_t i = 0; i < count + 2; ++i) words.push_back(header_word(in));
    return words;
  }

  std::string inflated(const std::vector<uint64_t>& header, std::string_view data) const {
    std::string out;
    for (std::size_t b = 2; b < header.size(); ++b) {
      const uint64_t last = b + 1 == header.size() && header[1] > 0 ? header[1] : header[0];
      if (header[b] > data.size()) fail("a compressed block ends too early");
      if (!zlib_decompress(data.substr(0, static_cast<std::size_t>(header[b])), static_cast<std::size_t>(last), out)) {
        fail("a compressed block is damaged");
      }
      data.remove_prefix(static_cast<std::size_t>(header[b]));
    }
    return out;
  }

  template <class T>
  std::vector<double> numbers_of(const std::string& bytes) const {
    std::vector<double> out;
    out.reserve(bytes.size() / sizeof(T));
    ByteReader in(bytes, file_, order_);
    while (in.left() >= sizeof(T)) out.push_back(static_cast<double>(in.next<T>()));
    return out;
  }
  std::vector<double> numbers(const std::string& bytes, const std::string& type) const {
    if (type == "Float32") return numbers_of<float>(bytes);
    if (type == "Float64") return numbers_of<double>(bytes);
    if (type == "Int64") return numbers_of<int64_t>(bytes);
    if (type == "UInt64") return numbers_of<uint64_t>(bytes);
    if (type == "Int32") return numbers_of<int32_t>(bytes);
    if (type == "UInt32") return numbers_of<uint32_t>(bytes);
    if (type == "Int16") return numbers_of<int16_t>(bytes);
    if (type == "UInt16") return numbers_of<uint16_t>(bytes);
    if (type == "Int8") return numbers_of<int8_t>(bytes);
    if (type == "UInt8") return numbers_of<uint8_t>(bytes);
    fail(fmt::format("numbers of type {} are not read", in_quotes(type)), "save it again");
  }

  // -------------------------------------------------------------- cells

  void add_piece(const Arrays& arrays) {
    const auto find = [&](const std::string& name) -> const std::vector<double>* {
      const auto found = arrays.find(name);
      return found == arrays.end() ? nullptr : &found->second;
    };
    const std::size_t first = positions_.size();
    if (const auto* points = find("Points")) {
      if (points->size() % 3 != 0) fail("the points do not have three coordinates each", "correct it");
      for (std::size_t i = 0; i < points->size(); i += 3) {
        const Vec3d x{(*points)[i], (*points)[i + 1], (*points)[i + 2]};
        if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) {
          fail(fmt::format("point {} is not at a finite place", i / 3), "give three finite numbers [m]");
        }
        positions_.push_back(x);
      }
    }
    const std::vector<double> none;
    for (const auto& [section, type] :
         std::vector<std::pair<std::string, int>>{{"Cells", 0}, {"Polys", 7}, {"Lines", 4}, {"Strips", 6}}) {
      const auto* nodes = find(section + "/connectivity");
      const auto* ends = find(section + "/offsets");
      const auto* types = find(section + "/types");
      if (nodes == nullptr || ends == nullptr) continue;
      if (type == 0 && (types == nullptr || types->size() != ends->size())) {
        fail("the cells do not have one type each", "correct it");
      }
      add_cells(*nodes, *ends, type == 0 ? *types : none, type, first);
    }
  }

  void add_cells(const std::vector<double>& nodes, const std::vector<double>& ends, const std::vector<double>& types,
                 int type, std::size_t first) {
    std::vector<int64_t> corners;
    std::size_t begin = 0;
    for (std::size_t c = 0; c < ends.size(); ++c) {
      if (!(ends[c] >= static_cast<double>(begin) && ends[c] <= static_cast<double>(nodes.size()))) {
        fail(fmt::format("offset {} is {}, which cannot be", c, ends[c]), "correct it");
      }
      const auto end = static_cast<std::size_t>(ends[c]);
      corners.clear();
      for (std::size_t i = begin; i < end; ++i) {
        // What is far out of range becomes a number that is out of range, without undefined conversions.
        const bool sane = std::abs(nodes[i]) < 1e15;
        corners.push_back(sane ? static_cast<int64_t>(nodes[i]) + static_cast<int64_t>(first) : -1);
      }
      const double number = types.empty() ? type : types[c];
      const VtkCellType cell = vtk_cell_type(std::abs(number) < 1000 ? static_cast<int64_t>(number) : -1);
      cells_.add(cell.kind, cell.name, corners, positions_.size());
      begin = end;
    }
  }

  std::string_view bytes_, xml_, appended_;
  std::string file_;
  std::size_t at_ = 0;
  bool appended_raw_ = false, compressed_ = false, wide_header_ = false;
  std::endian order_ = std::endian::little;
  std::vector<Vec3d> positions_;
  CellCollector cells_;
};

}  // namespace

MeshParts parse_vtu(std::string_view bytes, const std::string& file) { return VtuReader(bytes, file).read(); }

}  // namespace pliant
