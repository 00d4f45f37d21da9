// The committer's series (docs/metrics.md). For its shell only.
#pragma once

#include <array>

#include "actors/committer/committer.hpp"
#include "actors/runtime/metrics.hpp"

namespace flamingo::committer {

struct metrics {
  prometheus::Gauge &index, &wave, &anchor_round, &executed, &waiting;
  prometheus::Counter &commits, &skipped_waves, &headers, &transactions;
  std::array<prometheus::Counter*, 4> bundles{};  // by verdict
  prometheus::Histogram &batch_wait, &own_header;
  runtime::reject_counters rejected;

  explicit metrics(runtime::metrics& into)
      : index(into.gauge("flamingo_committer_commit_index", "Index of the newest commit")),
        wave(into.gauge("flamingo_committer_wave", "Wave of the newest anchor")),
        anchor_round(into.gauge("flamingo_committer_anchor_round", "Round of the newest anchor")),
        executed(into.gauge("flamingo_committer_executed_index",
                            "Newest commit that all executors of this validator executed")),
        waiting(into.gauge("flamingo_committer_waiting_sub_dags",
                           "Sub-DAGs that are ordered and wait for bundles of their batches")),
        commits(into.counter("flamingo_committer_commits_total", "Anchors committed")),
        skipped_waves(into.counter("flamingo_committer_skipped_waves_total",
                                   "Waves that passed without an anchor")),
        headers(into.counter("flamingo_committer_headers_total", "Headers output")),
        transactions(
            into.counter("flamingo_committer_transactions_total", "Fresh transactions sequenced")),
        batch_wait(
            into.histogram("flamingo_committer_batch_wait_seconds",
                           "From a sub-DAG's order until the bundles of its batches were known",
                           {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30})),
        own_header(into.histogram("flamingo_committer_own_header_seconds",
                                  "From the creation of an own header to its commit",
                                  {0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2, 3, 5, 10, 30})),
        rejected(into, "committer") {
    constexpr std::array names{"fresh", "duplicate", "out_of_window", "expired"};
    for (std::size_t i = 0; i < names.size(); ++i)
      bundles[i] = &into.counter("flamingo_committer_bundles_total",
                                 "Bundles sequenced, by what the client's window said of them",
                                 {{"verdict", names[i]}});
  }

  /// @param before the totals at the commit before `x`.
  void committed(const commit& x, const bundle_totals& before, validator_id self, time_point now) {
    index.Set(static_cast<double>(x.head.index.value));
    wave.Set(static_cast<double>(x.head.wave.value));
    anchor_round.Set(static_cast<double>(x.head.anchor_round.value));
    commits.Increment();
    skipped_waves.Increment(static_cast<double>(x.skipped_waves));
    headers.Increment(static_cast<double>(x.output.size()));
    transactions.Increment(static_cast<double>(x.totals.transactions - before.transactions));
    bundles[0]->Increment(static_cast<double>(x.totals.fresh - before.fresh));
    bundles[1]->Increment(static_cast<double>(x.totals.duplicate - before.duplicate));
    bundles[2]->Increment(static_cast<double>(x.totals.out_of_window - before.out_of_window));
    bundles[3]->Increment(static_cast<double>(x.totals.expired - before.expired));
    batch_wait.Observe(seconds(x.waited));
    for (const header_signals& y : x.signals.headers)
      if (y.author == self) own_header.Observe(seconds(now - y.created_at));
  }

private:
  static double seconds(duration x) { return std::chrono::duration<double>(x).count(); }
};

}  // namespace flamingo::committer
