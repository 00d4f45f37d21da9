// One LMDB environment: its transactions, its reads, and its errors in words. No queue, no thread.
#pragma once

#include <lmdb.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "storage/kv.hpp"
#include "storage/map_guard.hpp"
#include "storage/sync_mode.hpp"

namespace flamingo::storage {

class lmdb_environment {
public:
  /// Opens or makes `directory`/data.mdb, which may grow to `map_bytes`. Only one process at a time
  /// may. @throws error. Damage that shows only when a page is used later, as an assertion of
  /// LMDB's or a SIGBUS, writes one line to stderr and ends the process with exit code 1.
  lmdb_environment(const std::filesystem::path& directory, std::uint64_t map_bytes, sync_mode mode);
  ~lmdb_environment();
  lmdb_environment(const lmdb_environment&) = delete;
  lmdb_environment& operator=(const lmdb_environment&) = delete;

  /// All of the batches in one transaction, durable (by the mode) when it returns; or none of them.
  /// One thread at a time.
  write_result apply(std::span<const write_batch* const> batches);

  /// Syncs what `os` mode left to the operating system.
  write_result sync();

  /// A consistent state of the tables, from construction on. Any thread.
  class snapshot {
  public:
    explicit snapshot(const lmdb_environment& from);
    ~snapshot();
    snapshot(const snapshot&) = delete;
    snapshot& operator=(const snapshot&) = delete;

    std::optional<byte_span> get(table where, const key& at) const;
    /// Visits [first, last) in order until `visit` returns false.
    void scan(table where, const key& first, const key& last, const visitor& visit) const;
    std::uint64_t used_bytes() const;
    /// Pages that no table uses, from page number `first` on.
    std::uint64_t free_pages_from(std::uint64_t first) const;

  private:
    const lmdb_environment& from_;
    MDB_txn* txn_ = nullptr;
  };

  /// Bytes of the pages that the tables use. Any thread.
  std::uint64_t used_bytes() const;
  /// The file's end as LMDB sees it: no page at or beyond it was ever written. Any thread.
  std::uint64_t high_water_bytes() const;
  std::uint64_t map_bytes() const { return map_bytes_; }

private:
  int put(MDB_txn* txn, const write_batch::operation& x) const;
  int erase_range(MDB_txn* txn, const write_batch::operation& x) const;
  int apply(MDB_txn* txn, const write_batch& batch) const;
  void make() const;
  void open(sync_mode mode);
  void check_length() const;
  void check_sizes(const MDB_val& k, const MDB_val& v) const;
  bool deleted() const;
  write_result refused(int code) const;
  int probe() const;
  error broken(const char* doing, int code) const;
  MDB_dbi dbi(table where) const { return tables_[static_cast<std::size_t>(where)]; }

  std::string path_;
  std::uint64_t map_bytes_;
  MDB_env* env_ = nullptr;
  std::optional<map_guard> guard_;
  std::array<MDB_dbi, table_count> tables_{};
};

}  // namespace flamingo::storage
