#include "render/renderer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mesh/mesh_checks.h"
#include "pliant/pliant.h"
#include "render/director.h"
#include "render/overlay.h"

namespace pliant::render {
namespace {

/// A red ball of radius 1 in the middle, and the ground where a test wants it.
struct BallPicture {
  Shape shape;
  Frame frame;
  Look look;

  BallPicture() {
    World world({.threads = 1});
    world.add(Cloth{.name = "ball", .mesh = sphere(1, 3)});
    shape = make_shape(world);
    shape.bodies[0].color = {0.8f, 0.02f, 0.02f};
    frame = capture(world, shape, ColorBy::body);
    look.camera = {.eye = {0, 0, 5}, .target = {}, .fov = 30};
    look.ground = -1e4;
    look.width = look.height = 120;
  }
  Image draw(int threads = 1) const { return Renderer(threads).draw(shape, frame, look); }
};

bool is_red(const uint8_t* p) { return p[0] > p[1] + 40 && p[0] > p[2] + 40; }

double brightness(const Image& image, int x, int y) {
  const uint8_t* p = image.at(x, y);
  return (p[0] + p[1] + p[2]) / 3.0;
}

TEST(Renderer, ABallCoversWhatGeometrySays) {
  const BallPicture ball;
  const Image image = ball.draw();
  int covered = 0;
  double x_sum = 0, y_sum = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (!is_red(image.at(x, y))) continue;
      ++covered;
      x_sum += x + 0.5;
      y_sum += y + 0.5;
    }
  }
  // The tangent cone of a ball at distance 5: tan(asin(1 / 5)), over that of half the field of view, times half the
  // width.
  const double radius = std::tan(std::asin(0.2)) / std::tan(15 * std::numbers::pi / 180) * 60;
  // The polyhedron inside of the ball is up to 1 % smaller; border pixels count whole or not at all.
  EXPECT_NEAR(covered, std::numbers::pi * radius * radius, 0.02 * std::numbers::pi * radius * radius);
  EXPECT_NEAR(x_sum / covered, 60, 0.3);
  EXPECT_NEAR(y_sum / covered, 60, 0.3);
}

TEST(Renderer, SameBytesForAnyNumberOfThreads) {
  BallPicture ball;
  ball.look.ground = -1;
  ball.look.camera.eye = {2, 2, 4};
  const Image one = ball.draw(1);
  EXPECT_EQ(one.rgb, ball.draw(3).rgb);
  Renderer again(2);
  EXPECT_EQ(again.draw(ball.shape, ball.frame, ball.look).rgb, one.rgb);
  EXPECT_EQ(again.draw(ball.shape, ball.frame, ball.look).rgb, one.rgb) << "nothing is left of the picture before";
}

TEST(Renderer, TheGroundCarriesAShadow) {
  BallPicture ball;
  ball.look.ground = -1;
  ball.look.camera = {.eye = {0, 6, 6}, .target = {0, -1, 0}, .fov = 45};
  const Image with = ball.draw();
  ball.frame.positions.assign(ball.frame.positions.size(), Vec3f{0, 0, 1e3f});  // behind the eye, as far as light goes
  const Image without = ball.draw();
  int darker = 0, brighter = 0;
  for (int y = 0; y < with.height; ++y) {
    for (int x = 0; x < with.width; ++x) {
      if (is_red(with.at(x, y))) continue;
      darker += brightness(with, x, y) < 0.85 * brightness(without, x, y);
      brighter += brightness(with, x, y) > brightness(without, x, y) + 8;
    }
  }
  // The ball covers pi (60 tan(asin(1/9.2)) / tan(22.5 deg))^2 = 790 pixels and hides the nearer part of its shadow.
  EXPECT_GT(darker, 150);
  EXPECT_LT(brighter, 120) << "pixels at the border of the ball only";
}

TEST(Renderer, ColorsShowValues) {
  BallPicture ball;
  ball.look.color_by = ColorBy::speed;
  ball.look.color_max = 2;
  ball.frame.values.assign(ball.frame.positions.size(), 2.0f);
  const Image fast = ball.draw();
  const uint8_t* yellow = fast.at(60, 50);
  EXPECT_GT(yellow[0], yellow[2] + 60);
  EXPECT_GT(yellow[1], yellow[2] + 60);
  ball.frame.values.assign(ball.frame.positions.size(), 0.0f);
  const Image still = ball.draw();
  const uint8_t* purple = still.at(60, 50);
  EXPECT_GT(purple[2], purple[1] + 10);
  EXPECT_LT(purple[1], 60);
}

TEST(Renderer, WireframeDrawsEdges) {
  BallPicture ball;
  const Image plain = ball.draw();
  ball.look.wireframe = true;
  const Image wire = ball.draw();
  int changed = 0, covered = 0;
  for (int y = 0; y < wire.height; ++y) {
    for (int x = 0; x < wire.width; ++x) {
      covered += is_red(plain.at(x, y));
      changed += brightness(wire, x, y) < brightness(plain, x, y) - 5;
      EXPECT_LE(brightness(wire, x, y), brightness(plain, x, y) + 1);
    }
  }
  EXPECT_GT(changed, covered / 10);
}

TEST(Renderer, SurvivesWhatIsBehindTheEyeAndWhatHasNoArea) {
  BallPicture ball;
  ball.look.camera = {.eye = {0, 0, 0.2}, .target = {0, 0, -1}, .fov = 100};  // inside of it
  const Image inside = ball.draw();
  EXPECT_TRUE(is_red(inside.at(60, 60)));
  EXPECT_TRUE(is_red(inside.at(2, 2)));
  ball.frame.positions.assign(ball.frame.positions.size(), Vec3f{});
  ball.draw();
  ball.frame.positions[5] = {NAN, 0, 0};
  ball.draw();
}

TEST(Framing, SeesEverythingAndWastesNothing) {
  for (const double aspect : {0.5, 1.0, 16.0 / 9}) {
    Framing framing(aspect, 30);
    std::vector<Vec3f> points;
    for (int i = 0; i < 200; ++i) {
      const auto t = static_cast<float>(i);
      points.push_back({3 * std::sin(7 * t), std::cos(5 * t) + 4, 0.5f * std::sin(3 * t)});
    }
    framing.add(points);
    for (Vec3f& p : points) p.x += 1;  // moves, but stays near
    framing.add(points);
    points.push_back({1e6f, 0, 0});  // flies away
    framing.add({{1e6f, 0, 0}});
    points.pop_back();
    const View view = make_view(framing.camera(), {}, static_cast<int>(1000 * aspect), 1000);
    double widest = 0;
    for (const Vec3f& p : points) {
      const Vec3f d = p - view.eye;
      const float ahead = dot(view.forward, d);
      ASSERT_GT(ahead, 0);
      const double x = std::fabs(dot(view.right, d) / ahead / view.half_width);
      const double y = std::fabs(dot(view.up, d) / ahead / view.half_height);
      EXPECT_LT(x, 0.9);
      EXPECT_LT(y, 0.9);
      widest = std::max({widest, x, y});
    }
    EXPECT_GT(widest, 0.75);
  }
}

TEST(Shape, CreasesAreSharpAndTheRestIsSmooth) {
  World world({.threads = 1});
  world.add(Solid{.name = "box", .mesh = box_tets({1, 1, 1}, {2, 2, 2})});
  // 8 corners have three normals, 12 middles of edges two, 6 middles of faces one.
  EXPECT_EQ(make_shape(world).normal_vertex.size(), 8u * 3 + 12 * 2 + 6);
  World round({.threads = 1});
  round.add(Solid{.name = "ball", .mesh = ball_tets(1, 6)});
  const Shape ball = make_shape(round);
  EXPECT_EQ(static_cast<int>(ball.normal_vertex.size()), ball.vertex_count);
  const Frame frame = capture(round, ball, ColorBy::body);
  const std::vector<Vec3f> normals = surface_normals(ball, frame.positions);
  for (size_t i = 0; i < normals.size(); ++i) {
    const Vec3f out = frame.positions[static_cast<size_t>(ball.normal_vertex[i])];
    EXPECT_GT(dot(normals[i], out) / length(out), 0.95f);
  }
}

TEST(Shape, ValuesOfStretchedBodies) {
  World world({.threads = 1});
  const BodyId box = world.add(Solid{.name = "box", .mesh = box_tets({1, 1, 1}, {2, 2, 2})});
  const BodyId sheet = world.add(Cloth{.name = "sheet", .mesh = grid({1, 1}, {3, 3})});
  const BodyId line = world.add(Rope{.name = "line", .mesh = rope({0, 0, 0}, {1, 0, 0}, 4)});
  for (const BodyId body : {box, sheet, line}) {
    std::vector<Vec3d> x = world.positions(body);
    for (Vec3d& p : x) p = {p.x * 1.25, p.y + 3, p.z};
    world.set_positions(body, x);
    world.set_velocities(body, std::vector<Vec3d>(x.size(), {0, 3, 4}));
    for (const float strain : vertex_values(world, body, ColorBy::strain)) EXPECT_NEAR(strain, 0.25, 1e-5);
    for (const float speed : vertex_values(world, body, ColorBy::speed)) EXPECT_NEAR(speed, 5, 1e-5);
  }
}

TEST(Shape, StressOfAPulledBar) {
  World world({.threads = 1});
  const BodyId bar = world.add(Solid{.name = "bar",
                                     .mesh = box_tets({1, 1, 1}, {2, 2, 2}),
                                     .material = Material{.model = MaterialModel::stvk, .young = 2e5, .poisson = 0}});
  std::vector<Vec3d> x = world.positions(bar);
  for (Vec3d& p : x) p.x *= 1.001;
  world.set_positions(bar, x);
  // Poisson's ratio 0: sigma = E strain along x, and von Mises of one stress is that stress; J adds 0.1 %.
  for (const float stress : vertex_values(world, bar, ColorBy::stress)) EXPECT_NEAR(stress, 200, 1);
  const BodyId cloth = world.add(Cloth{.name = "cloth", .mesh = grid({1, 1}, {2, 2})});
  for (const float stress : vertex_values(world, cloth, ColorBy::stress)) EXPECT_EQ(stress, 0) << "has no material";
  World plain({.threads = 1});
  plain.add(Cloth{.name = "cloth", .mesh = grid({1, 1}, {2, 2})});
  test::expect_error([&] { capture(plain, make_shape(plain), ColorBy::stress); }, "colours by stress", "no body");
}

TEST(Legend, NumbersAsPeopleRound) {
  EXPECT_DOUBLE_EQ(round_up(0.97), 1);
  EXPECT_DOUBLE_EQ(round_up(1), 1);
  EXPECT_DOUBLE_EQ(round_up(1.01), 1.2);
  EXPECT_DOUBLE_EQ(round_up(8.1e-3), 1e-2);
  EXPECT_DOUBLE_EQ(round_up(430), 500);
  EXPECT_DOUBLE_EQ(round_up(0), 1);
  Look look;
  look.color_by = ColorBy::strain;
  look.color_max = 0.25;
  EXPECT_EQ(legend_of(look).title, "strain [%]");
  EXPECT_EQ(legend_of(look).max, "25");
  EXPECT_EQ(legend_of(look).middle, "12.5");
}

TEST(Director, RefusesWhatNoPictureCanHave) {
  using test::expect_error;
  expect_error([] { Director({.width = 0}); }, "picture size", "16384");
  expect_error([] { Director({.speed = 0}); }, "speed", "above 0");
  expect_error([] { Director({.camera = Camera{.eye = {1, 1, 1}, .target = {1, 1, 1}}}); }, "camera", "different");
  expect_error([] { Director({.camera = Camera{.fov = 180}}); }, "camera: fov", "170");
}

TEST(Shape, HasColliders) {
  World world({.threads = 1});
  world.add(Solid{.mesh = box_tets({1, 1, 1}, {2, 2, 2}), .place = {.position = {0, 2, 0}}});
  world.add(Plane{.point = {0, 0.25, 0}});
  world.add(Sphere{.radius = 0.5}, {.path = {{.time = 0}, {.time = 1, .move = {3, 0, 0}}}});
  world.add(Box{.size = {20, 1, 20}}, {.position = {0, -5, 0}});
  const Shape shape = make_shape(world);
  ASSERT_EQ(shape.bodies.size(), 3u) << "a level plane is the ground";
  EXPECT_EQ(shape.ground, 0.25);
  EXPECT_EQ(shape.framed_vertices, shape.bodies[2].first) << "what is far larger than the bodies does not count";
  const Frame before = capture(world, shape, ColorBy::body);
  for (int i = 0; i < 60; ++i) world.step();
  const Frame after = capture(world, shape, ColorBy::body);
  const auto first = static_cast<size_t>(shape.bodies[1].first);
  EXPECT_NEAR(after.positions[first].x - before.positions[first].x, 3, 1e-4) << "they move along";
  ASSERT_TRUE(shape.fits(world));
  world.add(Sphere{.radius = 0.1}, {.position = {9, 9, 9}});
  EXPECT_FALSE(shape.fits(world));
}

TEST(Shape, IsTheSkinWhereThereIsOne) {
  World world({.threads = 1});
  const BodyId ball = world.add(Solid{.mesh = ball_tets(0.5, 4)});
  world.add_skin(ball, sphere(0.5, 4));
  EXPECT_EQ(make_shape(world).triangles.size(), world.skin_triangles(ball).size());
  EXPECT_EQ(make_shape(world, ColorBy::speed).triangles.size(), world.triangles(ball).size());
}

TEST(Shape, LeavesOutWhatIsHidden) {
  World world({.threads = 1});
  const BodyId box = world.add(Cloth{.name = "box", .mesh = box_surface({1, 1, 1}, {2, 2, 2})});
  const BodyId ball = world.add(Solid{.name = "ball", .mesh = ball_tets(0.3, 4)});
  const Shape all = make_shape(world), one = make_shape(world, ColorBy::body, {"box"});
  EXPECT_EQ(all.triangles.size(), world.triangles(box).size() + world.triangles(ball).size());
  EXPECT_EQ(one.triangles.size(), world.triangles(ball).size());
  EXPECT_TRUE(one.fits(world));
  EXPECT_EQ(capture(world, one, ColorBy::body).positions.size(), static_cast<std::size_t>(one.vertex_count));
}

// A wall that goes past the eye was once drawn nearer than what stands in front of it.
TEST(Renderer, SlopeBelowTheEyeDoesNotHideWhatIsOnIt) {
  World world({.threads = 1});
  world.add(Solid{.mesh = ball_tets(0.5, 4), .place = {.position = {0, 1, 0}}, .color = Vec3d{1, 0, 0}});
  world.add(Plane{.normal = {-0.35, 1, 0}});
  const Shape shape = make_shape(world);
  Look look;
  look.camera = {{-3, 2, 4}, {0, 1, 0}, 30};
  look.width = 160;
  look.height = 90;
  Renderer renderer(1);
  const Image image = renderer.draw(shape, capture(world, shape, ColorBy::body), look);
  const uint8_t* middle = image.at(80, 45);
  EXPECT_GT(middle[0], 2 * middle[1]) << "the ball is red";
}

// Constraints of one batch share no vertex, so that elements that touch have different ones.
TEST(Values, ColorsOfTheSolver) {
  World world({.threads = 1});
  const BodyId bar = world.add(Solid{.mesh = box_tets({3, 1, 1}, {3, 1, 1}), .material = Material{}});
  const std::vector<int> colors = world.element_batches(bar);
  const std::vector<Tet>& tets = world.tets(bar);
  ASSERT_EQ(colors.size(), tets.size());
  for (size_t s = 0; s < tets.size(); ++s) {
    EXPECT_GE(colors[s], 0);
    for (size_t t = 0; t < s; ++t) {
      const bool touch =
          std::any_of(tets[s].begin(), tets[s].end(), [&](int v) { return std::ranges::count(tets[t], v) > 0; });
      EXPECT_FALSE(touch && colors[s] == colors[t]) << s << " and " << t;
    }
  }
  const Shape shape = make_shape(world, ColorBy::batch);
  const Frame frame = capture(world, shape, ColorBy::batch);
  ASSERT_EQ(frame.values.size(), 3 * world.triangles(bar).size());
  for (size_t v = 0; v < frame.values.size(); ++v) EXPECT_EQ(frame.values[v], frame.values[v / 3 * 3]) << "one a face";
}

}  // namespace
}  // namespace pliant::render
