// A worker's core with real checks (over fake signatures) and no shell: a test hands in inputs and
// reads effects.
#pragma once

#include <memory>
#include <vector>

#include "actors/dag/limits.hpp"
#include "actors/worker/worker.hpp"
#include "messages/batch_checks.hpp"
#include "messages/codec_worker.hpp"
#include "tests/unit/bundle_samples.hpp"

namespace flamingo::tests {

/// Fake signatures, and how many were checked.
class counting_scheme final : public crypto::signature_scheme {
public:
  bool verify(const public_key& key, byte_span message, const signature& sig) const override {
    ++count;
    return inner_.verify(key, message, sig);
  }
  mutable std::uint64_t count = 0;

private:
  crypto::fake_scheme inner_;
};

inline void append(worker::effects& to, worker::effects&& from) {
  const auto move_all = [](auto& into, auto& list) {
    for (auto& x : list) into.push_back(std::move(x));
  };
  move_all(to.rejected, from.rejected);
  move_all(to.seals, from.seals);
  move_all(to.batches, from.batches);
  move_all(to.served, from.served);
  move_all(to.acks, from.acks);
  move_all(to.requests, from.requests);
  move_all(to.available, from.available);
  move_all(to.indexes, from.indexes);
  move_all(to.stored_indexes, from.stored_indexes);
  move_all(to.payload, from.payload);
  move_all(to.to_clients, from.to_clients);
  move_all(to.receipts, from.receipts);
  move_all(to.store, from.store);
  move_all(to.committed, from.committed);
  move_all(to.windows, from.windows);
  move_all(to.deletions, from.deletions);
  move_all(to.given_up, from.given_up);
  if (from.withdrawal) to.withdrawal = std::move(from.withdrawal);
}

class worker_harness {
public:
  explicit worker_harness(std::uint16_t validator = 0, local_parameters with = {},
                          protocol_parameters rules = {})
      : members(std::make_shared<const committee>(sample_committee())),
        self(validator),
        protocol(rules),
        local(with),
        scheme(std::make_shared<counting_scheme>()),
        checks(members, scheme,
               {{protocol.max_bundle_bytes, protocol.max_transactions_per_bundle},
                dag::room_for_counts(*members, protocol)}),
        core({validator_id{validator}, worker_id{0}, members, protocol, local}) {}

  /// A step, and those that its shell would make at once: own batches are sealed.
  worker::effects step(worker::input in) {
    worker::effects out = core.step(now, std::move(in));
    for (std::size_t i = 0; i < out.seals.size(); ++i)
      append(out, core.step(now, worker::batch_sealed{checks.seal(validator_id{self}, worker_id{0},
                                                                  out.seals[i].sequence,
                                                                  out.seals[i].bundles)}));
    return out;
  }

  /// Checks what waits, in the core's order.
  worker::effects work() {
    worker::effects out;
    while (auto next = core.next_check())
      append(out,
             step(std::visit([&](auto&& x) { return result_of(std::move(x)); }, std::move(*next))));
    return out;
  }

  worker::effects durable(const worker::effects& after) {
    worker::batches_durable x;
    for (const auto& batch : after.store) x.ids.push_back(batch.id);
    return step(std::move(x));
  }

  worker::effects offer(const sample_bundle& bundle, std::uint32_t client) {
    const auto parts = bundle.parts();
    return step(worker::bundle_arrived{client_id{client}, {parts, claimed_sequence(parts.body)}});
  }
  /// Offers a bundle and checks it.
  worker::effects admit(const sample_bundle& bundle, std::uint32_t client) {
    auto out = offer(bundle, client);
    append(out, work());
    return out;
  }
  sample_bundle bundle(std::uint32_t client, std::uint64_t sequence, std::size_t transactions = 3,
                       std::size_t transaction_bytes = 64) const {
    return make_bundle(*members, client_id{client}, sequence, validator_id{self}, transactions,
                       transaction_bytes);
  }

  worker::effects receive(std::uint16_t from, const wire<schema::WorkerMessage>& frame) {
    const auto message = decode(frame, {protocol.max_batch_bytes, protocol.max_bundles_per_batch,
                                        protocol.max_bundle_bytes});
    return step(
        worker::batch_arrived{validator_id{from}, std::get<batch_view>(*message), frame.bytes()});
  }

  worker::effects advance(duration d) {
    now += d;
    return step(worker::time_passed{});
  }

  /// A commit that outputs one batch, all bundles fresh.
  sequenced_sub_dag commit(std::uint64_t index, const checked_batch& batch,
                           verdict what = verdict::fresh) const {
    sequenced_sub_dag out;
    out.index = commit_index{index};
    out.anchor_round = round_number{2 * index - 1};
    sequenced_batch one{batch.id, batch.author, worker_id{0}, {}};
    for (const auto& head : batch.bundles)
      one.bundles.push_back({head.client, head.sequence, head.id, what, head.transactions});
    out.batches.push_back(std::move(one));
    return out;
  }

  worker::input result_of(worker::bundle_check x) {
    auto result = checks.check(x.bundle.parts);
    if (auto* good = std::get_if<verified<checked_bundle>>(&result))
      return worker::bundle_checked{x.from, std::move(*good)};
    return worker::bundle_refused{x.from, std::move(x.bundle), std::get<bundle_fault>(result)};
  }
  worker::input result_of(worker::batch_check x) {
    auto result = checks.check(x.batch, x.frame, [&](const digest& id) { return core.knows(id); });
    if (auto* good = std::get_if<verified<checked_batch>>(&result))
      return worker::batch_checked{x.from, std::move(*good)};
    if (const auto* known = std::get_if<batch_checks::known_batch>(&result))
      return worker::batch_known{x.from, known->id};
    return worker::batch_refused{x.from, std::get<bundle_fault>(result)};
  }

  std::shared_ptr<const committee> members;
  std::uint16_t self;
  protocol_parameters protocol;
  local_parameters local;
  std::shared_ptr<counting_scheme> scheme;
  batch_checks checks;
  worker::core core;
  time_point now{std::chrono::seconds{1000}};
};

/// With a header that has room for `bytes` of account counts.
inline protocol_parameters rules_with_room(const committee& members, std::size_t bytes,
                                           protocol_parameters rules = {}) {
  rules.max_header_bytes -=
      static_cast<std::uint32_t>(dag::room_for_counts(members, rules) - bytes);
  return rules;
}

/// What a client was answered, in order.
inline std::vector<admission_answer> answers(const worker::effects& x) {
  std::vector<admission_answer> out;
  for (const auto& [to, message] : x.to_clients)
    if (const auto* answer = std::get_if<admission_answer>(&message)) out.push_back(*answer);
  return out;
}
template <class Answer>
const Answer* only_answer(const worker::effects& x) {
  static std::vector<admission_answer> kept;
  kept = answers(x);
  return kept.size() == 1 ? std::get_if<Answer>(&kept[0].what) : nullptr;
}

}  // namespace flamingo::tests
