// Tells each kind of message to some of the others only, now these and then those; and garbles, if
// it is that kind of validator: random bytes among those that leave.
#pragma once

#include <map>

#include "tests/sim/byzantine/behaviour.hpp"
#include "tests/sim/byzantine/insider.hpp"

namespace flamingo::sim::byzantine {

class selective final : public behaviour {
public:
  explicit selective(insider who) : who_(std::move(who)) {}

  using behaviour::says;
  std::vector<peer_frame> says(link::peer to, const peer_frame& x) override {
    unsigned kind = 0;
    x.read([&](schema::PeerMessage::Reader r) { kind = r.which(); });
    if (!tells(to, kind)) return {};
    return {x};
  }
  std::vector<worker_frame> says(link::peer to, const worker_frame& x) override {
    unsigned kind = 0;
    x.read([&](schema::WorkerMessage::Reader r) { kind = r.which(); });
    if (!tells(to, worker_kinds + kind)) return {};
    return {x};
  }

private:
  static constexpr unsigned worker_kinds = 100;
  static constexpr std::uint64_t steady = 300;  // messages of a kind before it decides anew

  struct favour {
    bool tells = true;
    std::uint64_t left = 0;
  };
  bool tells(link::peer to, unsigned kind) {
    favour& x = favours_[{to.index, kind}];
    if (x.left == 0) x = {who_.random.chance(600), who_.random.between(1, steady)};
    --x.left;
    return x.tells;
  }

  insider who_;
  std::map<std::pair<std::uint32_t, unsigned>, favour> favours_;
};

/// Some of the frames that leave have other bytes in them, some are cut short.
class garbler final : public behaviour {
public:
  explicit garbler(insider who) : who_(std::move(who)) {}

  using behaviour::says;
  std::vector<peer_frame> says(link::peer, const peer_frame& x) override { return garbled(x); }
  std::vector<worker_frame> says(link::peer, const worker_frame& x) override { return garbled(x); }

private:
  template <class Message>
  std::vector<wire<Message>> garbled(const wire<Message>& x) {
    if (!who_.random.chance(250) || x.size() == 0) return {x};
    std::vector<char> bytes(x.bytes().data(), x.bytes().data() + x.size());
    for (std::uint64_t i = who_.random.between(1, 8); i > 0; --i)
      bytes[who_.random.below(bytes.size())] = static_cast<char>(who_.random.below(256));
    if (who_.random.chance(200)) bytes.resize(who_.random.below(bytes.size()));
    const wire<Message> other{shared_bytes(std::move(bytes))};
    if (who_.random.chance(500)) return {other, x};
    return {other};
  }

  insider who_;
};

}  // namespace flamingo::sim::byzantine
