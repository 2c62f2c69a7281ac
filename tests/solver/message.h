#pragma once
// What an Error says.

#include <gtest/gtest.h>

#include <string>

#include "pliant/error.h"

namespace pliant::test {

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty()) << "what to do about it: " << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

inline void expect_says(const std::string& message, const std::string& text) {
  EXPECT_NE(message.find(text), std::string::npos) << message << "\n  does not say: " << text;
}

}  // namespace pliant::test
