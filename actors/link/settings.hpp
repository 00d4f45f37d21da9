// Everything that can be set about links. Local values: they never change a vote, an order or a
// state.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "actors/link/peer.hpp"

namespace flamingo::link {

/// What a link pretends to be, at its sending end (the test machines' kernel lacks tc-netem).
/// All zero: nothing.
struct emulation {
  std::uint64_t rate_bits = 0;          // bits a second; 0: as fast as it goes
  std::chrono::microseconds delay{0};   // one way; 0..10 s
  std::chrono::microseconds jitter{0};  // uniform, added to or taken from the delay; 0..delay
  std::uint32_t loss_per_mille = 0;     // of frames; 0..1000
  bool cut = false;                     // no link comes to be, and one that is up ends
  /// Whether frames travel otherwise than they do anyway.
  bool on() const { return rate_bits || delay.count() || jitter.count() || loss_per_mille; }
};

/// What all links of a node pretend to be.
struct emulations {
  emulation all;
  std::map<peer, emulation> to;  // of links to one peer, instead
  const emulation& of(const peer& other) const {
    const auto special = to.find(other);
    return special == to.end() ? all : special->second;
  }
};

struct settings {
  // -- mutual TLS
  bool tls = true;                    // false: plain links, where a peer is who it says it is
  std::filesystem::path authority;    // PEM, the network's own certificate authority
  std::filesystem::path certificate;  // PEM, names this node
  std::filesystem::path private_key;  // PEM, mode 0600

  // -- bounds of one link
  std::uint32_t max_frame_bytes = 8 << 20;   // sent or taken; 64 KiB..256 MiB. At least the
                                             // largest message of the protocol parameters
  std::uint64_t queue_bytes = 64 << 20;      // frames that wait to leave; 1 MiB..4 GiB
  std::uint32_t in_flight_bytes = 4 << 20;   // given to the socket and not taken by the kernel;
                                             // 64 KiB..64 MiB. One frame more may be under way
  std::uint32_t read_bytes = 256 << 10;      // the most that is read at once; 4 KiB..4 MiB
  std::uint64_t unhandled_bytes = 32 << 20;  // given to a role that has not handled it; beyond,
                                             // nothing is read; 1 MiB..4 GiB
  std::uint64_t emulated_bytes = 256 << 20;  // on the emulated wire; 1 MiB..4 GiB

  // -- bounds of all links of a conversation
  std::uint32_t max_strangers = 256;    // connections before the end of their hand-shake; the
                                        // oldest makes room; 8..1024
  std::uint32_t max_links_of_peer = 8;  // accepted from one peer; the oldest makes room; 1..1024

  // -- bounds of all links of a conversation with one peer
  std::uint32_t frames_per_second = 10'000;    // read; 100..10^7
  std::uint32_t vain_frames_per_second = 100;  // of these, refused as no honest peer's would be, or
                                               // beyond what it may ask; 1..10^6

  // -- times
  std::chrono::milliseconds connect_timeout{5000};    // of one attempt; 10 ms..5 min
  std::chrono::milliseconds handshake_timeout{5000};  // TLS and hello together; 10 ms..5 min
  std::chrono::milliseconds ping_interval{2000};      // an idle link says so; 10 ms..5 min
  std::chrono::milliseconds idle_timeout{10'000};     // nothing heard, or nothing taken by the
                                                      // peer: closed; > ping_interval..10 min
  std::chrono::milliseconds close_timeout{2000};      // for what is queued to leave; 10 ms..5 min
  std::chrono::milliseconds retry_min{100};           // first wait before a dial; 1 ms..1 min
  std::chrono::milliseconds retry_max{5000};          // doubled up to this; retry_min..10 min

  // -- emulation; off by default
  emulations emulate;  // at first: emulation_switch.hpp
};

/// One line that names the first setting out of its bounds and the bounds; empty if all are within.
std::optional<std::string> out_of_bounds(const settings& s);

}  // namespace flamingo::link
