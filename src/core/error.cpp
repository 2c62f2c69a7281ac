// pliant::Error (a user's mistake) and the failure of an assertion (a programmer's mistake).

#include "pliant/error.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/assert.h"

namespace pliant {

namespace {

/// "where: problem; remedy", without the parts that are empty.
std::string message_of(const std::string& where, const std::string& problem, const std::string& remedy) {
  std::string text = where;
  if (!text.empty() && !problem.empty()) text += ": ";
  text += problem;
  if (!text.empty() && !remedy.empty()) text += "; ";
  text += remedy;
  return text;
}

}  // namespace

Error::Error(std::string where, std::string what, std::string remedy)
    : std::runtime_error(message_of(where, what, remedy)),
      where_(std::move(where)),
      problem_(std::move(what)),
      remedy_(std::move(remedy)) {}

Error Error::inside(const std::string& outer) const {
  if (outer.empty()) return *this;
  return Error(where_.empty() ? outer : outer + ": " + where_, problem_, remedy_);
}

namespace detail {

void check_failed(const char* condition, const char* advice, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: '%s' does not hold: %s\n", file, line, condition, advice);
  std::abort();
}

}  // namespace detail

}  // namespace pliant
