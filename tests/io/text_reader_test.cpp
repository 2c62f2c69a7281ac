#include "io/text_reader.h"

#include <gtest/gtest.h>

#include <clocale>

#include "mesh/mesh_checks.h"

namespace pliant {
namespace {

TEST(TextReader, SkipsRemarksAndEmptyLines) {
  TextReader in("# remark\n\n  a 1 # b\r\n\t\n2.5", "f", '#');
  ASSERT_TRUE(in.next_line());
  EXPECT_EQ(in.word("x"), "a");
  EXPECT_EQ(in.integer("x"), 1);
  EXPECT_FALSE(in.has_word());
  EXPECT_EQ(in.where(), "f:3");
  ASSERT_TRUE(in.next_line());
  EXPECT_EQ(in.number("x"), 2.5);
  EXPECT_EQ(in.where(), "f:5");
  EXPECT_FALSE(in.next_line());
}

TEST(TextReader, FailsWithThePlace) {
  TextReader in("a\nb\n", "f", '#');
  in.next_line();
  in.word("x");
  test::expect_error([&] { in.word("a thing"); }, "f:1", "the line ends where a thing should be");
  in.next_line();
  test::expect_error([&] { in.number("a thing"); }, "f:2", "\"b\" is not a thing");
  test::expect_error([&] { in.number("a thing"); }, "f:2", "the file ends where a thing should be");
}

TEST(Numbers, AllOfTheTextMustBeOne) {
  double value = 0;
  for (const auto& [text, expected] :
       {std::pair<const char*, double>{"1", 1}, {"+1.5", 1.5}, {"-.5e-3", -5e-4}, {"1.", 1}}) {
    EXPECT_TRUE(parse_number(text, value)) << text;
    EXPECT_EQ(value, expected);
  }
  for (const char* text : {"", "+", "++1", "+-1x", "1x", "1,5", "nan", "inf", "-inf", "1e400", "0x10", "1 2"}) {
    EXPECT_FALSE(parse_number(text, value)) << text;
  }
  int64_t integer = 0;
  EXPECT_TRUE(parse_integer("-9223372036854775808", integer));
  for (const char* text : {"", "1.0", "1e3", "9223372036854775808", "++1", "0x1", " 1"}) {
    EXPECT_FALSE(parse_integer(text, integer)) << text;
  }
}

TEST(Numbers, DoNotDependOnTheLocale) {
  // Where a locale with a decimal comma is installed, it must make no difference.
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"}) std::setlocale(LC_NUMERIC, name);
  double value = 0;
  EXPECT_TRUE(parse_number("1.5", value));
  EXPECT_EQ(value, 1.5);
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(InQuotes, IsShortAndPrintable) {
  EXPECT_EQ(in_quotes("a\x01\nb"), "\"a??b\"");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "\"" + std::string(40, 'x') + "...\"");
}

}  // namespace
}  // namespace pliant
