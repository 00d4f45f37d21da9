// The store on a disk: LMDB, one environment a directory, one writing thread that commits all
// writes that wait as one group (design: "durable before it leaves"; the measured choices: "the hot
// path").
#pragma once

#include <memory>

#include "storage/kv.hpp"
#include "storage/sync_mode.hpp"

namespace flamingo::storage {

struct lmdb_options {
  std::string directory;
  sync_mode sync = sync_mode::group;
  /// The map, and so the most that the file can grow to. Sparse: costs nothing until used.
  std::uint64_t store_bytes_max = std::uint64_t{64} << 30;
  /// A group's transaction stands in memory until it is written.
  std::uint64_t group_bytes_max = 64 << 20;
  /// Callers stop taking in load above it.
  std::uint64_t queue_bytes_max = 64 << 20;
  /// Zeros kept written ahead of what is used, while nobody waits. 0: none.
  std::uint64_t preallocate_bytes = 256 << 20;
};

class lmdb_kv final : public kv {
public:
  enum class origin : std::uint8_t {
    created,   // the directory held no store
    reopened,  // everything that was durable is here
    replaced,  // the machine went down while `sync_mode::os` had not synced: the old file was moved
               // to data.mdb.unsynced and this store is empty. As `created`, it must not sign old
               // rounds again
  };

  /// Opens or makes the store. @throws error, with one line for the operator.
  explicit lmdb_kv(lmdb_options settings);
  /// stop().
  ~lmdb_kv() override;

  void write(write_batch changes, durable_callback on_durable) override;
  std::optional<std::vector<char>> get(table where, const key& at) override;
  void scan(table where, const key& first, const key& last, const visitor& visit) override;
  statistics stats() const override;
  std::uint64_t queued_bytes() const override;
  std::uint64_t queue_bytes_max() const override;
  void stop() override;

  origin opened_as() const;

private:
  class writer;
  std::unique_ptr<writer> writer_;
};

}  // namespace flamingo::storage
