// messages/codec_worker, account_counts and stream_operations: what workers say.
#include <doctest/doctest.h>

#include "messages/account_counts.hpp"
#include "messages/codec_worker.hpp"
#include "messages/stream_operations.hpp"
#include "tests/unit/bundle_samples.hpp"
#include "tests/unit/hostile_frames.hpp"

using namespace flamingo;
using namespace flamingo::tests;

namespace {

const batch_limits limits{4 << 20, 512, 1 << 20};

std::vector<signed_bytes> three_bundles() {
  const auto members = sample_committee();
  return {make_bundle(members, client_id{0}, 1, validator_id{0}, 1).parts(),
          make_bundle(members, client_id{1}, 2, validator_id{1}, 5).parts(),
          make_bundle(members, client_id{2}, 3, validator_id{2}, 9).parts()};
}

wire<schema::WorkerMessage> sample_batch(std::span<const signed_bytes> bundles) {
  return encode_batch(validator_id{3}, worker_id{1}, batch_sequence{12}, bundles);
}

bool equal(byte_span a, byte_span b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::vector<account_id> accounts(std::initializer_list<std::uint64_t> list) {
  std::vector<account_id> out;
  for (const auto x : list) out.push_back(account_id{x});
  return out;
}

}  // namespace

TEST_SUITE("codec worker") {
  TEST_CASE("a batch is read in place as it was built") {
    const auto bundles = three_bundles();
    const auto frame = sample_batch(bundles);
    const auto message = decode(frame, limits);
    REQUIRE(message);
    const auto& batch = std::get<batch_view>(*message);
    CHECK(batch.author == validator_id{3});
    CHECK(batch.worker == worker_id{1});
    CHECK(batch.sequence == batch_sequence{12});
    REQUIRE(batch.bundles.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(equal(batch.bundles[i].body, bundles[i].body));
      CHECK(batch.bundles[i].sig == bundles[i].sig);
      CHECK(batch.bundles[i].body.data() > frame.bytes().data());
      CHECK(batch.bundles[i].body.data() < frame.bytes().data() + frame.size());
    }
  }

  TEST_CASE("the size of a batch follows from its bundles") {
    CHECK(sample_batch({}).size() == batch_overhead_bytes);
    const auto bundles = three_bundles();
    std::size_t expected = batch_overhead_bytes;
    for (const auto& x : bundles) expected += bundle_bytes_in_batch(x.body.size());
    CHECK(sample_batch(bundles).size() == expected);
  }

  TEST_CASE("a batch beyond any of its caps is refused") {
    const auto frame = sample_batch(three_bundles());
    const auto size = static_cast<std::uint32_t>(frame.size());
    CHECK(decode(frame, {size, 3, 1 << 20}));
    CHECK_FALSE(decode(frame, {size - 1, 3, 1 << 20}));
    CHECK_FALSE(decode(frame, {size, 2, 1 << 20}));
    CHECK_FALSE(decode(frame, {size, 3, 64}));
  }

  TEST_CASE(
      "acknowledgements, requests and absences survive the wire, and their lists are bounded") {
    digest d;
    d.bytes.fill(9);
    const batch_stored stored{d, batch_sequence{4}};
    CHECK(std::get<batch_stored>(*decode(encode(stored), limits)) == stored);
    batch_request request{{d, digest{}}};
    CHECK(std::get<batch_request>(*decode(encode(request), limits)) == request);
    request.batches.resize(max_requested_batches + 1);
    CHECK_FALSE(decode(encode(request), limits));
    CHECK_FALSE(decode(encode(batch_request{}), limits));
    batches_absent absent{{digest{}, d}};
    CHECK(std::get<batches_absent>(*decode(encode(absent), limits)) == absent);
    absent.batches.resize(max_requested_batches + 1);
    CHECK_FALSE(decode(encode(absent), limits));
    CHECK_FALSE(decode(encode(batches_absent{}), limits));
  }

  TEST_CASE("no damage to a batch's frame crashes its decoder") {
    const auto members = sample_committee();
    const std::vector<signed_bytes> bundles{
        make_bundle(members, client_id{0}, 1, validator_id{0}, 1, 8).parts()};
    int readable = 0;
    for_each_damaged(sample_batch(bundles), [&](const auto& frame) {
      const auto message = decode(frame, limits);
      if (!message) return;
      ++readable;
      if (const auto* batch = std::get_if<batch_view>(&*message))
        CHECK(batch->bundles.size() <= limits.max_bundles_per_batch);
    });
    CHECK(readable > 0);
  }

  TEST_CASE("a question for batches survives the way to the worker") {
    digest d;
    d.bytes.fill(3);
    for (const auto& question :
         {availability_question{}, availability_question{{d, digest{}, d}}}) {
      CHECK(decode(encode(question)) == question);
      for_each_damaged(encode(question), [](const auto& frame) { decode(frame); });
    }
    // All batches of several headers.
    const availability_question many{std::vector<digest>(10'000, d)};
    CHECK(decode(encode(many)) == many);
  }

  TEST_CASE("availability and index survive the way to primary and committer") {
    digest d;
    d.bytes.fill(3);
    const batch_available available{d,
                                    validator_id{1},
                                    worker_id{2},
                                    77,
                                    digest{},
                                    {1, 2, 3},
                                    std::chrono::microseconds{1234},
                                    500'000};
    CHECK(decode(encode(available)) == available);
    const bundle_head head{d, client_id{1}, bundle_sequence{2}, validator_id{3}, round_number{4},
                           5, true};
    const batch_index index{d, validator_id{1}, worker_id{2}, {head, head}};
    CHECK(decode(encode(index)) == index);
    for_each_damaged(encode(index), [](const auto& frame) { decode(frame); });
    for_each_damaged(encode(available), [](const auto& frame) { decode(frame); });
  }

  TEST_CASE("payload carries the operations of fresh bundles only, in place") {
    std::vector<byte> first, third;
    operation_writer{first}.application(account_id{1}, std::vector<byte>{1, 2, 3});
    operation_writer{third}.system(account_id{2});
    const std::vector<byte_span> bundles{first, {}, third};
    digest d;
    d.bytes.fill(5);
    const auto frame = encode_payload(commit_index{8}, d, bundles);
    const auto payload = decode(frame);
    REQUIRE(payload);
    CHECK(payload->index == commit_index{8});
    CHECK(payload->batch == d);
    REQUIRE(payload->bundles.size() == 3);
    CHECK(equal(payload->bundles[0], first));
    CHECK(payload->bundles[1].empty());
    CHECK(equal(payload->bundles[2], third));
    for_each_damaged(frame, [](const auto& damaged) { decode(damaged); });
  }

  TEST_CASE("packed operations that are cut or too long are no operations") {
    std::vector<byte> packed;
    operation_writer writer{packed};
    writer.application(account_id{1}, std::vector<byte>(20, 1));
    writer.application(account_id{2}, {});
    writer.system(account_id{3});
    operation_reader whole(packed);
    CHECK(whole.next()->operation.size() == 20);
    CHECK(whole.next()->operation.empty());
    CHECK(whole.next()->system);
    CHECK_FALSE(whole.next());
    CHECK(whole.well_formed());
    int complete = 0;
    for (std::size_t size = 0; size <= packed.size(); ++size) {
      operation_reader cut(byte_span(packed).first(size));
      while (cut.next())
        ;
      complete += cut.well_formed() ? 1 : 0;
    }
    CHECK(complete == 4);  // at each boundary between operations
    packed[8] = 0xfe;
    packed[9] = 0xff;
    CHECK_FALSE(operation_reader(packed).next());
  }
}

TEST_SUITE("account counts") {
  TEST_CASE("counts come out ascending, with how often each account acted") {
    auto list = accounts({700, 5, 700, 0, 5, 700, ~std::uint64_t{0}});
    const auto encoded = encode_counts(list);
    const std::vector<account_count> expected{{account_id{0}, 1},
                                              {account_id{5}, 2},
                                              {account_id{700}, 3},
                                              {account_id{~std::uint64_t{0}}, 1}};
    CHECK(decode_counts(encoded, 10) == expected);
    CHECK(encoded.size() == 2 + 2 + 3 + 11);
  }

  TEST_CASE("one list has one encoding because every other spelling is refused") {
    CHECK(decode_counts(std::vector<byte>{}, 10)->empty());
    CHECK(decode_counts(std::vector<byte>{5, 1}, 10));
    CHECK_FALSE(decode_counts(std::vector<byte>{5, 0}, 10));           // a zero count
    CHECK_FALSE(decode_counts(std::vector<byte>{5, 1, 0, 1}, 10));     // not ascending
    CHECK_FALSE(decode_counts(std::vector<byte>{0x85, 0x00, 1}, 10));  // a long varint
    CHECK_FALSE(decode_counts(std::vector<byte>{5}, 10));              // cut
    CHECK_FALSE(decode_counts(std::vector<byte>{0x85}, 10));           // cut within
    CHECK_FALSE(decode_counts(std::vector<byte>{5, 1, 1, 1}, 1));      // too many
    std::vector<byte> huge(10, 0xff);
    huge[9] = 1;
    huge.push_back(1);
    CHECK(decode_counts(huge, 10)->front().account == account_id{~std::uint64_t{0}});
    auto wraps = huge;
    wraps.insert(wraps.end(), {1, 1});
    CHECK_FALSE(decode_counts(wraps, 10));
    huge[9] = 2;
    CHECK_FALSE(decode_counts(huge, 10));  // beyond 64 bits
    CHECK_FALSE(decode_counts(std::vector<byte>{5, 0xff, 0xff, 0xff, 0xff, 0x1f}, 10));  // > u32
  }
}
