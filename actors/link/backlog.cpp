#include "actors/link/backlog.hpp"

#include <algorithm>

namespace flamingo::link {

struct backlog::frame final : frame_origin {
  frame(std::shared_ptr<backlog> to, std::uint64_t bytes) : of(std::move(to)), cost(bytes) {}
  frame(const frame&) = delete;
  ~frame() override { of->handled(cost); }
  void in_vain() const override { ++of->vain_; }

  std::shared_ptr<backlog> of;
  std::uint64_t cost;
};

std::shared_ptr<const frame_origin> backlog::add(std::size_t size) {
  bytes_ += size + frame_overhead;
  return std::make_shared<const frame>(shared_from_this(), size + frame_overhead);
}

bool backlog::hold(bool distrusted) {
  bound_ = distrusted ? std::min(most_, distrusted_bytes) : most_;
  if (bytes_ <= bound_) return false;
  held_ = true;
  // All may have been handled since; then nobody would call `wake`.
  return !(enough_handled() && held_.exchange(false));
}

void backlog::handled(std::uint64_t cost) {
  bytes_ -= cost;
  if (held_ && enough_handled() && held_.exchange(false)) wake_();
}

}  // namespace flamingo::link
