// What was submitted and is not in the file yet, so that readers see it: the newest pending state
// of each key and the ranges that are about to be erased. Not thread-safe; lmdb_kv guards it.
#pragma once

#include <map>
#include <memory>

#include "storage/kv.hpp"

namespace flamingo::storage {

class pending_writes {
public:
  /// A key's pending state: its value's parts, or null when it is about to be erased.
  using state = std::shared_ptr<const value_parts>;
  using shared_batch = std::shared_ptr<const write_batch>;

  /// What hides a part of one table in the file: taken at one moment, for a scan.
  struct overlay {
    std::vector<std::pair<key, state>> keys;  // ascending
    std::vector<std::pair<key, key>> erased;  // ranges; a key in `keys` is newer than any of them
    bool erases(byte_span at) const;
  };

  /// `number` grows with each call.
  void add(std::uint64_t number, const shared_batch& changes);
  /// The batch that was added as `number` is in the file now, as are all earlier ones.
  void retire(std::uint64_t number, const write_batch& changes);
  void clear();

  /// Nothing if the file decides.
  std::optional<state> find(table where, const key& at) const;
  overlay slice(table where, const key& first, const key& last) const;

  bool empty() const;

private:
  struct entry {
    std::uint64_t number;
    state value;
  };
  struct erasure {
    std::uint64_t number;
    key first, last;
  };
  struct rows {
    std::map<key, entry> keys;
    std::vector<erasure> erasures;  // ascending by number
  };
  rows& of(table where) { return tables_[static_cast<std::size_t>(where)]; }
  const rows& of(table where) const { return tables_[static_cast<std::size_t>(where)]; }

  std::array<rows, table_count> tables_;
};

}  // namespace flamingo::storage
