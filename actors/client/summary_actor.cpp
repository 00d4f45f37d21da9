// A client's counts as they leave its shell (schema/client.capnp).
#include <algorithm>

#include "actors/client/client_actor.hpp"

namespace flamingo::client {

namespace {

using std::chrono::microseconds;

std::uint64_t number_of(microseconds x) {
  return static_cast<std::uint64_t>(x.count());
}

void write(const latency_histogram& from, schema::LatencyHistogram::Builder into) {
  auto counts = into.initCounts(static_cast<unsigned>(from.counts().size()));
  for (unsigned i = 0; i < from.counts().size(); ++i) counts.set(i, from.counts()[i]);
  into.setMaxUs(number_of(from.max()));
  into.setSumUs(number_of(from.sum()));
}

latency_histogram read(schema::LatencyHistogram::Reader from) {
  std::vector<std::uint64_t> counts;
  for (const std::uint64_t x : from.getCounts()) counts.push_back(x);
  return latency_histogram::from(std::move(counts),
                                 microseconds(static_cast<std::int64_t>(from.getMaxUs())),
                                 microseconds(static_cast<std::int64_t>(from.getSumUs())));
}

}  // namespace

summary_frame encode(const summary& x) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<schema::ClientSummary>();
  out.setClient(x.client.value);
  out.setOffered(x.offered);
  out.setSent(x.sent);
  out.setAdmitted(x.admitted);
  out.setBusy(x.busy);
  out.setCompleted(x.completed);
  out.setDuplicated(x.duplicated);
  out.setInvalid(x.invalid);
  out.setWaiting(x.waiting);
  out.setOutstanding(x.outstanding);
  out.setLost(x.lost);
  out.setBundles(x.bundles);
  out.setReceipts(x.receipts);
  out.setResent(x.resent);
  out.setRelayed(x.relayed);
  out.setRedirected(x.redirected);
  out.setResequenced(x.resequenced);
  out.setForged(x.forged);
  auto results = out.initResults(result_codes_max);
  for (unsigned i = 0; i < result_codes_max; ++i) results.set(i, x.results[i]);
  out.setNewestCommit(x.newest_commit.value);
  out.setNewestAnchorRound(x.newest_anchor_round.value);
  write(x.latency, out.initLatency());
  write(x.sent_latency, out.initSentLatency());
  out.setFinished(x.finished);
  out.setWarning(x.warning);
  return summary_frame(message);
}

std::optional<summary> decode(const summary_frame& frame) {
  summary x;
  const bool readable = frame.read([&](schema::ClientSummary::Reader in) {
    x.client = client_id{in.getClient()};
    x.offered = in.getOffered();
    x.sent = in.getSent();
    x.admitted = in.getAdmitted();
    x.busy = in.getBusy();
    x.completed = in.getCompleted();
    x.duplicated = in.getDuplicated();
    x.invalid = in.getInvalid();
    x.waiting = in.getWaiting();
    x.outstanding = in.getOutstanding();
    x.lost = in.getLost();
    x.bundles = in.getBundles();
    x.receipts = in.getReceipts();
    x.resent = in.getResent();
    x.relayed = in.getRelayed();
    x.redirected = in.getRedirected();
    x.resequenced = in.getResequenced();
    x.forged = in.getForged();
    const auto results = in.getResults();
    for (unsigned i = 0; i < std::min<unsigned>(results.size(), result_codes_max); ++i)
      x.results[i] = results[i];
    x.newest_commit = commit_index{in.getNewestCommit()};
    x.newest_anchor_round = round_number{in.getNewestAnchorRound()};
    x.latency = read(in.getLatency());
    x.sent_latency = read(in.getSentLatency());
    x.finished = in.getFinished();
    x.warning = in.getWarning().cStr();
  });
  if (!readable) return std::nullopt;
  return x;
}

}  // namespace flamingo::client
