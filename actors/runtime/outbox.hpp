// Durable before visible: the one queue of effects that a shell has (design: "Durable before it
// leaves").
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "storage/kv.hpp"

namespace flamingo::runtime {

/// Runs the sends of each step in the order of the steps, each after its own writes and those of
/// all earlier steps are durable. The core keeps stepping meanwhile.
class outbox {
public:
  using task = std::function<void()>;

  /// @param notify is called from the store's thread with the ticket of a write that became
  /// durable; it
  ///   must get the ticket to `durable` on the actor's own thread (an anon_send of atom::durable).
  /// @param fail is called from the store's thread with one line when the store refuses.
  outbox(storage::kv& store, std::function<void(std::uint64_t)> notify,
         std::function<void(const std::string&)> fail)
      : store_(store), notify_(std::move(notify)), fail_(std::move(fail)) {}

  /// Submits `writes`; `sends` runs when they and all earlier ones are durable (at once if nothing
  /// waits).
  void perform(storage::write_batch writes, task sends);

  /// The store made everything up to `ticket` durable.
  void durable(std::uint64_t ticket);

  /// Steps whose sends still wait.
  std::size_t waiting() const { return waiting_.size(); }

private:
  struct entry {
    std::uint64_t ticket;  // runs once this one is durable
    task sends;
  };

  storage::kv& store_;
  std::function<void(std::uint64_t)> notify_;
  std::function<void(const std::string&)> fail_;
  std::deque<entry> waiting_;
  std::uint64_t submitted_ = 0, durable_ = 0;
};

}  // namespace flamingo::runtime
