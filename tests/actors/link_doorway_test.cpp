// Links over loopback: up, frames both ways, down, up again.
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
}

}  // namespace

}  // namespace flamingo::link::test
