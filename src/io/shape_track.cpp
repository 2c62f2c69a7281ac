#include "io/shape_track.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "pliant/error.h"

namespace pliant {

namespace {

constexpr uint64_t kPoint = sizeof(ShapeTrack::Point);

ShapeTrack::Bounds bounds_of(const std::vector<Vec3d>& positions) {
  if (positions.empty()) return {};
  ShapeTrack::Bounds bounds{to_float(positions[0]), to_float(positions[0])};
  for (const Vec3d& x : positions) {
    const ShapeTrack::Point p = to_float(x);
    for (std::size_t i = 0; i < 3; ++i) {
      bounds.low[i] = std::min(bounds.low[i], p[i]);
      bounds.high[i] = std::max(bounds.high[i], p[i]);
    }
  }
  return bounds;
}

}  // namespace

ShapeTrack::Point to_float(const Vec3d& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

double frames_per_second(double step) {
  const double rate = 1 / step, whole = std::round(rate);
  // Steps are written with a few digits: 0.0167 is 59.88 and stays so, 0.0166667 is 60.
  return whole >= 1 && std::abs(rate - whole) <= 1e-5 * whole ? whole : rate;
}

ShapeTrack::ShapeTrack(const std::string& path) : path_(path), spool_(path) { AtomicFile can_be_written(path); }

void ShapeTrack::start(std::vector<BodyShape> shapes, const World& world) {
  bodies_ = std::move(shapes);
  step_ = world.options().step;
  record_ = sizeof(Moment);
  for (const BodyShape& body : bodies_) {
    offsets_.push_back(record_);
    record_ += sizeof(Bounds) + kPoint * (body.positions.size() + body.normals.size());
  }
}

void ShapeTrack::require_same_meshes(const std::vector<BodyShape>& shapes) const {
  const char* remedy = "write a sequence of files instead: .obj, .ply or .vtu";
  if (shapes.size() != bodies_.size()) {
    throw Error(path_, fmt::format("there were {} bodies, now there are {}", bodies_.size(), shapes.size()), remedy);
  }
  for (std::size_t b = 0; b < shapes.size(); ++b) {
    if (shapes[b].triangles != bodies_[b].triangles || shapes[b].edges != bodies_[b].edges ||
        shapes[b].positions.size() != bodies_[b].positions.size()) {
      throw Error(path_, fmt::format("the mesh of {} is not that of the first frame", shapes[b].name), remedy);
    }
  }
}

void ShapeTrack::add(const World& world) {
  std::vector<BodyShape> shapes = shapes_of(world);
  Moment moment{world.time(), world.steps()};
  if (frames_ == 0) {
    start(shapes, world);
  } else {
    require_same_meshes(shapes);
    // A world that was not stepped in between, or was reset, shall not be in two places at one time.
    if (moment.code <= last_code_) moment = {static_cast<double>(last_code_ + 1) * step_, last_code_ + 1};
  }
  last_code_ = moment.code;
  spool_.append(&moment, sizeof(moment));
  for (const BodyShape& shape : shapes) {
    const Bounds bounds = bounds_of(shape.positions);
    spool_.append(&bounds, sizeof(bounds));
    for (const auto* vectors : {&shape.positions, &shape.normals}) {
      buffer_.resize(vectors->size());
      std::transform(vectors->begin(), vectors->end(), buffer_.begin(), to_float);
      spool_.append(buffer_.data(), kPoint * buffer_.size());
    }
  }
  ++frames_;
}

ShapeTrack::Moment ShapeTrack::moment(int64_t frame) {
  Moment moment{};
  read(frame, 0, &moment, 1);
  return moment;
}

double ShapeTrack::time(int64_t frame) { return moment(frame).time; }
int64_t ShapeTrack::code(int64_t frame) { return moment(frame).code; }

ShapeTrack::Bounds ShapeTrack::bounds(int64_t frame, std::size_t body) {
  Bounds bounds;
  read(frame, offsets_[body], &bounds, 1);
  return bounds;
}

const std::vector<ShapeTrack::Point>& ShapeTrack::points(int64_t frame, std::size_t body) {
  buffer_.resize(bodies_[body].positions.size());
  read(frame, offsets_[body] + sizeof(Bounds), buffer_.data(), buffer_.size());
  return buffer_;
}

const std::vector<ShapeTrack::Point>& ShapeTrack::normals(int64_t frame, std::size_t body) {
  buffer_.resize(bodies_[body].normals.size());
  read(frame, offsets_[body] + sizeof(Bounds) + kPoint * bodies_[body].positions.size(), buffer_.data(),
       buffer_.size());
  return buffer_;
}

}  // namespace pliant
