// How `--help` shows an option: "--rate N (1 to 100, default 5)".
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace flamingo::commands {

class help_format : public CLI::Formatter {
public:
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace flamingo::commands
