// What is wrong with a file, an address or a key of the operator's.
#pragma once

#include <stdexcept>
#include <string>

namespace flamingo::config {

/// One line for the operator: names the file and key, what was expected, and what to do. Thrown at
/// start only; the command ends with exit code 1.
class error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

}  // namespace flamingo::config
