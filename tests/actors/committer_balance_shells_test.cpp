// The shells of the load monitor and the migration coordinator, which a committer feeds.
#include <doctest/doctest.h>

#include "actors/load_monitor/load_monitor_actor.hpp"
#include "actors/migration_coordinator/migration_coordinator_actor.hpp"
#include "messages/codec_client.hpp"
#include "messages/codec_migration.hpp"
#include "messages/codec_validator.hpp"
#include "tests/actors/shell_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using namespace std::chrono_literals;

namespace {

/// A worker that takes notes of the tables that it is told.
assignment_sink table_notes(shell_bench& b, notes<assignment_update> into) {
  return b.spawn([into](assignment_sink::pointer) -> assignment_sink::behavior_type {
    return {[into](const assignment_frame& x) { into->push_back(*decode(x)); }};
  });
}

}  // namespace

TEST_SUITE("load monitor actor") {
  TEST_CASE("it shows each validator's load, and stays up on frames that are no messages") {
    shell_bench b;
    const auto role = b.spawn(load_monitor::shell, b.environment(0));
    caf::anon_send(role, signals_frame(shared_bytes(std::vector<char>(64, '\x5a'))));
    for (std::uint64_t i = 1; i <= 30; ++i) {
      commit_signals x{commit_index{i}, r(2 * i), {}};
      for (unsigned a = 0; a < 4; ++a)
        for (const auto round : {2 * i - 1, 2 * i})
          x.headers.push_back({v(a), r(round), time_point{round * 100ms}, 2000us * a, 50 * a});
      caf::anon_send(role, encode(x));
    }
    b.run();
    const auto shown = [&](const std::string& name, const std::string& author) {
      return b.metrics->gauge(name, "", {{"author", author}}).Value();
    };
    CHECK(shown("flamingo_load_monitor_queue_delay_seconds", "v3") == doctest::Approx(0.006));
    CHECK(shown("flamingo_load_monitor_transactions_per_second", "v0") == 0);
    CHECK(shown("flamingo_load_monitor_transactions_per_second", "v2") == doctest::Approx(1000));
    CHECK(b.metrics->gauge("flamingo_load_monitor_median_queue_delay_seconds", "").Value() ==
          doctest::Approx(0.002));
    CHECK(b.rejected("load_monitor", reject::malformed) == 1);
    CHECK(b.failures.empty());
  }

  TEST_CASE("a rule that it cannot follow stops the validator at the start") {
    shell_bench b;
    b.protocol.balancing = balancing_rule::proxy;
    b.spawn(load_monitor::shell, b.environment(0));
    b.run();
    REQUIRE(b.failures.size() == 1);
    CHECK(b.failures[0].find("balancing = \"proxy\"") != std::string::npos);
  }
}

TEST_SUITE("migration coordinator actor") {
  TEST_CASE("workers hear of the table at the start, and committed records are counted") {
    shell_bench b;
    const auto role = b.spawn(migration_coordinator::shell, b.environment(0));
    const auto heard = std::make_shared<std::vector<assignment_update>>();
    caf::anon_send(role, atom::meet_v, worker_id{0}, table_notes(b, heard));
    caf::anon_send(role, atom::meet_v, worker_id{1}, table_notes(b, heard));
    b.run();
    CHECK(heard->empty());
    caf::anon_send(role, atom::start_v);
    b.run();
    CHECK(*heard == std::vector<assignment_update>(2));

    const commit_control x{commit_index{9},
                           r(17),
                           {{v(0), capacity_declaration{1, 10}},
                            {v(0), capacity_declaration{1, 10}},
                            {v(1), migration_decision{commit_index{9}, {}}}}};
    caf::anon_send(role, encode(x));
    caf::anon_send(role, committed_control_frame(shared_bytes(std::vector<char>(64, '\x5a'))));
    b.run();
    CHECK(b.metrics
              ->counter("flamingo_migration_coordinator_records_total", "",
                        {{"kind", "capacity_declaration"}})
              .Value() == 1);
    CHECK(b.metrics->counter("flamingo_migration_coordinator_repeated_records_total", "").Value() ==
          1);
    CHECK(b.rejected("migration_coordinator", reject::bad_control_record) == 1);
    CHECK(b.rejected("migration_coordinator", reject::malformed) == 1);
  }

  TEST_CASE("a worker that restarted gets the table, and takes the place of the one before") {
    shell_bench b;
    const auto role = b.spawn(migration_coordinator::shell, b.environment(0));
    const auto before = std::make_shared<std::vector<assignment_update>>();
    const auto after = std::make_shared<std::vector<assignment_update>>();
    caf::anon_send(role, atom::meet_v, worker_id{0}, table_notes(b, before));
    caf::anon_send(role, atom::start_v);
    b.run();
    CHECK(before->size() == 1);
    caf::anon_send(role, atom::meet_v, worker_id{0}, table_notes(b, after));
    b.run();
    CHECK(before->size() == 1);
    CHECK(after->size() == 1);
  }
}
