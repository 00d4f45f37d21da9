// Two ends of a link, plain or by TLS, with an enemy on the wire who cuts, damages, drops, doubles
// and invents bytes: nobody crashes, holds more than the bounds, or hears a frame that was not sent
// to it as it was sent. (Plain links vouch for nothing that an enemy changes.)
#include <optional>

#include "messages/assert.hpp"
#include "tests/unit/link_session_pair.hpp"

namespace {

using namespace flamingo;
using namespace flamingo::link;
using namespace flamingo::link::test;

constexpr std::uint32_t frame_cap = 64 << 10;

// The enemy's decisions, one byte each; then zeros: leave all alone.
class decisions {
public:
  decisions(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}
  std::uint8_t next() {
    if (rest_.empty()) return 0;
    const auto out = rest_.front();
    rest_ = rest_.subspan(1);
    return out;
  }
  std::size_t next_16() {
    const std::size_t low = next();
    return low | std::size_t(next()) << 8;
  }
  bool empty() const { return rest_.empty(); }

private:
  std::span<const std::uint8_t> rest_;
};

void attack(session::buffer& bytes, decisions& enemy) {
  switch (enemy.next() % 8) {
    case 1:  // damage
      if (!bytes.empty())
        bytes[enemy.next_16() % bytes.size()] ^= static_cast<char>(1 + enemy.next() % 255);
      break;
    case 2:  // drop
      bytes.resize(enemy.next_16() % (bytes.size() + 1));
      break;
    case 3:  // repeat
      if (bytes.size() < 4096) bytes.insert(bytes.end(), bytes.begin(), bytes.end());
      break;
    case 4: {  // invent
      const auto n = enemy.next();
      for (unsigned i = 0; i < n; ++i) bytes.push_back(static_cast<char>(enemy.next()));
      break;
    }
    default:
      break;
  }
}

void carry(end_of_link& from, end_of_link& to, session::time now, decisions& enemy) {
  auto bytes = std::exchange(from.out, {});
  from.link.drained(0, now, from.out);
  attack(bytes, enemy);
  for (std::size_t at = 0; at < bytes.size() && !to.link.over();) {
    const auto reading = to.link.next_read();
    auto n = std::min(reading.bytes, bytes.size() - at);
    if (reading.exactly && n < reading.bytes) break;  // the rest never comes
    if (!reading.exactly)
      if (const auto cut = enemy.next()) n = 1 + cut * cut % n;
    session::buffer chunk(bytes.begin() + static_cast<long>(at),
                          bytes.begin() + static_cast<long>(at + n));
    to.link.received(chunk, now, to.out);
    at += n;
  }
}

// Frames are their size in bytes, all of them the sender's letter.
void check_frames(const end_of_link& heard, char letter) {
  for (const auto& f : heard.frames) {
    const byte_span bytes = f;
    FLAMINGO_ASSERT(std::all_of(bytes.begin(), bytes.end(),
                                [&](byte x) { return static_cast<char>(x) == letter; }));
  }
}

pair_of_ends start(bool tls) {
  settings limits;
  limits.max_frame_bytes = frame_cap;
  limits.in_flight_bytes = 64 << 10;
  limits.queue_bytes = 1 << 20;
  return linked(tls, limits);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  decisions enemy(data, size);
  const bool tls = enemy.next() % 2 == 0;
  auto p = start(tls);
  for (int round = 0; round < 40 && !(p.a.link.over() && p.b.link.over()); ++round) {
    const auto what = enemy.next();
    if (what % 4 == 1) p.send(p.a, link_priority(what / 4 % 3), enemy.next_16(), 'a');
    if (what % 4 == 2) p.send(p.b, link_priority(what / 4 % 3), enemy.next_16(), 'b');
    if (what % 16 == 3) p.now += std::chrono::milliseconds(enemy.next() * 50);
    carry(p.a, p.b, p.now, enemy);
    carry(p.b, p.a, p.now, enemy);
    for (auto* e : {&p.a, &p.b}) {
      e->link.tick(p.now, e->out);
      FLAMINGO_ASSERT(e->link.over() || e->link.queued_bytes() <= 1 << 20);
      FLAMINGO_ASSERT(e->ups.size() <= 1);
      FLAMINGO_ASSERT(e->frames.empty() || e->ups.size() == 1);
    }
  }
  for (auto* e : {&p.a, &p.b})
    for (const auto& f : e->frames) FLAMINGO_ASSERT(f.size() <= frame_cap);
  if (tls) {
    check_frames(p.a, 'b');
    check_frames(p.b, 'a');
  }
  return 0;
}
