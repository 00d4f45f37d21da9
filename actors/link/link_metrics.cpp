#include "actors/link/link_metrics.hpp"

namespace flamingo::link {

namespace {

std::string name_of(link_priority p) {
  switch (p) {
    case link_priority::consensus:
      return "consensus";
    case link_priority::batches:
      return "batches";
    case link_priority::sync:
      return "sync";
  }
  return "unknown";
}

}  // namespace

link_metrics::link_metrics(runtime::metrics& into, conversation about)
    : registry_(into.registry()) {
  const runtime::labels all{{"conversation", std::string(to_string(about))}};
  const auto with = [&](const char* label, std::string_view value) {
    auto out = all;
    out[label] = value;
    return out;
  };
  for (std::size_t i = 0; i < peer_kinds; ++i) {
    const auto kind = static_cast<peer::kind>(i);
    if (kind != accepting_kind && kind != dialling_kind(about)) continue;
    const auto own = with("peer", to_string(kind));
    auto& k = kinds_[i];
    k.up = &into.gauge("flamingo_link_up", "Links whose hand-shake is over", own);
    k.queued = &into.gauge("flamingo_link_queued_bytes", "Bytes of frames that wait to leave", own);
    k.bytes_in = &into.counter("flamingo_link_received_bytes_total", "Bytes from peers", own);
    k.bytes_out = &into.counter("flamingo_link_sent_bytes_total", "Bytes to peers", own);
    k.frames_in = &into.counter("flamingo_link_received_frames_total", "Frames from peers", own);
    k.frames_out = &into.counter("flamingo_link_sent_frames_total", "Frames to peers", own);
    k.lost = &into.counter("flamingo_link_emulated_loss_total", "Frames lost by emulation", own);
    k.holds = &into.counter("flamingo_link_holds_total",
                            "Times that reading stopped until the role had caught up", own);
    k.throttles = &into.counter("flamingo_link_throttles_total",
                                "Times that reading stopped since the peer said too much", own);
    for (std::size_t p = 0; p < link_priorities; ++p) {
      auto labels = own;
      labels["priority"] = name_of(static_cast<link_priority>(p));
      k.dropped[p] =
          &into.counter("flamingo_link_dropped_frames_total",
                        "Frames that the bound on a link's queue left no room for", labels);
    }
  }
  for (std::size_t i = 0; i < endings; ++i) {
    const auto why = static_cast<ending>(i);
    endings_[i] = is_refusal(why)
                      ? &into.counter("flamingo_link_refused_total",
                                      "Connections that did not become links, by reason",
                                      with("reason", to_string(why)))
                      : &into.counter("flamingo_link_closed_total", "Links that ended, by reason",
                                      with("reason", to_string(why)));
  }
  strangers_ = &into.gauge("flamingo_link_strangers", "Connections in their hand-shake", all);
  dials_failed_ =
      &into.counter("flamingo_link_failed_dials_total", "Attempts to connect that failed", all);
}

void link_metrics::add(peer::kind who, const traffic& t) {
  const auto& k = of(who);
  const auto count = [](prometheus::Counter* to, std::uint64_t n) {
    if (n != 0) to->Increment(static_cast<double>(n));
  };
  count(k.bytes_in, t.bytes_in);
  count(k.bytes_out, t.bytes_out);
  count(k.frames_in, t.frames_in);
  count(k.frames_out, t.frames_out);
  count(k.lost, t.lost);
  for (std::size_t p = 0; p < link_priorities; ++p) count(k.dropped[p], t.dropped[p]);
}

}  // namespace flamingo::link
