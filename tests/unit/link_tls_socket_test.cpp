// TLS over a socket that somebody else polls: whole and in order, however little the socket takes,
// and whoever else talks to the same thread.
#include "actors/link/tls_socket.hpp"

#include <doctest/doctest.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fcntl.h>

#include "tests/unit/link_raw_client.hpp"
#include "tests/unit/link_session_pair.hpp"

namespace flamingo::link::test {

namespace {

using side = tls_engine::side;
constexpr std::size_t most_at_once = 5000;  // read or written in one call

struct wire {
  wire() {
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    const int small = 4096;
    for (int end : ends) ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  }
  ~wire() {
    for (int end : ends) ::close(end);
  }
  /// What a stranger at end 0 can read.
  std::vector<char> heard() {
    std::vector<char> bytes(1 << 16);
    const auto n = ::recv(ends[0], bytes.data(), bytes.size(), 0);
    bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return bytes;
  }
  void say(const std::vector<char>& bytes) {
    REQUIRE(::send(ends[0], bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  }

  int ends[2];
};

struct end_of_tls {
  end_of_tls(int on, const std::string& name, side which)
      : socket(on), tls(certificates().of(name), which) {}

  /// As a poller does: reads and writes what is possible now.
  void turn() {
    std::vector<char> room(most_at_once);
    std::size_t got = 1, wrote = 1;
    while (good && got > 0) {
      good = tls.read(socket, room, got);
      received.insert(received.end(), room.begin(), room.begin() + static_cast<long>(got));
    }
    while (good && wrote > 0 && written < to_write.size()) {
      const auto rest = std::span(to_write).subspan(written);
      good = tls.write(socket, rest.first(std::min(rest.size(), most_at_once)), wrote);
      written += wrote;
    }
  }

  int socket;
  tls_socket tls;
  bool good = true;
  std::vector<char> to_write, received;
  std::size_t written = 0;
};

/// Until both know each other.
void shake_hands(end_of_tls& a, end_of_tls& b) {
  REQUIRE(a.tls.start(a.socket));
  for (int i = 0; i < 10; ++i) {
    b.turn();
    a.turn();
  }
  REQUIRE((a.tls.established() && b.tls.established()));
}

std::vector<char> random_bytes(std::size_t size, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<char> bytes(size);
  for (char& x : bytes) x = static_cast<char>(rng());
  return bytes;
}

}  // namespace

TEST_SUITE("link TLS socket") {
  TEST_CASE("what is written arrives whole and in order, both ways, through a small socket") {
    wire w;
    end_of_tls a(w.ends[0], "validator-0", side::dials), b(w.ends[1], "validator-1", side::accepts);
    shake_hands(a, b);
    a.to_write = random_bytes(1'000'000, 1);
    b.to_write = random_bytes(700'000, 2);
    for (int i = 0; i < 100'000 && b.received.size() + a.received.size() < 1'700'000; ++i) {
      a.turn();
      b.turn();
    }
    CHECK(a.good);
    CHECK(b.good);
    CHECK(b.received == a.to_write);
    CHECK(a.received == b.to_write);
  }

  TEST_CASE("what is written before the hand-shake arrives after it and nothing before") {
    wire w;
    end_of_tls b(w.ends[1], "validator-1", side::accepts);
    b.to_write = random_bytes(400, 3);
    b.turn();
    CHECK(b.written == 400);
    CHECK(w.heard().empty());
    end_of_tls a(w.ends[0], "validator-0", side::dials);
    shake_hands(a, b);
    CHECK(a.received == b.to_write);
  }

  TEST_CASE("what may be written before the hand-shake is bounded") {
    wire w;
    tls_socket b(certificates().of("validator-1"), side::accepts);
    const auto bytes = random_bytes(tls_socket::early_bytes_max, 4);
    std::size_t written = 0;
    CHECK(b.write(w.ends[1], bytes, written));
    CHECK_FALSE(b.write(w.ends[1], std::span(bytes).first(1), written));
  }

  TEST_CASE("strangers without TLS or a certificate of the authority learn nothing") {
    tests::temporary_directory dir;
    const auto other = crypto::create_authority(dir.path());
    const auto files = crypto::issue(other, "validator-0", dir.path());
    const raw_client::options strangers[] = {
        {}, {files.certificate.string(), files.private_key.string()}};
    const auto meet = [](wire& w, auto speak) {
      end_of_tls b(w.ends[1], "validator-1", side::accepts);
      b.to_write = {'s', 'e', 'c', 'r', 'e', 't'};
      for (int i = 0; i < 5; ++i) {
        b.turn();
        speak();
      }
      CHECK_FALSE(b.good);
      CHECK_FALSE(b.tls.established());
    };
    for (const auto& options : strangers) {
      wire w;
      raw_client client(options);
      meet(w, [&] {
        const auto answer = client.handshake(w.heard());
        if (!answer.empty()) w.say(answer);
      });
    }
    wire w;
    bool spoke = false;
    meet(w, [&] {
      if (!std::exchange(spoke, true)) w.say(std::vector<char>(100, 'x'));
    });
    CHECK(w.heard().size() < 20);  // an alert, not what was written
  }

  TEST_CASE("the end of one connection is not taken for the end of another on the same thread") {
    wire w, broken;
    end_of_tls a(w.ends[0], "validator-0", side::dials), b(w.ends[1], "validator-1", side::accepts);
    end_of_tls c(broken.ends[1], "validator-1", side::accepts);
    shake_hands(a, b);
    broken.say(std::vector<char>(100, 'x'));
    c.turn();
    CHECK_FALSE(c.good);
    ERR_raise(ERR_LIB_SSL, ERR_R_INTERNAL_ERROR);  // and what others on the thread leave behind
    for (int i = 0; i < 3; ++i) {
      a.to_write.push_back('x');
      a.turn();
      ERR_raise(ERR_LIB_SSL, ERR_R_INTERNAL_ERROR);
      b.turn();
      b.turn();
    }
    ERR_clear_error();
    CHECK((a.good && b.good));
    CHECK(b.received.size() == 3);
  }

  TEST_CASE("the end of the other process ends the connection") {
    wire w;
    end_of_tls b(w.ends[1], "validator-1", side::accepts);
    ::shutdown(w.ends[0], SHUT_RDWR);
    b.turn();
    CHECK_FALSE(b.good);
  }

  TEST_CASE("asked for the unread alone it leaves the socket as it is") {
    wire w;
    end_of_tls a(w.ends[0], "validator-0", side::dials), b(w.ends[1], "validator-1", side::accepts);
    shake_hands(a, b);
    const auto send = [&](char x) {
      a.to_write.insert(a.to_write.end(), 100, x);
      a.turn();
    };
    send('1');
    std::vector<char> room(60);
    std::size_t got = 0;
    CHECK(b.tls.read(b.socket, room, got));
    CHECK(got == 60);
    CHECK(b.tls.unread());
    send('2');
    CHECK(b.tls.read(b.socket, room, got, true));
    CHECK(got == 40);
    CHECK(b.tls.read(b.socket, room, got, true));
    CHECK(got == 0);
    CHECK_FALSE(b.tls.unread());
    CHECK(b.tls.read(b.socket, room, got));
    CHECK(got == 60);
    CHECK(room[0] == '2');
  }
}

}  // namespace flamingo::link::test
