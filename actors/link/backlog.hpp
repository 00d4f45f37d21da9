// What came over a link and its role has not handled yet. A mailbox has no bound, so the link stops
// reading when this is too much, and TCP holds the peer back. No CAF.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "messages/frame.hpp"

namespace flamingo::link {

/// Any thread.
class backlog : public std::enable_shared_from_this<backlog> {
public:
  /// What a frame counts beside its bytes, so that there are few of them: what takes long is to
  /// handle it, and other peers' frames wait behind it in the same mailbox.
  static constexpr std::uint64_t frame_overhead = 64 << 10;
  /// The most of a peer whose frames are in vain, bytes.
  static constexpr std::uint64_t distrusted_bytes = 16 * frame_overhead;

  /// @param most bytes, before `hold` says so.
  /// @param wake is called, by whoever handled a frame, when half of it is left after a hold.
  backlog(std::uint64_t most, std::function<void()> wake)
      : most_(most), bound_(most), wake_(std::move(wake)) {}

  /// For a frame of `size` bytes: the frame is handled when this and its copies are gone.
  std::shared_ptr<const frame_origin> add(std::size_t size);

  /// True if it is too much: `wake` will be called.
  bool hold(bool distrusted = false);
  bool held() const { return held_; }
  std::uint64_t bytes() const { return bytes_; }
  /// How many frames were in vain since the last call.
  std::uint64_t take_vain() { return vain_.exchange(0); }

private:
  struct frame;
  void handled(std::uint64_t cost);
  bool enough_handled() const { return bytes_ <= bound_ / 2; }

  const std::uint64_t most_;
  std::atomic<std::uint64_t> bound_;  // at the last `hold`
  const std::function<void()> wake_;
  std::atomic<std::uint64_t> bytes_ = 0, vain_ = 0;
  std::atomic<bool> held_ = false;
};

}  // namespace flamingo::link
