// One primary's core, fed by hand.
#pragma once

#include "actors/primary/primary.hpp"
#include "tests/unit/dag_headers.hpp"

namespace flamingo::testing {

struct primary_bench {
  committee members;
  protocol_parameters protocol;
  local_parameters local;
  std::optional<primary::core> core;
  std::vector<header> proposed;  // own headers, as signed
  time_point now{std::chrono::hours{1}};

  explicit primary_bench(std::size_t n = 4) : members(committee_of(n)) { boot(); }

  /// Validator 0's. Call it again after changing parameters, or to restart.
  void boot(const primary::restored& stored = {}) {
    std::vector<digest> genesis;
    for (unsigned i = 0; i < members.size(); ++i) genesis.push_back(id_of(at(i, 0)));
    core.emplace(v(0), members, protocol, local, genesis, stored);
  }
  primary::effects step(primary::input x) { return core->step(now, std::move(x)); }

  static signed_header with_bytes(header x) {
    // The name stands for the bytes.
    std::vector<char> body(x.id.bytes.begin(), x.id.bytes.end());
    return {std::move(x), {shared_bytes(std::move(body)), {}}};
  }
  primary::effects receive(const header& x, bool coin_valid = true) {
    return step(
        primary::header_received{verified<signed_header>::after_check(with_bytes(x)), coin_valid});
  }
  primary::effects certify(const header& x) {
    return step(primary::header_certified{x, with_bytes(x).bytes});
  }
  /// Certified headers of `authors` in round `round`, with all of the round before as parents.
  void full_round(std::uint64_t round, std::vector<unsigned> authors = {}) {
    if (authors.empty())
      for (unsigned i = 0; i < members.size(); ++i) authors.push_back(i);
    for (unsigned a : authors) sign(certify(full(at(a, round))));
  }
  void full_rounds(std::uint64_t last) {
    for (std::uint64_t round = 1; round <= last; ++round) full_round(round);
  }
  /// A header with all of the round before as parents.
  header full(dag_position where, std::vector<dag_position> links = {}, unsigned fork = 0) const {
    header x = header_at(where, {}, std::move(links), fork);
    for (unsigned p = 0; p < members.size(); ++p)
      x.parents.push_back(id_of({where.round - 1, v(p)}));
    return x;
  }
  static digest batch_id(unsigned name) {
    digest x;
    x.bytes[0] = static_cast<byte>(name);
    x.bytes[1] = static_cast<byte>(name >> 8);
    x.bytes[31] = 0xb;
    return x;
  }
  static payload_entry entry(unsigned name) {
    return {batch_id(name), worker_id{0}, name, batch_id(name), {}};
  }
  primary::effects available(unsigned author, unsigned name, std::chrono::microseconds wait = {}) {
    const auto x = entry(name);
    return step(primary::batch_announced{
        {x.batch, v(author), x.worker, x.transactions, x.counts_digest, {}, wait, 0}});
  }
  primary::effects commit(std::uint64_t anchor, std::uint64_t floor,
                          std::vector<digest> output = {}, std::vector<digest> dead = {}) {
    return step(primary::committed{
        {commit_index{1}, r(anchor), r(floor), std::move(output), std::move(dead)}});
  }

  /// Signs what a step proposes, under its plain name.
  std::optional<header> sign(const primary::effects& x) {
    if (!x.propose) return std::nullopt;
    header own = *x.propose;
    own.id = id_of(own.position());
    step(primary::header_signed{with_bytes(own)});
    proposed.push_back(own);
    return own;
  }
  /// What is proposed `after` from now.
  std::optional<header> propose(duration after = {}) {
    now += after;
    return sign(step(primary::ticked{}));
  }
};

}  // namespace flamingo::testing
