// Rows that a disk damaged, in the tables of workers and of snapshots: whatever is wrong with one,
// it is told in one line, or read as what stands there and could have been written. Nothing
// crashes, and nothing is taken for something else.
#include <doctest/doctest.h>

#include <set>

#include "actors/executor/applications/keyset.hpp"
#include "actors/executor/snapshots_actor.hpp"
#include "actors/executor/value_store.hpp"
#include "actors/worker/worker_store_actor.hpp"
#include "storage/memory_kv.hpp"
#include "tests/unit/foreign_batches.hpp"
#include "tests/unit/storage_contents.hpp"

using namespace flamingo;
using namespace flamingo::tests;

namespace {

using storage::table;

/// As text, key -> value.
using rows = std::map<std::string, std::string>;

byte_span span_of(const std::string& x) {
  return {reinterpret_cast<const byte*>(x.data()), x.size()};
}

/// Calls `visit` with `whole` cut short at each place, longer by a byte, and with each byte from
/// `first` on changed.
template <class F>
void for_each_damaged(const std::string& whole, std::size_t first, F&& visit) {
  for (std::size_t size = first; size < whole.size(); ++size) visit(whole.substr(0, size));
  visit(whole + '\1');
  for (std::size_t i = first; i < whole.size(); ++i)
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      auto damaged = whole;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ flip);
      visit(damaged);
    }
}

/// The same of each row of a table, one at a time.
/// @param prefix bytes of a key that say of what kind the row is, and are left as they are.
/// @param visit called with all rows, and the damaged one's key and value.
template <class F>
void for_each_damaged_row(const rows& whole, std::size_t prefix, F&& visit) {
  for (const auto& [key, value] : whole) {
    auto others = whole;
    others.erase(key);
    const auto with = [&](const std::string& changed_key, const std::string& changed_value) {
      auto all = others;
      all[changed_key] = changed_value;
      visit(all, changed_key, changed_value);
    };
    for_each_damaged(value, 0, [&](const std::string& x) { with(key, x); });
    for_each_damaged(key, prefix, [&](const std::string& x) {
      if (x.size() <= storage::key::size_max && !others.contains(x)) with(x, value);
    });
  }
}

storage::memory_kv disk_with(table where, const rows& all) {
  storage::memory_kv disk;
  storage::write_batch writes;
  for (const auto& [key, value] : all)
    writes.put(where, storage::key(span_of(key)), span_of(value));
  disk.write(std::move(writes), {});
  return disk;
}

/// Whether `f` ended with the line that says that the table is damaged. Any other end is a failure.
template <class F>
bool told_as_damage(table where, F&& f) {
  try {
    f();
    return false;
  } catch (const storage::error& e) {
    const std::string line = e.what();
    CHECK(line.find("table " + std::string(name(where)) + " of the store is damaged") == 0);
    return true;
  }
}

/// A worker's rows of every kind, and what must come of them whatever becomes of one row.
struct worker_rows {
  worker_rows() {
    storage::memory_kv disk;
    const worker::batch_store store(disk, worker_id{0});
    storage::write_batch writes;
    for (const auto& x : batches) store.put(writes, x.batch);
    store.put_committed(writes, commit_index{7}, key_of(committed));
    const auto window = committer::client_window::restored(bundle_sequence{130}, {0xf0, 1});
    store.put_window(writes, client_id{2}, *window);
    store.put_outcome(
        writes, client_id{1},
        {bundle_sequence{5}, committed.batch.id, commit_index{7}, validator_id{1}, {0, 1, 0}});
    store.put_newest(writes, commit_index{7}, round_number{13});
    disk.write(std::move(writes), {});
    all = contents(disk, table::batches);
  }

  static worker::batch_key key_of(const foreign_batch& x) {
    return {x.batch.author, x.batch.sequence, x.batch.id};
  }
  std::set<worker::batch_key> keys() const {
    std::set<worker::batch_key> out;
    for (const auto& x : batches) out.insert(key_of(x));
    return out;
  }

  const foreign_batch own = seal_at(0, {1}), waiting = seal_at(1, {1, 2}),
                      committed = seal_at(2, {1});
  const std::vector<foreign_batch> batches{own, waiting, committed};
  rows all;
};

/// What the row says if a role wrote it: what a worker read of it, written again.
std::optional<std::string> written_again(const worker::core& core, worker::batch_store& store,
                                         const std::string& key) {
  storage::memory_kv disk;
  storage::write_batch writes;
  const auto at = span_of(key);
  if (key[2] == 'n') {
    store.put_newest(writes, core.newest_commit(), core.anchor_round());
  } else {
    const client_id client{storage::number_at<std::uint32_t>(at, 3)};
    if (key[2] == 'w') {
      store.put_window(writes, client, *core.window_of(client));
    } else {
      const auto* x =
          core.outcome_of(client, bundle_sequence{storage::number_at<std::uint64_t>(at, 7)});
      store.put_outcome(writes, client, *x);
    }
  }
  disk.write(std::move(writes), {});
  return contents(disk, table::batches)[key];
}

}  // namespace

TEST_SUITE("store damage") {
  TEST_CASE("whatever is damaged in a worker's rows is told, or read as what stands there") {
    const worker_rows with;
    const auto keys = with.keys();
    std::map<char, int> told, read;
    for_each_damaged_row(with.all, 3, [&](const rows& all, const auto& key, const auto& value) {
      const char kind = key[2];
      auto disk = disk_with(table::batches, all);
      worker::batch_store store(disk, worker_id{0});
      worker_harness w;
      const bool damage = told_as_damage(table::batches, [&] {
        store.restore(w.core, w.now);
        const auto fx = w.step(worker::started{});
        for (const auto& x : fx.available)
          CHECK(keys.contains({x.author, batch_sequence{1}, x.id}));
        for (const auto& x : fx.stored_indexes) {
          CHECK(keys.contains(x));
          CHECK(x != worker_rows::key_of(with.committed));
          CHECK(decode(*store.index(x))->id == x.id);
        }
        if (kind == 'n' && key.size() > 3) return;  // nobody looks for it
        if (kind == 'n' || kind == 'o' || kind == 'w')
          CHECK(written_again(w.core, store, key) == value);
      });
      ++(damage ? told : read)[kind];
    });
    for (const char kind : {'a', 'c', 'i', 'n', 'o', 'w'}) {
      CAPTURE(kind);
      CHECK(told[kind] > 0);
    }
    // Nothing says that these are other than they were: they could have been written.
    CHECK(read['c'] == 3 * 8);  // the commit's index
    CHECK(read['n'] == 3 * 16 + 1);
  }

  TEST_CASE("operations come from the bytes that were acknowledged, or not at all") {
    const worker_rows with;
    worker_harness w;
    int refused = 0;
    for_each_damaged_row(with.all, 3, [&](const rows& all, const auto& key, const auto&) {
      if (key[2] != 'd') return;
      auto disk = disk_with(table::batches, all);
      const worker::batch_store store(disk, worker_id{0});
      for (const auto& x : with.batches) {
        const auto frame = store.batch(worker_rows::key_of(x));
        const auto message = frame ? decode(*frame, {4 << 20, 512, 1 << 20}) : std::nullopt;
        const auto* view = message ? std::get_if<batch_view>(&*message) : nullptr;
        const auto operations = view ? w.checks.pack(*view, x.batch.id) : std::nullopt;
        if (operations)
          CHECK(operations->bytes == x.batch.operations->bytes);
        else
          ++refused;
      }
    });
    CHECK(refused > 1000);
  }

  TEST_CASE("whatever is damaged in a snapshot's rows is told, or read as what stands there") {
    using namespace flamingo::executor;
    // Three buckets with dense and sparse keys, so that rows hold several.
    const auto bucket_of_key = [](std::uint64_t key) {
      return static_cast<std::uint16_t>(key % 3);
    };
    const keyset::keys rules(7);
    const auto dense = std::make_shared<dense_buckets>(rules.dense_keys(), bucket_of_key);
    const auto empty_store = [&] { return value_store(rules, dense, bucket_of_key); };
    const auto bytes_of = [](value_store& values, std::uint16_t bucket) {
      std::vector<char> bytes;
      values.append_bucket(bucket, bytes);
      return std::string(bytes.begin(), bytes.end());
    };
    value_store values = empty_store();
    for (std::uint64_t key = 0; key < 14; ++key) values.at(values.slot_of(key))[0] = 7;
    storage::memory_kv whole;
    storage::write_batch writes;
    for (const std::uint16_t bucket : {0, 1, 2})
      install_bucket(writes, bucket, span_of(bytes_of(values, bucket)));
    install_markers(writes, commit_index{40}, 2, static_cast<std::uint32_t>(rules.value_size()));
    whole.write(std::move(writes), {});
    int told = 0, read = 0;
    for_each_damaged_row(
        contents(whole, table::executor), 1, [&](const rows& all, const auto&, const auto&) {
          auto disk = disk_with(table::executor, all);
          const bool damage = told_as_damage(table::executor, [&] {
            const auto marker = find_snapshot(disk);
            if (!marker) return;
            CHECK(*marker == snapshot_marker{1, commit_index{40}, 2, 8});
            value_store again = empty_store();
            scan_snapshot(disk, *marker, [&](std::uint16_t bucket, byte_span bytes) {
              if (!again.restore_bucket(bytes))
                throw storage::error("table executor of the store is damaged");
              CHECK(bytes_of(again, bucket) == all.at({'\1', '\1', static_cast<char>(bucket >> 8),
                                                       static_cast<char>(bucket)}));
              return true;
            });
          });
          ++(damage ? told : read);
        });
    CHECK(told > 500);
    CHECK(read > 100);  // other values, a marker of another snapshot
  }
}
