// Links over loopback: up, frames both ways, down, up again.
#include "actors/link/backlog.hpp"
#include "actors/link/ending.hpp"
#include "tests/actors/link_network.hpp"

namespace flamingo::link::test {

namespace {

using peers = happenings<schema::PeerMessage>;

settings with(bool tls, certificates& certs, const std::string& name) {
  auto s = quick();
  s.tls = tls;
  if (tls) certs.use(s, name);
  return s;
}

TEST_SUITE("link doorway") {
  TEST_CASE("frames travel both ways, in order and unchanged") {
    certificates certs;
    for (const bool tls : {false, true}) {
      CAPTURE(tls);
      node a(identity_of(validator(0)), with(tls, certs, "validator-0"));
      node b(identity_of(validator(1)), with(tls, certs, "validator-1"));
      peers at_a, at_b;
      const auto port = a.doors.primaries->listen({"127.0.0.1", 0}, at_a.to());
      b.doors.primaries->dial(validator(0), {"127.0.0.1", port}, at_b.to());
      REQUIRE(at_a.wait_ups(1));
      REQUIRE(at_b.wait_ups(1));
      CHECK(at_a.who() == validator(1));
      CHECK(at_b.who() == validator(0));
      const std::size_t sizes[] = {1, 4, 1000, 16380, 16384, 16385, 65536, 500'000, 3'000'000};
      for (const auto size : sizes) {
        caf::anon_send(at_a.handle(), atom::transmit_v, link_priority::consensus,
                       frame_of<schema::PeerMessage>(size, 'a'));
        caf::anon_send(at_b.handle(), atom::transmit_v, link_priority::consensus,
                       frame_of<schema::PeerMessage>(size, 'b'));
      }
      REQUIRE(at_a.wait_frames(std::size(sizes)));
      REQUIRE(at_b.wait_frames(std::size(sizes)));
      const auto got = at_a.frames();
      for (std::size_t i = 0; i < std::size(sizes); ++i) {
        CHECK(got[i].from == validator(1));
        CHECK(got[i].frame.size() == sizes[i]);
        const byte_span bytes = got[i].frame.bytes();
        CHECK(std::all_of(bytes.begin(), bytes.end(), [](byte x) { return x == 'b'; }));
      }
    }
  }

  TEST_CASE("a dialled link comes back after the other end was gone") {
    certificates certs;
    node b(identity_of(validator(1)), with(true, certs, "validator-1"));
    peers at_b;
    std::uint16_t port = 0;
    {
      node a(identity_of(validator(0)), with(true, certs, "validator-0"));
      peers at_a;
      port = a.doors.primaries->listen({"127.0.0.1", 0}, at_a.to());
      b.doors.primaries->dial(validator(0), {"127.0.0.1", port}, at_b.to());
      REQUIRE(at_b.wait_ups(1));
      a.stop();
    }
    REQUIRE(at_b.wait_downs(1));
    node again(identity_of(validator(0)), with(true, certs, "validator-0"));
    peers at_again;
    again.doors.primaries->listen({"127.0.0.1", port}, at_again.to());
    REQUIRE(at_b.wait_ups(2));
    caf::anon_send(at_b.handle(1), atom::transmit_v, link_priority::consensus,
                   frame_of<schema::PeerMessage>(8, 'x'));
    CHECK(at_again.wait_frames(1));
  }

  TEST_CASE("a port that is taken is an exception whose line names the address") {
    node a(identity_of(validator(0)), plain());
    peers at_a;
    const auto port = a.doors.primaries->listen({"127.0.0.1", 0}, at_a.to());
    const auto line =
        "cannot listen on 127.0.0.1:" + std::to_string(port) + ": Address already in use";
    CHECK_THROWS_WITH_AS(a.doors.operators->listen({"127.0.0.1", port}, {}), line.c_str(),
                         std::runtime_error);
  }

  TEST_CASE("no event comes after stop returned") {
    node a(identity_of(validator(0)), plain());
    node b(identity_of(validator(1)), plain());
    peers at_a, at_b;
    const auto port = a.doors.primaries->listen({"127.0.0.1", 0}, at_a.to());
    b.doors.primaries->dial(validator(0), {"127.0.0.1", port}, at_b.to());
    REQUIRE(at_a.wait_ups(1));
    REQUIRE(at_b.wait_ups(1));
    for (int i = 0; i < 1000; ++i)
      caf::anon_send(at_b.handle(), atom::transmit_v, link_priority::consensus,
                     frame_of<schema::PeerMessage>(1000, 'x'));
    REQUIRE(at_a.wait_frames(1));
    a.stop();
    const auto seen = at_a.count();
    REQUIRE(at_b.wait_downs(1));  // long after anything that was under way
    CHECK(at_a.count() == seen);
  }

  TEST_CASE("a role that is behind makes its link stop reading, and loses nothing") {
    for (const bool tls : {false, true}) {
      CAPTURE(tls);
      certificates certs;
      auto a_settings = with(tls, certs, "validator-0");
      a_settings.unhandled_bytes = 1 << 20;
      node a(identity_of(validator(0)), a_settings);
      node b(identity_of(validator(1)), with(tls, certs, "validator-1"));
      peers at_a, at_b;  // the frames that `at_a` keeps are not handled
      const auto port = a.doors.primaries->listen({"127.0.0.1", 0}, at_a.to());
      b.doors.primaries->dial(validator(0), {"127.0.0.1", port}, at_b.to());
      REQUIRE(at_b.wait_ups(1));
      constexpr std::size_t frames = 400, size = 100'000;
      for (std::size_t i = 0; i < frames; ++i)
        caf::anon_send(at_b.handle(), atom::transmit_v, link_priority::batches,
                       frame_of<schema::PeerMessage>(i % 3 == 0 ? size : 100, char(i)));
      const runtime::labels mine{{"conversation", "primary"}, {"peer", "validator"}};
      std::size_t seen = 0;
      REQUIRE(a.wait_value("flamingo_link_holds_total", mine, 1));
      // Beyond the bound, one read and the small ones before the socket is left alone.
      CHECK(at_a.kept_bytes() <= (1 << 20) + (256 << 10) + 50 * (4 << 10));
      while (seen < frames) {
        REQUIRE(at_a.wait_frames(seen + 1));
        for (const auto& x : at_a.take_frames()) {
          const byte_span bytes = x.frame.bytes();
          CHECK(bytes.size() == (seen % 3 == 0 ? size : 100));
          CHECK(bytes.front() == static_cast<byte>(seen));
          CHECK(bytes.back() == static_cast<byte>(seen));
          ++seen;
        }
      }
    }
  }

  TEST_CASE("a peer that talks in vain is read slowly, over all its links, and nobody else is") {
    auto s = plain();
    node a(identity_of(validator(0)), s);
    node liar(identity_of(validator(1)), s), again(identity_of(validator(1)), s);
    node honest(identity_of(validator(2)), s);
    peers at_a, at_liar, at_again, at_honest;
    const auto port = a.doors.primaries->listen({"127.0.0.1", 0}, at_a.to());
    liar.doors.primaries->dial(validator(0), {"127.0.0.1", port}, at_liar.to());
    again.doors.primaries->dial(validator(0), {"127.0.0.1", port}, at_again.to());
    honest.doors.primaries->dial(validator(0), {"127.0.0.1", port}, at_honest.to());
    REQUIRE(at_a.wait_ups(3));
    for (auto* x : {&at_liar, &at_again, &at_honest}) REQUIRE(x->wait_ups(1));
    const auto say = [](const peer_link& to) {
      caf::anon_send(to, atom::transmit_v, link_priority::consensus,
                     frame_of<schema::PeerMessage>(1000, 'x'));
    };
    std::size_t vain = 0, heard = 0;
    const auto judge = [&] {
      for (const auto& x : at_a.take_frames())
        if (x.from == validator(1)) {
          x.frame.in_vain();
          ++vain;
        } else {
          ++heard;
        }
    };
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; std::chrono::steady_clock::now() < begin + 3s; ++i) {
      for (int k = 0; k < 20; ++k) say(k % 2 == 0 ? at_liar.handle() : at_again.handle());
      if (i % 10 == 0) say(at_honest.handle());
      std::this_thread::sleep_for(1ms);
      judge();
    }
    const runtime::labels mine{{"conversation", "primary"}, {"peer", "validator"}};
    CHECK(a.value("flamingo_link_throttles_total", mine) >= 2);
    CHECK(heard > 100);
    CHECK(vain < 3000);  // of some 60,000; a read that began has hundreds
    at_a.wait([](auto& r) {
      CHECK(r.downs.empty());
      return true;
    });
  }

  TEST_CASE("a stop of reading is counted though only later it is said what was in vain") {
    auto s = plain();
    s.unhandled_bytes = 40 * backlog::frame_overhead;
    s.vain_frames_per_second = 5;
    node a(identity_of(validator(0)), s), liar(identity_of(validator(1)), s);
    peers at_a, at_liar;
    const auto port = a.doors.primaries->listen({"127.0.0.1", 0}, at_a.to());
    liar.doors.primaries->dial(validator(0), {"127.0.0.1", port}, at_liar.to());
    REQUIRE(at_liar.wait_ups(1));
    for (int i = 0; i < 200; ++i)
      caf::anon_send(at_liar.handle(), atom::transmit_v, link_priority::consensus,
                     frame_of<schema::PeerMessage>(1000, 'x'));
    const runtime::labels mine{{"conversation", "primary"}, {"peer", "validator"}};
    REQUIRE(a.wait_value("flamingo_link_holds_total", mine, 1));
    CHECK(a.value("flamingo_link_throttles_total", mine) == 0);
    for (const auto& x : at_a.take_frames()) x.frame.in_vain();
    CHECK(a.wait_value("flamingo_link_throttles_total", mine, 1));
  }

  TEST_CASE("close lets what was sent before it arrive, and a dialled link comes back") {
    node a(identity_of(validator(0)), plain()), b(identity_of(validator(1)), plain());
    peers at_a, at_b;
    const auto port = a.doors.primaries->listen({"127.0.0.1", 0}, at_a.to());
    b.doors.primaries->dial(validator(0), {"127.0.0.1", port}, at_b.to());
    REQUIRE(at_b.wait_ups(1));
    for (int i = 0; i < 50; ++i)
      caf::anon_send(at_b.handle(), atom::transmit_v, link_priority::sync,
                     frame_of<schema::PeerMessage>(300'000, 'x'));
    caf::anon_send(at_b.handle(), atom::close_v);
    CHECK(at_a.wait_frames(50));
    CHECK(at_a.wait_downs(1));
    CHECK(at_b.wait_downs(1));
    CHECK(at_b.wait_ups(2));
  }

  TEST_CASE("stop ends a link whose peer takes nothing, without waiting for it") {
    auto s = plain();
    s.unhandled_bytes = 1 << 20;
    s.idle_timeout = 60s;
    node deaf(identity_of(validator(1)), s);
    peers at_deaf;
    {
      node a(identity_of(validator(0)), s);
      peers at_a;
      const auto port = a.doors.primaries->listen({"127.0.0.1", 0}, at_a.to());
      deaf.doors.primaries->dial(validator(0), {"127.0.0.1", port}, at_deaf.to());
      REQUIRE(at_a.wait_ups(1));
      for (int i = 0; i < 500; ++i)
        caf::anon_send(at_a.handle(), atom::transmit_v, link_priority::batches,
                       frame_of<schema::PeerMessage>(100'000, 'x'));
      REQUIRE(deaf.wait_value("flamingo_link_holds_total", {{"conversation", "primary"}}, 1));
      const auto begin = std::chrono::steady_clock::now();
      a.stop();
      CHECK(std::chrono::steady_clock::now() - begin < 2s);
    }  // and its actor system ends
    CHECK(at_deaf.wait([](auto& r) {
      r.frames.clear();  // it reads again
      return !r.downs.empty();
    }));
  }

  TEST_CASE("emulated delay delays frames and emulated loss loses them") {
    auto s = plain();
    s.emulate.all.delay = 150ms;
    s.emulate.to[validator(1)].loss_per_mille = 1000;
    s.ping_interval = 20ms;
    s.idle_timeout = 400ms;
    node a(identity_of(validator(0)), s), b(identity_of(validator(1)), s);
    peers at_a, at_b;
    const auto port = a.doors.primaries->listen({"127.0.0.1", 0}, at_a.to());
    b.doors.primaries->dial(validator(0), {"127.0.0.1", port}, at_b.to());
    REQUIRE(at_a.wait_ups(1));
    REQUIRE(at_b.wait_ups(1));
    const auto begin = std::chrono::steady_clock::now();
    caf::anon_send(at_a.handle(), atom::transmit_v, link_priority::consensus,
                   frame_of<schema::PeerMessage>(8, 'a'));
    caf::anon_send(at_b.handle(), atom::transmit_v, link_priority::consensus,
                   frame_of<schema::PeerMessage>(8, 'b'));
    REQUIRE(at_a.wait_frames(1));
    CHECK(std::chrono::steady_clock::now() - begin >= 150ms);
    REQUIRE(at_b.wait_downs(1));  // all that a sends is lost, pings too
    CHECK(at_b.count() == 0);
    CHECK(a.value("flamingo_link_emulated_loss_total", {{"conversation", "primary"}}) >= 1);
    CHECK(b.value("flamingo_link_closed_total",
                  {{"conversation", "primary"}, {"reason", "silent"}}) == 1);
  }

  TEST_CASE("all series of links are there at 0 before anything happens") {
    node a(identity_of(validator(0)), plain());
    std::size_t series = 0;
    for (const auto& family : a.metrics.registry()->Collect()) {
      CHECK(family.name.starts_with("flamingo_link_"));
      for (const auto& m : family.metric) CHECK(m.counter.value + m.gauge.value == 0);
      series += family.metric.size();
    }
    CHECK(series == 6 * 12 + 4 * (endings + 2));
  }
}

}  // namespace

}  // namespace flamingo::link::test
