// What the load command is made of: the split of a rate, and reports.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/load/client_group.hpp"
#include "apps/flamingo/load/load_report.hpp"
#include "apps/flamingo/load/rate_split.hpp"
#include "apps/flamingo/network_plan.hpp"
#include "tests/commands/network_files.hpp"

using namespace flamingo;
using namespace std::chrono_literals;

namespace {

/// The clients of a new network of four validators.
std::vector<load::member> members_of(const testing::temporary_directory& dir, std::size_t clients) {
  network_plan plan;
  plan.directory = dir.path() / "net";
  plan.clients = clients;
  const auto layout = make_network(plan);
  std::vector<std::string> files;
  for (std::size_t i = 0; i < clients; ++i) files.push_back(layout.client(i).string());
  return load::load_members(files);
}

}  // namespace

TEST_SUITE("load") {
  TEST_CASE("a rate is split evenly and nothing of it is lost") {
    const std::vector<std::string> assignees{"v0", "v1", "v2"};
    CHECK(load::split_rate(10, assignees, {}) == std::vector<std::uint64_t>{4, 3, 3});
    CHECK(load::split_rate(2, assignees, {}) == std::vector<std::uint64_t>{1, 1, 0});
  }

  TEST_CASE("a skew gives its share to the clients of its validator") {
    const std::vector<std::string> assignees{"v0", "v1", "v2", "v0"};
    const auto skew = load::parse_skew("0.9:v0");
    CHECK(load::split_rate(1000, assignees, skew) == std::vector<std::uint64_t>{450, 50, 50, 450});
    CHECK(load::split_rate(1000, assignees, load::parse_skew("1:v2")) ==
          std::vector<std::uint64_t>{0, 0, 1000, 0});
    CHECK_THROWS_AS(load::split_rate(1000, assignees, load::parse_skew("0.9:v3")),
                    commands::usage_error);
    CHECK_THROWS_AS(load::split_rate(1000, {"v0", "v0"}, skew), commands::usage_error);
  }

  TEST_CASE("a skew that is none is refused") {
    CHECK_FALSE(load::parse_skew(""));
    for (const auto* bad : {"0.9", "0.9:", ":v0", "1.1:v0", "-0.1:v0", "x:v0", "0.9x:v0"})
      CHECK_THROWS_AS(load::parse_skew(bad), commands::usage_error);
  }

  TEST_CASE("a committee file is read once for all clients of a network") {
    testing::temporary_directory dir;
    const auto members = members_of(dir, 3);
    REQUIRE(members.size() == 3);
    for (std::uint32_t i = 0; i < 3; ++i) {
      CHECK(members[i].who.committee == members[0].who.committee);
      CHECK(members[i].who.self == client_id(i));
    }
  }

  TEST_CASE("clients refuse an application that they do not speak, and one client named twice") {
    testing::temporary_directory dir;
    members_of(dir, 2);
    const auto net = dir.path() / "net";
    const auto first = (net / "c0/client.toml").string();
    const auto pay = [&](const std::string& account) {
      return testing::flamingo_run({"bank", "pay", "--config", first, "--from", "0", "--to",
                                    account, "--cents", "1", "--timeout", "1"});
    };
    CHECK(pay("1000000").err.find("account 1000000: expected one below application.accounts of ") !=
          std::string::npos);
    const auto twice = testing::flamingo_run({"client", "--config", first, "--config", first});
    CHECK(twice.code == 1);
    CHECK(twice.err.find("are of the same client, c0") != std::string::npos);
    const auto hot = testing::flamingo_run(
        {"client", "--config", first, "--hot", "0.5", "--hot-accounts", "500001"});
    CHECK(hot.code == 2);
    CHECK(hot.err.find("--hot-accounts: expected at most 500000, the accounts of c0") !=
          std::string::npos);
    const auto committee = net / "committee.toml";
    const auto before = testing::content_of(committee);
    testing::overwrite(committee,
                       testing::replaced(before, "accounts = [[0, 500000]]", "accounts = []"));
    CHECK(pay("1").code == 1);
    CHECK(pay("1").err.find("clients: expected at least one account of c0 to act on, found none") !=
          std::string::npos);
    testing::overwrite(committee,
                       testing::replaced(before, "name = \"smallbank\"", "name = \"keyset\""));
    CHECK(pay("1").code == 1);
    CHECK(pay("1").err.find("application.name: this command speaks smallbank alone, found "
                            "\"keyset\"") != std::string::npos);
  }

  TEST_CASE("large transactions make smaller bundles, and what fits into none is refused") {
    testing::temporary_directory dir;
    auto members = members_of(dir, 1);
    auto rules = *members[0].who.committee;
    rules.protocol.max_bundle_bytes = 4096;
    members[0].who.committee = std::make_shared<const decltype(rules)>(rules);
    members[0].with.transaction_bytes = 512;
    const load::client_group some(members);
    CHECK(some.members()[0].with.transactions_per_bundle == 7);
    members[0].with.transaction_bytes = 4096;
    CHECK_THROWS_WITH_AS(load::client_group(std::move(members)),
                         doctest::Contains("transactions of 4096 bytes do not fit into bundles of "
                                           "protocol.max_bundle_bytes of "),
                         config::error);
  }

  TEST_CASE(
      "clients of a network with small bundles make small ones, and no larger are called good") {
    testing::temporary_directory dir;
    network_plan plan;
    plan.directory = dir.path() / "net";
    plan.clients = 1;
    plan.protocol.max_transactions_per_bundle = 20;
    const auto file = make_network(plan).client(0);
    CHECK(load::load_members({file.string()}).at(0).with.transactions_per_bundle == 20);
    testing::edit(file, "transactions_per_bundle = 20", "transactions_per_bundle = 21");
    const auto checked = testing::flamingo_run({"check-config", file.string()});
    CHECK(checked.code == 1);
    CHECK_MESSAGE(checked.err.find("load.transactions_per_bundle: expected at most "
                                   "protocol.max_transactions_per_bundle of ") != std::string::npos,
                  checked.err);
  }

  TEST_CASE("more links than the process may open are refused with the numbers") {
    testing::temporary_directory dir;
    auto members = members_of(dir, 30);
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit few{200, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    CHECK_THROWS_WITH_AS(load::client_group(std::move(members)),
                         doctest::Contains("30 clients need 214 open files, and this process may "
                                           "have 200: raise the limit (ulimit -n)"),
                         config::error);
    ::setrlimit(RLIMIT_NOFILE, &before);
  }

  TEST_CASE("reports of several clients add up") {
    client::summary a, b;
    a.offered = 10;
    b.offered = 5;
    a.finished = b.finished = true;
    a.results[0] = 3;
    b.results[0] = 4;
    b.warning = "late";
    a.latency.add(10ms, 9);
    b.latency.add(30ms, 1);
    const auto both = load::merged({a, b});
    CHECK(both.offered == 15);
    CHECK(both.results[0] == 7);
    CHECK(both.finished);
    CHECK(both.warning == "late");
    CHECK(both.latency.count() == 10);
    b.finished = false;
    CHECK_FALSE(load::merged({a, b}).finished);
    CHECK_FALSE(load::merged({}).finished);
  }

  TEST_CASE("recent values are those since the report before") {
    client::summary before, now;
    before.completed = 100;
    before.latency.add(10ms, 100);
    now = before;
    now.completed = 300;
    now.latency.add(50ms, 200);
    const auto json = load::to_json(now, before, {12s, 10s, 2s});
    CHECK(json["seconds"] == 12.0);
    CHECK(json["load_seconds"] == 10.0);
    CHECK(json["recent_seconds"] == 2.0);
    CHECK(json["completed_tps"] == 30.0);
    CHECK(json["recent_completed_tps"] == 100.0);
    CHECK(json["recent_latency_ms"]["p50"].get<double>() == doctest::Approx(50).epsilon(0.04));
    CHECK(json["latency_ms"]["max"] == 50.0);
  }

  TEST_CASE("what the last report counts adds up and what is missing is named") {
    client::summary x;
    x.offered = 2000;
    x.sent = 1959;
    x.completed = 1900;
    x.outstanding = 50;
    x.invalid = 9;
    x.lost = 20;
    x.results[0] = 1840;
    x.results[1] = 1;
    CHECK(load::to_json(x, {}, {4s, 4s, 1s})["never_sent"] == 0);  // it may still be
    const auto early = load::to_text(x, {4s, 4s, 1s});
    CHECK(early.find("without receipts 50: stopped before") != std::string::npos);
    x.finished = true;
    const auto json = load::to_json(x, {}, {5s, 4s, 1s});
    CHECK(json["never_sent"] == 41);
    CHECK(json["results_not_heard"] == 59);
    const auto text = load::to_text(x, {5s, 4s, 1s});
    CHECK(text.find("never sent 41:") != std::string::npos);
    CHECK(text.find("results not heard    59 ") != std::string::npos);
    CHECK(text.find("without receipts 50: 20 of them") != std::string::npos);
  }

  TEST_CASE("what did not happen is not reported") {
    client::summary x;
    x.offered = x.sent = x.completed = x.results[0] = 10;
    x.finished = true;
    const auto text = load::to_text(x, {5s, 4s, 1s});
    for (const auto* part : {"never sent", "not heard", "without receipts"})
      CHECK(text.find(part) == std::string::npos);
  }
}
