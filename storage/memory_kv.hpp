// The simulator's disk: what was written is lost at a crash unless its owner synced it.
// Deterministic; for one thread.
#pragma once

#include <deque>
#include <limits>
#include <map>

#include "storage/kv.hpp"

namespace flamingo::storage {

/// Lives as long as the simulated disk does, across crashes and restarts of the validator that uses
/// it.
class memory_kv final : public kv {
public:
  struct options {
    std::uint64_t queue_bytes_max = 64 << 20;
    /// Called after each write() that waits for a sync, so that the owner can schedule one.
    std::function<void()> on_pending;
  };

  using observer = std::function<void(const write_batch&)>;

  memory_kv() = default;
  explicit memory_kv(options settings) : settings_(std::move(settings)) {}

  void write(write_batch changes, durable_callback on_durable) override;
  std::optional<std::vector<char>> get(table where, const key& at) override;
  void scan(table where, const key& first, const key& last, const visitor& visit) override;
  statistics stats() const override;
  std::uint64_t queued_bytes() const override { return queued_bytes_; }
  std::uint64_t queue_bytes_max() const override { return settings_.queue_bytes_max; }
  void stop() override;

  /// Writes that wait for a sync.
  std::size_t pending() const { return pending_.size(); }

  /// Makes the oldest `count` pending writes durable, as one group, then calls their call-backs in
  /// order. What a call-back writes waits for the next sync; a crash() within one leaves the rest
  /// uncalled.
  /// @param see may be empty; is told of each write that became durable, before its writer is.
  void sync(std::size_t count = std::numeric_limits<std::size_t>::max(), const observer& see = {});

  /// Power off and on: drops what was not synced, without calling back. Usable again, also after
  /// stop().
  void crash();

  /// From the next sync on every write fails this way, until repair().
  void fail(failure why);
  /// Space was freed, the device replaced. What already failed is lost at the next crash() or
  /// reopen().
  void repair();

  /// Ends a clean stop: the next process opens the same disk.
  void reopen();

private:
  using rows = std::array<std::map<key, shared_bytes>, table_count>;
  struct waiting {
    write_batch changes;
    durable_callback on_durable;
  };
  static void apply(const write_batch& changes, rows& to);

  options settings_;
  rows durable_;
  rows submitted_;  // Invariant: durable_ with all of pending_ applied, unless the disk failed.
  std::deque<waiting> pending_;
  std::uint64_t queued_bytes_ = 0;
  statistics counted_;
  write_result refuses_;  // what the disk does from now on
  write_result failed_;   // what this process saw: it stays until a restart
  bool stopped_ = false;
  bool scanning_ = false;
  std::uint64_t life_ = 0;  // counts crashes
};

}  // namespace flamingo::storage
