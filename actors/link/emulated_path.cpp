#include "actors/link/emulated_path.hpp"

#include <algorithm>

namespace flamingo::link {

emulated_path::emulated_path(const emulation& what, std::uint64_t bound_bytes, std::uint64_t seed)
    : what_(what), bound_(bound_bytes), random_(seed) {}

void emulated_path::enter(shared_bytes frame, time now) {
  using namespace std::chrono;
  const auto starts = std::max(wire_free_, now - lateness);
  nanoseconds on_wire{0};
  if (what_.rate_bits != 0) {
    const auto bits = static_cast<unsigned __int128>(frame.size()) * 8;
    on_wire = nanoseconds(static_cast<std::int64_t>(bits * 1'000'000'000 / what_.rate_bits));
  }
  wire_free_ = (what_.rate_bits != 0 ? starts : now) + on_wire;
  if (random_() % 1000 < what_.loss_per_mille) {
    ++lost_;
    return;
  }
  nanoseconds late = what_.delay;
  const auto jitter = nanoseconds(what_.jitter).count();
  if (jitter > 0)
    late += nanoseconds(static_cast<std::int64_t>(random_() % (2 * jitter + 1)) - jitter);
  last_arrival_ = std::max(last_arrival_, wire_free_ + late);
  bytes_ += frame.size();
  under_way_.push_back({last_arrival_, std::move(frame)});
}

std::optional<shared_bytes> emulated_path::leave(time now) {
  if (under_way_.empty() || under_way_.front().arrives > now) return std::nullopt;
  auto frame = std::move(under_way_.front().frame);
  under_way_.pop_front();
  bytes_ -= frame.size();
  return frame;
}

std::optional<emulated_path::time> emulated_path::next(time now) const {
  std::optional<time> out;
  if (!under_way_.empty()) out = under_way_.front().arrives;
  if (wire_free_ > now) out = out ? std::min(*out, wire_free_) : wire_free_;
  return out;
}

}  // namespace flamingo::link
