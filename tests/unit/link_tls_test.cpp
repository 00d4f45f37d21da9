// Links against hostile ends: other networks' certificates, other names, garbage, damage.
#include <doctest/doctest.h>

#include <malloc.h>

#include <algorithm>
#include <fstream>

#include "tests/unit/link_raw_client.hpp"
#include "tests/unit/link_session_pair.hpp"

namespace flamingo::link::test {

namespace {

using crypto::identity_files;

struct network {
  tests::temporary_directory dir;
  crypto::authority authority = crypto::create_authority(dir.path());

  identity_files issue(
      const std::string& name,
      crypto::validity when = crypto::validity::starting_now(std::chrono::days(1))) {
    return crypto::issue(authority, name, dir.path(), when);
  }
  std::shared_ptr<const tls_context> context(const std::string& name) {
    const auto files = issue(name);
    return std::make_shared<const tls_context>(authority.certificate_file(), files.certificate,
                                               files.private_key, name);
  }
};

session_rules accepting(network& n) {
  auto rules = rules_of(0, false);
  rules.tls = n.context("validator-0");
  return rules;
}

std::vector<char> framed(const std::vector<char>& bytes) {
  std::vector<char> out(frame_parser::header_bytes + bytes.size());
  put_header(static_cast<std::uint32_t>(bytes.size()), out.data());
  std::copy(bytes.begin(), bytes.end(), out.begin() + frame_parser::header_bytes);
  return out;
}

hello greeting_of(const peer& who) {
  auto out = rules_of(0, false).ours;
  out.from = who;
  return out;
}

// Runs a client against a session until neither has more to say.
void talk(raw_client& client, end_of_link& e, std::vector<char> first) {
  const session::time now{1h};
  auto bytes = std::move(first);
  while (!bytes.empty() && !e.link.over()) {
    e.link.received(bytes, now, e.out);
    bytes = client.handshake(std::exchange(e.out, {}));
  }
}

// What a client gets that has this certificate and then says it is `claim`.
std::optional<ended> verdict(network& n, const raw_client::options& o, const peer& claim) {
  const session::time now{1h};
  end_of_link e(accepting(n), now);
  e.link.start(now, e.out);
  raw_client client(o);
  talk(client, e, client.handshake());
  if (!e.link.over() && client.shaken()) {
    auto bytes = client.encrypt(framed(encode(greeting_of(claim))));
    e.link.received(bytes, now, e.out);
  }
  CHECK((e.link.over() || e.link.up()));
  return e.link.over();
}

raw_client::options showing(const identity_files& files) {
  return {files.certificate.string(), files.private_key.string()};
}

TEST_SUITE("link TLS") {
  TEST_CASE("a certificate of the network with its name makes a link") {
    network n;
    CHECK_FALSE(verdict(n, showing(n.issue("validator-2")), validator(2)));
  }

  TEST_CASE("the right certificate with the wrong name is refused") {
    network n;
    const auto no = verdict(n, showing(n.issue("validator-2")), validator(3));
    REQUIRE(no);
    CHECK(no->why == ending::wrong_name);
    CHECK(no->line == "it says it is validator-3, its certificate names validator-2");
  }

  TEST_CASE("a certificate of another network is refused") {
    network n, other;
    const auto no = verdict(n, showing(other.issue("validator-2")), validator(2));
    REQUIRE(no);
    CHECK(no->why == ending::bad_tls);
    CHECK(no->line.starts_with("its certificate is refused: "));
  }

  TEST_CASE("an expired certificate is refused") {
    network n;
    const auto now =
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto no = verdict(n, showing(n.issue("validator-2", {now - 2h, now - 1h})), validator(2));
    REQUIRE(no);
    CHECK(no->why == ending::bad_tls);
    CHECK(no->line == "its certificate is refused: certificate has expired");
  }

  TEST_CASE("no certificate, and TLS before 1.3, are refused") {
    network n;
    const auto none = verdict(n, {}, validator(2));
    REQUIRE(none);
    CHECK(none->why == ending::bad_tls);
    network old_network;
    auto old = showing(old_network.issue("validator-3"));
    old.version = TLS1_2_VERSION;
    const auto no = verdict(old_network, old, validator(3));
    REQUIRE(no);
    CHECK(no->why == ending::bad_tls);
  }

  TEST_CASE("who dials refuses a listener of another network") {
    network n, other;
    auto dialler = rules_of(1, false, validator(0)), acceptor = rules_of(0, false);
    dialler.tls = n.context("validator-1");
    acceptor.tls = other.context("validator-0");
    pair_of_ends p(std::move(dialler), std::move(acceptor));
    p.settle();
    REQUIRE(p.a.link.over());
    CHECK(p.a.link.over()->why == ending::bad_tls);
    CHECK(p.a.ups.empty());
    CHECK(p.b.ups.empty());
    REQUIRE(p.b.link.over());  // it was told by an alert
    CHECK(p.b.link.over()->why == ending::bad_tls);
  }

  TEST_CASE("plain bytes at a TLS end, and TLS at a plain end, are refused") {
    for (const bool tls : {false, true}) {
      auto a = rules_of(1, !tls, validator(0)), b = rules_of(0, tls);
      pair_of_ends p(std::move(a), std::move(b));
      p.settle();
      REQUIRE(p.b.link.over());
      CHECK(is_refusal(p.b.link.over()->why));
      CHECK(p.b.ups.empty());
    }
  }

  TEST_CASE("whatever byte of a stream is damaged, no frame is delivered but what was sent") {
    // One run without damage shows how long the dialler's stream is.
    const auto run = [](std::size_t damaged_at) {
      auto p = linked(true);
      std::size_t carried = 0;
      bool sent = false;
      while (!p.a.out.empty() || !p.b.out.empty()) {
        auto bytes = std::exchange(p.a.out, {});
        if (damaged_at >= carried && damaged_at < carried + bytes.size())
          bytes[damaged_at - carried] = static_cast<char>(bytes[damaged_at - carried] ^ 0x40);
        carried += bytes.size();
        p.b.link.received(bytes, p.now, p.b.out);
        bytes = std::exchange(p.b.out, {});
        p.a.link.received(bytes, p.now, p.a.out);
        if (p.a.link.up() && !std::exchange(sent, true))
          for (int i = 0; i < 2; ++i) p.send(p.a, link_priority::batches, 2000, 'f');
      }
      for (const auto& f : p.b.frames) {
        CHECK(f.size() == 2000);
        const byte_span bytes = f;
        CHECK(std::all_of(bytes.begin(), bytes.end(), [](byte x) { return x == 'f'; }));
      }
      return std::pair{carried, p.b.frames.size()};
    };
    const auto [length, frames] = run(SIZE_MAX);
    CHECK(frames == 2);
    CHECK(length > 5000);
    for (std::size_t at = 0; at < length; at += at < 1500 ? 5 : 37) {
      CAPTURE(at);
      CHECK(run(at).second <= frames);
    }
  }

  TEST_CASE("random bytes are refused by either end") {
    std::mt19937_64 random(11);
    for (const bool tls : {false, true})
      for (int i = 0; i < 300; ++i) {
        const session::time now{1h};
        end_of_link e(rules_of(0, tls, i % 2 ? std::optional(validator(1)) : std::nullopt), now);
        e.link.start(now, e.out);
        for (int k = 0; k < 50 && !e.link.over(); ++k) {
          session::buffer bytes(1 + random() % 2000);
          for (auto& c : bytes) c = static_cast<char>(random());
          if (k == 0 && tls && bytes.size() > 5) bytes[0] = 0x16, bytes[1] = 3, bytes[2] = 1;
          if (k == 0 && !tls && bytes.size() > 4) put_header(random() % 1000, bytes.data());
          e.link.received(bytes, now, e.out);
        }
        REQUIRE(e.link.over());
        CHECK(is_refusal(e.link.over()->why));
        CHECK(e.ups.empty());
      }
  }

  TEST_CASE("a peer that asks for new keys for ever and takes no answer is closed") {
    network n;
    const session::time now{1h};
    auto rules = accepting(n);
    rules.limits.in_flight_bytes = 64 << 10;
    rules.limits.max_frame_bytes = 64 << 10;
    end_of_link e(std::move(rules), now);
    e.link.start(now, e.out);
    raw_client client(showing(n.issue("validator-2")));
    talk(client, e, client.handshake());
    auto bytes = client.encrypt(framed(encode(greeting_of(validator(2)))));
    e.link.received(bytes, now, e.out);
    REQUIRE(e.link.up());
    for (int i = 0; i < 100'000 && !e.link.over(); ++i) {
      bytes = client.key_update();
      e.link.received(bytes, now, e.out);
    }
    REQUIRE(e.link.over());
    CHECK(e.out.size() < 256 << 10);
  }

  TEST_CASE("a file that cannot be used is one line that names it") {
    network n;
    const auto files = n.issue("validator-2");
    const auto missing = n.dir.path() / "nothing.pem";
    const auto line = [&](const std::filesystem::path& ca, const std::filesystem::path& cert,
                          const std::filesystem::path& key,
                          const std::string& name) -> std::string {
      try {
        tls_context(ca, cert, key, name);
      } catch (const std::runtime_error& e) {
        return e.what();
      }
      return "";
    };
    const auto& ca = n.authority.certificate_file();
    CHECK(line(ca, files.certificate, files.private_key, "validator-2").empty());
    CHECK(
        line(missing, files.certificate, files.private_key, "validator-2").find(missing.string()) !=
        std::string::npos);
    CHECK(line(ca, files.certificate, files.private_key, "validator-1").find("validator-1") !=
          std::string::npos);
    CHECK(line(ca, files.certificate, n.dir.path() / "ca.key", "validator-2").find("ca.key") !=
          std::string::npos);
  }

  TEST_CASE("a stranger in the middle of a hand-shake costs less than 56 KiB") {
    // The rest of the 64 KiB is for the broker and its buffer.
    network n;
    const auto rules = std::make_shared<const session_rules>(accepting(n));
    const auto files = n.issue("validator-2");
    const session::time now{1h};
    constexpr int strangers = 64;
    std::vector<std::vector<char>> firsts;
    for (int i = 0; i < strangers; ++i) firsts.push_back(raw_client(showing(files)).handshake());
    std::vector<std::unique_ptr<session>> all;
    std::vector<session::buffer> outs(strangers);
    all.reserve(strangers);
    const auto used = [] {
      const auto info = mallinfo2();
      return info.uordblks + info.hblkhd;
    };
    const auto before = used();
    for (int i = 0; i < strangers; ++i) {
      all.push_back(std::make_unique<session>(rules, session::observer{}, now, 1));
      all.back()->start(now, outs[i]);
      all.back()->received(firsts[i], now, outs[i]);
      // A record's header that announces much, and some of it.
      session::buffer more{0x17, 3, 3, 0x1f, 0};
      more.resize(4000);
      all.back()->received(more, now, outs[i]);
      REQUIRE_FALSE(all.back()->over());
    }
    const auto each = (used() - before) / strangers;
    MESSAGE("bytes a stranger: ", each);
    CHECK(each < 56 << 10);
  }
}

}  // namespace

}  // namespace flamingo::link::test
