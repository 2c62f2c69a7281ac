#pragma once
// Base64 (RFC 4648), as VTK and glTF put bytes into text.

#include <string>
#include <string_view>

namespace pliant {

/// Bytes of a text, up to its padding or its end; blanks are skipped. False where something else is in it.
inline bool decode_base64(std::string_view text, std::string& out) {
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    int value = 0;
    if (c >= 'A' && c <= 'Z') {
      value = c - 'A';
    } else if (c >= 'a' && c <= 'z') {
      value = c - 'a' + 26;
    } else if (c >= '0' && c <= '9') {
      value = c - '0' + 52;
    } else if (c == '+') {
      value = 62;
    } else if (c == '/') {
      value = 63;
    } else if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
      continue;
    } else {
      return c == '=';
    }
    buffer = (buffer << 6 | static_cast<unsigned>(value)) & 0xffffffu;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>(buffer >> bits & 0xffu);
    }
  }
  return true;
}

}  // namespace pliant
