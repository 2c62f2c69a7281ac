#include "render/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "render/shading.h"

namespace pliant::render {
namespace {

// ---------------------------------------------------------------- letters

/// Lines of a letter: each point is a digit for x and a letter for y, of which 'c' is the base line, 'g' the height of
/// small letters and 'i' that of capitals. A blank lifts the pen.
struct Glyph {
  char letter;
  const char* lines;
};
constexpr Glyph kGlyphs[] = {
    {'0', "0h0d1c3c4d4h3i1i0h"},
    {'1', "0h2i2c"},
    {'2', "0h1i3i4h4g0c4c"},
    {'3', "0h1i3i4h4g3f4e4d3c1c0d 2f3f"},
    {'4', "3c3i0e4e"},
    {'5', "4i0i0f3f4e4d3c1c0d"},
    {'6', "4h3i1i0h0d1c3c4d4e3f1f0e"},
    {'7', "0i4i1c"},
    {'8', "1f0g0h1i3i4h4g3f1f0e0d1c3c4d4e3f"},
    {'9', "4f3e1e0f0h1i3i4h4d3c1c0d"},
    {'a', "4g4c 4f3g1g0f0d1c3c4d"},
    {'b', "0i0c 0f1g3g4f4d3c1c0d"},
    {'c', "4f3g1g0f0d1c3c4d"},
    {'d', "4i4c 4f3g1g0f0d1c3c4d"},
    {'e', "0e4e4f3g1g0f0d1c3c4d"},
    {'f', "1c1h2i3i 0g3g"},
    {'g', "4g4b3a1a0b 4f3g1g0f0d1c3c4d"},
    {'h', "0i0c 0f1g3g4f4c"},
    {'i', "0c0g 0i0i"},
    {'j', "1g1b0a 1i1i"},
    {'k', "0i0c 3g0e 1f3c"},
    {'l', "0i0c"},
    {'m', "0g0c 0f1g2f2c 2f3g4f4c"},
    {'n', "0g0c 0f1g3g4f4c"},
    {'o', "0f0d1c3c4d4f3g1g0f"},
    {'p', "0g0a 0f1g3g4f4d3c1c0d"},
    {'q', "4g4a 4f3g1g0f0d1c3c4d"},
    {'r', "0g0c 0f1g2g3f"},
    {'s', "4f3g1g0f1e3e4d3c1c0d"},
    {'t', "1i1d2c3c 0g3g"},
    {'u', "0g0d1c3c4d 4g4c"},
    {'v', "0g2c4g"},
    {'w', "0g1c2f3c4g"},
    {'x', "0g4c 0c4g"},
    {'y', "0g2c 4g1a0a"},
    {'z', "0g4g0c4c"},
    {'M', "0c0i2e4i4c"},
    {'P', "0c0i3i4h4g3f0f"},
    {'G', "4h3i1i0h0d1c3c4d4f2f"},
    {'.', "0c0c"},
    {',', "0c0b"},
    {'-', "0e3e"},
    {'+', "0e4e 2c2g"},
    {'/', "0b3i"},
    {'%', "0c4i 0i1i1h0h0i 3d4d4c3c3d"},
    {'[', "1j0j0b1b"},
    {']', "0j1j1b0b"},
};

struct Point {
  float x, y;
};
struct Stroke {
  Point from, to;
};

/// Units of the letters' grid: capitals are six high.
float add_strokes(const std::string& text, std::vector<Stroke>& strokes) {
  float pen = 0;
  for (const char c : text) {
    const auto glyph =
        std::find_if(std::begin(kGlyphs), std::end(kGlyphs), [&](const Glyph& g) { return g.letter == c; });
    if (glyph == std::end(kGlyphs)) {  // a blank, or a letter that we do not have
      pen += 4;
      continue;
    }
    float width = 0;
    const std::string_view lines = glyph->lines;
    bool drawing = false;
    Point last{};
    for (size_t i = 0; i < lines.size();) {
      if (lines[i] == ' ') {
        drawing = false;
        ++i;
        continue;
      }
      const Point point{pen + static_cast<float>(lines[i] - '0'), static_cast<float>(lines[i + 1] - 'c')};
      width = std::max(width, point.x - pen);
      if (drawing) strokes.push_back({last, point});
      last = point;
      drawing = true;
      i += 2;
    }
    pen += width + 2.2f;
  }
  return pen > 0 ? pen - 2.2f : 0;
}

float distance(const Point& p, const Stroke& s) {
  const float dx = s.to.x - s.from.x, dy = s.to.y - s.from.y, squared = dx * dx + dy * dy;
  const float t = squared > 0 ? clamp01(((p.x - s.from.x) * dx + (p.y - s.from.y) * dy) / squared) : 0;
  return std::hypot(p.x - s.from.x - t * dx, p.y - s.from.y - t * dy);
}

void blend(Image& image, int x, int y, const Vec3f& rgb, float cover) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height || cover <= 0) return;
  uint8_t* pixel = image.at(x, y);
  for (int i = 0; i < 3; ++i) pixel[i] = static_cast<uint8_t>(pixel[i] + (rgb[i] - pixel[i]) * cover + 0.5f);
}

std::string number(double value) {
  if (value == 0) return "0";
  const double size = std::fabs(value);
  if (size >= 1e4 || size < 1e-3) return fmt::format("{:.3g}", value);
  std::string text = fmt::format("{:.3f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

struct Quantity {
  std::string title;
  double scale;  // shown = value * scale
};
Quantity quantity_of(const Look& look) {
  switch (look.color_by) {
    case ColorBy::speed:
      return {"speed [m/s]", 1};
    case ColorBy::strain:
      return {"strain [%]", 100};
    case ColorBy::batch:
      return {"batch of the solver", 1};
    default:
      break;
  }
  if (look.color_max >= 1e6) return {"von mises stress [MPa]", 1e-6};
  if (look.color_max >= 1e3) return {"von mises stress [kPa]", 1e-3};
  return {"von mises stress [Pa]", 1};
}

}  // namespace

float text_width(const std::string& text, float size) {
  std::vector<Stroke> strokes;
  return add_strokes(text, strokes) * size / 6;
}

void draw_text(Image& image, const std::string& text, float x, float y, float size, uint8_t gray) {
  std::vector<Stroke> strokes;
  const float unit = size / 6, width = add_strokes(text, strokes) * unit, half = 0.075f * size;
  for (Stroke& s : strokes) s = {{x + s.from.x * unit, y - s.from.y * unit}, {x + s.to.x * unit, y - s.to.y * unit}};
  const Vec3f ink{static_cast<float>(gray), static_cast<float>(gray), static_cast<float>(gray)};
  for (int py = static_cast<int>(y - 1.4f * size); py <= static_cast<int>(y + 0.6f * size); ++py) {
    for (int px = static_cast<int>(x) - 2; px <= static_cast<int>(x + width) + 2; ++px) {
      const Point middle{static_cast<float>(px) + 0.5f, static_cast<float>(py) + 0.5f};
      float nearest = 1e9f;
      for (const Stroke& s : strokes) nearest = std::min(nearest, distance(middle, s));
      blend(image, px, py, ink, clamp01(half + 0.5f - nearest));
    }
  }
}

double round_up(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (value <= step * power * (1 + 1e-9)) return step * power;
  }
  return 10 * power;
}

Legend legend_of(const Look& look) {
  const Quantity quantity = quantity_of(look);
  return {quantity.title, number(0.5 * look.color_max * quantity.scale), number(look.color_max * quantity.scale)};
}

void draw_legend(Image& image, const Look& look) {
  const Legend legend = legend_of(look);
  const float em = std::max(9.0f, static_cast<float>(image.height) / 65);  // height of capitals
  const float width = 16 * em, thick = 1.1f * em;
  const float left = 2.4f * em, top = static_cast<float>(image.height) - 5.2f * em;
  draw_text(image, legend.title, left, top - 0.8f * em, em, 40);
  for (int y = static_cast<int>(top); y < static_cast<int>(top + thick); ++y) {
    for (int x = static_cast<int>(left); x < static_cast<int>(left + width); ++x) {
      const Vec3f light = color_scale((static_cast<float>(x) + 0.5f - left) / width);
      blend(image, x, y, {float(to_byte(light.x)), float(to_byte(light.y)), float(to_byte(light.z))}, 1);
    }
  }
  for (int i = 0; i <= 2; ++i) {
    const std::string text = i == 0 ? "0" : i == 1 ? legend.middle : legend.max;
    const float place = left + 0.5f * static_cast<float>(i) * width;
    const float shift = i == 0 ? 0 : i == 1 ? 0.5f : 1;
    draw_text(image, text, place - shift * text_width(text, em), top + thick + 1.7f * em, em, 40);
  }
}

}  // namespace pliant::render
