// Validators lead in turn, as in the public prototype. Everybody knows who is next, so an adversary
// that delays messages can stop the chain: for comparison only.
#pragma once

#include "actors/committer/leaders/leader_rule.hpp"

namespace flamingo::committer {

class round_robin_leaders final : public leader_rule {
public:
  explicit round_robin_leaders(std::size_t n) : n_(n) {}

  std::optional<validator_id> leader(wave_number w) const override {
    return validator_id{static_cast<std::uint16_t>(w.value % n_)};
  }
  bool wants_coin(wave_number) const override { return false; }
  void coin_known(wave_number, std::uint64_t) override {}
  void forget(wave_number) override {}

private:
  std::size_t n_;
};

}  // namespace flamingo::committer
