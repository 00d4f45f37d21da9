// What a cluster on one machine is made of: child processes, ports, and the plan of its kills.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <set>

#include "apps/flamingo/local/chaos_plan.hpp"
#include "apps/flamingo/local/child_process.hpp"
#include "apps/flamingo/local/free_ports.hpp"
#include "tests/commands/temporary_directory.hpp"

using namespace flamingo;
using namespace std::chrono_literals;

TEST_SUITE("child process") {
  TEST_CASE("its lines and its exit code arrive and its errors go to the log") {
    testing::temporary_directory dir;
    local::child_process child({"/bin/sh", "-c", "echo one; echo two; echo bad >&2; exit 7"},
                               dir.path() / "log");
    CHECK(child.read_line(10s) == "one");
    CHECK(child.read_line(10s) == "two");
    CHECK_FALSE(child.read_line(10s));
    CHECK(child.wait_for(10s) == 7);
    CHECK(testing::content_of(dir.path() / "log") == "bad\n");
  }

  TEST_CASE("killed and terminated children say by which signal") {
    testing::temporary_directory dir;
    local::child_process a({"/bin/sleep", "100"}, dir.path() / "log");
    local::child_process b({"/bin/sleep", "100"}, dir.path() / "log");
    CHECK_FALSE(a.ended());
    a.kill();
    b.terminate();
    CHECK(a.wait_for(10s) == 128 + SIGKILL);
    CHECK(b.wait_for(10s) == 128 + SIGTERM);
  }

  TEST_CASE("a child dies with its owner") {
    testing::temporary_directory dir;
    pid_t pid = 0;
    {
      local::child_process child({"/bin/sleep", "100"}, dir.path() / "log");
      pid = child.pid();
      CHECK(::kill(pid, 0) == 0);
    }
    CHECK(::kill(pid, 0) != 0);
  }

  TEST_CASE("a program that does not exist ends at once with 127") {
    testing::temporary_directory dir;
    local::child_process child({"/nowhere/at/all"}, dir.path() / "log");
    CHECK(child.wait_for(10s) == 127);
  }
}

TEST_SUITE("free ports") {
  TEST_CASE("they differ and can be listened at") {
    const auto ports = local::free_ports(40);
    CHECK(std::set(ports.begin(), ports.end()).size() == 40);
    for (const auto port : ports) CHECK(port >= 10'000);
  }
}

TEST_SUITE("chaos plan") {
  TEST_CASE("at any time one validator is down at most and all are back before the end") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
      for (const auto length : {3000ms, 30'000ms, 600'000ms}) {
        const auto plan = local::plan_chaos(5, 4, length, seed);
        REQUIRE(plan.size() == 5);
        auto free_at = length / 10;
        for (const auto& x : plan) {
          CHECK(x.at >= free_at);
          CHECK(x.validator < 4);
          CHECK(x.down_for > 0ms);
          free_at = x.at + x.down_for;
        }
        CHECK(free_at <= length * 9 / 10);
      }
  }

  TEST_CASE("a seed always gives the same plan and seeds differ") {
    CHECK(local::plan_chaos(5, 4, 30s, 7) == local::plan_chaos(5, 4, 30s, 7));
    CHECK(local::plan_chaos(5, 4, 30s, 7) != local::plan_chaos(5, 4, 30s, 8));
    CHECK(local::plan_chaos(0, 4, 30s, 7).empty());
  }
}
