// What another validator's worker sends: whatever the bytes, the codec gives a batch, an answer or
// a question, or nothing.
#include "messages/codec_worker.hpp"
#include "tests/fuzz/start_from.hpp"
#include "tests/unit/bundle_samples.hpp"

using namespace flamingo;

namespace {

constexpr batch_limits limits{4 << 20, 512, 1 << 20};

std::vector<std::vector<std::uint8_t>> make_examples() {
  static const committee members = tests::sample_committee();
  std::vector<std::vector<std::uint8_t>> result;
  const auto add = [&](const auto& frame) { result.push_back(fuzz::example(0, frame.bytes())); };
  const auto bundle = tests::make_bundle(members, client_id{1}, 5, validator_id{1}, 20);
  const std::vector<signed_bytes> carried(3, bundle.parts());
  add(encode_batch(validator_id{1}, worker_id{0}, batch_sequence{9}, carried));
  add(encode(batch_stored{}));
  add(encode(batch_request{{digest{}}}));
  add(encode(batches_absent{{digest{}}}));
  return result;
}

}  // namespace

FLAMINGO_FUZZ_FROM(make_examples)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  (void)decode(wire<schema::WorkerMessage>(fuzz::frame_of(data, size)), limits);
  return 0;
}
