#include "apps/flamingo/local/chaos_plan.hpp"

#include <algorithm>
#include <random>

namespace flamingo::local {

std::vector<kill_event> plan_chaos(std::size_t kills, std::size_t validators,
                                   std::chrono::milliseconds length, std::uint64_t seed) {
  using std::chrono::milliseconds;
  constexpr milliseconds shortest{200}, longest{2000};
  std::mt19937_64 random(seed);  // its numbers are the same everywhere; distributions' are not
  std::vector<kill_event> out;
  if (kills == 0) return out;
  // The middle eight tenths, a slot for each kill; it happens in the first third of its slot.
  const milliseconds slot = length * 8 / (10 * static_cast<std::int64_t>(kills));
  for (std::size_t i = 0; i < kills; ++i) {
    const auto below = [&](milliseconds x) {
      return milliseconds(random() %
                          static_cast<std::uint64_t>(std::max<std::int64_t>(1, x.count())));
    };
    const auto start = length / 10 + slot * static_cast<std::int64_t>(i);
    const auto at = start + below(slot / 3);
    const auto most = std::min(longest, slot / 2);
    const auto least = std::min(shortest, most);
    out.push_back(
        {at, static_cast<std::size_t>(random() % validators), least + below(most - least)});
  }
  return out;
}

}  // namespace flamingo::local
