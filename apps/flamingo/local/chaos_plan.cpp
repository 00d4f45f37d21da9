#include "apps/flamingo/local/chaos_plan.hpp"

#include <algorithm>
#include <charconv>
#include <random>

namespace flamingo::local {

namespace {

using std::chrono::milliseconds;

struct duration {
  milliseconds least, most;
};

duration usual(fault_event::kind what) {
  using enum fault_event::kind;
  switch (what) {
    case kill:
      return {milliseconds(200), milliseconds(2000)};
    case cut:
      return {milliseconds(20'000), milliseconds(20'000)};
    case pause:
      break;
  }
  return {milliseconds(60'000), milliseconds(60'000)};
}

class draws {
public:
  explicit draws(std::uint64_t seed) : random_(seed) {}
  // Not a distribution of the library: those differ from one to the next.
  std::size_t below(std::size_t n) { return random_() % std::max<std::size_t>(1, n); }
  milliseconds below(milliseconds x) {
    return milliseconds(below(static_cast<std::size_t>(std::max<std::int64_t>(0, x.count()))));
  }

private:
  std::mt19937_64 random_;
};

/// A slot for each fault of a kind; it begins in the first third of its slot.
void add(std::vector<fault_event>& to, fault_event::kind what, std::size_t count,
         std::size_t validators, milliseconds length, draws& random) {
  if (count == 0) return;
  const milliseconds slot = length * 8 / (10 * static_cast<std::int64_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    fault_event x{};
    x.what = what;
    x.at = length / 10 + slot * static_cast<std::int64_t>(i) + random.below(slot / 3);
    x.validator = x.other = random.below(validators);
    if (what == fault_event::kind::cut)
      x.other = (x.validator + 1 + random.below(validators - 1)) % validators;
    const auto most = std::min(usual(what).most, slot / 2);
    const auto least = std::min(usual(what).least, most);
    x.lasts = least + random.below(most - least);
    to.push_back(x);
  }
}

}  // namespace

std::optional<chaos> parse_chaos(std::string_view text) {
  chaos out;
  for (;;) {
    const auto item = text.substr(0, text.find(','));
    const auto sign = item.find('=');
    const auto name = item.substr(0, sign);
    auto* count = name == "kill"    ? &out.kills
                  : name == "cut"   ? &out.cuts
                  : name == "pause" ? &out.pauses
                                    : nullptr;
    if (count == nullptr || sign == item.npos || *count != 0) return std::nullopt;
    const auto* end = item.data() + item.size();
    const auto [at, status] = std::from_chars(item.data() + sign + 1, end, *count);
    if (status != std::errc{} || at != end || *count < 1 || *count > 1000) return std::nullopt;
    if (item.size() == text.size()) return out;
    text.remove_prefix(item.size() + 1);
  }
}

std::vector<fault_event> plan_chaos(const chaos& wanted, std::size_t validators,
                                    milliseconds length, std::uint64_t seed) {
  draws random(seed);
  std::vector<fault_event> out;
  add(out, fault_event::kind::kill, wanted.kills, validators, length, random);
  add(out, fault_event::kind::cut, wanted.cuts, validators, length, random);
  add(out, fault_event::kind::pause, wanted.pauses, validators, length, random);
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.at < b.at; });
  return out;
}

}  // namespace flamingo::local
