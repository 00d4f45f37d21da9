// What peers, clients and operators send, as the codec sees it: whatever the bytes, it gives a
// value or nothing. A value that it gave survives the trip.
#include "messages/codec_bundle.hpp"
#include "messages/codec_client.hpp"
#include "messages/codec_dag.hpp"
#include "messages/codec_validator.hpp"
#include "messages/codec_worker.hpp"
#include "tests/fuzz/start_from.hpp"
#include "tests/unit/bundle_samples.hpp"
#include "tests/unit/codec_dag_values.hpp"

using namespace flamingo;

namespace {

constexpr batch_limits batches{4 << 20, 512, 1 << 20};
constexpr bundle_limits bundles{1 << 20, 500};
constexpr std::uint8_t conversations = 5;

const committee& members() {
  static const committee value = tests::sample_committee();
  return value;
}

std::vector<std::vector<std::uint8_t>> make_examples() {
  std::vector<std::vector<std::uint8_t>> result;
  const auto add = [&](std::uint8_t conversation, const auto& frame) {
    result.push_back(fuzz::example(conversation, frame.bytes()));
  };
  const auto header = testing::full_header();
  const auto signed_one = testing::signed_header_of(header);
  const auto proof = testing::certificate_of(header, {0, 1, 2, 4, 6});
  add(0, encode_peer(signed_one.bytes));
  add(0, encode_peer(vote{header.id, header.author, header.round, validator_id{1}, {}}));
  add(0, encode_peer(proof));
  add(0, encode_peer(certified_header{header, signed_one.bytes, proof}));
  const auto bundle = tests::make_bundle(members(), client_id{1}, 5, validator_id{1}, 20);
  const std::vector<signed_bytes> carried(3, bundle.parts());
  add(1, encode_batch(validator_id{1}, worker_id{0}, batch_sequence{9}, carried));
  add(1, encode(batch_stored{}));
  add(1, encode(batch_request{}));
  add(2, bundle.frame);
  add(2, encode(client_message{welcome{}}));
  add(3, encode(operator_message{status_query{}}));
  status_report report;
  report.evidence = {{0, 1}, {{validator_id{1}, round_number{7}, {}, {}}}};
  add(3, encode(operator_message{report}));
  receipts answers;
  answers.list.resize(3);
  result.push_back(fuzz::example(4, encode_receipts(answers)));
  return result;
}

/// Again through the codec.
template <class Value, class... Limits>
void survives(const std::optional<Value>& value, const Limits&... limits) {
  if (value) FLAMINGO_ASSERT(decode(encode(*value), limits...).has_value());
}

void fuzz_client(const wire<schema::ClientMessage>& frame) {
  const auto value = decode(frame, 1 << 20);
  survives(value, std::size_t{1 << 20});
  if (!value) return;
  if (const auto* carried = std::get_if<signed_bundle>(&*value)) {
    bundle_head head;
    std::vector<byte> operations;
    read_bundle(carried->parts.body, bundles, members(), head, operations);
  }
  if (const auto* answers = std::get_if<signed_receipts>(&*value))
    decode_receipts(answers->parts.body);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  static const auto examples = make_examples();
  return fuzz::mutate(examples, data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const shared_bytes bytes = fuzz::frame_of(data, size);
  switch (data[0] % conversations) {
    case 0:
      (void)decode(wire<schema::PeerMessage>(bytes), testing::seven_validators);
      break;
    case 1:
      (void)decode(wire<schema::WorkerMessage>(bytes), batches);
      break;
    case 2:
      fuzz_client(wire<schema::ClientMessage>(bytes));
      break;
    case 3:
      survives(decode(wire<schema::OperatorMessage>(bytes)));
      break;
    case 4:
      (void)decode_receipts(bytes);
      break;
  }
  return 0;
}
