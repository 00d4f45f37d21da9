#include "actors/committer/leaders/leader_rule.hpp"

#include "actors/committer/leaders/coin.hpp"
#include "actors/committer/leaders/round_robin.hpp"

namespace flamingo::committer {

std::unique_ptr<leader_rule> make_leader_rule(leader_election rule, std::size_t n) {
  if (rule == leader_election::round_robin) return std::make_unique<round_robin_leaders>(n);
  return std::make_unique<coin_leaders>(n);
}

}  // namespace flamingo::committer
