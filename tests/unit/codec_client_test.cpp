// messages/codec_client and codec_bundle: what clients and workers say to each other.
#include <doctest/doctest.h>

#include <cstring>

#include "messages/codec_signed.hpp"
#include "messages/stream_operations.hpp"
#include "tests/unit/bundle_samples.hpp"
#include "tests/unit/hostile_frames.hpp"

using namespace flamingo;
using namespace flamingo::tests;

namespace {

constexpr std::size_t body_max = 1 << 20;
const bundle_limits limits{1 << 20, 1000};

digest digest_of(byte x) {
  digest out;
  out.bytes.fill(x);
  return out;
}

admission_answer round_trip(const admission_answer& x) {
  return std::get<admission_answer>(*decode(encode(client_message{x}), body_max));
}

bundle_fault fault_of(byte_span body, const committee& members,
                      const bundle_limits& caps = limits) {
  bundle_head head;
  std::vector<byte> operations;
  return read_bundle(body, caps, members, head, operations);
}

/// A bundle as some other client software might build it: with Cap'n Proto's own builder.
template <class F>
shared_bytes foreign_body(F fill) {
  return encode_body<schema::Bundle>(4096, [&](schema::Bundle::Builder b) {
    b.setClient(1);
    b.setSequence(9);
    b.setAssignee(1);
    fill(b);
  });
}

}  // namespace

TEST_SUITE("codec client") {
  TEST_CASE("as many transactions as fit make a body within the bound, and one more does not") {
    for (const std::size_t bytes : {0, 1, 39, 40, 41, 512, 4096})
      for (const std::size_t bound : {4096, 100'000, 1 << 20}) {
        const auto count = transactions_that_fit(bound, bytes);
        auto plan = sample_transactions(client_id{0}, count + 1);
        for (auto& x : plan) x.size = planned_transaction::operation_max;
        const auto size_of = [&](std::size_t n) {
          return build_bundle(
                     {client_id{0}, bundle_sequence{1}, validator_id{0}, round_number{9}, bytes},
                     std::span(plan).first(n))
              .body()
              .size();
        };
        CHECK(size_of(count) <= bound);
        // At most a word a transaction is left unused, where operation and padding are rounded.
        CHECK(size_of(count + 1) + 8 * (count + 1) > bound);
      }
    CHECK(transactions_that_fit(0, 512) == 0);
    CHECK(transactions_that_fit(4096, 4096) == 0);
  }

  TEST_CASE("a bundle is read as it was built and its operations come out in order") {
    const auto members = sample_committee();
    const auto plan = sample_transactions(client_id{2}, 100);
    const auto bundle = make_bundle(members, client_id{2}, 5, validator_id{2}, 100, 512);
    const auto parts = bundle.parts();
    bundle_head head;
    std::vector<byte> operations;
    REQUIRE(read_bundle(parts.body, limits, members, head, operations) == bundle_fault::none);
    CHECK(head.client == client_id{2});
    CHECK(head.sequence == bundle_sequence{5});
    CHECK(head.assignee == validator_id{2});
    CHECK(head.expires == round_number{1000});
    CHECK(head.transactions == 100);
    CHECK_FALSE(head.system);
    operation_reader reader(operations);
    for (const auto& planned : plan) {
      const auto x = reader.next();
      REQUIRE(x);
      CHECK(x->account == planned.account);
      CHECK(std::vector<byte>(x->operation.begin(), x->operation.end()) ==
            std::vector<byte>(planned.bytes().begin(), planned.bytes().end()));
    }
    CHECK_FALSE(reader.next());
    CHECK(reader.well_formed());
  }

  TEST_CASE("padding makes a transaction as large as was asked for and never reaches executors") {
    const auto members = sample_committee();
    const auto small = make_bundle(members, client_id{1}, 1, validator_id{1}, 10, 0).parts();
    const auto large = make_bundle(members, client_id{1}, 1, validator_id{1}, 10, 512).parts();
    CHECK(large.body.size() > 10 * 512);
    bundle_head head;
    std::vector<byte> from_small, from_large;
    REQUIRE(read_bundle(small.body, limits, members, head, from_small) == bundle_fault::none);
    REQUIRE(read_bundle(large.body, limits, members, head, from_large) == bundle_fault::none);
    CHECK(from_small == from_large);
  }

  TEST_CASE("an empty bundle is valid because it fills an abandoned sequence") {
    const auto members = sample_committee();
    const auto parts = make_bundle(members, client_id{0}, 7, validator_id{0}, 0).parts();
    CHECK(fault_of(parts.body, members) == bundle_fault::none);
  }

  TEST_CASE("each cap and each fault of a bundle is named") {
    const auto members = sample_committee();
    const auto parts = make_bundle(members, client_id{1}, 1, validator_id{1}, 20).parts();
    CHECK(fault_of(parts.body, members, {1 << 20, 19}) == bundle_fault::too_many_transactions);
    CHECK(
        fault_of(parts.body, members, {static_cast<std::uint32_t>(parts.body.size() - 1), 1000}) ==
        bundle_fault::too_large);
    CHECK(fault_of(make_bundle(members, client_id{9}, 1, validator_id{1}).parts().body, members) ==
          bundle_fault::unknown_client);
    CHECK(fault_of(make_bundle(members, client_id{1}, 1, validator_id{4}).parts().body, members) ==
          bundle_fault::unknown_assignee);
    CHECK(fault_of(make_bundle(members, client_id{1}, 0, validator_id{1}).parts().body, members) ==
          bundle_fault::malformed);
    CHECK(fault_of(foreign_body([](auto b) { b.initTransactions(1)[0].setAccount(999); }),
                   members) == bundle_fault::foreign_account);
    const std::vector<kj::byte> large(max_operation_bytes + 1);
    CHECK(fault_of(foreign_body([&](auto b) {
                     auto t = b.initTransactions(1)[0];
                     t.setAccount(1000);
                     t.initApplication().setOperation({large.data(), large.size()});
                   }),
                   members) == bundle_fault::operation_too_large);
  }

  TEST_CASE("a system transaction is marked and its latency list is bounded by the committee") {
    const auto members = sample_committee();
    const auto with_reports = [&](unsigned count) {
      return foreign_body([&](auto b) {
        auto t = b.initTransactions(1)[0];
        t.setAccount(1000);
        t.initSystem().initReportLatency(count);
      });
    };
    bundle_head head;
    std::vector<byte> operations;
    REQUIRE(read_bundle(with_reports(4), limits, members, head, operations) == bundle_fault::none);
    CHECK(head.system);
    CHECK(operation_reader(operations).next()->system);
    CHECK(fault_of(with_reports(5), members) == bundle_fault::malformed);
    CHECK(fault_of(foreign_body([](auto b) {
                     auto t = b.initTransactions(1)[0];
                     t.setAccount(1000);
                     t.initSystem().setNone();
                   }),
                   members) == bundle_fault::malformed);
  }

  TEST_CASE("trailing bytes and second segments make a body no bundle") {
    const auto members = sample_committee();
    const auto body = make_bundle(members, client_id{1}, 1, validator_id{1}).parts().body;
    std::vector<char> longer(body.data(), body.data() + body.size());
    longer.resize(longer.size() + 8);
    CHECK(fault_of(shared_bytes(longer), members) == bundle_fault::malformed);
    std::vector<char> two(body.data(), body.data() + body.size());
    two[0] = 1;
    CHECK(fault_of(shared_bytes(two), members) == bundle_fault::malformed);
  }

  TEST_CASE("transactions whose operations share bytes cannot grow on their way to executors") {
    // 100 transactions whose operation pointers all lead to one 4 kB operation.
    const auto members = sample_committee();
    const std::vector<kj::byte> operation(4000);
    const auto body = foreign_body([&](auto b) {
      auto list = b.initTransactions(100);
      for (unsigned i = 0; i < 100; ++i) list[i].setAccount(1000);
      list[99].initApplication().setOperation({operation.data(), operation.size()});
    });
    std::vector<char> bytes(body.data(), body.data() + body.size());
    // Body: table, root pointer, Bundle (3 data words, 1 pointer), tag, then 4 words a transaction.
    const std::size_t first = 8 + 8 + 32 + 8;
    const auto pointer_at = [&](std::size_t i) { return first + 32 * i + 16; };
    std::uint64_t last;
    std::memcpy(&last, &bytes[pointer_at(99)], 8);
    REQUIRE(last != 0);
    for (std::size_t i = 0; i < 99; ++i) {
      const std::uint64_t words = (pointer_at(99) - pointer_at(i)) / 8;
      const std::uint64_t pointer = last + (words << 2);
      std::memcpy(&bytes[pointer_at(i)], &pointer, 8);
    }
    CHECK(fault_of(shared_bytes(bytes), members) == bundle_fault::malformed);
  }

  TEST_CASE("no damage to a bundle's frame crashes its decoder or grows what it yields") {
    const auto members = sample_committee();
    const auto bundle = make_bundle(members, client_id{1}, 1, validator_id{1}, 4, 24);
    int readable = 0;
    for_each_damaged(bundle.frame, [&](const auto& frame) {
      const auto message = decode(frame, body_max);
      if (!message || !std::holds_alternative<signed_bundle>(*message)) return;
      const auto& body = std::get<signed_bundle>(*message).parts.body;
      bundle_head head;
      std::vector<byte> operations;
      if (read_bundle(body, limits, members, head, operations) != bundle_fault::none) return;
      ++readable;
      CHECK(operations.size() <= body.size());
      CHECK(head.transactions <= limits.max_transactions);
    });
    CHECK(readable > 0);  // damage within an operation leaves a readable bundle
  }

  TEST_CASE("every admission answer survives the wire") {
    using namespace admission;
    using std::chrono::milliseconds;
    const bundle_sequence s{77};
    for (const answer& x : std::vector<answer>{
             admitted{}, redirect{validator_id{3}}, busy{milliseconds{250}, "ingress_bytes"},
             relay_limited{milliseconds{90}, "relay_per_mille"}, invalid{"why"}, duplicate{}})
      CHECK(round_trip({s, x}) == admission_answer{s, x});
  }

  TEST_CASE("welcome, table and query survive the wire") {
    const welcome hello{validator_id{2}, bundle_sequence{40}, round_number{9}};
    CHECK(std::get<welcome>(*decode(encode(client_message{hello}), body_max)) == hello);
    const assignment_update update{table_version{3}, {{account_id{5}, validator_id{1}}}};
    CHECK(std::get<assignment_update>(*decode(encode(client_message{update}), body_max)) == update);
    CHECK(decode(encode(update)) == update);
    const receipt_query query{bundle_sequence{8}};
    CHECK(std::get<receipt_query>(*decode(encode(client_message{query}), body_max)) == query);
  }

  TEST_CASE("a table that claims more moves than its frame can hold is refused") {
    const auto frame = encode(assignment_update{table_version{2}, {{account_id{3}, {}}}});
    std::vector<char> bytes(frame.bytes().data(), frame.bytes().data() + frame.size());
    // The list's pointer: a list of `count` elements without any bytes.
    const auto claim = [&](std::uint32_t count) {
      const std::uint32_t size = count << 3;
      std::memcpy(bytes.data() + 8 + 8 + 8 + 4, &size, 4);
      return decode(wire<schema::AssignmentUpdate>(shared_bytes(std::vector<char>(bytes))));
    };
    CHECK(claim(static_cast<std::uint32_t>(frame.size() / 8)).has_value());
    for (const std::uint32_t count : {100u, 1000u, (1u << 29) - 1}) CHECK(!claim(count));
  }

  TEST_CASE("of what a client sends, only what a client may say is decoded") {
    CHECK(decode_request(encode(client_message{receipt_query{bundle_sequence{7}}}), body_max));
    const auto bundle = make_bundle(sample_committee(), client_id{1}, 1, validator_id{1}, 3, 0);
    CHECK(decode_request(bundle.frame, body_max));
    for (const client_message& x :
         {client_message{welcome{}}, client_message{admission_answer{}},
          client_message{signed_receipts{bundle.parts()}}, client_message{assignment_update{}}}) {
      CHECK(decode(encode(x), body_max));
      CHECK(!decode_request(encode(x), body_max));
    }
  }

  TEST_CASE("receipts survive being signed and sent, with and without result codes") {
    const receipts x{
        validator_id{1},
        round_number{33},
        {{client_id{2}, bundle_sequence{4}, digest_of(1), commit_index{5}, digest_of(2),
          std::vector<byte>(500, 1)},
         {client_id{2}, bundle_sequence{5}, digest_of(3), commit_index{5}, digest_of(4), {}}}};
    const signed_bytes parts{encode_receipts(x), {}};
    const auto message = decode(encode(client_message{signed_receipts{parts}}), body_max);
    REQUIRE(message);
    CHECK(decode_receipts(std::get<signed_receipts>(*message).parts.body) == x);
  }

  TEST_CASE("more receipts than a message may hold are refused") {
    receipts x;
    x.list.resize(max_receipts_per_message);
    CHECK(decode_receipts(encode_receipts(x)));
    x.list.emplace_back();
    CHECK_FALSE(decode_receipts(encode_receipts(x)));
  }

  TEST_CASE("no damage to receipts crashes their decoder") {
    receipts x;
    x.list.resize(3);
    x.list[1].results = {1, 2, 3};
    int readable = 0;
    for_each_damaged(
        encode(client_message{signed_receipts{{encode_receipts(x), {}}}}), [&](const auto& frame) {
          const auto message = decode(frame, body_max);
          if (!message || !std::holds_alternative<signed_receipts>(*message)) return;
          readable += decode_receipts(std::get<signed_receipts>(*message).parts.body) ? 1 : 0;
        });
    CHECK(readable > 0);
  }
}
