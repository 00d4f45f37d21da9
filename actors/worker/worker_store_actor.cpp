#include "actors/worker/worker_store_actor.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace flamingo::worker {

namespace {

using storage::key;
using storage::number_at;
using storage::table;

constexpr byte at_data = 'd', at_availability = 'a', at_index = 'i', at_committed = 'c',
               at_window = 'w', at_outcome = 'o', at_newest = 'n';

// A key starts with the worker and the kind.
constexpr std::size_t head_bytes = 3;
constexpr std::size_t batch_key_bytes = 2 + 8 + digest::size;
constexpr byte committed_mark = 1;
constexpr std::size_t outcome_head_bytes = 8 + 8 + digest::size;

key key_of(worker_id worker, byte kind, const batch_key& x) {
  return key::of(worker, kind, x.author, x.sequence, x.id);
}
key key_of(worker_id worker, commit_index index, const batch_key& x) {
  return key::of(worker, at_committed, index, x.author, x.sequence, x.id);
}

batch_key batch_key_at(byte_span at, std::size_t offset) {
  batch_key out{validator_id{number_at<std::uint16_t>(at, offset)},
                batch_sequence{number_at<std::uint64_t>(at, offset + 2)},
                {}};
  const auto id = at.subspan(offset + 10, digest::size);
  std::copy(id.begin(), id.end(), out.id.bytes.begin());
  return out;
}

void put_number(std::vector<char>& into, std::uint64_t x) {
  for (unsigned i = 0; i < 8; ++i) into.push_back(static_cast<char>(x >> (8 * i)));
}
std::uint64_t number_in(byte_span from, std::size_t i) {
  std::uint64_t x = 0;
  for (unsigned k = 0; k < 8; ++k) x |= std::uint64_t{from[8 * i + k]} << (8 * k);
  return x;
}

void good(bool condition) {
  if (!condition)
    throw storage::error(
        "table batches of the store is damaged: restore the validator's data directory, or let it "
        "join anew");
}

/// A number that a narrower one was written from.
template <class Number>
Number narrow(std::uint64_t x) {
  good(x <= std::numeric_limits<Number>::max());
  return static_cast<Number>(x);
}

/// A frame out of a scan, where no alignment is promised.
template <class Schema>
wire<Schema> frame_of(byte_span value) {
  return wire<Schema>(shared_bytes(std::vector<char>(value.begin(), value.end())));
}

/// What an availability or an index says is said of the batch that it is filed under.
template <class Row>
bool is_of(const Row& row, worker_id worker, const batch_key& at) {
  return row.id == at.id && row.author == at.author && row.worker == worker;
}

template <class F>
void scan(storage::kv& kv, worker_id worker, byte kind, F&& visit) {
  kv.scan(table::batches, key::of(worker, kind), key::of(worker, kind).prefix_end(), visit);
}

}  // namespace

void batch_store::put(storage::write_batch& into, const checked_batch& x) const {
  const batch_key at{x.author, x.sequence, x.id};
  const batch_available available{
      x.id, x.author, worker_, x.transactions, x.counts_digest, x.counts, {}, x.frame.size()};
  into.put(table::batches, key_of(worker_, at_data, at), x.frame);
  into.put(table::batches, key_of(worker_, at_availability, at), encode(available).bytes());
  into.put(table::batches, key_of(worker_, at_index, at),
           encode(batch_index{x.id, x.author, worker_, x.bundles}).bytes());
}

void batch_store::put_committed(storage::write_batch& into, commit_index index,
                                const batch_key& x) const {
  into.put(table::batches, key_of(worker_, index, x), std::vector<char>{committed_mark});
}

void batch_store::erase_committed(storage::write_batch& into, commit_index index,
                                  const batch_key& x) const {
  into.erase(table::batches, key_of(worker_, index, x));
}

void batch_store::put_window(storage::write_batch& into, client_id client,
                             const committer::client_window& window) const {
  std::vector<char> value;
  put_number(value, window.low().value);
  for (const std::uint64_t word : window.words()) put_number(value, word);
  into.put(table::batches, key::of(worker_, at_window, client), std::move(value));
}

void batch_store::put_outcome(storage::write_batch& into, client_id client,
                              const outcome& x) const {
  std::vector<char> value;
  value.reserve(outcome_head_bytes + x.results.size());
  put_number(value, x.index.value);
  put_number(value, x.carrier.value);
  value.insert(value.end(), x.bundle.bytes.begin(), x.bundle.bytes.end());
  value.insert(value.end(), x.results.begin(), x.results.end());
  into.put(table::batches, key::of(worker_, at_outcome, client, x.sequence), std::move(value));
}

void batch_store::erase_outcome(storage::write_batch& into, client_id client,
                                bundle_sequence sequence) const {
  into.erase(table::batches, key::of(worker_, at_outcome, client, sequence));
}

void batch_store::restore_outcomes(core& into) const {
#if FLAMINGO_MUTANT_restart_forgets_outcomes
  return;
#endif
  scan(kv_, worker_, at_outcome, [&](byte_span at, byte_span value) {
    good(at.size() == head_bytes + 4 + 8 && value.size() >= outcome_head_bytes);
    outcome x{bundle_sequence{number_at<std::uint64_t>(at, head_bytes + 4)},
              {},
              commit_index{number_in(value, 0)},
              validator_id{narrow<std::uint16_t>(number_in(value, 1))},
              {}};
    std::copy_n(value.begin() + 16, digest::size, x.bundle.bytes.begin());
    const byte_span results = value.subspan(outcome_head_bytes);
    good(std::all_of(results.begin(), results.end(), is_result_code));
    x.results.assign(results.begin(), results.end());
    into.restore(client_id{number_at<std::uint32_t>(at, head_bytes)}, std::move(x));
    return true;
  });
}

void batch_store::put_newest(storage::write_batch& into, commit_index index,
                             round_number anchor_round) const {
  std::vector<char> value;
  put_number(value, index.value);
  put_number(value, anchor_round.value);
  into.put(table::batches, key::of(worker_, at_newest), std::move(value));
}

void batch_store::erase(storage::write_batch& into, const batch_key& x) const {
  for (const byte kind : {at_data, at_availability, at_index})
    into.erase(table::batches, key_of(worker_, kind, x));
}

void batch_store::erase(storage::write_batch& into, const batch_records::deletion& x) const {
  erase(into, x.batch);
  erase_committed(into, x.index, x.batch);
}

template <class Frame>
std::optional<Frame> batch_store::get(byte kind, const batch_key& x) const {
  auto bytes = kv_.get(table::batches, key_of(worker_, kind, x));
  if (!bytes) return std::nullopt;
  return Frame(shared_bytes(std::move(*bytes)));
}

std::optional<wire<schema::WorkerMessage>> batch_store::batch(const batch_key& x) const {
  return get<wire<schema::WorkerMessage>>(at_data, x);
}

std::optional<wire<schema::BatchIndex>> batch_store::index(const batch_key& x) const {
  auto frame = get<wire<schema::BatchIndex>>(at_index, x);
  if (!frame) return std::nullopt;
  const auto told = decode(*frame);
  good(told && is_of(*told, worker_, x));
  return frame;
}

void batch_store::restore(core& into, time_point now) const {
  restore_batches(into, now);
  restore_outcomes(into);
  scan(kv_, worker_, at_window, [&](byte_span at, byte_span value) {
    good(at.size() == head_bytes + 4 && value.size() % 8 == 0 && !value.empty());
    std::vector<std::uint64_t> words;
    for (std::size_t i = 1; i < value.size() / 8; ++i) words.push_back(number_in(value, i));
    auto window = committer::client_window::restored(bundle_sequence{number_in(value, 0)}, words);
    good(window.has_value());
    into.restore(client_id{number_at<std::uint32_t>(at, head_bytes)}, std::move(*window));
    return true;
  });
  if (const auto newest = kv_.get(table::batches, key::of(worker_, at_newest))) {
    good(newest->size() == 16);
    const byte_span value(reinterpret_cast<const byte*>(newest->data()), newest->size());
    into.restore(commit_index{number_in(value, 0)}, round_number{number_in(value, 1)});
  }
}

void batch_store::restore_batches(core& into, time_point now) const {
  std::map<batch_key, batch_available> stored;
  scan(kv_, worker_, at_availability, [&](byte_span at, byte_span value) {
    auto available = decode(frame_of<schema::BatchAvailable>(value));
    good(at.size() == head_bytes + batch_key_bytes && available.has_value());
    const batch_key of = batch_key_at(at, head_bytes);
    good(is_of(*available, worker_, of));
    stored.emplace(of, std::move(*available));
    return true;
  });
  // The committed ones first, as the log output them.
  scan(kv_, worker_, at_committed, [&](byte_span at, byte_span value) {
    good(at.size() == head_bytes + 8 + batch_key_bytes && value.size() == 1 &&
         value[0] == committed_mark);
    const auto found = stored.find(batch_key_at(at, head_bytes + 8));
    good(found != stored.end() && !into.knows(found->first.id));
    into.restore(found->second, found->first.sequence, {},
                 commit_index{number_at<std::uint64_t>(at, head_bytes)}, now);
    stored.erase(found);
    return true;
  });
  for (const auto& [at, available] : stored) {
    const auto frame = index(at);
    good(frame && !into.knows(at.id));
    into.restore(available, at.sequence, decode(*frame)->bundles, std::nullopt, now);
  }
}

}  // namespace flamingo::worker
