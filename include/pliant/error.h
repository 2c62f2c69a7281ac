#pragma once
// What a user's mistake becomes. The message names where it is and what to do:
//   scenes/x.json: bodies[0].density: -3 is negative; give a density above 0 [kg/m^3]

#include <stdexcept>
#include <string>

namespace pliant {

class Error : public std::runtime_error {
 public:
  /// `where` is a file, a field or both ("file.json: bodies[0].density"), `what` says what is wrong
  /// and `remedy` what to do about it. Empty parts are left out of the message.
  Error(std::string where, std::string what, std::string remedy = {});

  const std::string& where() const { return where_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

  /// The same error seen from further out: "file.json" in front of the field that is known inside.
  Error inside(const std::string& outer) const;

 private:
  std::string where_, problem_, remedy_;
};

}  // namespace pliant
