// One of each message about checkpoints, with no field at its default.
#pragma once

#include "actors/committer/records.hpp"
#include "messages/checkpoint.hpp"
#include "tests/unit/codec_dag_values.hpp"

namespace flamingo::tests {

inline certificate checkpoint_certificate() {
  return flamingo::testing::certificate_of(flamingo::testing::full_header(), {0, 1, 3, 5, 6});
}

inline std::vector<checkpoint_message> checkpoint_samples() {
  using flamingo::testing::some_digest;
  using flamingo::testing::some_signature;
  const checkpoint_summary what{commit_index{700}, some_digest(40), some_digest(41), 5000};
  const checkpoint_proof proof{
      what, {{validator_id{2}, some_signature(42)}, {validator_id{6}, some_signature(43)}}};
  return {checkpoint_query{},
          checkpoint_answer{checkpoint_certificate(), proof},
          ledger_request{commit_index{700}, 4096},
          ledger_part{commit_index{700}, 4096, {1, 2, 3, 4, 5}},
          state_request{commit_index{700}, 512, 256},
          state_part{commit_index{700}, 6, {{1, 2, 3}, {}}, {some_digest(44), some_digest(45)}}};
}

inline bool same(const checkpoint_message& x, const checkpoint_message& y) {
  const auto* a = std::get_if<checkpoint_answer>(&x);
  const auto* b = std::get_if<checkpoint_answer>(&y);
  if (a == nullptr || b == nullptr) {
    return std::visit(
        [](const auto& p, const auto& q) {
          if constexpr (!std::is_same_v<decltype(p), decltype(q)> ||
                        std::is_same_v<std::decay_t<decltype(p)>, checkpoint_answer>)
            return false;
          else
            return p == q;
        },
        x, y);
  }
  return a->checkpoint == b->checkpoint && a->newest.has_value() == b->newest.has_value() &&
         (!a->newest ||
          (a->newest->header == b->newest->header && a->newest->author == b->newest->author &&
           a->newest->round == b->newest->round && a->newest->votes == b->newest->votes));
}

inline committer::ledger ledger_sample() {
  using flamingo::testing::some_digest;
  committer::ledger x;
  x.head = {{commit_index{700}, wave_number{800}, round_number{1599}},
            {1, 2, 3, 4, 123'456},
            some_digest(50)};
  x.output = {{{round_number{1580}, validator_id{1}}, some_digest(51)},
              {{round_number{1599}, validator_id{6}}, some_digest(52)}};
  x.windows = {{client_id{0},
                *committer::client_window::restored(bundle_sequence{130}, {0x0123456789abcdf0, 1})},
               {client_id{9}, *committer::client_window::restored(bundle_sequence{2}, {0})}};
  return x;
}

}  // namespace flamingo::tests
