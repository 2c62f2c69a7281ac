#include "render/image.h"

#include <png.h>

#include "pliant/error.h"

namespace pliant::render {

namespace {

/// libpng ends with a jump, which must not cross what has a destructor: this has none, and what it fills is the
/// caller's.
bool encode(const Image& image, std::string& out, png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png))) return false;
  const auto append = [](png_structp writer, png_bytep bytes, png_size_t count) {
    static_cast<std::string*>(png_get_io_ptr(writer))->append(reinterpret_cast<const char*>(bytes), count);
  };
  png_set_write_fn(png, &out, append, [](png_structp) {});
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  for (int y = 0; y < image.height; ++y) png_write_row(png, image.at(0, y));
  png_write_end(png, info);
  return true;
}

}  // namespace

std::string encode_png(const Image& image) {
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  const bool good = info && encode(image, out, png, info);
  png_destroy_write_struct(&png, &info);
  if (!good) throw Error("png", "libpng could not encode a picture", "choose a smaller --size");
  return out;
}

}  // namespace pliant::render
