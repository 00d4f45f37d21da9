// What workers say to each other, and to the other roles of their validator.
#include "messages/codec_worker.hpp"
#include "messages/stream_operations.hpp"
#include "tests/golden/frozen.hpp"
#include "tests/unit/bundle_samples.hpp"

namespace flamingo::golden {

namespace {

using namespace flamingo::tests;

constexpr batch_limits limits{4 << 20, 512, 1 << 20};

digest digest_of(byte x) {
  digest out;
  out.bytes.fill(x);
  return out;
}

std::vector<signed_bytes> two_bundles() {
  const auto members = sample_committee();
  return {make_bundle(members, client_id{0}, 1, validator_id{0}, 1).parts(),
          make_bundle(members, client_id{3}, 2, validator_id{1}, 2).parts()};
}

frozen_frame batch() {
  const auto frame = encode_batch(validator_id{3}, worker_id{1}, batch_sequence{12}, two_bundles());
  return frozen("worker_batch", frame, [](const wire<schema::WorkerMessage>& from) {
    const auto message = decode(from, limits);
    const auto* x = message ? std::get_if<batch_view>(&*message) : nullptr;
    const auto bundles = two_bundles();
    return x != nullptr && x->author == validator_id{3} && x->worker == worker_id{1} &&
           x->sequence == batch_sequence{12} &&
           std::equal(x->bundles.begin(), x->bundles.end(), bundles.begin(), bundles.end(),
                      carries);
  });
}

template <class Value>
frozen_frame said(std::string name, const Value& sample) {
  return frozen(std::move(name), encode(sample), [sample](const wire<schema::WorkerMessage>& from) {
    const auto message = decode(from, limits);
    const auto* x = message ? std::get_if<Value>(&*message) : nullptr;
    return x != nullptr && *x == sample;
  });
}

frozen_frame payload() {
  std::vector<byte> first, third;
  operation_writer{first}.application(account_id{1}, std::vector<byte>{1, 2, 3});
  operation_writer{third}.system(account_id{2});
  const std::vector<std::vector<byte>> packed{first, {}, third};
  const std::vector<byte_span> bundles{packed[0], packed[1], packed[2]};
  const auto frame = encode_payload(commit_index{8}, digest_of(5), bundles);
  return frozen("payload", frame, [packed](const wire<schema::Payload>& from) {
    const auto x = decode(from);
    return x && x->index == commit_index{8} && x->batch == digest_of(5) &&
           std::equal(x->bundles.begin(), x->bundles.end(), packed.begin(), packed.end(), equal);
  });
}

batch_index sample_index() {
  return {digest_of(3),
          validator_id{1},
          worker_id{2},
          {{digest_of(4), client_id{70'000}, bundle_sequence{2}, validator_id{3}, round_number{44},
            5, false},
           {digest_of(6), client_id{1}, bundle_sequence{9}, validator_id{2}, round_number{45}, 1,
            true}}};
}

batch_available sample_available() {
  return {digest_of(3),
          validator_id{1},
          worker_id{2},
          77,
          digest_of(7),
          {1, 2, 3},
          std::chrono::microseconds{1234},
          500'000};
}

availability_question sample_question() {
  return {{digest_of(12), digest_of(13)}, validator_id{2}};
}

batch_withdrawal sample_withdrawal() {
  return {70'000, worker_id{2}, {digest_of(14), digest_of(15)}};
}

withdrawal_noted sample_noted() {
  return {70'000, round_number{45}, {digest_of(16)}, true};
}

}  // namespace

std::vector<frozen_frame> worker_frames() {
  return {batch(),
          said("worker_stored", batch_stored{digest_of(9), batch_sequence{4}}),
          said("worker_request", batch_request{{digest_of(10), digest_of(11)}}),
          said("worker_absent", batches_absent{{digest_of(17), digest_of(18)}}),
          frozen("batch_available", encode(sample_available()), sample_available()),
          frozen("availability_question", encode(sample_question()), sample_question()),
          frozen("batch_withdrawal", encode(sample_withdrawal()), sample_withdrawal()),
          frozen("withdrawal_noted", encode(sample_noted()), sample_noted()),
          frozen("batch_index", encode(sample_index()), sample_index()),
          payload()};
}

}  // namespace flamingo::golden
