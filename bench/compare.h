#pragma once
// This run against an older one.

#include <string>

#include "report.h"

namespace pliant::bench {

/// What --json has written earlier. Throws Error if it is no such file.
class OlderRun {
 public:
  explicit OlderRun(const std::string& path);
  ~OlderRun();
  /// Prints a verdict for each row that both have. Returns how many are slower. Ratios to the baseline are compared
  /// where both have them, as they do not depend on the machine's mood, otherwise times. A change counts when it is
  /// above three times the noise of both, and above three per cent.
  int compare(const Report& now) const;

 private:
  std::string path_, text_;
};

}  // namespace pliant::bench
