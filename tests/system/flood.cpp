// flood sync FILE LINKS SECONDS: with the certificate of the validator that FILE (node.toml) is of,
// asks all others for headers, ranges of rounds, batches and checkpoints as fast as they take it.
// flood signatures FILE LINKS SECONDS: with that of a client, sends bundles with wrong signatures.
// LINKS of each kind to each validator. Prints what it sent, as JSON, and ends with 0 if every
// validator that is up let it in.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>

#include "actors/dag/limits.hpp"
#include "actors/link/session.hpp"
#include "actors/link/sockets.hpp"
#include "apps/flamingo/config/identity.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "messages/codec_bundle.hpp"
#include "messages/codec_checkpoint.hpp"
#include "messages/codec_dag.hpp"
#include "messages/codec_worker.hpp"

using namespace flamingo;
using steady = std::chrono::steady_clock;

namespace {

struct counts {
  std::atomic<std::uint64_t> links = 0, sent_frames = 0, sent_bytes = 0, heard_bytes = 0;
};

/// One link after another to one door, each filled with frames as long as it takes them.
class flooding_link {
public:
  using source = std::function<shared_bytes()>;
  using hearer = std::function<void(shared_bytes)>;

  flooding_link(std::shared_ptr<const link::session_rules> rules, network_address where,
                source next, hearer heard, counts& into)
      : rules_(std::move(rules)),
        where_(std::move(where)),
        next_(std::move(next)),
        heard_(std::move(heard)),
        counts_(into) {}

  void run(steady::time_point until) {
    while (steady::now() < until) {
      flood(until);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

private:
  static constexpr std::size_t queued_least = 64 << 10, at_once = 64;

  void flood(steady::time_point until) {
    const auto found = link::resolve(where_);
    if (found.endpoints.empty()) return;
    const auto socket = link::start_connect(found.endpoints.front());
    pollfd ready{socket.get(), POLLOUT, 0};
    if (!socket || ::poll(&ready, 1, 1000) != 1 || link::connect_result(socket) != 0) return;
    link::session session(rules_, {[this](link::peer) { ++counts_.links; }, heard_}, steady::now(),
                          1);
    link::session::buffer out, in;
    session.start(steady::now(), out);
    while (!session.over() && steady::now() < until) {
      if (session.up())
        for (std::size_t i = 0; i < at_once && session.queued_bytes() < queued_least; ++i) {
          session.transmit(link_priority::consensus, next_());
          ++counts_.sent_frames;
        }
      session.pump(steady::now(), out);
      ready.events = static_cast<short>(POLLIN | (out.empty() ? 0 : POLLOUT));
      ::poll(&ready, 1, 20);
      if (!send(socket.get(), out)) return;
      session.drained(out.size(), steady::now(), out);
      if (!receive(socket.get(), session, in, out)) return;
      session.tick(steady::now(), out);
    }
  }

  bool send(int fd, link::session::buffer& out) {
    if (out.empty()) return true;
    const auto n = ::send(fd, out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    counts_.sent_bytes += static_cast<std::uint64_t>(n);
    out.erase(out.begin(), out.begin() + n);
    return true;
  }

  bool receive(int fd, link::session& session, link::session::buffer& in,
               link::session::buffer& out) {
    in.resize(256 << 10);
    const auto n = ::recv(fd, in.data(), in.size(), MSG_DONTWAIT);
    if (n <= 0) return n < 0 && (errno == EAGAIN || errno == EINTR);
    counts_.heard_bytes += static_cast<std::uint64_t>(n);
    in.resize(static_cast<std::size_t>(n));
    session.received(in, steady::now(), out);
    return true;
  }

  std::shared_ptr<const link::session_rules> rules_;
  network_address where_;
  source next_;
  hearer heard_;
  counts& counts_;
};

/// All links of a flood, a thread each.
class flood {
public:
  flood(link::settings limits, const committee& members, link::peer self) {
    limits.in_flight_bytes = 128 << 10;  // what it has in hand is no flood yet
    rules_.tls = std::make_shared<const link::tls_context>(limits.authority, limits.certificate,
                                                           limits.private_key, to_string(self));
    rules_.limits = std::move(limits);
    rules_.ours.chain = members.chain;
    rules_.ours.committee = members.file;
    rules_.ours.from = self;
    rules_.admit = {link::accepting_kind, static_cast<std::uint32_t>(members.size()),
                    static_cast<std::uint32_t>(members.clients.size()), std::nullopt};
  }

  void add(link::conversation about, std::size_t validator, const network_address& where,
           flooding_link::source next, flooding_link::hearer heard) {
    auto rules = rules_;
    rules.ours.about = about;
    rules.admit.dialled =
        link::peer{link::peer::kind::validator, static_cast<std::uint32_t>(validator)};
    links_.emplace_back(std::make_shared<const link::session_rules>(std::move(rules)), where,
                        std::move(next), std::move(heard), counts_);
  }

  int run(std::chrono::seconds length) {
    std::vector<std::thread> threads;
    const auto until = steady::now() + length;
    for (auto& link : links_) threads.emplace_back([&link, until] { link.run(until); });
    for (auto& x : threads) x.join();
    const auto line = fmt::format(
        R"({{"links": {}, "wanted_links": {}, "sent_frames": {}, "sent_bytes": {}, "heard_bytes": {}}})",
        counts_.links, links_.size(), counts_.sent_frames, counts_.sent_bytes, counts_.heard_bytes);
    std::puts(line.c_str());
    return counts_.links >= links_.size() ? 0 : 1;
  }

private:
  link::session_rules rules_;
  std::vector<flooding_link> links_;
  counts counts_;
};

/// What to ask for: what went by, and what never existed. Any thread.
class curiosity {
public:
  curiosity(const committee& members, const protocol_parameters& protocol)
      : protocol_(protocol), limits_(dag::limits_of(members, protocol)) {}

  /// Looks at a few of the frames: it must not cost the flood its speed.
  void hear(const shared_bytes& frame) {
    const std::lock_guard lock(mutex_);
    if (steady::now() < look_again_) return;
    look_again_ = steady::now() + std::chrono::milliseconds(1);
    const auto message = decode(wire<schema::PeerMessage>(frame), limits_);
    if (!message) return;
    if (const auto* cert = std::get_if<certificate>(&*message)) {
      remember(headers_, cert->header);
      newest_ = std::max(newest_, cert->round);
    } else if (const auto* header = std::get_if<signed_header>(&*message)) {
      for (const auto& entry : header->hdr.payload) remember(batches_, entry.batch);
    }
  }

  shared_bytes question_to_primary() {
    const std::lock_guard lock(mutex_);
    switch (random_() % 6) {
      case 0:
        return encode_peer(header_request{headers_.empty() ? invented() : headers_}).bytes();
      case 1:
        return encode_peer(header_request{invented()}).bytes();
      case 2: {
        const round_number first{std::max<std::uint64_t>(1, newest_.value - random_() % 200)};
        return encode_peer(round_range{first, first + 100}).bytes();
      }
      case 3:
        return encode(checkpoint_message{ledger_request{some_checkpoint(), 0}}).bytes();
      case 4:
        return encode(checkpoint_message{state_request{some_checkpoint(), 0, 65536}}).bytes();
      default:
        return encode(checkpoint_message{checkpoint_query{}}).bytes();
    }
  }

  shared_bytes question_to_worker() {
    const std::lock_guard lock(mutex_);
    const bool real = !batches_.empty() && random_() % 2 == 0;
    return encode(batch_request{real ? batches_ : invented()}).bytes();
  }

private:
  static constexpr std::size_t remembered = 64;
  static_assert(remembered <= max_requested_headers && remembered <= max_requested_batches);

  void remember(std::vector<digest>& in, const digest& id) {
    if (in.size() < remembered)
      in.push_back(id);
    else
      in[random_() % remembered] = id;
  }
  std::vector<digest> invented() {
    std::vector<digest> out(remembered);
    for (auto& id : out)
      for (auto& b : id.bytes) b = static_cast<byte>(random_());
    return out;
  }
  commit_index some_checkpoint() {
    return commit_index{random_() % 40 * protocol_.checkpoint_anchors};
  }

  const protocol_parameters protocol_;
  const dag_limits limits_;
  std::mutex mutex_;
  std::mt19937_64 random_{1};
  std::vector<digest> headers_, batches_;
  round_number newest_;
  steady::time_point look_again_{};
};

int flood_sync(const std::string& path, unsigned links, std::chrono::seconds length) {
  const auto file = config::load_node(path);
  const auto who = config::identify(file);
  const auto& members = who.committee.members;
  flood all(config::link_settings(file.link, file.keys, file.source), members,
            {link::peer::kind::validator, who.self.value});
  curiosity asks(members, who.committee.protocol);
  for (std::size_t v = 0; v < members.size(); ++v)
    for (unsigned i = 0; v != who.self.value && i < links; ++i) {
      all.add(
          link::conversation::primaries, v, members.validators[v].primary,
          [&] { return asks.question_to_primary(); },
          [&](const shared_bytes& frame) { asks.hear(frame); });
      all.add(
          link::conversation::workers, v, members.validators[v].workers.at(0).peers,
          [&] { return asks.question_to_worker(); }, [](const shared_bytes&) {});
    }
  return all.run(length);
}

/// Bundles that are right but for their signatures.
std::vector<shared_bytes> forged_bundles(const config::client_identity& who) {
  const auto& client = who.committee->members.clients[who.self.value];
  planned_transaction tx;
  tx.account = client.accounts.at(0).first;
  tx.size = 1;
  std::vector<shared_bytes> out;
  for (std::uint64_t sequence = 1; sequence <= 512; ++sequence) {
    auto bundle = build_bundle(
        {who.self, bundle_sequence{sequence}, client.assignee, round_number{1'000'000}, 64},
        {&tx, 1});
    signature sig;
    sig.bytes.fill(static_cast<byte>(sequence));
    out.push_back(bundle.finish(sig).bytes());
  }
  return out;
}

int flood_signatures(const std::string& path, unsigned links, std::chrono::seconds length) {
  const auto file = config::load_client(path);
  const auto who = config::identify(file);
  const auto& members = who.committee->members;
  flood all(config::link_settings(file.link, file.keys, file.source), members,
            {link::peer::kind::client, who.self.value});
  const auto bundles = forged_bundles(who);
  for (std::size_t v = 0; v < members.size(); ++v)
    for (unsigned i = 0; i < links; ++i)
      all.add(
          link::conversation::clients, v, members.validators[v].workers.at(0).clients,
          [&bundles, at = std::size_t{0}]() mutable { return bundles[at++ % bundles.size()]; },
          [](const shared_bytes&) {});
  return all.run(length);
}

unsigned number(const char* text) {
  unsigned out = 0;
  const char* end = text + std::strlen(text);
  if (const auto [at, error] = std::from_chars(text, end, out);
      error != std::errc{} || at != end || out == 0)
    throw std::runtime_error(fmt::format("expected a positive number, found {}", text));
  return out;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 5) {
    const auto links = number(argv[3]);
    const std::chrono::seconds length(number(argv[4]));
    if (std::strcmp(argv[1], "sync") == 0) return flood_sync(argv[2], links, length);
    if (std::strcmp(argv[1], "signatures") == 0) return flood_signatures(argv[2], links, length);
  }
  std::fprintf(stderr, "usage: flood sync|signatures FILE LINKS SECONDS\n");
  return 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "flood: %s\n", e.what());
  return 1;
}
