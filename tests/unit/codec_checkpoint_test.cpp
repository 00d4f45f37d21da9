// The conversation about checkpoints survives the trip, and no damaged frame is taken for more than
// it is.
#include "messages/codec_checkpoint.hpp"

#include <doctest/doctest.h>

#include "actors/committer/records.hpp"
#include "messages/codec_dag.hpp"
#include "tests/unit/checkpoint_samples.hpp"
#include "tests/unit/hostile_frames.hpp"

using namespace flamingo;
using namespace flamingo::tests;

namespace {

constexpr std::size_t seven = 7;

template <class Message>
Message through(const Message& x) {
  const auto back = decode_checkpoint(encode(checkpoint_message{x}), seven);
  REQUIRE(back);
  REQUIRE(std::holds_alternative<Message>(*back));
  return std::get<Message>(*back);
}

}  // namespace

TEST_SUITE("codec_checkpoint") {
  TEST_CASE("every message survives the trip") {
    for (const auto& x : checkpoint_samples()) {
      CAPTURE(x.index());
      const auto back = decode_checkpoint(encode(x), seven);
      REQUIRE(back);
      CHECK(same(*back, x));
    }
    const ledger_made made{commit_index{50}, {1, 2, 3}};
    CHECK(decode(encode(made)) == made);
  }

  TEST_CASE("an answer of a validator that knows nothing says nothing") {
    const auto x = through(checkpoint_answer{});
    CHECK(!x.newest);
    CHECK(!x.checkpoint);
  }

  TEST_CASE("only buckets that make a subtree are asked for or given") {
    const auto asked = [](std::uint32_t first, std::uint32_t count) {
      return decode_checkpoint(encode(state_request{commit_index{1}, first, count}), seven)
          .has_value();
    };
    CHECK(asked(0, 65536));
    CHECK(asked(65535, 1));
    CHECK(asked(512, 256));
    CHECK(!asked(0, 0));
    CHECK(!asked(0, 3));
    CHECK(!asked(128, 256));
    CHECK(!asked(65536, 1));
    CHECK(!asked(0xffffff00, 256));
    state_part part{commit_index{1}, 1, {{}, {}}, {}};
    CHECK(!decode_checkpoint(encode(part), seven));
    part.first = 2;
    CHECK(decode_checkpoint(encode(part), seven));
    part.path.resize(17);
    CHECK(!decode_checkpoint(encode(part), seven));
  }

  TEST_CASE("signatures of validators that do not exist are refused") {
    const auto x = checkpoint_samples();
    CHECK(decode_checkpoint(encode(x[1]), seven));
    CHECK(!decode_checkpoint(encode(x[1]), 3));
  }

  TEST_CASE("this conversation and that of the DAG do not read each other's messages") {
    const dag_limits limits{seven, 1 << 20, 16, 16};
    for (const auto& x : checkpoint_samples()) {
      CHECK(is_checkpoint(encode(x)));
      CHECK(!decode(encode(x), limits));
    }
    const auto range = encode_peer(round_range{round_number{1}, round_number{2}});
    CHECK(!is_checkpoint(range));
    CHECK(!decode_checkpoint(range, seven));
  }

  TEST_CASE("damaged messages are refused or decode, without a crash") {
    for (const auto& x : checkpoint_samples())
      for_each_damaged(encode(x), [](const wire<schema::PeerMessage>& damaged) {
        if (const auto y = decode_checkpoint(damaged, seven)) CHECK(y->index() <= 5);
      });
  }
}

TEST_SUITE("ledger") {
  TEST_CASE("a ledger survives the trip, and no cut or longer one is taken") {
    const committer::ledger x = ledger_sample();
    auto bytes = committer::encode_ledger(x);
    const auto back = committer::decode_ledger(bytes);
    REQUIRE(back);
    CHECK(*back == x);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      CHECK(!committer::decode_ledger(byte_span(bytes).first(size)));
    bytes.push_back(0);
    CHECK(!committer::decode_ledger(bytes));
  }

  TEST_CASE("authors and clients that no number of theirs can be are refused") {
    const auto good = committer::encode_ledger(ledger_sample());
    const std::size_t author = 8 + 8 + 9 * 8 + digest::size + 8 + 8;
    const std::size_t clients = author - 8 + 2 * (16 + digest::size) + 8;
    for (const std::size_t beyond : {author + 2, clients + 4}) {
      auto bytes = good;
      bytes[beyond] = 1;
      CHECK(!committer::decode_ledger(bytes));
    }
  }

  TEST_CASE("counts beyond the bytes are refused at once") {
    auto bytes = committer::encode_ledger(ledger_sample());
    // The number of headers stands behind the format, and the head behind its size.
    const std::size_t at = 8 + 8 + 9 * 8 + digest::size;
    for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = 0xff;
    CHECK(!committer::decode_ledger(bytes));
  }
}
