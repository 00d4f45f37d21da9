// The worker's series (docs/metrics.md). For its shell only.
#pragma once

#include <array>
#include <string>

#include "actors/runtime/metrics.hpp"
#include "actors/worker/worker.hpp"

namespace flamingo::worker {

struct metrics {
  std::array<prometheus::Counter*, std::variant_size_v<admission::answer>> answers{};
  prometheus::Counter &batches_sealed, &bundles_sealed, &transactions_sealed, &batch_bytes_sealed;
  prometheus::Counter &batches_received, &batch_bytes_received, &acknowledgements, &requests,
      &served;
  prometheus::Counter &payloads, &payload_bytes, &payloads_from_store;
  prometheus::Counter &receipts, &receipt_messages, &batches_deleted, &batches_given_up;
  prometheus::Gauge &ingress_bytes, &uncommitted_bytes, &history_bytes, &wanted, &sent_again;
  prometheus::Histogram& queue_delay;
  runtime::reject_counters rejected;

  metrics(runtime::metrics& into, worker_id worker)
      : metrics(into, runtime::labels{{"worker", std::to_string(worker.value)}}) {}

  void of_core(const core& x) {
    ingress_bytes.Set(static_cast<double>(x.ingress_bytes()));
    uncommitted_bytes.Set(static_cast<double>(x.uncommitted_bytes()));
    history_bytes.Set(static_cast<double>(x.history_bytes()));
    wanted.Set(static_cast<double>(x.wanted()));
    sent_again.Set(static_cast<double>(x.sent_again()));
  }

private:
  metrics(runtime::metrics& into, const runtime::labels& own)
      : batches_sealed(
            into.counter("flamingo_worker_batches_sealed_total", "Own batches sealed", own)),
        bundles_sealed(
            into.counter("flamingo_worker_bundles_sealed_total", "Bundles in own batches", own)),
        transactions_sealed(into.counter("flamingo_worker_transactions_sealed_total",
                                         "Transactions in own batches", own)),
        batch_bytes_sealed(
            into.counter("flamingo_worker_batch_sealed_bytes_total", "Bytes of own batches", own)),
        batches_received(into.counter("flamingo_worker_batches_received_total",
                                      "Valid batches of peers that were stored", own)),
        batch_bytes_received(into.counter("flamingo_worker_batch_received_bytes_total",
                                          "Bytes of peers' valid batches", own)),
        acknowledgements(into.counter("flamingo_worker_acknowledgements_total",
                                      "Peers' batches acknowledged as durable", own)),
        requests(into.counter("flamingo_worker_batch_requests_total",
                              "Batches asked of peers because the log, or a header, names them",
                              own)),
        served(into.counter("flamingo_worker_batches_served_total",
                            "Batches sent to peers that asked", own)),
        payloads(into.counter("flamingo_worker_payloads_total",
                              "Committed batches handed to the executors", own)),
        payload_bytes(into.counter("flamingo_worker_payload_bytes_total",
                                   "Bytes of operations handed to the executors", own)),
        payloads_from_store(into.counter("flamingo_worker_payloads_from_store_total",
                                         "Of them, read from the store", own)),
        receipts(into.counter("flamingo_worker_receipts_total", "Receipts given", own)),
        receipt_messages(into.counter("flamingo_worker_receipt_messages_total",
                                      "Signed messages of receipts", own)),
        batches_deleted(into.counter("flamingo_worker_batches_deleted_total",
                                     "Executed batches deleted from the store", own)),
        batches_given_up(into.counter("flamingo_worker_batches_given_up_total",
                                      "Peers' batches deleted that never came into the log", own)),
        ingress_bytes(into.gauge("flamingo_worker_ingress_bytes",
                                 "Clients' bundles here that no quorum has yet", own)),
        uncommitted_bytes(into.gauge("flamingo_worker_uncommitted_bytes",
                                     "Own batches that no commit has output yet", own)),
        history_bytes(into.gauge("flamingo_worker_history_bytes",
                                 "Committed batches kept for execution and for peers", own)),
        wanted(into.gauge("flamingo_worker_wanted_batches",
                          "Batches that the log names and that are not here", own)),
        sent_again(into.gauge("flamingo_worker_batches_sent_again",
                              "Own batches sent to a peer again, since the start", own)),
        queue_delay(into.histogram("flamingo_worker_queue_delay_seconds",
                                   "From an own batch's seal to a quorum's acknowledgement",
                                   {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30}, own)),
        rejected(into, "worker") {
    constexpr std::array names{"admitted",      "redirect", "busy",
                               "relay_limited", "invalid",  "duplicate"};
    static_assert(names.size() == std::variant_size_v<admission::answer>);
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto labels = own;
      labels["answer"] = names[i];
      answers[i] = &into.counter("flamingo_worker_admissions_total",
                                 "Answers to bundles at the clients' door", labels);
    }
  }
};

}  // namespace flamingo::worker
