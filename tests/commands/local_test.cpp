// What a cluster on one machine is made of: child processes, ports, and the plan of its faults.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <map>
#include <set>
#include <sstream>

#include "apps/flamingo/local/chaos_plan.hpp"
#include "apps/flamingo/local/child_process.hpp"
#include "apps/flamingo/local/free_ports.hpp"
#include "apps/flamingo/local/live_view.hpp"
#include "apps/flamingo/local/progress.hpp"
#include "apps/flamingo/local/resource_use.hpp"
#include "apps/flamingo/local/timeline.hpp"
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

  TEST_CASE("a child is no member of the process group that Ctrl-C goes to") {
    testing::temporary_directory dir;
    local::child_process child({"/bin/sh", "-c", "echo; sleep 100"}, dir.path() / "log");
    REQUIRE(child.read_line(10s));
    CHECK(::getpgid(child.pid()) == child.pid());
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

TEST_SUITE("live view") {
  TEST_CASE("lines that would wrap are cut, by characters and not by bytes") {
    CHECK(local::fitted("1234567890\n12\n", {10, 24}) == "123456789\n12\n");
    CHECK(local::fitted("\u00e4\u00e4\u00e4\u00e4\n", {4, 24}) == "\u00e4\u00e4\u00e4\n");
  }

  TEST_CASE("lines that would scroll away are counted instead") {
    CHECK(local::fitted("a\nb\nc\n", {40, 4}) == "a\nb\nc\n");
    CHECK(local::fitted("a\nb\nc\nd\n", {40, 4}) == "a\nb\nand 2 more lines\n");
    CHECK(local::fitted("", {40, 4}) == "");
  }

  TEST_CASE("a picture goes over the one before unless something was written since") {
    std::ostringstream to;
    local::live_view view(to);
    view.draw("a\nb\n", {});
    view.draw("c\n", {});
    CHECK(to.str() == "a\nb\n\033[2A\033[Jc\n");
    view.leave();
    to.str("");
    view.draw("d\n", {});
    CHECK(to.str() == "d\n");
  }

  TEST_CASE("what is no terminal counts as one of 80 by 24") {
    const auto size = local::size_of_terminal(-1);
    CHECK(size.columns == 80);
    CHECK(size.rows == 24);
  }
}

TEST_SUITE("progress") {
  TEST_CASE("without a terminal stages are told at once and the rest each five seconds") {
    std::ostringstream to;
    local::progress told(local::progress::style::lines, to);
    const local::progress::clock::time_point start{};
    told.stage("starting", start);
    told.beat(start + 4s);
    CHECK(to.str() == "starting\n");
    told.beat(start + 5s);
    told.beat(start + 6s);
    CHECK(to.str() == "starting\nstarting (5 s)\n");
    to.str("");
    told.stage("load", start + 7s);
    told.state("a picture\n", "3 of 20 s");
    told.beat(start + 11s);
    told.beat(start + 12s);
    CHECK(to.str() == "load\n3 of 20 s\n");
  }

  TEST_CASE("who wants no progress gets none") {
    std::ostringstream to;
    local::progress told(local::progress::style::none, to);
    told.stage("starting", {});
    told.state("a picture\n", "3 of 20 s");
    told.beat(local::progress::clock::time_point{} + 60s);
    CHECK(to.str() == "");
  }
}

TEST_SUITE("timeline") {
  TEST_CASE("seconds in which receipts are only waited for are not drawn") {
    const auto covers = [](double at, double load, double length) {
      return local::covers_load(
          {{"seconds", at}, {"load_seconds", load}, {"recent_seconds", length}});
    };
    CHECK(covers(20.02, 20, 1));
    CHECK_FALSE(covers(21.02, 20, 1));
    CHECK_FALSE(covers(20.2, 20, 0.18));
  }
}

TEST_SUITE("resource use") {
  TEST_CASE("the CPU time of a process that was killed still counts") {
    local::resource_use use;
    const auto burn = [&](double at_least) {
      testing::temporary_directory dir;
      local::child_process child({"/bin/sh", "-c", "while :; do :; done"}, dir.path() / "log");
      const double before = use.cpu_seconds();
      for (int i = 0; i < 60'000 && use.cpu_seconds() < before + at_least; ++i) {
        use.sample(child.pid());
        CHECK_FALSE(child.wait_for(1ms));
      }
      CHECK(use.cpu_seconds() >= before + at_least);
    };
    burn(0.05);
    burn(0.05);
    CHECK(use.cpu_seconds() >= 0.1);
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
  TEST_CASE("faults of a kind come one after another and all are over before the end") {
    const local::chaos wanted{.kills = 7, .cuts = 3, .pauses = 2};
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
      for (const auto length : {3000ms, 30'000ms, 600'000ms}) {
        const auto plan = local::plan_chaos(wanted, 4, length, seed);
        REQUIRE(plan.size() == wanted.faults());
        std::map<local::fault_event::kind, std::chrono::milliseconds> free_at;
        std::map<local::fault_event::kind, std::size_t> count;
        auto last = length / 10;
        for (const auto& x : plan) {
          CHECK(x.at >= last);
          last = x.at;
          CHECK(x.at >= free_at[x.what]);
          CHECK(x.validator < 4);
          CHECK(x.other < 4);
          CHECK((x.other == x.validator) == (x.what != local::fault_event::kind::cut));
          CHECK(x.lasts > 0ms);
          free_at[x.what] = x.at + x.lasts;
          CHECK(x.at + x.lasts <= length * 9 / 10);
          ++count[x.what];
        }
        CHECK(count[local::fault_event::kind::kill] == 7);
        CHECK(count[local::fault_event::kind::cut] == 3);
      }
  }

  TEST_CASE("where there is time, a cut takes 20 s and a pause 60 s") {
    for (const auto& x : local::plan_chaos({.cuts = 10, .pauses = 5}, 4, 800s, 3))
      CHECK(x.lasts == (x.what == local::fault_event::kind::cut ? 20s : 60s));
  }

  TEST_CASE("kinds of faults are read as they are written and nothing else is") {
    CHECK(local::parse_chaos("kill=5") == local::chaos{.kills = 5});
    CHECK(local::parse_chaos("pause=1,kill=1000,cut=3") == local::chaos{1000, 3, 1});
    for (const auto* wrong : {"", "kill", "kill=", "kill=0", "kill=1001", "kill=5,", ",kill=5",
                              "kill=5,kill=6", "kill= 5", "kill=5 ", "burn=1", "kill=5;cut=1"})
      CHECK_FALSE(local::parse_chaos(wrong));
  }

  TEST_CASE("a seed always gives the same plan and seeds differ") {
    const local::chaos wanted{5, 2, 2};
    CHECK(local::plan_chaos(wanted, 4, 30s, 7) == local::plan_chaos(wanted, 4, 30s, 7));
    CHECK(local::plan_chaos(wanted, 4, 30s, 7) != local::plan_chaos(wanted, 4, 30s, 8));
    CHECK(local::plan_chaos({}, 4, 30s, 7).empty());
  }
}
