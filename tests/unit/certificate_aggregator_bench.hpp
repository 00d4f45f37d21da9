// One certificate aggregator's core, fed by hand.
#pragma once

#include "actors/certificate_aggregator/certificate_aggregator.hpp"
#include "tests/unit/dag_headers.hpp"

namespace flamingo::testing {

namespace aggregator = certificate_aggregator;

struct aggregator_bench {
  committee members;
  protocol_parameters protocol;
  local_parameters local;
  std::optional<aggregator::core> core;
  time_point now{std::chrono::hours{1}};
  std::vector<dag_position> given;  // complete ones since the start, in order

  explicit aggregator_bench(std::size_t n = 4) : members(committee_of(n)) { boot(); }

  /// Validator 0's, with all links up. Call it again after changing parameters, or to restart.
  void boot(const aggregator::restored& stored = {}) {
    core.emplace(v(0), members, protocol, local, stored);
    given.clear();
    for (unsigned i = 1; i < members.size(); ++i) step(aggregator::link_restored{v(i)});
  }
  aggregator::effects step(aggregator::input x) {
    auto out = core->step(now, std::move(x));
    for (const auto& c : out.complete) given.push_back(c.hdr.position());
    return out;
  }
  aggregator::effects wait(duration d) {
    now += d;
    return step(aggregator::ticked{});
  }

  header full(dag_position where, std::vector<dag_position> links = {}, unsigned fork = 0) const {
    header x = header_at(where, {}, std::move(links), fork);
    for (unsigned p = 0; p < members.size(); ++p)
      x.parents.push_back(id_of({where.round - 1, v(p)}));
    return x;
  }
  static signed_header with_bytes(header x) {
    // The name stands for the bytes.
    std::vector<char> body(x.id.bytes.begin(), x.id.bytes.end());
    return {std::move(x), {shared_bytes(std::move(body)), {}}};
  }
  /// A certificate by the last n - f validators.
  certificate certificate_of(const header& x) const {
    certificate cert{x.id, x.author, x.round, {}};
    for (std::size_t i = members.faulty(); i < members.size(); ++i)
      cert.votes.push_back({v(static_cast<unsigned>(i)), {}});
    return cert;
  }
  certified_header certified(const header& x) const {
    return {x, with_bytes(x).bytes, certificate_of(x)};
  }

  aggregator::effects know(const header& x) {
    return step(aggregator::header_known{with_bytes(x)});
  }
  aggregator::effects vote_by(unsigned voter, const header& x) {
    return step(aggregator::vote_received{
        verified<vote>::after_check({x.id, x.author, x.round, v(voter), {}})});
  }
  aggregator::effects certificate_for(const header& x) {
    return step(
        aggregator::certificate_received{verified<certificate>::after_check(certificate_of(x))});
  }
  aggregator::effects learn(const header& x) {
    know(x);
    return certificate_for(x);
  }
  aggregator::effects answer(unsigned from, const header& x) {
    return step(aggregator::certified_received{
        v(from), verified<certified_header>::after_check(certified(x))});
  }
  /// Three checkpoints, the last of them with this floor.
  void checkpoints_at(std::uint64_t floor) {
    for (std::uint64_t i = 0; i < 3; ++i)
      step(aggregator::floor_raised{round_number{floor - 2 + i},
                                    commit_index{(i + 1) * protocol.checkpoint_anchors}});
  }
  void full_round(std::uint64_t round) {
    for (unsigned a = 0; a < members.size(); ++a) learn(full(at(a, round)));
  }
  void full_rounds(std::uint64_t last) {
    for (std::uint64_t round = 1; round <= last; ++round) full_round(round);
  }
};

}  // namespace flamingo::testing
