#include "apps/flamingo/config/link_section.hpp"

#include <fmt/format.h>

#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/config/node_file.hpp"
#include "apps/flamingo/config/reader.hpp"

namespace flamingo::config {

namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

std::vector<entry> describe(link::emulation& x) {
  return {integer("rate_bits", x.rate_bits, 0, 1'000'000'000'000,
                  "How fast a link sends; 0: as fast as it goes.", "bits a second"),
          microseconds("delay_us", x.delay, 0, 10'000'000, "How long a frame travels, one way."),
          microseconds("jitter_us", x.jitter, 0, 10'000'000,
                       "Added to or taken from the delay, at random; at most the delay."),
          integer("loss_per_mille", x.loss_per_mille, 0, 1000, "The share of frames that is lost.",
                  "per mille"),
          flag("cut", x.cut, "No link comes to be, and one that is up ends.")};
}

section describe(peer_emulation& x) {
  section out;
  out.entries = {required(
      text("peer", x.peer, "\"validator-N\" or \"client-N\"", "The other end of the links."))};
  for (auto& e : describe(x.emulate)) out.entries.push_back(std::move(e));
  return out;
}

std::vector<entry> sizes(link::settings& x) {
  return {
      bytes("max_frame_bytes", x.max_frame_bytes, 64 * kib, 256 * mib,
            "The largest frame that is sent or taken. At least the largest message that the "
            "protocol parameters allow, and 64 KiB more."),
      bytes("queue_bytes", x.queue_bytes, mib, 4 * gib,
            "Frames that wait to leave over one link; what comes on top is dropped."),
      bytes("in_flight_bytes", x.in_flight_bytes, 64 * kib, 64 * mib,
            "Given to the socket of one link and not yet taken by the kernel."),
      bytes("read_bytes", x.read_bytes, 4 * kib, 4 * mib, "The most that is read at once."),
      bytes("unhandled_bytes", x.unhandled_bytes, mib, 4 * gib,
            "What came over one link and its role has not handled; beyond, nothing is read."),
      bytes("emulated_bytes", x.emulated_bytes, mib, 4 * gib,
            "Frames that stand on the emulated wire of one link."),
      integer("max_strangers", x.max_strangers, 8, 1024,
              "Connections before the end of their hand-shake; the oldest makes room."),
      integer("max_links_of_peer", x.max_links_of_peer, 1, 1024,
              "Links accepted from one peer; the oldest makes room."),
      integer("frames_per_second", x.frames_per_second, 100, 10'000'000,
              "Read from one peer over all its links of a conversation."),
      integer("vain_frames_per_second", x.vain_frames_per_second, 1, 1'000'000,
              "Of these, refused as no honest peer's would be, or beyond what it may ask."),
  };
}

std::vector<entry> times(link::settings& x) {
  constexpr std::int64_t five_minutes = 300'000;
  return {
      milliseconds("connect_timeout_ms", x.connect_timeout, 10, five_minutes,
                   "Of one attempt to connect."),
      milliseconds("handshake_timeout_ms", x.handshake_timeout, 10, five_minutes,
                   "For TLS and the hand-shake together."),
      milliseconds("ping_interval_ms", x.ping_interval, 10, five_minutes,
                   "An idle link says that it lives this often."),
      milliseconds("idle_timeout_ms", x.idle_timeout, 11, 600'000,
                   "A link over which nothing was heard, or whose peer took nothing, for this "
                   "long is closed; more than the ping interval."),
      milliseconds("close_timeout_ms", x.close_timeout, 10, five_minutes,
                   "For what is queued to leave before a link is closed."),
      milliseconds("retry_min_ms", x.retry_min, 1, 60'000, "The first wait before another dial."),
      milliseconds("retry_max_ms", x.retry_max, 1, 600'000,
                   "Waits double up to this; at least retry_min_ms."),
  };
}

}  // namespace

section describe(link_section& x) {
  section out{
      .key = "link",
      .meaning = "Links to peers.",
      .entries = {flag("tls", x.settings.tls,
                       "Mutual TLS 1.3. false: plain links, where a peer is who it says it is; for "
                       "measurements only, and then at all nodes.")},
      .sections =
          {{.key = "emulation",
            .meaning =
                "What all links pretend to be, where they send. All 0: nothing. A node reads it "
                "anew at SIGHUP.",
            .entries = describe(x.settings.emulate.all)}},
      .lists = {items<peer_emulation>("emulation_to", x.emulate_to,
                                      "What the links to one peer pretend to be, instead.",
                                      [](peer_emulation& p) { return describe(p); })},
  };
  for (auto& e : sizes(x.settings)) out.entries.push_back(std::move(e));
  for (auto& e : times(x.settings)) out.entries.push_back(std::move(e));
  return out;
}

link::settings link_settings(const link_section& x, const key_files& keys,
                             const std::filesystem::path& source) {
  auto out = x.settings;
  out.authority = beside(source, keys.authority);
  out.certificate = beside(source, keys.certificate);
  out.private_key = beside(source, keys.certificate_key);
  for (std::size_t i = 0; i < x.emulate_to.size(); ++i) {
    const auto peer = link::parse_peer(x.emulate_to[i].peer);
    if (!peer)
      throw error(
          fmt::format("{}: link.emulation_to[{}].peer: expected \"validator-N\" or "
                      "\"client-N\", found {}",
                      source.string(), i, toml_string(x.emulate_to[i].peer)));
    if (!out.emulate.to.emplace(*peer, x.emulate_to[i].emulate).second)
      throw error(fmt::format("{}: link.emulation_to[{}].peer: {} is there twice: keep one",
                              source.string(), i, toml_string(x.emulate_to[i].peer)));
  }
  if (const auto wrong = link::out_of_bounds(out))
    throw error(fmt::format("{}: link: {}", source.string(), *wrong));
  return out;
}

}  // namespace flamingo::config
