// Two ends of a link in virtual time, over a wire that a test controls.
#pragma once

#include <algorithm>
#include <map>
#include <random>

#include "actors/link/session.hpp"
#include "crypto/tls_identity.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace flamingo::link::test {

using namespace std::chrono_literals;

inline peer validator(std::uint32_t i) {
  return {peer::kind::validator, i};
}

/// A network's certificates, made once for all tests of a program.
class network_certificates {
public:
  std::shared_ptr<const tls_context> of(const std::string& name) {
    auto& made = made_[name];
    if (made) return made;
    const auto files = crypto::issue(authority_, name, dir_.path());
    return made = std::make_shared<const tls_context>(authority_.certificate_file(),
                                                      files.certificate, files.private_key, name);
  }

private:
  tests::temporary_directory dir_;
  crypto::authority authority_ = crypto::create_authority(dir_.path());
  std::map<std::string, std::shared_ptr<const tls_context>> made_;
};
inline network_certificates& certificates() {
  static network_certificates made;
  return made;
}

/// Rules of validator `self`; dialling `whom` or accepting.
inline session_rules rules_of(std::uint32_t self, bool tls,
                              std::optional<peer> whom = std::nullopt) {
  session_rules out;
  if (tls) out.tls = certificates().of("validator-" + std::to_string(self));
  out.ours.chain.bytes.fill(0xc4);
  out.ours.committee.bytes.fill(0xf1);
  out.ours.from = validator(self);
  out.admit = {peer::kind::validator, 4, 2, whom};
  return out;
}

/// One end, what it said, and what it appended that has not left.
struct end_of_link {
  explicit end_of_link(session_rules rules, session::time now)
      : link(std::make_shared<const session_rules>(std::move(rules)), observe(), now, 1) {}

  session::observer observe() {
    return {[this](peer p) { ups.push_back(p); },
            [this](shared_bytes f) { frames.push_back(std::move(f)); }};
  }

  std::vector<peer> ups;
  std::vector<shared_bytes> frames;
  session::buffer out;  // not yet on the wire
  session link;
};

struct pair_of_ends {
  pair_of_ends(session_rules dialler, session_rules acceptor)
      : a(std::move(dialler), now), b(std::move(acceptor), now) {
    a.link.start(now, a.out);
    b.link.start(now, b.out);
  }

  /// Carries some bytes from one end to the other, as the socket would. @returns false if none
  /// went.
  bool carry(end_of_link& from, end_of_link& to) {
    if (from.out.empty() || to.link.over()) return false;
    const auto reading = to.link.next_read();
    if (reading.exactly && from.out.size() < reading.bytes) return false;
    auto n = std::min(reading.bytes, from.out.size());
    if (!reading.exactly) n = 1 + random() % n;
    session::buffer chunk(from.out.begin(), from.out.begin() + static_cast<long>(n));
    from.out.erase(from.out.begin(), from.out.begin() + static_cast<long>(n));
    to.link.received(chunk, now, to.out);
    from.link.drained(from.out.size(), now, from.out);
    return true;
  }
  /// Until nothing more goes.
  void settle() {
    bool went = true;
    while (went) {
      went = carry(a, b);
      went = carry(b, a) || went;
    }
  }
  /// Lets time pass, an end ticking when it asked for it.
  void pass(session::time::duration d) {
    const auto until = now + d;
    for (;;) {
      settle();
      auto next = until;
      for (auto* e : {&a, &b})
        if (!e->link.over()) next = std::min(next, e->link.deadline(now));
      now = std::max(now, next);
      for (auto* e : {&a, &b}) e->link.tick(now, e->out);
      settle();
      if (now >= until) return;
    }
  }
  void send(end_of_link& from, link_priority p, std::size_t size, char fill = 'x') {
    from.link.transmit(p, shared_bytes(std::vector<char>(size, fill)));
    from.link.pump(now, from.out);
  }

  session::time now{1h};
  std::mt19937_64 random{42};
  end_of_link a, b;
};

inline pair_of_ends linked(bool tls, settings limits = {}) {
  auto a = rules_of(1, tls, validator(0)), b = rules_of(0, tls);
  a.limits = b.limits = limits;
  a.emulated = b.emulated = std::make_shared<emulation_switch>(limits.emulate);
  return {std::move(a), std::move(b)};
}

}  // namespace flamingo::link::test
