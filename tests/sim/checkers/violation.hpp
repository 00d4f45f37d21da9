// What a checker found.
#pragma once

#include <string>
#include <vector>

namespace flamingo::sim::checkers {

/// A property that did not hold, in one line for a person.
struct violation {
  std::string property;  // the checker's name
  std::string what;

  friend bool operator==(const violation&, const violation&) = default;
};

using violations = std::vector<violation>;

}  // namespace flamingo::sim::checkers
