// Point caches: the positions of all vertices, frame by frame, for programs that have the mesh already. The mesh lies
// beside the cache as NAME.rest.obj, one object with the bodies as groups, so that vertices are counted as in here.
//
//   .pc2  little endian   "POINTCACHE2\0", version 1, points, first frame, frames per sample, samples | x y z float ...
//   .mdd  big endian      samples, points, the time of each [s] | x y z float ...
//
// The number of samples stands in front of them, so that they are put aside until it is known.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <memory>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/file.h"
#include "io/obj_writer.h"
#include "io/writer.h"
#include "pliant/error.h"

namespace pliant {

namespace {

enum class ByteOrder { little, big };

void add_u32(std::string& out, uint32_t value, ByteOrder order) {
  for (int i = 0; i < 4; ++i) {
    const int shift = order == ByteOrder::little ? 8 * i : 24 - 8 * i;
    out += static_cast<char>((value >> shift) & 0xff);
  }
}
void add_float(std::string& out, double value, ByteOrder order) {
  add_u32(out, std::bit_cast<uint32_t>(static_cast<float>(value)), order);
}

/// What both formats have in common: one list of points, put aside until their number is known, and the mesh beside.
class PointCache : public Writer::Format {
 public:
  PointCache(const std::string& path, ByteOrder order)
      : path_(path),
        mesh_path_(std::filesystem::path(path).replace_extension(".rest.obj").string()),
        order_(order),
        samples_(path),
        times_(path) {
    AtomicFile can_be_written(path);
  }

  void write(const World& world) final {
    const std::vector<BodyShape> shapes = shapes_of(world);
    uint32_t points = 0;
    for (const BodyShape& shape : shapes) points += static_cast<uint32_t>(shape.positions.size());
    if (frames_ == 0) {
      points_ = points;
      first_step_ = world.steps();
      write_file(mesh_path_, obj_text(shapes, ObjParts::groups,
                                      fmt::format("the mesh of {} as it is in the first frame",
                                                  std::filesystem::path(path_).filename().string())));
    }
    if (points != points_) {
      throw Error(path_, fmt::format("there were {} vertices, now there are {}", points_, points),
                  "write a sequence of files instead: .obj, .ply or .vtu");
    }
    bytes_.clear();
    for (const BodyShape& shape : shapes) {
      for (const Vec3d& x : shape.positions) {
        for (int i = 0; i < 3; ++i) add_float(bytes_, x[i], order_);
      }
    }
    samples_.append(bytes_.data(), bytes_.size());
    bytes_.clear();
    add_float(bytes_, world.time(), order_);
    times_.append(bytes_.data(), bytes_.size());
    ++frames_;
  }

  void close() final {
    if (frames_ == 0) return;
    AtomicFile file(path_);
    write_header(file);
    copy(samples_, file);
    file.commit();
  }

  std::string summary() const final {
    if (frames_ == 0) return "no frames of " + path_;
    return fmt::format("{} ({} frames) and {}", path_, frames_, mesh_path_);
  }

 protected:
  virtual void write_header(AtomicFile& file) = 0;

  static void copy(Spool& from, AtomicFile& to) {
    std::vector<char> piece(std::size_t{1} << 16);
    for (uint64_t at = 0; at < from.size();) {
      const auto size = static_cast<std::size_t>(std::min<uint64_t>(piece.size(), from.size() - at));
      from.read(at, piece.data(), size);
      to.write(piece.data(), size);
      at += size;
    }
  }

  uint32_t points() const { return points_; }
  uint32_t frames() const { return frames_; }
  int64_t first_step() const { return first_step_; }
  Spool& times() { return times_; }

 private:
  const std::string path_, mesh_path_;
  const ByteOrder order_;
  Spool samples_, times_;
  uint32_t points_ = 0, frames_ = 0;
  int64_t first_step_ = 0;
  std::string bytes_;
};

class Pc2Writer final : public PointCache {
 public:
  explicit Pc2Writer(const std::string& path) : PointCache(path, ByteOrder::little) {}

 private:
  void write_header(AtomicFile& file) override {
    std::string header("POINTCACHE2\0", 12);
    add_u32(header, 1, ByteOrder::little);
    add_u32(header, points(), ByteOrder::little);
    add_float(header, static_cast<double>(first_step()), ByteOrder::little);
    add_float(header, 1, ByteOrder::little);
    add_u32(header, frames(), ByteOrder::little);
    file.write(header);
  }
};

class MddWriter final : public PointCache {
 public:
  explicit MddWriter(const std::string& path) : PointCache(path, ByteOrder::big) {}

 private:
  void write_header(AtomicFile& file) override {
    std::string header;
    add_u32(header, frames(), ByteOrder::big);
    add_u32(header, points(), ByteOrder::big);
    file.write(header);
    copy(times(), file);
  }
};

}  // namespace

std::unique_ptr<Writer::Format> make_pc2_writer(const std::string& path, const WriterOptions&) {
  return std::make_unique<Pc2Writer>(path);
}
std::unique_ptr<Writer::Format> make_mdd_writer(const std::string& path, const WriterOptions&) {
  return std::make_unique<MddWriter>(path);
}

}  // namespace pliant
