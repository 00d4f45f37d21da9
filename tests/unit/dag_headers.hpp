// Headers of a small DAG for tests, named by who made them and when: "2.7" is validator 2's header
// of round 7. A header's identity is made of its name, so that a test can say what links to what.
#pragma once

#include <string>

#include "messages/committee.hpp"
#include "messages/dag.hpp"

namespace flamingo::testing {

constexpr validator_id v(unsigned x) {
  return validator_id{static_cast<std::uint16_t>(x)};
}
constexpr round_number r(std::uint64_t x) {
  return round_number{x};
}
constexpr dag_position at(unsigned author, std::uint64_t round) {
  return {r(round), v(author)};
}

/// The identity of a header by name. `fork` tells equivocating headers apart.
inline digest id_of(dag_position where, unsigned fork = 0) {
  digest x;
  x.bytes[0] = static_cast<byte>(where.author.value);
  for (unsigned i = 0; i < 8; ++i) x.bytes[1 + i] = static_cast<byte>(where.round.value >> 8 * i);
  x.bytes[9] = static_cast<byte>(fork);
  x.bytes[31] = 0xd;
  return x;
}

/// A header with `parents` (authors of the round before) and weak links.
inline header header_at(dag_position where, std::initializer_list<unsigned> parents,
                        std::vector<dag_position> links = {}, unsigned fork = 0) {
  header x;
  x.id = id_of(where, fork);
  x.author = where.author;
  x.round = where.round;
  for (unsigned p : parents) x.parents.push_back(id_of({where.round - 1, v(p)}));
  for (const auto link : links) x.weak_links.push_back({link, id_of(link)});
  if (carries_coin_share(x.round)) x.coin_share.assign(97, 1);
  return x;
}

inline committee committee_of(std::size_t n) {
  committee members;
  members.chain.bytes[0] = 0xc;
  members.validators.resize(n);
  for (std::size_t i = 0; i < n; ++i) members.validators[i].name = "v" + std::to_string(i);
  return members;
}

}  // namespace flamingo::testing
