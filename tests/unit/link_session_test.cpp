// A link's two ends in virtual time: hand-shake, frames, priorities, bounds, time-outs.
#include "tests/unit/link_session_pair.hpp"

#include <doctest/doctest.h>

namespace flamingo::link::test {

namespace {

ending how(const end_of_link& e) {
  return e.link.over() ? e.link.over()->why : ending::count_;
}

TEST_SUITE("link session") {
  TEST_CASE("two ends of a network get a link, by TLS and plainly") {
    for (const bool tls : {false, true}) {
      auto p = linked(tls);
      p.settle();
      CHECK(p.a.ups == std::vector{validator(0)});
      CHECK(p.b.ups == std::vector{validator(1)});
    }
  }

  TEST_CASE("frames of all sizes arrive whole and in order, however the wire cuts them") {
    for (const bool tls : {false, true}) {
      auto p = linked(tls);
      p.settle();
      std::size_t sizes[] = {1,      3,      4,      100,    16'379,   16'380,
                             16'381, 16'384, 40'000, 40'001, 1'500'000};
      for (int round = 0; round < 3; ++round) {
        std::shuffle(std::begin(sizes), std::end(sizes), p.random);
        p.b.frames.clear();
        for (const auto size : sizes)
          p.a.link.transmit(link_priority::batches,
                            shared_bytes(std::vector<char>(size, static_cast<char>(size))));
        p.a.link.pump(p.now, p.a.out);
        p.settle();
        REQUIRE(p.b.frames.size() == std::size(sizes));
        for (std::size_t i = 0; i < std::size(sizes); ++i) {
          const byte_span f = p.b.frames[i];
          CHECK(f.size() == sizes[i]);
          const auto fill = static_cast<byte>(sizes[i]);
          CHECK(std::all_of(f.begin(), f.end(), [&](byte x) { return x == fill; }));
        }
      }
      const auto sent = p.a.link.take_traffic(), got = p.b.link.take_traffic();
      CHECK(sent.frames_out == 33);
      CHECK(got.frames_in == 33);
      CHECK(sent.bytes_out == got.bytes_in);
    }
  }

  TEST_CASE("a large frame right behind the hello arrives, however the reads cut the bytes") {
    // What the accepting end says: its part of the hand-shake, then its hello and the backlog.
    const auto stream = [](pair_of_ends& p) {
      auto bytes = std::exchange(p.a.out, {});
      p.b.link.received(bytes, p.now, p.b.out);
      auto flight = std::exchange(p.b.out, {});
      p.a.link.received(flight, p.now, p.a.out);
      bytes = std::exchange(p.a.out, {});
      p.b.link.received(bytes, p.now, p.b.out);
      REQUIRE(p.b.link.up());
      const auto hello = p.b.out.size();
      p.send(p.b, link_priority::batches, 40'000, 'f');
      return std::pair{std::exchange(p.b.out, {}), hello};
    };
    for (const bool tls : {false, true}) {
      CAPTURE(tls);
      std::size_t dense = 1;  // each cut up to some bytes into the frame, then some
      for (std::size_t cut = 0; cut < 4096; cut += cut < dense ? 1 : 61) {
        CAPTURE(cut);
        auto p = linked(tls);
        const auto [bytes, hello] = stream(p);
        dense = hello + 32;
        auto rest = std::span<const char>(bytes);
        auto n = cut == 0 ? std::size_t{4096} : cut;
        while (!rest.empty() && !p.a.link.over()) {
          session::buffer chunk(rest.begin(), rest.begin() + static_cast<long>(n));
          p.a.link.received(chunk, p.now, p.a.out);
          rest = rest.subspan(n);
          n = std::min(rest.size(), p.a.link.next_read().bytes);
        }
        REQUIRE(how(p.a) == ending::count_);
        REQUIRE(p.a.frames.size() == 1);
        REQUIRE(p.a.frames[0].size() == 40'000);
      }
    }
  }

  TEST_CASE("under TLS small frames that leave together share records") {
    auto p = linked(true);
    p.settle();
    for (int i = 0; i < 160; ++i)
      p.a.link.transmit(link_priority::batches, shared_bytes(std::vector<char>(96)));
    p.a.link.pump(p.now, p.a.out);
    CHECK(p.a.out.size() == 160 * 100 + 22);
  }

  TEST_CASE("when a link is backed up, consensus frames overtake what has not left") {
    settings limits;
    limits.in_flight_bytes = 100'000;
    for (const bool tls : {false, true}) {
      auto p = linked(tls, limits);
      p.settle();
      for (int i = 0; i < 5; ++i) p.send(p.a, link_priority::sync, 60'000, 's');
      for (int i = 0; i < 5; ++i) p.send(p.a, link_priority::batches, 60'000, 'b');
      for (int i = 0; i < 5; ++i) p.send(p.a, link_priority::consensus, 1'000, 'c');
      p.settle();
      std::string order;
      for (const auto& f : p.b.frames) order += static_cast<char>(f.data()[0]);
      CHECK(order == "sscccccbbbbbsss");  // two were under way already
    }
  }

  TEST_CASE("a peer that takes nothing makes this end hold no more than its bounds") {
    settings limits;
    limits.in_flight_bytes = 1 << 20;
    limits.queue_bytes = 4 << 20;
    auto p = linked(true, limits);
    p.settle();
    for (int i = 0; i < 1000; ++i) p.send(p.a, link_priority::batches, 100'000);
    CHECK(p.a.out.size() <= (1 << 20) + 101'000);
    CHECK(p.a.link.queued_bytes() <= 4u << 20);
    CHECK(p.a.link.take_traffic().dropped[1] > 900);
    // It is closed when nothing was taken for long, pings or no pings.
    for (auto waited = 0s; waited < 9s; waited += 1s) {
      p.now += 1s;
      p.a.link.tick(p.now, p.a.out);
      session::buffer ping;
      p.b.link.tick(p.now, ping);
      p.a.link.received(ping, p.now, p.a.out);
    }
    CHECK(how(p.a) == ending::count_);
    p.now += 1s;
    p.a.link.tick(p.now, p.a.out);
    CHECK(how(p.a) == ending::stalled);
  }

  TEST_CASE("a frame beyond the cap is not sent") {
    settings limits;
    limits.max_frame_bytes = 100'000;
    auto p = linked(true, limits);
    p.settle();
    p.send(p.a, link_priority::batches, 100'001);
    p.send(p.a, link_priority::batches, 100'000);
    p.settle();
    CHECK(p.b.frames.size() == 1);
    const auto t = p.a.link.take_traffic();
    CHECK(t.dropped[1] == 1);
    CHECK(t.too_large == 1);
  }

  TEST_CASE("a frame beyond the cap is not taken, and ends the link") {
    for (const bool tls : {false, true}) {
      auto a = rules_of(1, tls, validator(0)), b = rules_of(0, tls);
      b.limits.max_frame_bytes = 99'999;
      pair_of_ends p(std::move(a), std::move(b));
      p.settle();
      p.send(p.a, link_priority::batches, 100'000);
      p.settle();
      CHECK(p.b.frames.empty());
      REQUIRE(how(p.b) == ending::oversize);
      CHECK(p.b.link.over()->line ==
            "a frame of 100000 bytes was announced, the limit max_frame_bytes is 99999");
    }
  }

  TEST_CASE("an idle link stays up by pings, and pings are no frames") {
    for (const bool tls : {false, true}) {
      auto p = linked(tls);
      p.pass(5min);
      CHECK(how(p.a) == ending::count_);
      CHECK(how(p.b) == ending::count_);
      CHECK(p.a.frames.empty());
      const auto t = p.a.link.take_traffic();
      CHECK(t.frames_in == 0);
      CHECK(t.bytes_in > 140 * 4);
    }
  }

  TEST_CASE("a link on which nothing comes is closed after idle_timeout") {
    auto p = linked(true);
    p.settle();
    p.now += 10s - 1ms;
    p.a.link.tick(p.now, p.a.out);
    CHECK(how(p.a) == ending::count_);
    p.now += 1ms;
    p.a.link.tick(p.now, p.a.out);
    CHECK(how(p.a) == ending::silent);
  }

  TEST_CASE("a stranger that is silent or trickles is closed after handshake_timeout") {
    for (const bool tls : {false, true})
      for (const bool trickles : {false, true}) {
        const session::time start{1h};
        end_of_link b(rules_of(0, tls), start);
        b.link.start(start, b.out);
        auto now = start;
        while (!b.link.over()) {
          CHECK(b.link.deadline(now) == start + 5s);
          now += 100ms;
          // The start of what would be a hello, or of a TLS record.
          session::buffer one{now - start == 100ms ? '\x16' : '\x03'};
          if (tls && now - start > 500ms) one.clear();
          if (!tls) one[0] = now - start <= 400ms ? (now - start == 100ms ? '\xff' : '\0') : 'x';
          if (trickles && !one.empty()) b.link.received(one, now, b.out);
          b.link.tick(now, b.out);
        }
        CHECK(how(b) == ending::handshake_timeout);
        CHECK(now == start + 5s);
        CHECK(b.ups.empty());
      }
  }

  TEST_CASE("closing lets what is queued leave first") {
    for (const bool tls : {false, true}) {
      settings limits;
      limits.in_flight_bytes = 100'000;
      auto p = linked(tls, limits);
      p.settle();
      for (int i = 0; i < 10; ++i) p.send(p.a, link_priority::batches, 90'000);
      p.a.link.close(p.now, p.a.out);
      p.send(p.a, link_priority::batches, 90'000);  // too late
      CHECK(how(p.a) == ending::count_);
      p.settle();
      CHECK(how(p.a) == ending::closed);
      CHECK(p.b.frames.size() == 10);
      if (tls) CHECK(how(p.b) == ending::peer_closed);
    }
  }

  TEST_CASE("closing does not wait longer than close_timeout for a peer that takes nothing") {
    auto p = linked(false);
    p.settle();
    p.send(p.a, link_priority::batches, 90'000);
    p.a.link.close(p.now, p.a.out);
    p.now += 2s;
    p.a.link.tick(p.now, p.a.out);
    CHECK(how(p.a) == ending::closed);
    CHECK(p.a.link.in_flight() == 90'004);
  }

  TEST_CASE("emulated delay and loss concern frames, not the hand-shake") {
    for (const bool tls : {false, true}) {
      settings limits;
      limits.emulate.all.delay = 100ms;
      limits.emulate.to[validator(1)].loss_per_mille = 1000;
      auto p = linked(tls, limits);
      p.settle();
      REQUIRE(p.a.link.up());
      REQUIRE(p.b.link.up());
      p.send(p.a, link_priority::consensus, 10);
      p.send(p.b, link_priority::consensus, 10);
      p.pass(99ms);
      CHECK(p.b.frames.empty());
      p.pass(1ms);
      CHECK(p.b.frames.size() == 1);
      CHECK(p.a.frames.empty());
      CHECK(p.b.link.take_traffic().lost == 1);
      p.pass(10s);  // a path that loses everything is a cut one
      CHECK(how(p.a) == ending::silent);
    }
  }

  TEST_CASE("a peer that emulation cuts off is refused, and a link to it ends") {
    for (const bool tls : {false, true}) {
      const auto paths = std::make_shared<emulation_switch>(emulations{});
      const auto pair = [&] {
        auto dialler = rules_of(0, tls, validator(1));
        dialler.emulated = paths;
        return pair_of_ends(std::move(dialler), rules_of(1, tls));
      };
      auto p = pair();
      p.settle();
      REQUIRE(p.a.link.up());
      emulations cut;
      cut.to[validator(1)].cut = true;
      paths->set(cut);
      p.pass(1ms);
      CHECK(how(p.a) == ending::cut_off);

      auto refused = pair();
      refused.settle();
      CHECK(how(refused.a) == ending::cut);
      CHECK(refused.a.ups.empty());

      paths->set({});
      auto healed = pair();
      healed.settle();
      CHECK(healed.a.link.up());
    }
  }

  TEST_CASE("an emulated rate keeps priorities: consensus does not wait behind batches") {
    settings limits;
    limits.emulate.all.rate_bits = 8'000'000;
    auto p = linked(true, limits);
    p.settle();
    for (int i = 0; i < 20; ++i) p.send(p.a, link_priority::batches, 100'000, 'b');
    p.pass(250ms);
    p.send(p.a, link_priority::consensus, 1000, 'c');
    p.pass(2500ms);
    std::string order;
    for (const auto& f : p.b.frames) order += static_cast<char>(f.data()[0]);
    CHECK(order == "bbbcbbbbbbbbbbbbbbbbb");
  }
}

}  // namespace

}  // namespace flamingo::link::test
