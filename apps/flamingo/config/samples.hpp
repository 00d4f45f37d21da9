// The documented samples: configs/*.toml hold exactly these texts.
#pragma once

#include <string>
#include <vector>

namespace flamingo::config {

struct sample {
  std::string kind;  // "node": configs/node.toml
  std::string text;
};

std::vector<sample> samples();

}  // namespace flamingo::config
