// What came over a link and its role has not handled yet. A mailbox has no bound, so the link stops
// reading when this is too much, and TCP holds the peer back. No CAF.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace flamingo::link {

/// Any thread.
class backlog : public std::enable_shared_from_this<backlog> {
public:
  /// What a frame counts beside its bytes, so that many small ones are bounded too.
  static constexpr std::uint64_t frame_overhead = 256;

  /// @param most bytes, before `hold` says so.
  /// @param wake is called, by whoever handled a frame, when half of it is left after a hold.
  backlog(std::uint64_t most, std::function<void()> wake) : most_(most), wake_(std::move(wake)) {}

  /// For a frame of `size` bytes: the frame is handled when this and its copies are gone.
  std::shared_ptr<const void> add(std::size_t size);

  /// True if it is too much: `wake` will be called.
  bool hold();
  bool held() const { return held_; }
  std::uint64_t bytes() const { return bytes_; }

private:
  struct frame;
  void handled(std::uint64_t cost);
  bool enough_handled() const { return bytes_ <= most_ / 2; }

  const std::uint64_t most_;
  const std::function<void()> wake_;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<bool> held_ = false;
};

}  // namespace flamingo::link
