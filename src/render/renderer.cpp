#include "render/renderer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"
#include "render/ground.h"
#include "render/overlay.h"
#include "render/shading.h"

namespace pliant::render {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

constexpr int kPattern = 4;  // pixels: 4 x 4 neighbours share the work of asking all maps
constexpr int kRows = 8;     // rows of pixels per task

/// How much of the sun's and of the sky's light arrives: 0 to 1.
struct Arriving {
  float sun, sky;
};

}  // namespace

/// A point of a surface that a sample shows.
struct Renderer::Hit {
  int face = kNoFace;  // kNoFace: the ground
  Vec3f point{}, normal{};
  std::array<float, 3> weights{};  // of the corners
};

struct Renderer::Scene {
  const Shape& shape;
  const DrawMesh& mesh;
  const Look& look;
  View view;
  Ground ground;
  Lights lights;

  Vec3f corner(int face, size_t k) const { return mesh.positions[at(mesh.faces[at(face)].corners[k].vertex)]; }

  /// Where the ray through a point of the picture meets a face. Weights are those of the plane's point, pulled back
  /// to the triangle where the sample was at its very edge.
  Hit face_hit(int face, float x, float y) const {
    Hit hit;
    hit.face = face;
    const Vec3f ray = view.ray(x, y);
    const Vec3f a = corner(face, 0), e1 = corner(face, 1) - a, e2 = corner(face, 2) - a;
    const Vec3f to_eye = view.eye - a;
    const Vec3f n = cross(e1, e2), q = cross(to_eye, ray);
    const float det = -dot(ray, n);
    const float inverse = det != 0 ? 1 / det : 0;
    float b = dot(e2, q) * inverse, c = -dot(e1, q) * inverse;
    b = clamp01(b);
    c = std::clamp(c, 0.0f, 1 - b);
    hit.weights = {1 - b - c, b, c};
    hit.point = a + e1 * b + e2 * c;
    const auto& corners = mesh.faces[at(face)].corners;
    Vec3f normal{};
    for (size_t k = 0; k < 3; ++k) normal += mesh.normals[at(corners[k].normal)] * hit.weights[k];
    // Both sides are drawn: the normal is the one that looks at the eye, as the face does.
    const Vec3f back = unit(view.eye - hit.point);
    normal = unit(dot(n, back) < 0 ? -normal : normal);
    const float facing = dot(normal, back);
    if (facing < 0.02f) normal = unit(normal + back * (0.02f - facing));
    hit.normal = normal;
    return hit;
  }

  Hit ground_hit(float x, float y) const {
    Hit hit;
    hit.normal = {0, 1, 0};
    hit.point = ground.meet(view.eye, view.ray(x, y));
    return hit;
  }

  bool sees_ground(float x, float y) const { return ground.is_seen(view.eye, view.ray(x, y)); }

  Vec3f face_normal(int face) const {
    return unit(cross(corner(face, 1) - corner(face, 0), corner(face, 2) - corner(face, 0)));
  }

  /// Whether two samples of a pixel may be shaded as one: the same face, or one that continues it smoothly.
  bool is_one_surface(int face, float depth, int other, float other_depth) const {
    if (face == other) return true;
    if (face == kNoFace || other == kNoFace || mesh.faces[at(face)].body != mesh.faces[at(other)].body) return false;
    return std::fabs(depth - other_depth) < 0.004f * depth && dot(face_normal(face), face_normal(other)) > 0.8f;
  }

  /// Part of a pixel of this size [m] that the edges of a face cover there.
  float edge_cover(const Hit& hit, float pixel) const {
    const Vec3f a = corner(hit.face, 0), b = corner(hit.face, 1), c = corner(hit.face, 2);
    const float double_area = length(cross(b - a, c - a));
    const float sides[3] = {length(c - b), length(a - c), length(b - a)};
    float nearest = 1e9f;  // [m] to an edge: the height over it
    for (size_t k = 0; k < 3; ++k)
      nearest = std::min(nearest, hit.weights[k] * double_area / std::max(sides[k], 1e-20f));
    return 1 - smoothstep(0.3f, 1.1f, nearest / pixel);
  }
};

float tube_radius(const Shape& shape, double extent) {
  const double part = shape.strands.size() > 100 ? 0.0025 : 0.0065;
  return static_cast<float>(part * extent);
}

Renderer::Renderer(int threads) : jobs_(make_thread_pool(threads)) {}

Image Renderer::draw(const Shape& shape, const Frame& frame, const Look& look) {
  const DrawMesh mesh = make_draw_mesh(shape, frame, tube_radius(shape, look.extent));
  const View view = make_view(look.camera, shape.origin, look.width, look.height);
  const Vec3f across = unit(Vec3f{view.right.x, 0, view.right.z}), back = unit(cross(across, Vec3f{0, 1, 0}));
  const auto turned = [&](const Vec3f& d) { return unit(across * d.x + Vec3f{0, d.y, 0} + back * d.z); };
  const Lights lights{turned(kKeyDirection), turned(kFillDirection), turned(kRimDirection)};
  const Scene scene{shape, mesh, look, view, Ground(look, shape.origin), lights};

  draw_depth_maps(mesh, lights.key, look.width);
  visibility_.draw(mesh, view, *jobs_);
  surfaces_.resize(at(look.width) * at(look.height));
  find_surfaces(scene);
  Image image{look.width, look.height, std::vector<uint8_t>(3 * surfaces_.size())};
  shade(scene, image);
  if (look.color_by != ColorBy::body) draw_legend(image, look);
  return image;
}

void Renderer::draw_depth_maps(const DrawMesh& mesh, const Vec3f& key, int width) {
  // All maps together shall not take much longer than the rest of the picture, so small scenes get more of them.
  const size_t faces = mesh.faces.size();
  const auto sun = directions_around(key, kSunAngle, faces < 20000 ? 48 : 16);
  // To four degrees above the horizon: lower directions would need endless maps for the ground.
  const auto sky = directions_around({0, 1, 0}, 1.5f, faces < 60000 ? 48 : 32);
  sun_.resize(sun.size());
  sky_.resize(sky.size());
  parallel_for(*jobs_, static_cast<int64_t>(sun.size() + sky.size()), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      if (i < sun.size()) {
        sun_[i].draw(mesh, sun[i], std::clamp(width * 3 / 5, 96, 1024));
      } else {
        sky_[i - sun.size()].draw(mesh, sky[i - sun.size()], std::clamp(width * 3 / 20, 48, 192));
      }
    }
  });
}

/// Asks every `stride`-th map what light arrives.
void Renderer::ask_maps(Surface& surface, int first, int stride) const {
  for (size_t i = at(first); i < sun_.size(); i += at(stride)) {
    surface.sun += sun_[i].light(surface.point, surface.normal);
    surface.sun_weight += 1;
  }
  for (size_t i = at(first); i < sky_.size(); i += at(stride)) {
    const float cosine = dot(surface.normal, sky_[i].direction());
    if (cosine <= 0) continue;
    surface.sky += cosine * sky_[i].light(surface.point, surface.normal);
    surface.sky_weight += cosine;
  }
}

void Renderer::find_surfaces(const Scene& scene) {
  const View& view = scene.view;
  parallel_for(*jobs_, view.height, kRows, [&](int64_t begin, int64_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      for (int x = 0; x < view.width; ++x) {
        Surface& surface = surfaces_[at(y) * at(view.width) + at(x)];
        surface = {};
        // The face that most samples show; the first of them in doubt.
        const auto& faces = visibility_.faces(x, y);
        size_t best = 0;
        int most = 0;
        for (size_t s = 0; s < kSamples; ++s) {
          const auto same = static_cast<int>(std::count(faces.begin(), faces.end(), faces[s]));
          if (same > most) {
            most = same;
            best = s;
          }
        }
        const float px = static_cast<float>(x) + (most == kSamples ? 0.5f : kSampleX[best]);
        const float py = static_cast<float>(y) + (most == kSamples ? 0.5f : kSampleY[best]);
        if (faces[best] == kNoFace && !scene.sees_ground(px, py)) continue;
        const Hit hit = faces[best] == kNoFace ? scene.ground_hit(px, py) : scene.face_hit(faces[best], px, py);
        surface.point = hit.point;
        surface.normal = hit.normal;
        // Neighbours ask other maps; 7 spreads those of one pixel's row over the directions.
        ask_maps(surface, ((x % kPattern) + kPattern * (y % kPattern)) * 7 % (kPattern * kPattern),
                 kPattern * kPattern);
      }
    }
  });
}

/// The light at a point, from the 4 x 4 pixels around it that show the same piece of surface.
Renderer::Surface Renderer::gather(const Scene& scene, const Hit& hit, int x, int y) const {
  Surface sum;
  sum.point = hit.point;
  sum.normal = hit.normal;
  const View& view = scene.view;
  const float pixel = view.pixel() * length(hit.point - view.eye);
  int found = 0;
  for (int dy = -1; dy <= 2; ++dy) {
    const int py = y + dy;
    if (py < 0 || py >= view.height) continue;
    for (int dx = -1; dx <= 2; ++dx) {
      const int px = x + dx;
      if (px < 0 || px >= view.width) continue;
      const Surface& other = surfaces_[at(py) * at(view.width) + at(px)];
      if (other.sun_weight == 0 || dot(other.normal, hit.normal) < 0.8f) continue;
      if (std::fabs(dot(other.point - hit.point, hit.normal)) > 2.5f * pixel) continue;
      sum.sun += other.sun;
      sum.sun_weight += other.sun_weight;
      sum.sky += other.sky;
      sum.sky_weight += other.sky_weight;
      ++found;
    }
  }
  if (found < 6) {  // a thin thing or a corner: too few directions were asked
    sum = {.point = hit.point, .normal = hit.normal};
    ask_maps(sum, 0, 1);
  }
  return sum;
}

static Arriving arriving(const auto& found) {
  return {found.sun_weight > 0 ? found.sun / found.sun_weight : 1,
          found.sky_weight > 0 ? found.sky / found.sky_weight : 1};
}

void Renderer::shade(const Scene& scene, Image& image) {
  const View& view = scene.view;
  const Look& look = scene.look;
  const auto face_light = [&](const Hit& hit, int x, int y) {
    const Arriving light = arriving(gather(scene, hit, x, y));
    const DrawMesh::Face& face = scene.mesh.faces[at(hit.face)];
    const ShapeBody& body = scene.shape.bodies[at(face.body)];
    Vec3f color = body.color;
    if (!scene.mesh.values.empty() && body.collider < 0) {
      float value = 0;
      for (size_t k = 0; k < 3; ++k) value += scene.mesh.values[at(face.corners[k].vertex)] * hit.weights[k];
      color = color_scale(value / static_cast<float>(look.color_max));
    }
    const Vec3f to_eye = view.eye - hit.point;
    const Vec3f out =
        surface_light(color, finish_of(body.kind), scene.lights, hit.normal, unit(to_eye), light.sun, light.sky);
    if (!look.wireframe || body.kind == Kind::rope) return out;
    return mix(out, out * 0.25f, scene.edge_cover(hit, view.pixel() * length(to_eye)));
  };
  const auto ground_light = [&](const Hit& hit, float x, float y, const Vec3f& behind) {
    const Arriving light = arriving(gather(scene, hit, static_cast<int>(x), static_cast<int>(y)));
    return scene.ground.color(view, hit.point, light.sun, light.sky, x, y, behind);
  };

  parallel_for(*jobs_, view.height, kRows, [&](int64_t begin, int64_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      const Vec3f behind = background(1 - (static_cast<float>(y) + 0.5f) / static_cast<float>(view.height));
      for (int x = 0; x < view.width; ++x) {
        const auto& faces = visibility_.faces(x, y);
        const auto& depths = visibility_.inverse_depths(x, y);
        Vec3f sum{};
        std::array<bool, kSamples> done{};
        for (size_t s = 0; s < kSamples; ++s) {
          if (done[s]) continue;
          float weight = 0, same_face = 0, px = 0, py = 0;
          for (size_t other = s; other < kSamples; ++other) {
            if (done[other] || !scene.is_one_surface(faces[s], depths[s], faces[other], depths[other])) continue;
            done[other] = true;
            weight += 1;
            if (faces[other] != faces[s]) continue;
            same_face += 1;
            px += kSampleX[other];
            py += kSampleY[other];
          }
          px = static_cast<float>(x) + px / same_face;
          py = static_cast<float>(y) + py / same_face;
          Vec3f light = behind;
          if (faces[s] != kNoFace) {
            light = face_light(scene.face_hit(faces[s], px, py), x, y);
          } else if (scene.sees_ground(px, py)) {
            light = ground_light(scene.ground_hit(px, py), px, py, behind);
          }
          sum += light * (weight / kSamples);
        }
        uint8_t* pixel = image.at(x, y);
        for (int i = 0; i < 3; ++i) pixel[i] = to_byte(sum[i]);
      }
    }
  });
}

}  // namespace pliant::render
