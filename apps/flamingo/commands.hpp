// The commands of the one binary, `flamingo`: a file for each. Exit codes: 0 done, 1 failed, 2 used
// wrongly (design: operations, "One binary").
#pragma once

#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace flamingo::commands {

/// Where a command writes. Results go to `out`, all else to `err`.
struct console {
  std::ostream& out;
  std::ostream& err;
};

/// What the chosen command does. Returns the exit code; throws a std::exception whose text is one
/// line for the operator.
using action = std::function<int(console)>;

void add_init(CLI::App& app, action& chosen);
void add_check_config(CLI::App& app, action& chosen);
void add_client(CLI::App& app, action& chosen);
void add_node(CLI::App& app, action& chosen);
void add_bank(CLI::App& app, action& chosen);
void add_local(CLI::App& app, action& chosen);
void add_bench(CLI::App& app, action& chosen);
void add_status(CLI::App& app, action& chosen);
void add_executor(CLI::App& app, action& chosen);
void add_version(CLI::App& app, action& chosen);

/// Runs `flamingo ARGS...`.
int run(const std::vector<std::string>& args, console streams);

/// Used wrongly in a way that the parser cannot see: exit code 2.
class usage_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

}  // namespace flamingo::commands
