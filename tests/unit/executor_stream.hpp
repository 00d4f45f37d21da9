// Random committed streams for the tests of executors, and the serial execution that they are held
// against.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "actors/executor/applications/keyset.hpp"
#include "actors/executor/applications/smallbank.hpp"
#include "actors/executor/executor.hpp"
#include "crypto/hash.hpp"
#include "messages/stream_operations.hpp"

namespace flamingo::executor::test {

inline std::uint16_t bucket_of(std::uint64_t key) {
  const auto bytes = crypto::little_endian(key);
  const digest d = crypto::hash({byte_span(bytes)});
  return static_cast<std::uint16_t>(d.bytes[0] << 8 | d.bytes[1]);
}
inline digest sha256(byte_span bytes) {
  return crypto::hash({bytes});
}

/// One committed sub-DAG as the committer and a worker send it.
struct sub_dag_frames {
  sequenced_sub_dag sequenced;
  std::vector<payload_received> payloads;
};

struct stream_settings {
  unsigned seed = 1;
  std::uint64_t accounts = 200;
  bool keyset = false;
  unsigned two_account_percent = 30;
  unsigned bad_percent = 3;
  std::uint64_t snapshot_every = 0;  // sub-DAGs; 0: none
  unsigned max_bundle = 40;          // transactions
  std::uint16_t executors = 1;       // that the stream names
  std::uint16_t shards = 0;  // not 0: key sets of several keys, which start at one of so many homes
                             // unless they are among two_account_percent
  /// Another application instead of SmallBank and key sets, and what writes one operation of it.
  std::shared_ptr<const application> rules = nullptr;
  std::function<void(operation_writer&, std::mt19937_64&)> write = nullptr;
};

/// The answer to one bundle.
struct expected_answer {
  commit_index index;
  digest id;
  validator_id author;
  std::vector<byte> codes;
  friend bool operator==(const expected_answer&, const expected_answer&) = default;
};
using answer_key = std::pair<std::uint32_t, std::uint64_t>;  // client, sequence

/// Runs the stream in its order, one transaction after another, over a plain map.
class serial_execution {
public:
  explicit serial_execution(std::shared_ptr<const application> rules) : rules_(std::move(rules)) {}

  result_code run(const stream_operation& operation) {
    if (operation.system) return result_code::system;
    access_set set;
    rules_->read_write_set(operation, set);
    if (set.refused()) return set.refusal();
    std::vector<byte*> at;
    for (const key_access& x : set.accesses()) at.push_back(value(x.key).data());
    return rules_->execute(operation, value_view(at.data(), rules_->value_size()));
  }

  std::vector<byte>& value(std::uint64_t key) {
    auto [at, is_new] = values_.try_emplace(key, rules_->value_size());
    if (is_new && key < rules_->dense_keys()) rules_->genesis(key, at->second);
    return at->second;
  }

  const std::map<std::uint64_t, std::vector<byte>>& touched() const { return values_; }

private:
  std::shared_ptr<const application> rules_;
  std::map<std::uint64_t, std::vector<byte>> values_;
};

class stream_source {
public:
  explicit stream_source(const stream_settings& s) : settings_(s), rng_(s.seed) {
    protocol_parameters p;
    p.application = s.keyset ? "keyset" : "smallbank";
    p.accounts = s.accounts;
    p.genesis_savings_cents = p.genesis_checking_cents = 100;
    rules_ = s.rules ? s.rules : make_application(p);
    serial_ = std::make_unique<serial_execution>(rules_);
  }

  std::shared_ptr<const application> rules() const { return rules_; }
  serial_execution& serial() { return *serial_; }
  const std::map<answer_key, expected_answer>& answers() const { return answers_; }
  stream_position position() const { return position_; }

  /// Makes the next sub-DAG and executes it serially.
  sub_dag_frames next() {
    sub_dag_frames out;
    sequenced_sub_dag& dag = out.sequenced;
    dag.index = ++index_;
    dag.anchor_round = round_number{2 * index_.value};
    dag.first_position = position_;
    dag.group.executors = settings_.executors;
    dag.snapshot = settings_.snapshot_every != 0 && index_.value % settings_.snapshot_every == 0;
    for (auto batches = draw(4); batches > 0; --batches) add_batch(out);
    // The same batch again, as when its author proposed it twice: nothing in it is fresh.
    if (!dag.batches.empty() && draw(4) == 0) {
      dag.batches.push_back(dag.batches.front());
      for (auto& x : dag.batches.back().bundles) x.what = verdict::duplicate;
    }
    return out;
  }

  std::uint64_t draw(std::uint64_t below) { return rng_() % below; }

private:
  void add_batch(sub_dag_frames& out) {
    sequenced_batch batch;
    batch.id.bytes[0] = 1;
    const std::uint64_t number = ++batches_;
    std::memcpy(batch.id.bytes.data() + 8, &number, 8);
    batch.author = validator_id{static_cast<std::uint16_t>(draw(4))};
    std::vector<std::vector<byte>> packed;
    for (auto bundles = draw(6); bundles > 0; --bundles) {
      sequenced_bundle x;
      x.client = client_id{static_cast<std::uint32_t>(draw(5))};
      x.sequence = bundle_sequence{++sequences_[x.client.value]};
      std::memcpy(x.id.bytes.data(), &x.sequence.value, 8);
      x.id.bytes[9] = static_cast<byte>(x.client.value);
      x.what = draw(10) != 0 ? verdict::fresh : static_cast<verdict>(draw(4));
      x.transactions = static_cast<std::uint32_t>(
          draw(12) == 0 ? 0
                        : 1 + draw(draw(8) == 0 ? 5 * settings_.max_bundle : settings_.max_bundle));
      batch.bundles.push_back(x);
      packed.push_back(pack(x, batch.author));
    }
    // One frame holds the operations of all bundles.
    std::vector<char> bytes;
    for (const auto& x : packed) bytes.insert(bytes.end(), x.begin(), x.end());
    payload_received payload;
    payload.frame = shared_bytes(std::move(bytes));
    payload.payload.index = index_;
    payload.payload.batch = batch.id;
    std::size_t at = 0;
    for (const auto& x : packed) {
      payload.payload.bundles.push_back(byte_span(payload.frame).subspan(at, x.size()));
      at += x.size();
    }
    if (at > 0 || draw(2) == 0) out.payloads.push_back(std::move(payload));
    out.sequenced.batches.push_back(std::move(batch));
  }

  std::vector<byte> pack(const sequenced_bundle& x, validator_id author) {
    std::vector<byte> packed;
    if (x.what == verdict::expired)
      answers_[{x.client.value, x.sequence.value}] = {
          index_, x.id, author,
          std::vector<byte>(x.transactions, static_cast<byte>(result_code::expired))};
    if (x.what != verdict::fresh) return packed;
    operation_writer writer(packed);
    for (std::uint32_t t = 0; t < x.transactions; ++t) write_operation(writer);
    expected_answer answer{index_, x.id, author, {}};
    operation_reader reader(packed);
    while (const auto operation = reader.next())
      answer.codes.push_back(static_cast<byte>(serial_->run(*operation)));
    position_ = position_ + x.transactions;
    answers_[{x.client.value, x.sequence.value}] = std::move(answer);
    return packed;
  }

  /// Half of all draws hit a few hot accounts.
  std::uint64_t account() {
    return draw(2) == 0 ? draw(std::min<std::uint64_t>(8, settings_.accounts))
                        : draw(settings_.accounts);
  }

  void write_operation(operation_writer& into) {
    if (draw(50) == 0) return into.system(account_id{account()});
    if (draw(100) < settings_.bad_percent) {
      std::array<byte, 30> junk;
      for (auto& b : junk) b = static_cast<byte>(draw(3) == 0 ? rng_() : rng_() % 6);
      return into.application(account_id{draw(2 * settings_.accounts)},
                              byte_span(junk).first(draw(junk.size() + 1)));
    }
    if (settings_.write)
      settings_.write(into, rng_);
    else if (settings_.keyset)
      write_keyset(into);
    else
      write_smallbank(into);
  }

  void write_smallbank(operation_writer& into) {
    using namespace smallbank;
    operation x;
    const bool two = draw(100) < settings_.two_account_percent;
    constexpr std::array one_account{procedure::balance, procedure::deposit_checking,
                                     procedure::transact_savings, procedure::write_check};
    x.what = two ? (draw(4) == 0 ? procedure::amalgamate : procedure::send_payment)
                 : one_account[draw(one_account.size())];
    if (has_other(x.what)) x.to = account_id{account()};
    if (has_amount(x.what)) {
      x.amount_cents = static_cast<std::int64_t>(draw(200));
      if (x.what == procedure::transact_savings && draw(2) == 0) x.amount_cents = -x.amount_cents;
      if (draw(40) == 0) x.amount_cents = static_cast<std::int64_t>(rng_());
    }
    std::array<byte, max_encoded_bytes> bytes;
    into.application(account_id{account()}, encode(x, bytes));
  }

  void write_keyset(operation_writer& into) {
    std::vector<key_access> keys;
    std::set<std::uint64_t> used;
    const bool distributed = draw(100) < settings_.two_account_percent;
    const bool together = settings_.shards != 0 && !distributed;
    const auto count = distributed ? 2 + draw(6) : together ? 1 + draw(7) : 1;
    for (int tries = 0; keys.size() < count && tries < 500; ++tries) {
      const std::uint64_t key = account() + (draw(4) == 0 ? settings_.accounts : 0);
      if (together && !keys.empty() && shard_of(key) != shard_of(keys[0].key)) continue;
      if (!used.insert(key).second) continue;
      keys.push_back({key, draw(2) == 0 ? access_mode::read : access_mode::write});
    }
    std::vector<byte> bytes(keyset::encoded_bytes(keys.size()));
    into.application(account_id{account()},
                     keyset::encode(static_cast<std::uint16_t>(draw(5)), keys, bytes));
  }

  std::uint16_t shard_of(std::uint64_t key) const {
    return static_cast<std::uint16_t>(bucket_of(key) % settings_.shards);
  }

  stream_settings settings_;
  std::mt19937_64 rng_;
  std::shared_ptr<const application> rules_;
  std::unique_ptr<serial_execution> serial_;
  commit_index index_;
  stream_position position_;
  std::uint64_t batches_ = 0;
  std::map<std::uint32_t, std::uint64_t> sequences_;
  std::map<answer_key, expected_answer> answers_;
};

}  // namespace flamingo::executor::test
