// What every long-running command is made of: log, signals, metrics, the store's owner.
#include <doctest/doctest.h>
#include <signal.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/formatter.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/config/samples.hpp"
#include "apps/flamingo/runtime/clock.hpp"
#include "apps/flamingo/runtime/logging.hpp"
#include "apps/flamingo/runtime/process_metrics.hpp"
#include "apps/flamingo/runtime/stop_signal.hpp"
#include "apps/flamingo/runtime/store_owner.hpp"
#include "crypto/hex.hpp"
#include "storage/lmdb_kv.hpp"
#include "tests/commands/temporary_directory.hpp"

using namespace flamingo;
using namespace std::chrono_literals;

namespace {

std::string logged(config::log_settings::style style, const std::string& text) {
  using namespace std::chrono;
  const auto at = sys_days{2024y / May / 1} + 12h + 3min + 4s + 56ms;
  spdlog::details::log_msg message(spdlog::log_clock::time_point(at), {}, "", spdlog::level::warn,
                                   text);
  spdlog::memory_buf_t buffer;
  runtime::make_log_formatter(style, "v0")->format(message, buffer);
  return {buffer.data(), buffer.size()};
}

committee members_of(byte chain) {
  committee x;
  x.chain.bytes.fill(chain);
  x.validators.resize(2);
  x.validators[0].key.bytes.fill(1);
  x.validators[1].key.bytes.fill(2);
  return x;
}

}  // namespace

TEST_SUITE("log") {
  TEST_CASE("a line of text has the UTC time, the level and the node") {
    CHECK(logged(config::log_settings::style::text, "two\nlines") ==
          "2024-05-01T12:03:04.056Z warning v0: two lines\n");
  }

  TEST_CASE("a line of json stays json whatever the message holds") {
    const auto line = logged(config::log_settings::style::json, "a \"b\"\n\x01 \xff\xfe");
    CHECK(line.find('\n') == line.size() - 1);
    const auto x = nlohmann::json::parse(line);
    CHECK(x["time"] == "2024-05-01T12:03:04.056Z");
    CHECK(x["level"] == "warning");
    CHECK(x["node"] == "v0");
    CHECK(x["message"].get<std::string>().starts_with("a \"b\"\n\x01 "));
  }
}

TEST_SUITE("stop") {
  TEST_CASE("SIGTERM ends the wait and kills nothing") {
    runtime::stop_signal stop;
    CHECK_FALSE(stop.wait_for(std::chrono::milliseconds(0)));
    ::kill(::getpid(), SIGTERM);
    stop.wait();
    CHECK_FALSE(stop.failure());
    CHECK_FALSE(stop.wait_for(std::chrono::milliseconds(0)));
  }

  TEST_CASE("SIGHUP, where it is taken, calls what it is for and ends no wait") {
    runtime::stop_signal stop(runtime::stop_signal::hangup::taken);
    int calls = 0;
    stop.on_hangup([&] { ++calls; });
    ::kill(::getpid(), SIGHUP);
    CHECK_FALSE(stop.wait_for(20ms));
    CHECK(calls == 1);
    stop.on_hangup({});
    ::kill(::getpid(), SIGHUP);
    CHECK_FALSE(stop.wait_for(20ms));
    CHECK(calls == 1);
    CHECK_FALSE(stop.signalled());
  }

  TEST_CASE("the first failure ends the wait and is kept") {
    runtime::stop_signal stop;
    stop.fail("disk full");
    stop.fail("and more");
    stop.wait();
    CHECK(stop.failure() == "disk full");
  }
}

TEST_SUITE("process metrics") {
  TEST_CASE("the process's own use is measured") {
    volatile double sink = 0;
    while (runtime::cpu_seconds(::getpid()) == 0)
      for (int i = 0; i < 1'000'000; ++i) sink = sink + i;
    CHECK(runtime::anonymous_memory_bytes(::getpid()) > 100'000);
    CHECK(runtime::anonymous_memory_bytes(::getpid()) < std::uint64_t{1} << 40);
    CHECK(runtime::cpu_seconds(-1) == 0);
    const auto families = runtime::process_metrics().Collect();
    REQUIRE(families.size() == 3);
    CHECK(families[0].metric.at(0).counter.value > 0);
  }
}

TEST_SUITE("store owner") {
  TEST_CASE("a store belongs to the validator and the chain that used it first") {
    testing::temporary_directory dir;
    storage::lmdb_kv store({.directory = dir.path(), .preallocate_bytes = 0});
    runtime::claim_store(store, "data", members_of(7), validator_id(0));
    runtime::claim_store(store, "data", members_of(7), validator_id(0));
    const auto complaint = [&](const committee& members, validator_id self) -> std::string {
      try {
        runtime::claim_store(store, "data", members, self);
      } catch (const config::error& e) {
        return e.what();
      }
      return {};
    };
    const auto hex = [](byte x) { return crypto::to_hex(std::vector<byte>(32, x)); };
    const auto other_chain = complaint(members_of(9), validator_id(0));
    CHECK(other_chain.find("data: holds the store of chain " + hex(7)) == 0);
    CHECK(other_chain.find(hex(9)) != std::string::npos);
    const auto other_validator = complaint(members_of(7), validator_id(1));
    CHECK(other_validator.find("the validator with key " + hex(1)) != std::string::npos);
    CHECK(other_validator.find(hex(2)) != std::string::npos);
  }
}

TEST_SUITE("clock") {
  TEST_CASE("time is near the wall clock and never goes back") {
    const auto now = runtime::steady_unix_clock();
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    auto last = now();
    CHECK(std::chrono::abs(last.time_since_epoch() - wall) < std::chrono::minutes(1));
    for (int i = 0; i < 1000; ++i) {
      const auto next = now();
      CHECK(next >= last);
      last = next;
    }
  }
}
