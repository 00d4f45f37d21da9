// Tusk's election (paper section 2): a wave's leader is named by its threshold coin, which nobody
// can know before f+1 validators sent headers of the wave's last round.
#pragma once

#include <map>

#include "actors/committer/leaders/leader_rule.hpp"

namespace flamingo::committer {

class coin_leaders final : public leader_rule {
public:
  explicit coin_leaders(std::size_t n) : n_(n) {}

  std::optional<validator_id> leader(wave_number w) const override {
    const auto found = known_.find(w);
    if (found == known_.end()) return std::nullopt;
    return found->second;
  }
  bool wants_coin(wave_number w) const override { return w > forgotten_ && !known_.contains(w); }
  void coin_known(wave_number w, std::uint64_t value) override {
    if (wants_coin(w)) known_.emplace(w, validator_id{static_cast<std::uint16_t>(value % n_)});
  }
  void forget(wave_number up_to) override {
    if (up_to <= forgotten_) return;
    forgotten_ = up_to;
    known_.erase(known_.begin(), known_.upper_bound(up_to));
  }

private:
  std::size_t n_;
  wave_number forgotten_;
  std::map<wave_number, validator_id> known_;  // of waves above forgotten_
};

}  // namespace flamingo::committer
