// What clients and workers say to each other, and the bodies that they sign.
#include "messages/codec_client.hpp"
#include "messages/codec_signed.hpp"
#include "messages/stream_operations.hpp"
#include "tests/golden/frozen.hpp"
#include "tests/unit/bundle_samples.hpp"

namespace flamingo::golden {

namespace {

using namespace flamingo::tests;
using std::chrono::milliseconds;

constexpr std::size_t body_max = 1 << 20;
constexpr bundle_limits limits{body_max, 1000};

digest digest_of(byte x) {
  digest out;
  out.bytes.fill(x);
  return out;
}

sample_bundle three_transactions() {
  return make_bundle(sample_committee(), client_id{2}, 0x123456789, validator_id{3});
}

/// What is expected of a body that is read.
frozen_frame body_of_bundle(std::string name, const shared_bytes& body, const bundle_head& head,
                            const std::vector<byte>& operations) {
  return frozen_body<schema::Bundle>(std::move(name), body, [=](const shared_bytes& from) {
    bundle_head got;
    std::vector<byte> packed;
    return read_bundle(from, limits, sample_committee(), got, packed) == bundle_fault::none &&
           got == head && packed == operations;
  });
}

frozen_frame plain_bundle() {
  std::vector<byte> operations;
  operation_writer writer(operations);
  for (const auto& x : sample_transactions(client_id{2}, 3))
    writer.application(x.account, x.bytes());
  return body_of_bundle("bundle_body", three_transactions().parts().body,
                        {{},
                         client_id{2},
                         bundle_sequence{0x123456789},
                         validator_id{3},
                         round_number{1000},
                         3,
                         false},
                        operations);
}

/// Clients here do not send system transactions; validators take them.
frozen_frame system_bundle() {
  const auto body = encode_body<schema::Bundle>(64, [](schema::Bundle::Builder b) {
    b.setClient(1);
    b.setSequence(9);
    b.setAssignee(1);
    b.setExpires(77);
    auto transaction = b.initTransactions(1)[0];
    transaction.setAccount(1234);
    auto report = transaction.initSystem().initReportLatency(2);
    for (unsigned i = 0; i < 2; ++i) {
      report[i].setValidator(static_cast<std::uint16_t>(i + 2));
      report[i].setRoundTripUs(70'000 + i);
    }
  });
  std::vector<byte> operations;
  operation_writer(operations).system(account_id{1234});
  return body_of_bundle(
      "bundle_body_system", body,
      {{}, client_id{1}, bundle_sequence{9}, validator_id{1}, round_number{77}, 1, true},
      operations);
}

receipts sample_receipts() {
  return {
      validator_id{1},
      round_number{33},
      {{client_id{2}, bundle_sequence{4}, digest_of(1), commit_index{5}, digest_of(2), {0, 1, 8}},
       {client_id{2}, bundle_sequence{5}, digest_of(3), commit_index{5}, digest_of(4), {}}}};
}

template <class Value>
frozen_frame said(std::string name, const Value& sample) {
  return frozen(std::move(name), encode(client_message{sample}),
                [sample](const wire<schema::ClientMessage>& from) {
                  const auto message = decode(from, body_max);
                  const auto* x = message ? std::get_if<Value>(&*message) : nullptr;
                  if constexpr (requires { sample.parts; })
                    return x != nullptr && carries(x->parts, sample.parts);
                  else
                    return x != nullptr && *x == sample;
                });
}

/// As a client builds it: in place, not with Cap'n Proto's builder.
frozen_frame built_bundle() {
  const auto sample = three_transactions();
  return frozen("client_bundle", sample.frame, [sample](const wire<schema::ClientMessage>& from) {
    const auto message = decode(from, body_max);
    const auto* x = message ? std::get_if<signed_bundle>(&*message) : nullptr;
    return x != nullptr && carries(x->parts, sample.parts());
  });
}

void add_admissions(std::vector<frozen_frame>& to) {
  using namespace admission;
  const bundle_sequence s{0x700000001};
  const auto add = [&](std::string name, const answer& x) {
    to.push_back(said("client_admission_" + name, admission_answer{s, x}));
  };
  add("admitted", admitted{});
  add("redirect", redirect{validator_id{3}});
  add("busy", busy{milliseconds{250}, "ingress_bytes"});
  add("relay_limited", relay_limited{milliseconds{90}, "relay_per_mille"});
  add("invalid", invalid{"acts on a foreign account"});
  add("duplicate", duplicate{});
}

}  // namespace

std::vector<frozen_frame> client_frames() {
  std::vector<frozen_frame> out{plain_bundle(), system_bundle(), built_bundle()};
  add_admissions(out);
  const shared_bytes body = encode_receipts(sample_receipts());
  out.push_back(frozen_body<schema::Receipts>("receipts_body", body, [](const shared_bytes& from) {
    return decode_receipts(from) == sample_receipts();
  }));
  signature sig;
  for (std::size_t i = 0; i < sig.size; ++i) sig.bytes[i] = static_cast<byte>(i);
  out.push_back(said("client_receipts", signed_receipts{{body, sig}}));
  out.push_back(
      said("client_welcome", welcome{validator_id{2}, bundle_sequence{40}, round_number{9}}));
  const assignment_update update{
      table_version{3}, {{account_id{5}, validator_id{1}}, {account_id{1}, validator_id{2}}}};
  out.push_back(said("client_assignment", update));
  out.push_back(frozen("assignment_update", encode(update), update));
  out.push_back(said("client_query", receipt_query{bundle_sequence{8}}));
  return out;
}

}  // namespace flamingo::golden
