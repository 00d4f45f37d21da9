// A command of `flamingo` within the test's process: its exit code and what it wrote.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "apps/flamingo/commands.hpp"

namespace flamingo::testing {

struct outcome {
  int code;
  std::string out, err;
};

inline outcome flamingo_run(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  const int code = commands::run(args, {out, err});
  return {code, out.str(), err.str()};
}

inline bool one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

}  // namespace flamingo::testing
