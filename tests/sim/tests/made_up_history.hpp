// A history of a run in which everything holds, made from a random DAG: tests break it somewhere
// and see that the checker of that property says so.
#pragma once

#include "actors/committer/leaders/coin.hpp"
#include "crypto/hash.hpp"
#include "messages/codec_validator.hpp"
#include "tests/sim/checkers/history.hpp"
#include "tests/unit/tusk_random_dag.hpp"

namespace flamingo::sim::checkers::test {

inline digest digest_of(std::uint64_t i) {
  digest out;
  for (std::size_t k = 0; k < 8; ++k) out.bytes[k] = static_cast<byte>(i >> (8 * k));
  out.bytes[31] = 1;
  return out;
}

struct made_up_history {
  static constexpr std::uint64_t seed = 11, rounds = 41;

  committer::test::random_dag dag = committer::test::make_random_dag(seed, rounds);
  history run;

  made_up_history() {
    run.validators = dag.n;
    run.faulty = dag.f;
    run.protocol.gc_depth = 6;
    run.protocol.bundle_window = 64;
    run.of.resize(dag.n);
    std::uint64_t next_batch = 1, next_sequence = 1;
    for (const auto& [place, x] : dag.vertices) {
      certified_header certified;
      auto& h = certified.hdr;
      h.id = x.id;
      h.round = place.round;
      h.author = place.author;
      h.parents = x.parents;
      h.weak_links = x.weak_links;
      const digest batch = digest_of(next_batch++);
      h.payload.push_back({batch, worker_id{0}, 1, {}, {}});
      const digest bundle = digest_of(1'000'000 + next_batch);
      run.batches[batch] = {{{bundle, client_id{0}, bundle_sequence{next_sequence++}, place.author,
                              round_number{1'000'000}, 1, false},
                             {}}};
      run.certified.emplace(x.id, std::move(certified));
      for (auto& v : run.of) v.certified.push_back(x.id);
    }
    sequence_log();
    // Validators know the log up to different points.
    for (std::uint16_t i = 1; i < run.of.size(); ++i) {
      run.of[i].commits = run.of[0].commits;
      for (std::uint16_t k = 1; k < i; ++k) run.of[i].commits.erase(--run.of[i].commits.end());
    }
    give_receipts();
  }

  validator_id leader(wave_number w) const { return dag.leaders.at(w); }

  commit_record& commit(validator_id v, std::uint64_t index) {
    return run.of[v.value].commits.at(commit_index{index});
  }
  /// After a change of a record's values.
  static void rewrite(commit_record& x) { x.bytes = encode(x.stream).bytes(); }

private:
  void sequence_log() {
    committer::coin_leaders leaders(dag.n);
    for (const auto& [w, who] : dag.leaders) leaders.coin_known(w, who.value);
    committer::tusk rule({dag.n, dag.f + 1, run.protocol.gc_depth}, {}, {});
    for (const auto& [place, x] : dag.vertices) {
      rule.add(x);
      for (const auto& committed : rule.commit(leaders)) record(committed);
    }
  }

  void record(const committer::sub_dag& x) {
    commit_record out;
    out.stream.index = x.head.index;
    out.stream.anchor_round = x.head.anchor_round;
    out.stream.anchor = x.anchor;
    for (const auto& header : x.output)
      for (const auto& entry : run.certified.at(header.id).hdr.payload) {
        sequenced_batch batch{entry.batch, header.position.author, entry.worker, {}};
        for (const auto& bundle : run.batches.at(entry.batch))
          batch.bundles.push_back({bundle.head.client, bundle.head.sequence, bundle.head.id,
                                   verdict::fresh, bundle.head.transactions});
        out.stream.batches.push_back(std::move(batch));
      }
    crypto::hasher hasher(crypto::tags::sub_dag);
    hasher.update(chain_).number(x.head.index).update(x.anchor);
    for (const auto& header : x.output) hasher.update(header.id);
    out.stream.chain = chain_ = hasher.finish();
    rewrite(out);
    run.of[0].commits.emplace(x.head.index, std::move(out));
  }

  digest chain_;

  void give_receipts() {
    for (const auto& [index, record] : run.of[0].commits)
      for (const auto& batch : record.stream.batches)
        for (const auto& bundle : batch.bundles) {
          auto& told = run.clients[bundle.client];
          told.admitted[bundle.sequence] = bundle.id;
          for (std::uint16_t v = 0; v < run.of.size(); ++v)
            if (run.of[v].commits.contains(index))
              told.receipts[bundle.sequence].push_back(
                  {validator_id{v},
                   {bundle.client, bundle.sequence, bundle.id, index, digest_of(7), {}}});
        }
  }
};

}  // namespace flamingo::sim::checkers::test
