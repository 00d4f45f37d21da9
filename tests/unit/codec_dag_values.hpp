// Values of the certified DAG for tests: complete ones that have every field set.
#pragma once

#include <random>

#include "crypto/hash.hpp"
#include "messages/codec_dag.hpp"

namespace flamingo::testing {

template <class Fixed>
Fixed filled(unsigned seed) {
  Fixed x;
  std::mt19937 rng(seed);
  for (auto& b : x.bytes) b = static_cast<byte>(rng());
  return x;
}
inline digest some_digest(unsigned seed) {
  return filled<digest>(seed);
}
inline signature some_signature(unsigned seed) {
  return filled<signature>(seed);
}

inline constexpr dag_limits seven_validators{7, 1 << 20, 256, 64};

/// Every field set, every kind of control record in it. `id` and counts digests are as decoded.
inline header full_header() {
  header x;
  x.author = validator_id{3};
  x.epoch = epoch_id{2};
  x.round = round_number{9};
  x.created_at = time_point{duration{1'700'000'000'123'456'789}};
  x.queue_delay = std::chrono::microseconds{4321};
  x.payload = {{some_digest(1), worker_id{0}, 500, {}, {1, 2, 3}},
               {some_digest(2), worker_id{1}, 7, {}, {}}};
  for (auto& entry : x.payload)
    entry.counts_digest = crypto::hash(crypto::tags::counts, entry.counts);
  x.parents = {some_digest(3), some_digest(4), some_digest(5), some_digest(6), some_digest(7)};
  x.weak_links = {{{round_number{2}, validator_id{6}}, some_digest(8)},
                  {{round_number{7}, validator_id{0}}, some_digest(9)}};
  x.control = {migration_decision{commit_index{60}, some_digest(10)},
               migration_acceptance{commit_index{60}, some_digest(10), true},
               capacity_declaration{3, 45'000},
               checkpoint{commit_index{50}, some_digest(11), some_signature(12)},
               halt{some_digest(13)}};
  x.coin_share.assign(97, 0x5a);
  x.id = header_id(encode_header(x));
  return x;
}

inline signed_header signed_header_of(const header& x) {
  return {x, {encode_header(x), some_signature(20)}};
}

inline certificate certificate_of(const header& x, std::initializer_list<unsigned> voters) {
  certificate cert{x.id, x.author, x.round, {}};
  for (unsigned v : voters)
    cert.votes.push_back({validator_id{static_cast<std::uint16_t>(v)}, some_signature(100 + v)});
  return cert;
}

}  // namespace flamingo::testing
