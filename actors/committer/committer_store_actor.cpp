#include "actors/committer/committer_store_actor.hpp"

namespace flamingo::committer {

namespace {

using storage::key;
using storage::table;

// Prefixes of keys in table `state`.
constexpr std::uint8_t at_head = 'h', at_output = 'o', at_window = 'w', at_dead = 'd',
                       at_group = 'g';

key key_of_head() {
  return key::of(at_head);
}
key key_of(dag_position x) {
  return key::of(at_output, x.round, x.author);
}

void good(bool condition) {
  if (!condition)
    throw storage::error(
        "table state of the store is damaged: restore the validator's data directory, or let it "
        "join anew");
}

template <class F>
void scan_prefix(storage::kv& store, std::uint8_t prefix, F&& visit) {
  store.scan(table::state, key::of(prefix), key::of(prefix).prefix_end(),
             [&](byte_span at, byte_span value) {
               visit(at, value);
               return true;
             });
}

head_record read_head(storage::kv& store) {
  const auto bytes = store.get(table::state, key_of_head());
  if (!bytes) return {};
  const auto head = decode_head({reinterpret_cast<const byte*>(bytes->data()), bytes->size()});
  good(head.has_value());
  return *head;
}

std::vector<ordered_header> read_output(storage::kv& store) {
  std::vector<ordered_header> output;
  scan_prefix(store, at_output, [&](byte_span at, byte_span value) {
    good(at.size() == 11 && value.size() == digest::size);
    ordered_header& y = output.emplace_back();
    y.position = {round_number{storage::number_at<std::uint64_t>(at, 1)},
                  validator_id{storage::number_at<std::uint16_t>(at, 9)}};
    std::copy(value.begin(), value.end(), y.id.bytes.begin());
  });
  return output;
}

template <class F>
void read_windows(storage::kv& store, F&& visit) {
  scan_prefix(store, at_window, [&](byte_span at, byte_span value) {
    auto window = decode_window(value);
    good(at.size() == 5 && window.has_value());
    visit(client_id{storage::number_at<std::uint32_t>(at, 1)}, std::move(*window));
  });
}

void put(storage::write_batch& writes, const ordered_header& x) {
  writes.put(table::state, key_of(x.position), byte_span(x.id));
}
void put(storage::write_batch& writes, client_id client, const client_window& window) {
  writes.put(table::state, key::of(at_window, client), encode_window(window));
}

}  // namespace

recovered recover(storage::kv& store, digest& chain) {
  recovered x;
  const head_record head = read_head(store);
  x.head = head.head;
  x.totals = head.totals;
  chain = head.chain;
  x.output = read_output(store);
  read_windows(store, [&](client_id client, client_window window) {
    x.windows.emplace(client, std::move(window));
  });
#if FLAMINGO_MUTANT_restart_forgets_windows
  x.windows.clear();
#endif
#if FLAMINGO_MUTANT_restart_forgets_output
  x.output.clear();
#endif
  scan_prefix(store, at_dead, [&](byte_span at, byte_span) {
    good(at.size() == 1 + digest::size);
    digest batch;
    std::copy(at.begin() + 1, at.end(), batch.bytes.begin());
    x.dead.insert(batch);
  });
  scan_prefix(store, at_group, [&](byte_span at, byte_span value) {
    const auto group = decode_group(value);
    good(at.size() == 9 && group.has_value());
    x.groups.push_back({commit_index{storage::number_at<std::uint64_t>(at, 1)}, *group});
  });
  store.scan(table::commits, key(), key::end(), [&](byte_span at, byte_span) {
    good(at.size() == 8);
    x.oldest = commit_index{storage::number_at<std::uint64_t>(at, 0)};
    return false;
  });
  return x;
}

storage::write_batch writes_of(const commit& x, const digest& chain, const sequenced_frame& frame) {
  storage::write_batch writes;
  writes.put(table::commits, key::of(x.head.index), frame.bytes());
  writes.erase_range(table::commits, key(), key::of(x.keep_from));
  writes.put(table::state, key_of_head(), encode_head({x.head, x.totals, chain}));
  for (const ordered_header& y : x.output) put(writes, y);
  writes.erase_range(table::state, key::of(at_output), key_of({x.forget_output + 1, {}}));
  for (const auto& [client, window] : x.windows) put(writes, client, window);
  for (const group_entry& y : x.groups)
    writes.put(table::state, key::of(at_group, y.from), encode_group(y.group));
  for (const digest& batch : x.dead_added)
    writes.put(table::state, key::of(at_dead, batch), std::vector<char>{1});
  for (const digest& batch : x.dead_removed) writes.erase(table::state, key::of(at_dead, batch));
  return writes;
}

ledger read_ledger(storage::kv& store) {
  ledger x{read_head(store), read_output(store), {}};
  read_windows(store, [&](client_id client, client_window window) {
    x.windows.emplace_back(client, std::move(window));
  });
  return x;
}

/// The group of executors is the validator's own and stays.
void install(storage::write_batch& writes, const ledger& x) {
  writes.erase_range(table::commits, key(), key::end());
  for (const std::uint8_t prefix : {at_output, at_window, at_dead})
    writes.erase_range(table::state, key::of(prefix), key::of(prefix).prefix_end());
  writes.put(table::state, key_of_head(), encode_head(x.head));
#if !FLAMINGO_MUTANT_checkpoint_without_output
  for (const ordered_header& y : x.output) put(writes, y);
#endif
#if FLAMINGO_MUTANT_checkpoint_without_windows
  return;
#endif
  for (const auto& [client, window] : x.windows) put(writes, client, window);
}

}  // namespace flamingo::committer
