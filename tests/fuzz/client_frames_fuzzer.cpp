// What clients send to a worker and what workers answer: bundles, requests, receipts. Whatever the
// bytes, the codec gives a value or nothing, and a value survives the trip. Operations of a bundle
// are read as a worker does.
#include "messages/codec_bundle.hpp"
#include "messages/codec_client.hpp"
#include "tests/fuzz/start_from.hpp"
#include "tests/unit/bundle_samples.hpp"

using namespace flamingo;

namespace {

constexpr bundle_limits limits{1 << 20, 500};
constexpr std::size_t body_max = 1 << 20;

const committee& members() {
  static const committee value = tests::sample_committee();
  return value;
}

std::vector<std::vector<std::uint8_t>> make_examples() {
  std::vector<std::vector<std::uint8_t>> result;
  const auto bundle = tests::make_bundle(members(), client_id{1}, 5, validator_id{1}, 20);
  result.push_back(fuzz::example(0, bundle.frame.bytes()));
  result.push_back(fuzz::example(0, encode(client_message{welcome{}}).bytes()));
  receipts answers;
  answers.list.resize(3);
  result.push_back(fuzz::example(1, encode_receipts(answers)));
  return result;
}

void read_message(const wire<schema::ClientMessage>& frame) {
  const auto value = decode(frame, body_max);
  if (!value) return;
  FLAMINGO_ASSERT(decode(encode(*value), body_max).has_value());
  if (const auto* carried = std::get_if<signed_bundle>(&*value)) {
    bundle_head head;
    std::vector<byte> operations;
    read_bundle(carried->parts.body, limits, members(), head, operations);
  }
  if (const auto* answers = std::get_if<signed_receipts>(&*value))
    decode_receipts(answers->parts.body);
}

}  // namespace

FLAMINGO_FUZZ_FROM(make_examples)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto bytes = fuzz::frame_of(data, size);
  if (data[0] % 2 == 0)
    read_message(wire<schema::ClientMessage>(bytes));
  else
    (void)decode_receipts(bytes);
  return 0;
}
