// One end of a link without its socket and without CAF: bytes in, bytes out, frames both ways, all
// time-outs. The broker of a connection (connection_actor.hpp) gives it what the socket says.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "actors/link/egress_queue.hpp"
#include "actors/link/emulated_path.hpp"
#include "actors/link/emulation_switch.hpp"
#include "actors/link/ending.hpp"
#include "actors/link/frame_parser.hpp"
#include "actors/link/frame_writer.hpp"
#include "actors/link/hello.hpp"
#include "actors/link/settings.hpp"
#include "actors/link/tls_engine.hpp"

namespace flamingo::link {

/// What all links of one door, or one dialled link over and over, have in common.
struct session_rules {
  settings limits;
  std::shared_ptr<const tls_context> tls;  // null: plain
  hello ours;
  admission admit;
  std::shared_ptr<const emulation_switch> emulated;  // null: nothing is emulated
  bool dials() const { return admit.dialled.has_value(); }
};

/// What went over a link. Pings and hellos count as bytes only.
struct traffic {
  std::uint64_t bytes_in = 0, bytes_out = 0, frames_in = 0, frames_out = 0;
  std::array<std::uint64_t, link_priorities> dropped{};  // by the queue's bound, or too large
  std::uint64_t too_large = 0;                           // of these
  std::uint64_t lost = 0;                                // by emulation
};

class session {
public:
  using time = std::chrono::steady_clock::time_point;
  using buffer = std::vector<char>;

  struct observer {
    std::function<void(peer)> up;             // once, before the first frame
    std::function<void(shared_bytes)> frame;  // in the order in which they were sent
  };

  /// @param seed of the emulation.
  session(std::shared_ptr<const session_rules> rules, observer to, time now, std::uint64_t seed);
  session(const session&) = delete;

  // What leaves is appended to `out`. Nothing happens after the session is over.

  void start(time now, buffer& out);
  /// Bytes that came; `in` may be taken over.
  void received(buffer& in, time now, buffer& out);
  /// Of what was appended so far, `in_flight` bytes have not left yet.
  void drained(std::uint64_t in_flight, time now, buffer& out);
  /// Queues a frame. It leaves with the next call of anything that has `out`: several frames at
  /// once cost less.
  void transmit(link_priority priority, shared_bytes frame);
  /// What is queued leaves, as far as in_flight_bytes allows.
  void pump(time now, buffer& out);
  /// Time went by.
  void tick(time now, buffer& out);
  /// Lets what is queued leave, for at most close_timeout, and ends then.
  void close(time now, buffer& out);
  /// The connection is gone.
  void disconnected();
  /// Reading stops, and starts again: meanwhile a silent peer is no dead one.
  void hold(bool on, time now);
  /// Ends at once.
  void end(ending why, std::string line);

  const std::optional<ended>& over() const { return over_; }
  bool up() const { return who_.has_value(); }
  /// Who is there, once it is up.
  const std::optional<peer>& who() const { return who_; }
  /// Appended and not known to have left, bytes.
  std::uint64_t in_flight() const { return in_flight_; }
  /// When to call `tick`, at the latest.
  time deadline(time now) const;
  /// What is to be read next.
  struct reading {
    bool exactly = false;  // otherwise what there is, up to `bytes`
    std::size_t bytes = 0;
    friend bool operator==(const reading&, const reading&) = default;
  };
  reading next_read() const;
  /// Frames that wait, with what they cost beside their bytes.
  std::uint64_t queued_bytes() const { return queue_.bytes() + (path_ ? path_->bytes() : 0); }
  /// What went over it since the last call.
  traffic take_traffic();

private:
  // Before the hand-shake's end; the least afterwards.
  static constexpr std::size_t first_read = 4 << 10;
  static constexpr std::size_t max_stranger_bytes = 24 << 10;
  static constexpr std::size_t max_stranger_record = 8 << 10;
  // Plain frames of this size are read into the buffer that they keep. Not larger ones: all of it
  // has to come within idle_timeout.
  static constexpr std::size_t exactly_from = 32 << 10, exactly_to = 1 << 20;

  void read_plain(buffer& in, time now, buffer& out);
  void read_tls(const buffer& in, time now, buffer& out);
  void read_strangers_records(const buffer& in, time now, buffer& out);
  void decrypt(std::span<const char> bytes, time now, buffer& out);
  bool shake_tls(buffer& out);
  bool arrived(std::vector<char> frame, time now, buffer& out);
  bool greeted(const std::vector<char>& frame, time now, buffer& out);
  void say_hello(buffer& out);
  std::optional<shared_bytes> next_frame(time now);
  void sent(std::size_t before, time now, const buffer& out);
  void finish_if_drained(buffer& out);
  void too_large(std::uint32_t announced);
  void plan_next_read(std::size_t got);
  emulation emulated(const peer& other) const;

  std::shared_ptr<const session_rules> rules_;
  observer to_;
  std::optional<tls_engine> tls_;
  bool tls_shaken_ = false;
  frame_parser parser_;
  frame_writer writer_;
  egress_queue queue_;
  std::unique_ptr<emulated_path> path_;  // if there is emulation
  std::uint64_t seed_;
  std::optional<peer> who_;
  std::optional<ended> over_;
  bool closing_ = false, held_ = false;

  time started_, heard_, sent_, drained_, closing_since_;
  std::uint64_t in_flight_ = 0;
  buffer partial_record_;  // of a stranger
  std::size_t stranger_bytes_ = 0, at_most_ = first_read;
  traffic traffic_;
};

}  // namespace flamingo::link
