// Values of options that are none: each is refused with its option, what was given and what is
// expected, before anything is read, made or started.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "tests/commands/command_run.hpp"
#include "tests/commands/temporary_directory.hpp"

using namespace flamingo;
using testing::flamingo_run;
using testing::one_line;

namespace {

/// An option, the command that it is of with all else that it needs, and its bounds.
struct numeric {
  std::vector<std::string> command;
  std::string option, low, high;
  bool whole = true;
  bool list = false;  // numbers with commas between them
};

const std::string largest_signed = "9223372036854775807", largest = "18446744073709551615";

const std::vector<numeric> options{
    {{"bank", "pay", "--config", "c", "--from", "0", "--to", "1"}, "--cents", "1", largest_signed},
    {{"bank", "pay", "--config", "c", "--to", "1", "--cents", "1"}, "--from", "0", "2147483647"},
    {{"bank", "pay", "--config", "c", "--from", "1", "--cents", "1"}, "--to", "0", "2147483647"},
    {{"bank", "balance", "--config", "c"}, "--account", "0", "2147483647"},
    {{"bank", "balance", "--config", "c", "--account", "1"}, "--timeout", "1", "3600"},
    {{"bank", "deposit", "--config", "c", "--account", "1"}, "--cents", "1", largest_signed},
    {{"client", "--config", "c"}, "--rate", "1", "100000000"},
    {{"client", "--config", "c"}, "--duration", "1", "10000000"},
    {{"client", "--config", "c"}, "--tx-size", "0", "4096"},
    {{"client", "--config", "c"}, "--hot", "0", "1", false},
    {{"client", "--config", "c"}, "--hot-accounts", "1", "2147483648"},
    {{"client", "--config", "c"}, "--seed", "0", largest},
    {{"client", "--config", "c"}, "--every", "0", "3600"},
    {{"init", "--dir", "/nowhere/net"}, "--validators", "1", "1000"},
    {{"init", "--dir", "/nowhere/net"}, "--clients", "1", "100000"},
    {{"init", "--dir", "/nowhere/net"}, "--accounts", "1", "2147483648"},
    {{"init", "--dir", "/nowhere/net"}, "--workers", "1", "16"},
    {{"init", "--dir", "/nowhere/net"}, "--executors", "1", "10"},
    {{"init", "--dir", "/nowhere/net"}, "--base-port", "1", "65535"},
    {{"local"}, "--validators", "1", "100"},
    {{"local"}, "--clients", "1", "1000"},
    {{"local"}, "--rate", "1", "100000000"},
    {{"local"}, "--tx-size", "0", "4096"},
    {{"local"}, "--duration", "1", "1000000"},
    {{"local"}, "--executors", "1", "10"},
    {{"local"}, "--accounts", "1", "2147483648"},
    {{"local"}, "--seed", "0", largest},
    {{"status", "--config", "o"}, "--timeout", "0.1", "3600", false},
    {{"bench", "scheduler"}, "--executors", "1", "64", true, true},
    {{"bench", "scheduler"}, "--overlaps", "0", "100", true, true},
    {{"bench", "scheduler"}, "--distributed", "0", "100", true, true},
    {{"bench", "scheduler"}, "--accounts", "10000", "100000000"},
    {{"bench", "scheduler"}, "--batches", "1", "1000000"},
    {{"bench", "scheduler"}, "--seed", "0", largest},
};

void refuse(std::vector<std::string> args, const std::vector<std::string>& parts) {
  const auto used = flamingo_run(args);
  CAPTURE(used.err);
  CHECK(used.code == 2);
  CHECK(used.out == "");
  CHECK(one_line(used.err));
  for (const auto& part : parts) CHECK(used.err.find(part) != std::string::npos);
}

/// What init says of its options; nothing is made.
std::string init_refusal(const std::vector<std::string>& with) {
  testing::temporary_directory dir;
  std::vector<std::string> args{"init", "--dir", (dir.path() / "net").string()};
  args.insert(args.end(), with.begin(), with.end());
  const auto used = flamingo_run(args);
  CHECK(used.code == (used.err.empty() ? 0 : 2));
  if (!used.err.empty()) CHECK(one_line(used.err));
  CHECK(std::filesystem::is_empty(dir.path()) == !used.err.empty());
  return used.err;
}

}  // namespace

TEST_SUITE("options") {
  TEST_CASE("what is no number, or one out of its bounds, is refused as it was given") {
    for (const auto& x : options) {
      std::vector<std::string> bad{
          "99999999999999999999", "-1", "+1", "0x10", "1k", "1 ", "nan", "", "inf", "--", "1e99"};
      if (!x.list) bad.push_back("1,000");
      if (x.whole) bad.insert(bad.end(), {"1.5", "1e3"});
      if (x.low == "1") bad.push_back("0");
      for (const auto& value : bad) {
        auto args = x.command;
        args.push_back(x.option + "=" + value);
        CAPTURE(args.back());
        const std::string expected =
            x.whole ? "expected a whole number from " : "expected a number from ";
        refuse(args, value == "--" || value.empty()
                         ? std::vector<std::string>{x.option}
                         : std::vector{x.option, expected + x.low + " to " + x.high,
                                       "found \"" + value + "\""});
      }
    }
  }

  TEST_CASE("every option of a number is held to that") {
    // Help shows "N" for a number: an option that is missing above would go untested.
    for (const std::vector<std::string>& command : {std::vector<std::string>{"bank", "pay"},
                                                    {"bank", "balance"},
                                                    {"bank", "deposit"},
                                                    {"client"},
                                                    {"init"},
                                                    {"local"},
                                                    {"bench", "scheduler"},
                                                    {"status"},
                                                    {"node"},
                                                    {"check-config"},
                                                    {"version"}}) {
      auto args = command;
      args.push_back("--help");
      std::istringstream help(flamingo_run(args).out);
      for (std::string line; std::getline(help, line);) {
        const auto at = line.find("--");
        if (at == std::string::npos) continue;
        const auto end = line.find(' ', at);
        if (end == std::string::npos || line.compare(end, 3, " N ") != 0) continue;
        const auto name = line.substr(at, end - at);
        const bool tested = std::any_of(options.begin(), options.end(), [&](const auto& x) {
          return x.option == name && x.command.at(0) == command.at(0);
        });
        CHECK_MESSAGE(tested, (command.at(0) + " " + name));
      }
    }
  }

  TEST_CASE("hosts that cannot be are refused by name") {
    const auto said = [](const std::vector<std::string>& with, const std::string& part) {
      const auto line = init_refusal(with);
      CHECK_MESSAGE(line.find(part) != std::string::npos, line);
    };
    said({"--hosts", "a,b,a"}, "--hosts: a is there twice");
    said({"--hosts", "a,,b"}, "--hosts: \"\" is empty");
    said({"--hosts", "a:7000"}, "--hosts: \"a:7000\" holds a colon");
    said({"--hosts", "a b"}, "--hosts: \"a b\" is no name");
    said({"--hosts", "10.0.0.256"}, "--hosts: \"10.0.0.256\" is no IPv4 address");
    said({"--hosts", "[::1"}, "--hosts: \"[::1\" holds a colon");
    said({"--hosts", "0.0.0.0"}, "nobody can connect to 0.0.0.0");
    said({"--hosts", "[::]"}, "nobody can connect to ::");
    said({"--hosts", ""}, "--hosts");
    said({"--listen", ""}, "--listen: expected a host");
    said({"--listen", "0.0.0.0:7000"}, "--listen: \"0.0.0.0:7000\" holds a colon");
    said({"--listen", "every where"}, "--listen: \"every where\" is no name");
    said({"--base-port", "65500"}, "--base-port: expected room for all ports below 65536");
    said({"--accounts", "3"}, "--accounts: expected at least one for each of 4 clients, found 3");
    CHECK(init_refusal({"--hosts", "[::1],fe80::2,a-b.example.org,10.0.0.1", "--listen", "[::]"}) ==
          "");
  }

  TEST_CASE("what a local run cannot do is said before it starts anything") {
    const auto said = [](const std::vector<std::string>& with, const std::string& part) {
      testing::temporary_directory dir;
      std::vector<std::string> args{"local", "--dir", (dir.path() / "net").string()};
      args.insert(args.end(), with.begin(), with.end());
      refuse(args, {part});
      CHECK(std::filesystem::is_empty(dir.path()));
    };
    said({"--skew", "0.9"}, "--skew: expected SHARE:VALIDATOR");
    said({"--skew", "nan:v0"}, "--skew: expected SHARE:VALIDATOR");
    said({"--skew", "0.9:v4"}, "which are v0, v1, v2, v3, found v4");
    said({"--skew", "0.9:v3", "--clients", "2"}, "which are v0, v1, found v3");
    said({"--skew", "0.9:v0", "--clients", "1"}, "all clients of this load are assigned to v0");
    said({"--chaos", "kill=+1"}, "--chaos: expected kinds and numbers");
    said({"--accounts", "3"}, "--accounts: expected at least one for each of 4 clients");
  }
}
