#include "apps/flamingo/runtime/refusal_book.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace flamingo::runtime {

namespace {

using link::ending;

/// The two ends are of different networks or versions: it will be so at the next attempt too.
bool lasts(ending x) {
  switch (x) {
    case ending::bad_tls:
    case ending::wrong_version:
    case ending::wrong_chain:
    case ending::wrong_committee:
    case ending::wrong_conversation:
    case ending::wrong_worker:
    case ending::wrong_name:
    case ending::unknown_peer:
    case ending::unexpected_peer:
      return true;
    default:
      return false;
  }
}

std::string_view remedy(ending x) {
  switch (x) {
    case ending::wrong_version:
      return "use the version of flamingo that runs there";
    case ending::bad_tls:
    case ending::wrong_chain:
    case ending::wrong_committee:
    case ending::wrong_name:
      return "another network runs there: use its files, or start this one";
    case ending::wrong_conversation:
    case ending::wrong_worker:
    case ending::unexpected_peer:
      return "the addresses in the committee file are not those of the network that runs";
    default:
      return "its log tells more";
  }
}

}  // namespace

void refusal_book::note(link::peer whom, const link::ended& how) {
  if (whom.what != link::peer::kind::validator || whom.index >= newest_.size()) return;
  const std::lock_guard lock(mutex_);
  newest_[whom.index] = how;
}

void refusal_book::forget(link::peer whom) {
  if (whom.what != link::peer::kind::validator || whom.index >= newest_.size()) return;
  const std::lock_guard lock(mutex_);
  newest_[whom.index].reset();
}

std::optional<std::string> refusal_book::line_of(std::size_t i) const {
  const std::lock_guard lock(mutex_);
  const auto& x = newest_.at(i);
  return x ? std::optional(fmt::format("{} ({})", x->line, to_string(x->why))) : std::nullopt;
}

bool refusal_book::lasting(std::size_t i) const {
  const std::lock_guard lock(mutex_);
  const auto& x = newest_.at(i);
  return x && lasts(x->why);
}

std::optional<std::string> refusal_book::summary(const committee& members) const {
  const std::lock_guard lock(mutex_);
  std::optional<std::size_t> shown;
  std::size_t refusing = 0;
  for (std::size_t i = 0; i < newest_.size(); ++i) {
    if (!newest_[i]) continue;
    ++refusing;
    if (!shown || (lasts(newest_[i]->why) && !lasts(newest_[*shown]->why))) shown = i;
  }
  if (!shown) return std::nullopt;
  const auto& x = *newest_[*shown];
  return fmt::format("{} of {} validators refuse the link; {}: {} ({}): {}", refusing,
                     newest_.size(), members.validators.at(*shown).name, x.line, to_string(x.why),
                     remedy(x.why));
}

std::optional<std::string> refusal_book::hopeless(const committee& members) const {
  {
    const std::lock_guard lock(mutex_);
    const auto lasting = static_cast<std::size_t>(std::count_if(
        newest_.begin(), newest_.end(), [](const auto& x) { return x && lasts(x->why); }));
    if (newest_.size() - lasting > members.faulty()) return std::nullopt;
  }
  return summary(members);
}

}  // namespace flamingo::runtime
