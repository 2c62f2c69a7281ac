#pragma once
// Pictures without a graphics card: a rasteriser in software.
//
//   draw mesh ─> depth maps from the sun's disc and from the whole sky     shadows, ambient occlusion
//             ─> visibility, four samples per pixel                        which triangle is where
//             ─> surfaces: per pixel point, normal, a part of the maps     interleaved: each pixel asks a 16th
//             ─> colours: light gathered over 4 x 4 pixels of one surface, shaded, samples mixed
//             ─> legend
//
// Why not OpenGL: without a display it needs a driver that draws in software anyway, which is missing on many servers
// and draws other bits on each machine. This needs nothing, and a picture has the same bytes for any number of threads.

#include <memory>
#include <vector>

#include "pliant/jobs.h"
#include "pliant/picture.h"
#include "render/camera.h"
#include "render/depth_map.h"
#include "render/image.h"
#include "render/shape.h"
#include "render/visibility.h"

namespace pliant::render {

/// What stays the same from frame to frame.
struct Look {
  Camera camera;      // absolute
  double extent = 1;  // [m] half the size of the scene: sets the width of lines, the grid, the fading
  Vec3d center{};     // [m] absolute, of the scene
  double ground = 0;  // [m] height, absolute
  ColorBy color_by = ColorBy::body;
  double color_max = 1;
  bool wireframe = false;
  int width = 1280, height = 720;
};

/// [m] radius of ropes in pictures: their own is not known.
float tube_radius(const Shape& shape, double extent);

class Renderer {
 public:
  explicit Renderer(int threads);

  Image draw(const Shape& shape, const Frame& frame, const Look& look);

 private:
  /// What is seen in one pixel: the place, and which light was found there.
  struct Surface {
    Vec3f point{}, normal{};
    float sun = 0, sky = 0, sky_weight = 0;  // arriving, and what would arrive in the open
    float sun_weight = 0;                    // 0: nothing is here
  };
  struct Hit;
  struct Scene;

  /// `key`: direction of the sun; `width` of the picture [pixels], which sets how fine they must be.
  void draw_depth_maps(const DrawMesh& mesh, const Vec3f& key, int width);
  void find_surfaces(const Scene& scene);
  void shade(const Scene& scene, Image& image);
  Surface gather(const Scene& scene, const Hit& hit, int x, int y) const;
  void ask_maps(Surface& surface, int first, int stride) const;

  std::shared_ptr<JobSystem> jobs_;
  Visibility visibility_;
  std::vector<DepthMap> sun_, sky_;
  std::vector<Surface> surfaces_;
};

}  // namespace pliant::render
