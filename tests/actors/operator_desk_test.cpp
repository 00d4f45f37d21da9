// The operator's answer: what the committer and the primary know, in one report.
#include "actors/validator/operator_desk_actor.hpp"

#include <doctest/doctest.h>

#include "actors/primary/primary_actor.hpp"
#include "messages/codec_validator.hpp"
#include "tests/actors/shell_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;

namespace {

/// @param indexes counts what it was told of batches.
committer_actor::behavior_type fake_committer(committer_actor::pointer,
                                              const std::shared_ptr<unsigned>& indexes) {
  status_report x;
  x.validator = v(0);
  x.round = r(17);
  x.executors = 2;
  return {[](atom::meet, worker_id, const sequenced_sink&) {},
          [](atom::meet, executor_id, const stream_sink&) {},
          [](atom::meet, const committed_sink&) {},
          [](atom::meet, const signals_sink&) {},
          [](atom::meet, const control_sink&) {},
          [](atom::meet, const checkpoint_sink&) {},
          [](atom::start) {},
          [](atom::diverged, commit_index) {},
          [](const certified_frame&) {},
          [indexes](const index_frame&) { ++*indexes; },
          [](const withdrawal_frame&) {},
          [](const progress_frame&) {},
          [](atom::replay, executor_id, commit_index, std::uint64_t) {},
          [](atom::leave, executor_id) {},
          [](atom::group, commit_index) { return group_log{}; },
          [](atom::group, std::uint16_t) { return group_log{}; },
          [x](atom::status) { return encode(operator_message{x}); },
          [](atom::durable, std::uint64_t) {},
          [](atom::tick) {}};
}

/// Validator 0's desk and primary, and an operator who notes the answers.
struct desk_bench : shell_bench {
  primary_actor role;
  committer_actor committer;
  std::shared_ptr<unsigned> indexes = std::make_shared<unsigned>();
  operator_desk_actor desk;
  operator_link to_operator;
  notes<operator_message> answers = std::make_shared<std::vector<operator_message>>();

  void boot() {
    role = spawn(primary::shell, environment(0));
    committer = spawn(fake_committer, indexes);
    desk = spawn(operator_desk::shell, committer, role);
    to_operator = spawn([into = answers](operator_link::pointer) -> operator_link::behavior_type {
      return {[into](atom::transmit, link_priority, const operator_frame& x) {
                into->push_back(*decode(x));
              },
              [](atom::close) {}};
    });
    run();
  }
  void receive(unsigned from, const signed_header& x) {
    caf::anon_send(role, v(from), encode_peer(x.bytes));
    run();
  }
  void ask(const operator_frame& question = encode(operator_message{status_query{}})) {
    caf::anon_send(desk, to_operator, question);
    run();
  }
  /// Each handles one message, if it has any.
  void take_turns() {
    const auto take_turn = [&](const auto& who) {
      if (sched.prioritize(who)) sched.run_once();
    };
    take_turn(role);
    take_turn(committer);
    take_turn(desk);
    take_turn(to_operator);
  }
  /// The newest answer.
  status_report told() {
    REQUIRE(!answers->empty());
    return std::get<status_report>(answers->back());
  }
};

}  // namespace

TEST_SUITE("operator desk") {
  TEST_CASE("an answer is the committer's report with the primary's evidence") {
    desk_bench b;
    b.boot();
    b.ask();
    CHECK(b.answers->size() == 1);
    CHECK(b.told().round == r(17));
    CHECK(b.told().executors == 2);
    CHECK(b.told().evidence == evidence_report{{0, 0, 0, 0}, {}});
  }

  TEST_CASE("a question passes what waits in the mailboxes of roles") {
    constexpr unsigned many = 200;
    desk_bench b;
    b.boot();
    for (unsigned i = 0; i < many; ++i) {
      caf::anon_send(b.role, v(1), peer_frame());  // refused, and counted, when its turn comes
      caf::anon_send(b.committer, index_frame());
    }
    caf::anon_send(b.desk, b.to_operator, encode(operator_message{status_query{}}));
    for (unsigned i = 0; i < many && b.answers->empty(); ++i) b.take_turns();
    CHECK(b.answers->size() == 1);
    CHECK(b.rejected("primary", reject::malformed) < many / 2);
    CHECK(*b.indexes < many / 2);
    b.run();
    CHECK(b.rejected("primary", reject::malformed) == many);
    CHECK(*b.indexes == many);
  }

  TEST_CASE("an equivocator's two headers reach the operator, also after a restart") {
    desk_bench b;
    b.boot();
    const auto x = b.first_header(2), y = b.first_header(2, 2);
    b.receive(2, x);
    b.receive(2, y);
    b.receive(2, b.first_header(2, 3));  // a third one adds nothing
    b.receive(3, b.first_header(3));
    b.sync();
    const evidence_report expected{{0, 0, 1, 0}, {{v(2), r(1), x.hdr.id, y.hdr.id}}};
    b.ask();
    CHECK(b.told().evidence == expected);
    b.crash();
    b.boot();
    b.ask();
    CHECK(b.answers->size() == 2);
    CHECK(b.told().evidence == expected);
  }

  TEST_CASE("evidence that a crash swallowed is not claimed") {
    desk_bench b;
    b.boot();
    b.receive(2, b.first_header(2));
    b.receive(2, b.first_header(2, 2));
    b.crash();
    b.boot();
    b.ask();
    CHECK(b.told().evidence.newest.empty());
  }

  TEST_CASE("what an operator wants of the executors is answered by their group") {
    desk_bench b;
    b.boot();
    b.ask(encode(operator_message{scale_request{1}}));
    CHECK(b.answers->empty());  // there is no group yet
    std::vector<int> asked;
    const auto group = b.spawn([&asked](scale_sink::pointer) -> scale_sink::behavior_type {
      return {[&asked](atom::scale, std::int8_t change) {
        asked.push_back(change);
        executors_report x;
        x.executors = 3;
        return encode(operator_message{x});
      }};
    });
    caf::anon_send(b.desk, atom::meet_v, group);
    b.ask(encode(operator_message{scale_request{1}}));
    b.ask(encode(operator_message{scale_request{0}}));
    CHECK(asked == std::vector{1, 0});
    REQUIRE(b.answers->size() == 2);
    CHECK(std::get<executors_report>(b.answers->back()).executors == 3);
    b.ask(encode(operator_message{executors_report{}}));  // no question
    CHECK(b.answers->size() == 2);
  }

  TEST_CASE("a worker or executor that has ended is told until another takes its place") {
    desk_bench b;
    b.boot();
    const auto worker = [&] {
      return b.spawn([](sequenced_sink::pointer) -> sequenced_sink::behavior_type {
        return {[](const sequenced_frame&) {}, [](const wanted_frame&) {},
                [](const noted_frame&) {}, [](const committed_frame&) {}};
      });
    };
    const auto executor = [&] {
      return b.spawn([](stream_sink::pointer) -> stream_sink::behavior_type {
        return {[](const sequenced_frame&) {}, [](const payload_frame&) {},
                [](const pushed_frame&) {},    [](const requested_frame&) {},
                [](const results_frame&) {},   [](const leaves_frame&) {}};
      });
    };
    const auto first = worker(), second = worker();
    const auto only = executor();
    caf::anon_send(b.desk, atom::meet_v, worker_id{0}, first);
    caf::anon_send(b.desk, atom::meet_v, worker_id{1}, second);
    caf::anon_send(b.desk, atom::meet_v, executor_id{1}, only);
    b.run();
    b.ask();
    CHECK(b.told().absent_workers.empty());
    CHECK(b.told().absent_executors.empty());
    caf::anon_send_exit(second, caf::exit_reason::kill);
    caf::anon_send_exit(only, caf::exit_reason::kill);
    b.run();
    b.ask();
    CHECK(b.told().absent_workers == std::vector{worker_id{1}});
    CHECK(b.told().absent_executors == std::vector{executor_id{1}});
    CHECK(b.told().round == r(17));
    caf::anon_send(b.desk, atom::meet_v, worker_id{1}, worker());
    b.run();
    b.ask();
    CHECK(b.told().absent_workers.empty());
    // Whoever was replaced while it lived may end.
    caf::anon_send(b.desk, atom::meet_v, worker_id{0}, worker());
    b.run();
    caf::anon_send_exit(first, caf::exit_reason::kill);
    b.run();
    b.ask();
    CHECK(b.told().absent_workers.empty());
  }

  TEST_CASE("what is no question gets no answer") {
    desk_bench b;
    b.boot();
    b.ask(encode(operator_message{status_report{}}));
    b.ask(operator_frame(shared_bytes(std::vector<char>(24, 'x'))));
    b.ask(operator_frame());
    CHECK(b.answers->empty());
  }
}
