// MP4, WebM and GIF: the frames are drawn here and encoded by ffmpeg.
//
// A camera that frames the whole motion is known only at its end. So the first frames are held back, up to a limit of
// number and memory; most runs end before it. From then on frames are drawn as they come, two for each new one until
// none is held back any more.

#include <deque>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "core/file.h"
#include "io/ffmpeg.h"
#include "io/frame_rate.h"
#include "io/writer.h"
#include "pliant/error.h"
#include "render/director.h"
#include "render/renderer.h"

namespace pliant {

namespace {

constexpr size_t kHeldFrames = 300;
constexpr size_t kHeldBytes = size_t{256} << 20;

class VideoWriter : public Writer::Format {
 public:
  VideoWriter(const std::string& path, const std::string& ending, const PictureOptions& options)
      : path_(path), ending_(ending), options_(options), director_(options) {
    if (ending != ".gif" && (options.width % 2 != 0 || options.height % 2 != 0)) {
      throw Error(path,
                  fmt::format("a video cannot have {} x {} pixels: both must be even", options.width, options.height),
                  "add one pixel");
    }
    require_ffmpeg(path);
    AtomicFile(path).write("");  // may it be written? Leaves nothing behind
  }

  void write(const World& world) override {
    if (!rate_) rate_.emplace(world.options().step, options_.speed, ending_ == ".gif" ? 25.0 : 60.0);
    if (!rate_->take()) return;
    if (!shape_ || !shape_->fits(world))
      shape_ = std::make_shared<const render::Shape>(
          render::make_shape(world, options_.color_by, render::hidden_bodies(options_)));
    render::Frame frame = render::capture(world, *shape_, options_.color_by);
    if (!look_) director_.watch(*shape_, frame);
    held_bytes_ += sizeof(Vec3f) * frame.positions.size() + sizeof(float) * frame.values.size();
    held_.push_back({shape_, std::move(frame)});
    ++frames_;
    if (!look_ && (held_.size() >= kHeldFrames || held_bytes_ >= kHeldBytes)) look_ = director_.look();
    for (int i = 0; look_ && i < 2 && !held_.empty(); ++i) draw_next();
  }

  void close() override {
    if (frames_ == 0) return;
    if (!look_) look_ = director_.look();
    const auto all = static_cast<int64_t>(held_.size());
    while (!held_.empty()) {
      draw_next();
      if (options_.progress) options_.progress(all - static_cast<int64_t>(held_.size()), all);
    }
    video_->close();
    written_ = true;
  }

  std::string summary() const override {
    if (!written_) return "no frame to " + path_;
    return fmt::format("{} ({} frames, {:.4g} per second)", path_, frames_, rate_->rate());
  }

 private:
  struct Held {
    std::shared_ptr<const render::Shape> shape;
    render::Frame frame;
  };

  void draw_next() {
    if (!video_) {
      video_ = std::make_unique<Ffmpeg>(path_, options_.width, options_.height, rate_->rate(), video_encoding(ending_));
    }
    video_->write(renderer().draw(*held_.front().shape, held_.front().frame, *look_));
    held_.pop_front();
  }

  render::Renderer& renderer() {
    if (!renderer_) renderer_.emplace(options_.threads);
    return *renderer_;
  }

  std::string path_, ending_;
  PictureOptions options_;
  render::Director director_;
  std::optional<FrameRate> rate_;
  std::shared_ptr<const render::Shape> shape_;
  std::deque<Held> held_;
  size_t held_bytes_ = 0;  // of all that came before the camera was known
  std::optional<render::Look> look_;
  std::optional<render::Renderer> renderer_;
  std::unique_ptr<Ffmpeg> video_;
  int64_t frames_ = 0;
  bool written_ = false;
};

}  // namespace

#define PLIANT_VIDEO(make, ending)                                                              \
  std::unique_ptr<Writer::Format> make(const std::string& path, const WriterOptions& options) { \
    return std::make_unique<VideoWriter>(path, ending, options.picture);                        \
  }
PLIANT_VIDEO(make_mp4_writer, ".mp4")
PLIANT_VIDEO(make_webm_writer, ".webm")
PLIANT_VIDEO(make_gif_writer, ".gif")
#undef PLIANT_VIDEO

}  // namespace pliant
