// The simulated disk of one life of a validator: syncs take virtual time, and what a dead life
// still tries to write goes nowhere.
#pragma once

#include <functional>
#include <memory>

#include "storage/memory_kv.hpp"

namespace flamingo::sim {

/// Forwards to the platter (the memory_kv that outlives crashes) until `die`. Each sync makes
/// everything durable that was written before it began.
class disk final : public storage::kv {
public:
  using observer = storage::memory_kv::observer;

  /// @param schedule runs a task after one sync's virtual time; tasks of a crashed host never run.
  /// @param on_durable may be empty; is told of every write that became durable, in order, before
  ///   its writer is.
  disk(std::shared_ptr<storage::memory_kv> platter,
       std::function<void(std::function<void()>)> schedule, observer on_durable)
      : platter_(std::move(platter)),
        schedule_(std::move(schedule)),
        on_durable_(std::move(on_durable)) {}

  void write(storage::write_batch changes, storage::durable_callback on_durable) override {
    if (!alive_) return;
    platter_->write(std::move(changes), std::move(on_durable));
    if (syncing_) return;
    begin_sync();
  }
  std::optional<std::vector<char>> get(storage::table where, const storage::key& at) override {
    return alive_ ? platter_->get(where, at) : std::nullopt;
  }
  void scan(storage::table where, const storage::key& first, const storage::key& last,
            const storage::visitor& visit) override {
    if (alive_) platter_->scan(where, first, last, visit);
  }
  storage::statistics stats() const override { return platter_->stats(); }
  std::uint64_t queued_bytes() const override { return platter_->queued_bytes(); }
  std::uint64_t queue_bytes_max() const override { return platter_->queue_bytes_max(); }
  void stop() override { alive_ = false; }

  /// The host lost power: what was not synced is gone, and no call-back comes.
  void die() {
    alive_ = false;
    platter_->crash();
  }

private:
  void begin_sync() {
    syncing_ = true;
    schedule_([this, count = platter_->pending()] {
      syncing_ = false;
      platter_->sync(count, on_durable_);
      if (alive_ && !syncing_ && platter_->pending() > 0) begin_sync();
    });
  }

  std::shared_ptr<storage::memory_kv> platter_;
  std::function<void(std::function<void()>)> schedule_;
  observer on_durable_;
  bool alive_ = true;
  bool syncing_ = false;
};

}  // namespace flamingo::sim
