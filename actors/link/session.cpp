#include "actors/link/session.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace flamingo::link {

session::session(std::shared_ptr<const session_rules> rules, observer to, time now,
                 std::uint64_t seed)
    : rules_(std::move(rules)),
      to_(std::move(to)),
      parser_(max_hello_bytes),
      writer_(nullptr),
      queue_(rules_->limits.queue_bytes),
      seed_(seed),
      started_(now),
      heard_(now),
      sent_(now),
      drained_(now),
      closing_since_(now) {
  if (!rules_->tls) return;
  tls_.emplace(*rules_->tls, rules_->dials() ? tls_engine::side::dials : tls_engine::side::accepts);
  writer_ = frame_writer(&*tls_);
}

void session::start(time now, buffer& out) {
  if (over_) return;
  if (!rules_->dials()) return;
  const auto before = out.size();
  if (tls_)
    shake_tls(out);
  else
    say_hello(out);
  sent(before, now, out);
}

void session::end(ending why, std::string line) {
  if (over_) return;
  over_ = ended{why, std::move(line)};
  queue_.clear();
}

void session::disconnected() {
  if (up())
    end(closing_ ? ending::closed : ending::peer_closed, "the connection was closed");
  else
    end(ending::hung_up, "it hung up before the end of the hand-shake");
}

// -- what comes in

void session::received(buffer& in, time now, buffer& out) {
  if (over_) return;
  const auto got = in.size();
  traffic_.bytes_in += got;
  heard_ = now;
  if (!up() && (stranger_bytes_ += got) > max_stranger_bytes)
    return end(ending::malformed, fmt::format("more than {} bytes before the end of the hand-shake",
                                              max_stranger_bytes));
  if (tls_)
    read_tls(in, now, out);
  else
    read_plain(in, now, out);
  plan_next_read(got);
}

void session::read_plain(buffer& in, time now, buffer& out) {
  const auto before = out.size();
  const auto each = [&](std::vector<char> frame) { return arrived(std::move(frame), now, out); };
  if (parser_.at_start_of_frame() && in.size() == parser_.announced()) {
    parser_.adopt(std::exchange(in, {}));
    each(parser_.take());
  } else if (!parser_.push(in, each)) {
    too_large(parser_.announced());
  }
  sent(before, now, out);
}

void session::read_tls(const buffer& in, time now, buffer& out) {
  const auto before = out.size();
  if (up())
    decrypt(in, now, out);
  else
    read_strangers_records(in, now, out);
  sent(before, now, out);
  // Whoever makes us answer (key updates) without ever taking the answers.
  if (in_flight_ > 2ull * rules_->limits.in_flight_bytes + rules_->limits.max_frame_bytes)
    end(ending::stalled, "it asks for answers and takes none");
}

// OpenSSL keeps a buffer of the largest record for a partial one; a stranger's wait here instead.
// One record at a time: the one after the hello may be a frame of any size.
void session::read_strangers_records(const buffer& in, time now, buffer& out) {
  constexpr std::size_t header = 5;  // its last two bytes are the length, big-endian
  partial_record_.insert(partial_record_.end(), in.begin(), in.end());
  const auto bytes = std::exchange(partial_record_, {});
  auto rest = std::span<const char>(bytes);
  while (!up() && rest.size() >= header) {
    const auto* length = reinterpret_cast<const unsigned char*>(&rest[3]);
    const std::size_t size = header + (std::size_t(length[0]) << 8 | length[1]);
    if (size > max_stranger_record)
      return end(ending::bad_tls, fmt::format("a record of {} bytes in the hand-shake", size));
    if (rest.size() < size) break;
    decrypt(rest.first(size), now, out);
    if (over_) return;
    rest = rest.subspan(size);
  }
  if (!up())
    partial_record_.assign(rest.begin(), rest.end());
  else if (!rest.empty())
    decrypt(rest, now, out);
}

void session::decrypt(std::span<const char> bytes, time now, buffer& out) {
  tls_->feed(bytes);
  if (!tls_shaken_ && !shake_tls(out)) return;
  std::size_t got = 0;
  auto progress = tls_engine::progress::done;
  while (!over_) {
    progress = tls_->read(parser_.room(), got, out);
    if (progress != tls_engine::progress::done) break;
    switch (parser_.advance(got)) {
      case frame_parser::step::more:
        break;
      case frame_parser::step::frame:
        arrived(parser_.take(), now, out);
        break;
      case frame_parser::step::oversize:
        too_large(parser_.announced());
        break;
    }
  }
  if (progress == tls_engine::progress::failed)
    end(up() ? ending::broken_tls : ending::bad_tls, tls_->failure());
  else if (progress == tls_engine::progress::ended)
    disconnected();
}

// True once the hand-shake of TLS is over.
bool session::shake_tls(buffer& out) {
  switch (tls_->handshake(out)) {
    case tls_engine::progress::more:
      return false;
    case tls_engine::progress::done:
      break;
    default:
      end(ending::bad_tls, tls_->failure());
      return false;
  }
  tls_shaken_ = true;
  if (rules_->dials()) say_hello(out);
  return true;
}

void session::too_large(std::uint32_t announced) {
  if (up())
    end(ending::oversize,
        fmt::format("a frame of {} bytes was announced, the limit max_frame_bytes is {}", announced,
                    rules_->limits.max_frame_bytes));
  else
    end(ending::malformed,
        fmt::format("a first frame of {} bytes was announced, a hello has at most {}", announced,
                    max_hello_bytes));
}

// @returns false if nothing more is to be read.
bool session::arrived(std::vector<char> frame, time now, buffer& out) {
  if (!up()) return greeted(frame, now, out);
  if (frame.empty()) return true;  // a ping
  ++traffic_.frames_in;
  to_.frame(shared_bytes(std::move(frame)));
  return !over_;
}

// Who dials says hello first. Who accepts answers only where the other end would see the same, so
// that a link which is up at the end that dialled is up at both.
bool session::greeted(const std::vector<char>& frame, time now, buffer& out) {
  const auto theirs = decode_hello(frame);
  if (!theirs) {
    end(ending::malformed, "its first frame is no hello");
    return false;
  }
  std::optional<std::string> certified;
  if (tls_) certified = tls_->peer_name().value_or("nobody");
  const auto no = refusal(*theirs, rules_->ours, rules_->admit, certified);
  const auto emulate = emulated(theirs->from);
  if (!no && emulate.cut) {
    end(ending::cut, fmt::format("emulation has cut {} off", to_string(theirs->from)));
    return false;
  }
  const bool about_them = no && (no->why == ending::wrong_name || no->why == ending::unknown_peer);
  if (!rules_->dials() && !about_them) say_hello(out);
  if (no) {
    end(no->why, no->line);
    return false;
  }
  const auto& limits = rules_->limits;
  if (emulate.on()) path_ = std::make_unique<emulated_path>(emulate, limits.emulated_bytes, seed_);
  if (tls_) tls_->keep_buffers();
  parser_.set_cap(limits.max_frame_bytes);
  who_ = theirs->from;
  heard_ = now;
  to_.up(*who_);
  return true;
}

emulation session::emulated(const peer& other) const {
  return rules_->emulated ? rules_->emulated->of(other) : emulation{};
}

// Twice as much when a read was filled, half when it was nearly empty: an idle link holds little.
void session::plan_next_read(std::size_t got) {
  if (!up()) return;
  const std::size_t most = rules_->limits.read_bytes;
  if (got >= at_most_)
    at_most_ = std::min(at_most_ * 2, most);
  else if (got < at_most_ / 4)
    at_most_ = std::max(at_most_ / 2, std::min(first_read, most));
}

session::reading session::next_read() const {
  const auto large = [](std::size_t n) { return exactly_from <= n && n <= exactly_to; };
  if (held_) return {false, std::min(first_read, at_most_)};  // what comes before reading stops
  const bool exact = parser_.in_frame() ? large(parser_.missing())
                                        : large(parser_.announced()) && parser_.at_boundary();
  if (!tls_ && up() && exact) return {true, parser_.missing()};
  return {false, at_most_};
}

// -- what goes out

void session::say_hello(buffer& out) {
  const auto bytes = encode(rules_->ours);
  writer_.put({reinterpret_cast<const byte*>(bytes.data()), bytes.size()}, out);
  writer_.flush(out);
}

void session::sent(std::size_t before, time now, const buffer& out) {
  if (out.size() == before) return;
  if (in_flight_ == 0) drained_ = now;
  in_flight_ += out.size() - before;
  traffic_.bytes_out += out.size() - before;
  sent_ = now;
}

void session::transmit(link_priority priority, shared_bytes frame) {
  if (over_ || closing_) return;
  if (frame.size() > rules_->limits.max_frame_bytes) {
    ++traffic_.dropped[static_cast<std::size_t>(priority)];
    ++traffic_.too_large;
    return;
  }
  queue_.push(priority, std::move(frame));
}

std::optional<shared_bytes> session::next_frame(time now) {
  if (!path_) return queue_.pop();
  while (path_->free(now)) {
    auto frame = queue_.pop();
    if (!frame) break;
    path_->enter(std::move(*frame), now);
  }
  return path_->leave(now);
}

void session::pump(time now, buffer& out) {
  if (over_ || !up()) return;
  auto before = out.size();
  while (in_flight_ < rules_->limits.in_flight_bytes) {
    const auto frame = next_frame(now);
    if (!frame) break;
    if (!frame->empty()) ++traffic_.frames_out;
    writer_.put(*frame, out);
    sent(before, now, out);
    before = out.size();
  }
  writer_.flush(out);
  sent(before, now, out);
  if (!writer_.ok()) return end(ending::broken_tls, tls_->failure());
  finish_if_drained(out);
}

void session::drained(std::uint64_t in_flight, time now, buffer& out) {
  if (over_) return;
  in_flight_ = in_flight;
  drained_ = now;
  pump(now, out);
}

void session::close(time now, buffer& out) {
  if (over_ || closing_) return;
  closing_ = true;
  closing_since_ = now;
  if (!up()) return end(ending::closed, "closed by this end");
  pump(now, out);
}

void session::finish_if_drained(buffer& out) {
  if (!closing_ || in_flight_ > 0 || !queue_.empty() || (path_ && !path_->empty())) return;
  if (tls_) tls_->close(out);
  end(ending::closed, "closed by this end");
}

void session::hold(bool on, time now) {
  held_ = on;
  heard_ = now;
}

// -- time

void session::tick(time now, buffer& out) {
  if (over_) return;
  const auto& limits = rules_->limits;
  if (!up()) {
    if (now >= started_ + limits.handshake_timeout)
      end(ending::handshake_timeout, fmt::format("no hand-shake within handshake_timeout ({} ms)",
                                                 limits.handshake_timeout.count()));
    return;
  }
  if (emulated(*who_).cut)
    return end(ending::cut_off, fmt::format("emulation has cut {} off", to_string(*who_)));
  if (!held_ && now >= heard_ + limits.idle_timeout)
    return end(ending::silent, fmt::format("nothing came within idle_timeout ({} ms)",
                                           limits.idle_timeout.count()));
  if (in_flight_ > 0 && now >= drained_ + limits.idle_timeout)
    return end(ending::stalled, fmt::format("it took nothing within idle_timeout ({} ms)",
                                            limits.idle_timeout.count()));
  if (closing_ && now >= closing_since_ + limits.close_timeout)
    return end(ending::closed, fmt::format("closed by this end with {} bytes unsent", in_flight_));
  if (in_flight_ == 0 && now >= sent_ + limits.ping_interval) {
    sent_ = now;  // also if emulation loses it
    queue_.push(link_priority::consensus, {});
  }
  pump(now, out);
}

session::time session::deadline(time now) const {
  const auto& limits = rules_->limits;
  if (!up()) return started_ + limits.handshake_timeout;
  auto first = in_flight_ > 0 ? drained_ + limits.idle_timeout : sent_ + limits.ping_interval;
  if (!held_) first = std::min(first, heard_ + limits.idle_timeout);
  if (closing_) first = std::min(first, closing_since_ + limits.close_timeout);
  if (path_ && in_flight_ < limits.in_flight_bytes)
    if (const auto next = path_->next(now)) first = std::min(first, *next);
  return first;
}

traffic session::take_traffic() {
  const auto dropped = queue_.take_dropped();
  for (std::size_t i = 0; i < link_priorities; ++i) traffic_.dropped[i] += dropped[i];
  if (path_) traffic_.lost += path_->take_lost();
  return std::exchange(traffic_, {});
}

}  // namespace flamingo::link
