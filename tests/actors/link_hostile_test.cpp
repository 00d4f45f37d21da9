// Doors against strangers and peers that misbehave, over loopback.
#include <fcntl.h>
#include <malloc.h>
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>

#include "actors/link/frame_parser.hpp"
#include "actors/link/hello.hpp"
#include "actors/link/sockets.hpp"
#include "tests/actors/link_network.hpp"
#include "tests/unit/link_raw_client.hpp"

namespace flamingo::link::test {

namespace {

using peers = happenings<schema::PeerMessage>;
using workers = happenings<schema::WorkerMessage>;
using operators = happenings<schema::OperatorMessage>;

// A connection of somebody who does not use our code.
struct stranger {
  explicit stranger(std::uint16_t port) {
    const auto to = resolve_number({"127.0.0.1", port});
    REQUIRE(to);
    socket = start_connect(to->endpoints.at(0));
    REQUIRE(bool(socket));
    // Blocking from here on, with a deadline.
    const int flags = ::fcntl(socket.get(), F_GETFL);
    ::fcntl(socket.get(), F_SETFL, flags & ~O_NONBLOCK);
    const timeval patient{20, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patient, sizeof patient);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patient, sizeof patient);
  }
  bool say(const std::vector<char>& bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
      const auto n = ::send(socket.get(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (n <= 0) return false;
      at += static_cast<std::size_t>(n);
    }
    return true;
  }
  /// What comes next; empty once the other end closed.
  std::vector<char> hear() {
    std::vector<char> out(4096);
    const auto n = ::recv(socket.get(), out.data(), out.size(), 0);
    out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return out;
  }
  /// True once the other end closed it, false at the deadline.
  bool is_closed() {
    for (;;) {
      char byte;
      const auto n = ::recv(socket.get(), &byte, 1, 0);
      if (n > 0) continue;
      return n == 0 || errno == ECONNRESET;
    }
  }
  socket_handle socket;
};

std::vector<char> framed(const std::vector<char>& bytes) {
  std::vector<char> out(frame_parser::header_bytes + bytes.size());
  put_header(static_cast<std::uint32_t>(bytes.size()), out.data());
  std::copy(bytes.begin(), bytes.end(), out.begin() + frame_parser::header_bytes);
  return out;
}

std::vector<char> greeting_of(const peer& who) {
  const auto id = identity_of(who);
  return framed(
      encode({protocol_version, id.chain, id.committee, conversation::primaries, {}, who}));
}

double refused(const node& n, const char* why, const char* about = "primary") {
  return n.value("flamingo_link_refused_total", {{"conversation", about}, {"reason", why}});
}
bool wait_refused(const node& n, const char* why, double least, const char* about = "primary") {
  return n.wait_value("flamingo_link_refused_total", {{"conversation", about}, {"reason", why}},
                      least);
}

// Of this process.
std::size_t open_descriptors() {
  std::size_t out = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++out;
  return out;
}
// On the heap of this process, bytes.
std::size_t used_memory() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
template <class F>
bool wait_at_most(std::size_t most, F measure) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (measure() > most) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

// A door that works, to see that whatever else happens leaves it alone.
struct bystanders {
  explicit bystanders(node& door, settings s) : other(identity_of(validator(3)), s) {
    port = door.doors.primaries->listen({"127.0.0.1", 0}, here.to());
    other.doors.primaries->dial(validator(0), {"127.0.0.1", port}, there.to());
    REQUIRE(here.wait_ups(1));
    REQUIRE(there.wait_ups(1));
  }
  bool still_talk() {
    const auto before = here.count();
    caf::anon_send(there.handle(), atom::transmit_v, link_priority::consensus,
                   frame_of<schema::PeerMessage>(8, 'b'));
    return here.wait_frames(before + 1);
  }
  peers here, there;
  node other;
  std::uint16_t port = 0;
};

TEST_SUITE("link against hostile ends") {
  TEST_CASE("garbage and truncated frames close their connection and nothing else") {
    certificates certs;
    for (const bool tls : {false, true}) {
      CAPTURE(tls);
      auto s = quick();
      s.tls = tls;
      const auto as = [&](const char* name) {
        auto out = s;
        if (tls) certs.use(out, name);
        return out;
      };
      node door(identity_of(validator(0)), as("validator-0"));
      bystanders others(door, as("validator-3"));
      std::vector<char> garbage(20'000);
      for (std::size_t i = 0; i < garbage.size(); ++i)
        garbage[i] = static_cast<char>(i * 7919 >> 3);
      stranger a(others.port);
      a.say(garbage);
      CHECK(a.is_closed());
      {
        stranger truncated(others.port);
        truncated.say({'\x10', 0, 0});
      }
      CHECK(wait_refused(door, "hung_up", 1));
      CHECK(refused(door, "malformed") + refused(door, "bad_tls") == 1);
      CHECK(others.still_talk());
      CHECK(door.value("flamingo_link_strangers", {{"conversation", "primary"}}) == 0);
    }
  }

  TEST_CASE("frames of a peer that are cut short or too large end its link and no other") {
    node door(identity_of(validator(0)), plain());
    bystanders others(door, plain());
    {
      stranger cut(others.port);
      cut.say(greeting_of(validator(1)));
      REQUIRE(others.here.wait_ups(2));
      cut.say({100, 0, 0, 0, 'x'});
    }
    CHECK(others.here.wait_downs(1));
    stranger large(others.port);
    large.say(greeting_of(validator(2)));
    REQUIRE(others.here.wait_ups(3));
    large.say({'\xff', '\xff', '\xff', '\x7f', 'x'});
    CHECK(large.is_closed());
    CHECK(others.here.wait_downs(2));
    CHECK(door.wait_value("flamingo_link_closed_total",
                          {{"conversation", "primary"}, {"reason", "oversize"}}, 1));
    CHECK(others.here.count() == 0);
    CHECK(others.still_talk());
  }

  TEST_CASE("another network, committee, conversation, worker or name is refused by reason") {
    node door(identity_of(validator(0)), plain());
    peers here;
    workers at_worker;
    const auto port = door.doors.primaries->listen({"127.0.0.1", 0}, here.to());
    const auto worker_port =
        door.doors.workers->listen({"127.0.0.1", 0}, at_worker.to(worker_id{1}));
    auto id = identity_of(validator(1));
    id.chain.bytes[0] = 0;
    node chain(id, plain());
    id = identity_of(validator(1));
    id.committee.bytes[0] = 0;
    node file(id, plain());
    node right(identity_of(validator(1)), plain()), client_node(identity_of(client(0)), plain());
    peers nobody;
    workers no_worker;
    const network_address at{"127.0.0.1", port};
    chain.doors.primaries->dial(validator(0), at, nobody.to());
    CHECK(wait_refused(door, "wrong_chain", 1));
    CHECK(wait_refused(chain, "wrong_chain", 1));
    CHECK(nobody.wait_refusal(validator(0), ending::wrong_chain));
    file.doors.primaries->dial(validator(0), at, nobody.to());
    CHECK(wait_refused(door, "wrong_committee", 1));
    CHECK(nobody.wait_refusal(validator(0), ending::wrong_committee));
    right.doors.workers->dial(validator(0), at, no_worker.to());
    CHECK(wait_refused(door, "wrong_conversation", 1));
    right.doors.workers->dial(validator(0), {"127.0.0.1", worker_port}, no_worker.to(worker_id{2}));
    CHECK(wait_refused(door, "wrong_worker", 1, "worker"));
    right.doors.primaries->dial(validator(2), at, nobody.to());
    CHECK(wait_refused(right, "unexpected_peer", 1));
    CHECK(nobody.wait_refusal(validator(2), ending::unexpected_peer));
    // Who accepts is told nothing: it dialled nobody.
    CHECK(here.wait([](auto& r) { return r.refusals.empty(); }));
    client_node.doors.primaries->dial(validator(0), at, nobody.to());
    CHECK(wait_refused(door, "unknown_peer", 1));
    CHECK(nobody.ups() == 0);
    CHECK(no_worker.ups() == 0);
    CHECK(at_worker.ups() == 0);
  }

  TEST_CASE("a certificate of another network makes no link, however often it dials") {
    certificates certs, others;
    auto a = quick(), b = quick();
    certs.use(a, "validator-0");
    others.use(b, "validator-1");
    node door(identity_of(validator(0)), a), other(identity_of(validator(1)), b);
    peers here, there;
    const auto port = door.doors.primaries->listen({"127.0.0.1", 0}, here.to());
    other.doors.primaries->dial(validator(0), {"127.0.0.1", port}, there.to());
    CHECK(wait_refused(other, "bad_tls", 3));
    CHECK(wait_refused(door, "bad_tls", 3));
    CHECK(there.wait_refusal(validator(0), ending::bad_tls));
    CHECK(here.ups() + there.ups() == 0);
  }

  TEST_CASE("a certificate that does not name this node is refused before anything is opened") {
    certificates certs;
    auto s = quick();
    certs.use(s, "validator-1");
    CHECK_THROWS_AS(node(identity_of(validator(0)), s), std::runtime_error);
  }

  TEST_CASE("a peer that never reads costs no more memory than the bounds of its link") {
    auto s = plain();
    s.in_flight_bytes = 1 << 20;
    s.queue_bytes = 8 << 20;
    s.idle_timeout = 60s;
    node door(identity_of(validator(0)), s);
    peers here;
    const auto port = door.doors.primaries->listen({"127.0.0.1", 0}, here.to());
    stranger deaf(port);
    deaf.say(greeting_of(validator(1)));
    REQUIRE(here.wait_ups(1));
    const auto handle = here.handle();
    const runtime::labels dropped{
        {"conversation", "primary"}, {"peer", "validator"}, {"priority", "batches"}};
    const auto before = used_memory();
    for (int i = 0; i < 2000; ++i)
      caf::anon_send(handle, atom::transmit_v, link_priority::batches,
                     frame_of<schema::PeerMessage>(100'000, 'x'));
    REQUIRE(door.wait_value("flamingo_link_dropped_frames_total", dropped, 1000));
    CHECK(door.value("flamingo_link_queued_bytes",
                     {{"conversation", "primary"}, {"peer", "validator"}}) <= 8 << 20);
    // The queue, two buffers of what is in flight, and one frame of growth.
    CHECK(used_memory() - before < (8 << 20) + 4 * (1 << 20) + (1 << 20));
    // Nobody else waits for it.
    node other(identity_of(validator(2)), plain());
    peers there;
    other.doors.primaries->dial(validator(0), {"127.0.0.1", port}, there.to());
    CHECK(there.wait_ups(1));
  }

  TEST_CASE("strangers cost at most 64 KiB each and nothing after the hand-shake time-out") {
    certificates certs;
    auto s = quick();
    certs.use(s, "validator-0");
    s.handshake_timeout = 1500ms;
    node door(identity_of(validator(0)), s);
    peers here;
    const auto port = door.doors.primaries->listen({"127.0.0.1", 0}, here.to());
    const runtime::labels at{{"conversation", "primary"}};
    // Once before, so that what is made once is made.
    { stranger first(port); }
    REQUIRE(wait_refused(door, "hung_up", 1));
    constexpr int many = 100;
    std::vector<std::vector<char>> hellos;
    for (int i = 0; i < many; ++i) hellos.push_back(raw_client({}).handshake());
    std::vector<stranger> strangers;
    strangers.reserve(many);
    const auto before = used_memory();
    for (int i = 0; i < many; ++i) {
      strangers.emplace_back(port);
      strangers.back().say(hellos[i]);
      REQUIRE_FALSE(strangers.back().hear().empty());  // it is in the middle of the hand-shake
    }
    const auto each = (used_memory() - before) / many;
    MESSAGE("bytes a stranger: ", each);
    CHECK(each <= 64 << 10);
    CHECK(wait_refused(door, "handshake_timeout", many));
    for (auto& x : strangers) CHECK(x.is_closed());
    CHECK(door.wait_zero("flamingo_link_strangers", at));
    CHECK(here.ups() == 0);
  }

  TEST_CASE("beyond max_strangers the oldest makes room, so peers still get in") {
    auto s = plain();
    s.max_strangers = 8;
    s.handshake_timeout = 60s;
    node door(identity_of(validator(0)), s);
    bystanders others(door, plain());
    const auto before = open_descriptors();
    std::vector<stranger> strangers;
    // Fewer than may be leaving at a time: beyond that the newest is turned away.
    for (int i = 0; i < 60; ++i) strangers.emplace_back(others.port);
    CHECK(wait_refused(door, "crowded_out", 52));
    for (int i = 0; i < 52; ++i) CHECK(strangers[static_cast<std::size_t>(i)].is_closed());
    node late(identity_of(validator(1)), plain());
    peers at_late;
    late.doors.primaries->dial(validator(0), {"127.0.0.1", others.port}, at_late.to());
    CHECK(at_late.wait_ups(1));
    CHECK(others.still_talk());
    late.stop();
    strangers.clear();
    // Beside those of the late one's actor system.
    CHECK(wait_at_most(before + 8, open_descriptors));
  }

  TEST_CASE("a thousand connects in a row leave the door working") {
    node door(identity_of(validator(0)), plain());
    bystanders others(door, plain());
    const auto before = open_descriptors(), memory_before = used_memory();
    for (int i = 0; i < 1000; ++i) stranger(others.port).say({1, 2, 3});
    // Some are crowded out where they come faster than they are looked at.
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (refused(door, "hung_up") + refused(door, "crowded_out") < 1000) {
      REQUIRE(std::chrono::steady_clock::now() < deadline);
      std::this_thread::sleep_for(2ms);
    }
    CHECK(others.still_talk());
    CHECK(door.value("flamingo_link_strangers", {{"conversation", "primary"}}) == 0);
    // Nothing is left of them.
    CHECK(wait_at_most(before, open_descriptors));
    CHECK(wait_at_most(memory_before + (512 << 10), used_memory));
  }

  TEST_CASE("several operators talk at once, and of too many the oldest makes room") {
    auto s = plain();
    s.max_links_of_peer = 2;
    node door(identity_of(validator(0)), s);
    operators here;
    const auto port = door.doors.operators->listen({"127.0.0.1", 0}, here.to());
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<std::unique_ptr<operators>> ends;
    auto one_try = plain();
    one_try.retry_min = one_try.retry_max = 60s;  // whoever is replaced stays away
    for (std::size_t i = 0; i < 3; ++i) {
      nodes.push_back(std::make_unique<node>(identity_of({peer::kind::operator_, 0}), one_try));
      ends.push_back(std::make_unique<operators>());
      nodes[i]->doors.operators->dial(validator(0), {"127.0.0.1", port}, ends[i]->to());
      REQUIRE(ends[i]->wait_ups(1));
      REQUIRE(here.wait_ups(i + 1));
    }
    CHECK(ends[0]->wait_downs(1));
    CHECK(here.wait_downs(1));
    for (const std::size_t i : {1, 2}) {
      caf::anon_send(here.handle(i), atom::transmit_v, link_priority::consensus,
                     frame_of<schema::OperatorMessage>(8, 'o'));
      CHECK(ends[i]->wait_frames(1));
    }
  }
}

}  // namespace

}  // namespace flamingo::link::test
