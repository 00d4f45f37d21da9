// What the committer tells the other roles survives the trip, and no damaged frame is taken or
// crashes.
#include "messages/codec_validator.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace flamingo;
using namespace std::chrono_literals;

namespace {

template <class Fixed>
Fixed filled(unsigned seed) {
  Fixed x;
  std::mt19937 rng(seed);
  for (auto& b : x.bytes) b = static_cast<byte>(rng());
  return x;
}
digest d(unsigned seed) {
  return filled<digest>(seed);
}

sequenced_sub_dag example_sub_dag() {
  sequenced_sub_dag x{
      commit_index{7}, round_number{13}, d(1), stream_position{2500}, true, {}, d(2)};
  x.batches.push_back({d(3), validator_id{2}, worker_id{1}, {}});
  x.batches.push_back({d(4), validator_id{65535}, worker_id{0}, {}});
  x.batches[0].bundles = {
      {client_id{5}, bundle_sequence{9}, d(5), verdict::fresh, 500},
      {client_id{0xffffffff}, bundle_sequence{~std::uint64_t{0}}, d(6), verdict::expired, 1}};
  return x;
}

executors_report example_executors() {
  executors_report x;
  x.validator = validator_id{3};
  x.executors = 2;
  x.version = 5;
  x.from = commit_index{18};
  x.roll_backs = 1;
  x.problem = std::string("no\0host", 7);
  x.list = {{executor_id{1}, "10.0.0.5:7000", commit_index{17}, true}};
  x.hosts = {{"10.0.0.5:7000", true}};
  return x;
}

status_report example_report() {
  status_report x;
  x.validator = validator_id{3};
  x.round = round_number{40};
  x.index = commit_index{19};
  x.anchor_round = round_number{37};
  x.executed = commit_index{18};
  x.committed_transactions = 123456;
  x.executed_transactions = 120000;
  x.duplicates = 4;
  x.state_root = d(8);
  x.state_root_index = commit_index{10};
  x.chain = d(9);
  x.executors = 2;
  x.queue_delays = {1500us, std::nullopt, 0us};
  x.rounds_behind = 1;
  x.evidence = {{0, 0, 17}, {{validator_id{2}, round_number{39}, d(10), d(11)}}};
  x.absent_workers = {worker_id{0}};
  x.diverged_at = commit_index{1};
  x.committed_before = {100000, 900ms};
  x.absent_executors = {executor_id{1}, executor_id{65535}};
  return x;
}

/// Decodes `rounds` damaged copies of a frame: flipped bits, cut ends. What is accepted all the
/// same is a value like any other: it survives the trip.
template <class Schema>
void decode_damaged(const wire<Schema>& frame, unsigned seed, int rounds) {
  CAPTURE(seed);
  std::mt19937 rng(seed);
  const byte_span good = frame.bytes();
  int refused = 0;
  for (int i = 0; i < rounds; ++i) {
    std::vector<char> bytes(good.begin(), good.end());
    const auto flips = 1 + rng() % 8;
    for (unsigned k = 0; k < flips; ++k)
      bytes[rng() % bytes.size()] ^= static_cast<char>(1 << rng() % 8);
    if (rng() % 4 == 0) bytes.resize(rng() % (bytes.size() + 1));
    if (const auto value = decode(wire<Schema>(shared_bytes(std::move(bytes)))))
      REQUIRE(decode(encode(*value)));
    else
      ++refused;
  }
  CHECK(refused > 0);
}

bool same(const sequenced_sub_dag& a, const sequenced_sub_dag& b) {
  const auto of_a = encode(a), of_b = encode(b);
  const byte_span x = of_a.bytes(), y = of_b.bytes();
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

}  // namespace

TEST_SUITE("codec_validator") {
  TEST_CASE("a sequenced sub-DAG survives the trip") {
    const auto x = example_sub_dag();
    const auto back = decode(encode(x));
    REQUIRE(back);
    CHECK(same(*back, x));
    CHECK(back->index == x.index);
    CHECK(back->anchor_round == x.anchor_round);
    CHECK(back->anchor == x.anchor);
    CHECK(back->first_position == x.first_position);
    CHECK(back->snapshot);
    CHECK(back->chain == x.chain);
    REQUIRE(back->batches.size() == 2);
    CHECK(back->batches[0].id == d(3));
    CHECK(back->batches[1].author == validator_id{65535});
    REQUIRE(back->batches[0].bundles.size() == 2);
    CHECK(back->batches[0].bundles[1].what == verdict::expired);
    CHECK(back->batches[0].bundles[1].client == client_id{0xffffffff});
    CHECK(back->batches[0].bundles[0].transactions == 500);
  }

  TEST_CASE("a verdict that does not exist is refused") {
    auto x = example_sub_dag();
    x.batches[0].bundles[0].what = static_cast<verdict>(4);
    CHECK(!decode(encode(x)));
  }

  TEST_CASE("a digest of another size is refused") {
    capnp::MallocMessageBuilder message;
    auto out = message.initRoot<schema::Committed>();
    const std::vector<byte> short_digest(31);
    out.initOutput(1).set(0, {short_digest.data(), short_digest.size()});
    CHECK(!decode(wire<schema::Committed>(message)));
  }

  TEST_CASE("wanted batches keep their signers") {
    const std::vector<wanted_batch> wanted{
        {d(1), validator_id{0}, worker_id{2}, {validator_id{0}, validator_id{7}, validator_id{8}}},
        {d(2), validator_id{9}, worker_id{0}, {}},
        {d(3), validator_id{1}, worker_id{0}, {validator_id{65535}}}};
    const auto back = decode(encode(wanted));
    REQUIRE(back);
    CHECK(*back == wanted);
  }

  TEST_CASE("a bitmap of more signers than validators can exist is refused") {
    capnp::MallocMessageBuilder message;
    auto wanted = message.initRoot<schema::BatchWanted>().initBatches(1)[0];
    wanted.setDigest({d(1).bytes.data(), 32});
    const std::vector<byte> bits(8193);
    wanted.setSigners({bits.data(), bits.size()});
    CHECK(!decode(wire<schema::BatchWanted>(message)));
  }

  TEST_CASE("a commit's notice and signals survive the trip") {
    const commit_notice notice{
        commit_index{3}, round_number{5}, round_number{1}, {d(1), d(2)}, {d(3)}};
    CHECK(decode(encode(notice)) == notice);
    const commit_signals signals{
        commit_index{3},
        round_number{5},
        {{validator_id{1}, round_number{4}, time_point{12345678901ns}, 250us, 500},
         {validator_id{2}, round_number{5}, time_point{-1ns}, std::nullopt, 0}}};
    CHECK(decode(encode(signals)) == signals);
  }

  TEST_CASE("an operator's question and its answer survive the trip") {
    CHECK(decode(encode(operator_message{status_query{}})) == operator_message{status_query{}});
    CHECK(decode(encode(operator_message{scale_request{-1}})) ==
          operator_message{scale_request{-1}});
    CHECK_FALSE(decode(encode(operator_message{scale_request{2}})));
    CHECK(decode(encode(operator_message{example_executors()})) ==
          operator_message{example_executors()});
    auto report = example_report();
    CHECK(decode(encode(operator_message{report})) == operator_message{report});
    report.state_root.reset();
    CHECK(decode(encode(operator_message{report})) == operator_message{report});
  }

  TEST_CASE("evidence survives the trip alone too, and a digest of another size is refused") {
    const auto x = example_report().evidence;
    CHECK(decode(encode(x)) == x);
    capnp::MallocMessageBuilder message;
    auto out = message.initRoot<schema::Evidence>().initNewest(1)[0];
    const std::vector<byte> short_digest(31);
    out.setFirst({d(1).bytes.data(), 32});
    out.setSecond({short_digest.data(), short_digest.size()});
    CHECK(!decode(wire<schema::Evidence>(message)));
  }

  TEST_CASE("damaged frames are survived") {
    decode_damaged(encode(example_sub_dag()), 1, 3000);
    const std::vector<wanted_batch> wanted{
        {d(1), validator_id{0}, worker_id{2}, {validator_id{3}}}};
    decode_damaged(encode(wanted), 2, 3000);
    decode_damaged(encode(commit_notice{{}, {}, {}, {d(1)}, {d(2), d(3)}}), 3, 3000);
    decode_damaged(encode(commit_signals{{}, {}, {{}, {}}}), 4, 3000);
    decode_damaged(encode(operator_message{example_report()}), 5, 3000);
    decode_damaged(encode(example_report().evidence), 6, 3000);
    decode_damaged(encode(operator_message{example_executors()}), 7, 3000);
  }
}
