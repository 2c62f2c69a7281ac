#pragma once
// The frames of all bodies, put aside on disk until the file that they are for can be written. Formats that keep all
// moments of one body together (USD, glTF) need them in another order than they come in; memory stays that of a frame.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/file.h"
#include "io/body_shape.h"

namespace pliant {

class ShapeTrack {
 public:
  using Point = std::array<float, 3>;
  struct Bounds {
    Point low{}, high{};
  };

  /// `path` is the file that the frames are for. It must be possible to write it: found out now, not after the run.
  explicit ShapeTrack(const std::string& path);

  /// Throws Error where the bodies or their meshes are not those of the first frame.
  void add(const World& world);

  int64_t frames() const { return frames_; }
  /// The bodies as they were in the first frame.
  const std::vector<BodyShape>& bodies() const { return bodies_; }
  double step() const { return step_; }  // [s] of the world, one time code

  double time(int64_t frame);   // [s]
  int64_t code(int64_t frame);  // time in steps of the world; grows from frame to frame
  Bounds bounds(int64_t frame, std::size_t body);
  /// Good until the next call.
  const std::vector<Point>& points(int64_t frame, std::size_t body);
  const std::vector<Point>& normals(int64_t frame, std::size_t body);

 private:
  /// What a record starts with.
  struct Moment {
    double time;
    int64_t code;
  };

  void start(std::vector<BodyShape> shapes, const World& world);
  void require_same_meshes(const std::vector<BodyShape>& shapes) const;
  Moment moment(int64_t frame);
  template <class T>
  void read(int64_t frame, uint64_t offset, T* to, std::size_t count) {
    spool_.read(static_cast<uint64_t>(frame) * record_ + offset, to, count * sizeof(T));
  }

  std::string path_;
  Spool spool_;
  std::vector<BodyShape> bodies_;
  std::vector<uint64_t> offsets_;  // of a body in a record: bounds, points, normals
  uint64_t record_ = 0;            // [bytes] of a frame
  int64_t frames_ = 0;
  int64_t last_code_ = 0;
  double step_ = 0;
  std::vector<Point> buffer_;
};

ShapeTrack::Point to_float(const Vec3d& v);

/// 1 / step as frames per second: 60, not 59.9999976, where the step was given as 0.016666667.
double frames_per_second(double step);

}  // namespace pliant
