#pragma once
// Numbers from bytes, one after the other, in either byte order. Never reads behind the end.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "pliant/error.h"

namespace pliant {

class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string where, std::endian order = std::endian::little)
      : bytes_(bytes), where_(std::move(where)), order_(order) {}

  template <class T>
  T next() {
    need(sizeof(T));
    char raw[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      raw[i] = bytes_[at_ + (order_ == std::endian::native ? i : sizeof(T) - 1 - i)];
    }
    at_ += sizeof(T);
    T value;
    std::memcpy(&value, raw, sizeof(T));
    return value;
  }

  std::string_view take(std::size_t size) {
    need(size);
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  void skip(uint64_t size) {
    need(size);
    at_ += static_cast<std::size_t>(size);
  }

  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t offset() const { return at_; }
  void set_order(std::endian order) { order_ = order; }
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy = "give the whole file") const {
    throw Error(where_, problem, remedy);
  }

 private:
  void need(uint64_t size) const {
    if (size > left()) fail("the data ends too early");
  }

  std::string_view bytes_;
  std::string where_;
  std::size_t at_ = 0;
  std::endian order_;
};

}  // namespace pliant
