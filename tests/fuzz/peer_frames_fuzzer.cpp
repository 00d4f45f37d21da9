// What another primary sends, about the DAG and about checkpoints: whatever the bytes, the codec
// gives a value or nothing. A value about checkpoints survives the trip.
#include "messages/codec_checkpoint.hpp"
#include "messages/codec_dag.hpp"
#include "tests/fuzz/start_from.hpp"
#include "tests/unit/checkpoint_samples.hpp"
#include "tests/unit/codec_dag_values.hpp"

using namespace flamingo;

namespace {

constexpr std::size_t validators = 7;

std::vector<std::vector<std::uint8_t>> make_examples() {
  std::vector<std::vector<std::uint8_t>> result;
  const auto add = [&](const auto& frame) { result.push_back(fuzz::example(0, frame.bytes())); };
  const auto header = testing::full_header();
  const auto signed_one = testing::signed_header_of(header);
  const auto proof = testing::certificate_of(header, {0, 1, 2, 4, 6});
  add(encode_peer(signed_one.bytes));
  add(encode_peer(vote{header.id, header.author, header.round, validator_id{1}, {}}));
  add(encode_peer(proof));
  add(encode_peer(certified_header{header, signed_one.bytes, proof}));
  for (const auto& x : tests::checkpoint_samples()) add(encode(x));
  return result;
}

}  // namespace

FLAMINGO_FUZZ_FROM(make_examples)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const wire<schema::PeerMessage> frame(fuzz::frame_of(data, size));
  (void)decode(frame, testing::seven_validators);
  if (!is_checkpoint(frame)) return 0;
  if (const auto value = decode_checkpoint(frame, validators))
    FLAMINGO_ASSERT(decode_checkpoint(encode(*value), validators).has_value());
  return 0;
}
