// flamingo status: questions reach validators over real links, and answers become tables.
#include <doctest/doctest.h>

#include <spdlog/spdlog.h>

#include <sstream>

#include <caf/send.hpp>

#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/config/link_section.hpp"
#include "apps/flamingo/config/node_file.hpp"
#include "apps/flamingo/local/free_ports.hpp"
#include "apps/flamingo/network_plan.hpp"
#include "apps/flamingo/runtime/link_process.hpp"
#include "apps/flamingo/status/status_table.hpp"
#include "crypto/hex.hpp"
#include "messages/codec_validator.hpp"
#include "tests/commands/command_run.hpp"
#include "tests/commands/temporary_directory.hpp"

using namespace flamingo;
using namespace std::chrono_literals;

namespace {

status_report report(std::uint16_t validator, std::uint64_t committed) {
  status_report x;
  x.validator = validator_id(validator);
  x.round = round_number(17);
  x.index = commit_index(8);
  x.committed_transactions = committed;
  x.queue_delays.resize(2);
  x.queue_delays[validator] = 1500us;
  x.executors = 2;
  return x;
}

digest root(byte x) {
  digest out;
  out.bytes.fill(x);
  return out;
}

committee two() {
  committee x;
  x.validators.resize(2);
  x.validators[0].name = "v0";
  x.validators[1].name = "v1";
  x.validators[1].operators = {"10.0.0.9", 77};
  client_info c;
  c.accounts = {{account_id(0), account_id(30)}};
  x.clients.push_back(c);
  return x;
}

/// A validator's operators' door that answers each question with the next report.
struct answering_door {
  answering_door(const network_layout& net, const committee& members, std::uint16_t self)
      : node(config::load_node(net.node(self))),
        process({}, config::link_settings(node.link, node.keys, node.source),
                link::identity::of(members, {link::peer::kind::validator, self}), {}) {
    process.doors.operators->listen(
        members.validators[self].operators,
        {[](link::peer, operator_link) {},
         [this, self](link::peer, const operator_link& link, const operator_frame&) {
           caf::anon_send(link, atom::transmit_v, link_priority::sync,
                          encode(operator_message{report(speaks_for.value_or(self), ++asked)}));
         },
         [](link::peer, operator_link) {}});
  }

  config::node_file node;
  std::optional<std::uint16_t> speaks_for;
  std::uint64_t asked = 0;
  runtime::link_process process;
};

network_layout small_network(const std::filesystem::path& dir) {
  network_plan plan;
  plan.directory = dir / "net";
  plan.validators = 2;
  plan.clients = 1;
  plan.ports = local::free_ports(2 * plan.ports_each());
  return make_network(plan);
}

}  // namespace

TEST_SUITE("status") {
  TEST_CASE("who answers is shown and who does not is named with its address") {
    const status::sample x{{report(0, 100), std::nullopt}, {report(0, 400), std::nullopt}, 2s};
    CHECK(status::committed_per_second(x, 0) == 150.0);
    CHECK_FALSE(status::committed_per_second(x, 1));
    const auto table = status::to_table(x, two());
    CHECK(table.find(" 150 ") != std::string::npos);
    CHECK(table.find(" 1.5 ") != std::string::npos);
    CHECK(table.find("v1         not reachable at 10.0.0.9:77\n") != std::string::npos);
    CHECK(table.ends_with(
        "1 of 2 validators answer: if the others are down nothing commits, as that takes 2\n"));
    const auto json = status::to_json(x, two());
    CHECK(json[0]["committed_tps"] == 150.0);
    CHECK(json[0]["queue_delay_ms"] == 1.5);
    CHECK(json[0]["accounts"] == 30);
    CHECK(json[0]["state_root"] == nullptr);
    CHECK(json[1] == nlohmann::ordered_json{{"validator", "v1"}, {"reachable", false}});
  }

  TEST_CASE("who is asked once is asked for the rate of its last second") {
    auto x = report(0, 400);
    CHECK_FALSE(status::committed_per_second({{}, {x}, {}}, 0));
    x.committed_before = {100, 500ms};
    CHECK(status::committed_per_second({{}, {x}, {}}, 0) == 600.0);
    CHECK(status::committed_per_second({{report(0, 300)}, {x}, 2s}, 0) == 50.0);
    CHECK(status::committed_per_second({{std::nullopt}, {x}, 2s}, 0) == 600.0);
    x.committed_before = {500, 500ms};  // whatever it says
    CHECK(status::committed_per_second({{}, {x}, {}}, 0) == 0.0);
  }

  TEST_CASE("the command asks each validator once") {
    spdlog::set_level(spdlog::level::off);
    testing::temporary_directory dir;
    const auto net = small_network(dir.path());
    const auto members = config::load_committee(net.committee()).members;
    answering_door first(net, members, 0), second(net, members, 1);
    const auto shown =
        testing::flamingo_run({"status", "--config", net.operator_().string(), "--json"});
    REQUIRE(shown.code == 0);
    for (const auto& validator : nlohmann::json::parse(shown.out))
      CHECK(validator["committed_transactions"] == 1);  // as in the first report
  }

  TEST_CASE("the table fits into 80 columns and tells each state root once") {
    auto a = report(0, 0), b = report(1, 123'000'000);
    for (auto* x : {&a, &b}) {
      x->round = round_number(1'234'567);
      x->rounds_behind = 123'456;
      x->index = x->executed = commit_index(1'000'000);
      x->state_root = root(0xab);
      x->state_root_index = commit_index(999'950);
      x->evidence.kept = {10, 10};
    }
    const status::sample x{{report(0, 0), report(1, 0)}, {a, b}, 1000s};
    const auto table = status::to_table(x, two());
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() < 80);
    CHECK(table.find("validators answer") == std::string::npos);
    CHECK(table.find("state root abababababab at commit 999950: v0, v1\n") != std::string::npos);
  }

  TEST_CASE("a state root that differs is shown as such") {
    auto a = report(0, 1), b = report(1, 1);
    a.state_root = root(1);
    b.state_root = root(2);
    const auto table = status::to_table({{a, b}, {a, b}, 1s}, two());
    CHECK(table.find("state root 010101010101 DIFFERS at commit 0: v0\n") != std::string::npos);
    CHECK(table.find("state root 020202020202 DIFFERS at commit 0: v1\n") != std::string::npos);
    b.state_root_index = commit_index(50);
    CHECK(status::to_table({{a, b}, {a, b}, 1s}, two()).find("DIFFERS") == std::string::npos);
  }

  TEST_CASE("each column of the table is explained") {
    for (const auto* column :
         {"behind", "commit", "executed", "tps", "queue ms", "accounts", "exec", "caught"})
      CHECK(status::legend().find(column) != std::string::npos);
    std::ostringstream out, err;
    CHECK(commands::run({"status", "--help"}, {out, err}) == 0);
    CHECK(out.str().find(status::legend()) != std::string::npos);
  }

  TEST_CASE("a validator's evidence is counted, and listed with both digests when asked for") {
    auto x = report(0, 1);
    x.evidence = {{0, 3},
                  {{validator_id(1), round_number(17), root(0xab), root(0xcd)},
                   {validator_id(1), round_number(5), root(1), root(2)}}};
    const status::answers answers{x, report(1, 1)};
    const status::sample sample{answers, answers, 1s};
    const auto table = status::to_table(sample, two());
    CHECK(table.find(" 1/3\n") != std::string::npos);
    const auto list = status::to_evidence_table(answers, two());
    CHECK(std::count(list.begin(), list.end(), '\n') == 4);
    const auto ab = crypto::to_hex(root(0xab)), cd = crypto::to_hex(root(0xcd));
    CHECK(list.find("v0         v1                17  " + ab + "  " + cd + "\n") !=
          std::string::npos);
    CHECK(list.find("v0         and 1 more in its store\n") != std::string::npos);
    CHECK(status::to_evidence_table({std::nullopt, report(1, 1)}, two()) ==
          "no evidence of equivocation\n");

    const auto plain = status::to_json(sample, two());
    CHECK(plain[0]["equivocators"] == 1);
    CHECK(plain[0]["equivocations"] == 3);
    CHECK_FALSE(plain[0].contains("evidence"));
    CHECK(plain[1]["equivocations"] == 0);
    const auto full = status::to_json(sample, two(), true);
    REQUIRE(full[0]["evidence"].size() == 2);
    CHECK(full[0]["evidence"][0] ==
          nlohmann::ordered_json{{"author", "v1"}, {"round", 17}, {"headers", {ab, cd}}});
    CHECK(full[1]["evidence"].empty());
    CHECK(full[1]["evidence"].is_array());
  }

  TEST_CASE("an author that the committee does not know is shown by its number") {
    auto x = report(0, 1);
    x.evidence = {{}, {{validator_id(9), round_number(1), root(1), root(2)}}};
    CHECK(status::to_evidence_table({x}, two()).find("v0         9  ") != std::string::npos);
  }

  TEST_CASE("state roots agree if no two of the same commit differ") {
    auto a = report(0, 1), b = report(1, 1);
    CHECK_FALSE(status::roots_agree({a, b}));
    a.state_root = b.state_root = root(1);
    a.state_root_index = b.state_root_index = commit_index(50);
    CHECK(status::roots_agree({a, b}) == true);
    CHECK_FALSE(status::roots_agree({a, std::nullopt}));
    b.state_root = root(2);
    CHECK(status::roots_agree({a, b}) == false);
    b.state_root_index = commit_index(100);
    CHECK_FALSE(status::roots_agree({a, b}));
  }

  TEST_CASE("a question reaches each validator over its link and waits for no dead one") {
    spdlog::set_level(spdlog::level::off);
    testing::temporary_directory dir;
    const auto net = small_network(dir.path());
    const auto members = config::load_committee(net.committee()).members;
    answering_door door(net, members, 0);
    const auto op = config::load_operator(net.operator_());
    runtime::link_process process({}, config::link_settings(op.link, op.keys, op.source),
                                  link::identity::of(members, {link::peer::kind::operator_, 0}),
                                  {});
    status::status_reader reader(*process.doors.operators, members);
    std::uint64_t answered = 0;
    for (int i = 0; i < 50 && answered < 2; ++i) {
      const auto answers = reader.ask(200ms, 200ms);
      REQUIRE(answers.size() == 2);
      CHECK_FALSE(answers[1]);
      if (answers[0]) CHECK(answers[0]->committed_transactions == ++answered);
    }
    CHECK(answered == 2);
    door.speaks_for = 1;
    CHECK_FALSE(reader.ask(300ms, 300ms)[1]);
    process.close();
  }

  TEST_CASE("a committee file of another network is told at once with both chain ids") {
    spdlog::set_level(spdlog::level::off);
    testing::temporary_directory dir;
    const auto net = small_network(dir.path());
    const auto members = config::load_committee(net.committee()).members;
    answering_door first(net, members, 0), second(net, members, 1);
    testing::overwrite(net.committee(), testing::content_of(net.committee()) + "\n");
    const auto ours = config::load_committee(net.committee()).members.chain;
    for (const auto& args :
         {std::vector<std::string>{"status", "--config", net.operator_().string()},
          {"status", "--config", net.operator_().string(), "--json"}}) {
      const auto shown = testing::flamingo_run(args);
      CAPTURE(shown.err);
      CHECK(shown.code == 1);
      CHECK(shown.out == "");
      CHECK(testing::one_line(shown.err));
      CHECK(shown.err.starts_with("flamingo: " + net.operator_().string() +
                                  ": 2 of 2 validators refuse the link; v0: chain id"));
      for (const auto& chain : {members.chain, ours})
        CHECK(shown.err.find(crypto::to_hex(chain).substr(0, 16)) != std::string::npos);
    }
  }

  TEST_CASE("a validator that refuses the link is told apart from one that is not there") {
    status::sample x{{{}, {}}, {{}, {}}, 1s, {"chain id of validator-0 is a, ours is b", ""}};
    const auto table = status::to_table(x, two());
    CHECK(table.find("v0         refuses the link: chain id of validator-0 is a, ours is b\n") !=
          std::string::npos);
    CHECK(table.find("v1         not reachable at 10.0.0.9:77\n") != std::string::npos);
    const auto json = status::to_json(x, two());
    CHECK(json[0]["refused"] == "chain id of validator-0 is a, ours is b");
    CHECK_FALSE(json[1].contains("refused"));
  }

  TEST_CASE("roles whose process is gone are named below their validator") {
    auto half = report(0, 5);
    half.absent_workers = {worker_id{0}};
    half.absent_executors = {executor_id{0}, executor_id{1}};
    const status::sample x{{half, report(1, 5)}, {half, report(1, 5)}, 1s};
    CHECK(status::to_table(x, two()).find(
              "\n           its process is gone: worker 0, executor 0, executor 1\nv1 ") !=
          std::string::npos);
    const auto json = status::to_json(x, two());
    CHECK(json[0]["absent_roles"] ==
          nlohmann::json::parse(R"(["worker 0", "executor 0", "executor 1"])"));
    CHECK(json[1]["absent_roles"].empty());
  }

  TEST_CASE("a validator with another state than the others' is shown as one") {
    auto other = report(0, 5);
    other.diverged_at = commit_index{50};
    const status::sample x{{other, report(1, 5)}, {other, report(1, 5)}, 1s};
    CHECK(status::to_table(x, two()).find(
              "has diverged: another state than the others' at commit 50") != std::string::npos);
    const auto json = status::to_json(x, two());
    CHECK(json[0]["diverged_at"] == 50);
    CHECK(json[1]["diverged_at"].is_null());
  }

  TEST_CASE("a stopped network is one line and exit code 1") {
    testing::temporary_directory dir;
    const auto net = small_network(dir.path());
    std::ostringstream out, err;
    const auto code = commands::run(
        {"status", "--config", net.operator_().string(), "--timeout", "0.2"}, {out, err});
    CHECK(code == 1);
    CHECK(out.str() == "");
    CHECK(err.str().find('\n') == err.str().size() - 1);
    CHECK(err.str().find("no validator of") != std::string::npos);
  }
}
