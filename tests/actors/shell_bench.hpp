// One role's shell on CAF's test coordinator: virtual time, a disk that syncs when the test says
// so, signatures that cost one hash, and neighbours that only take notes.
#pragma once

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "actors/dag/limits.hpp"
#include "actors/interfaces.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/runtime/metrics.hpp"
#include "crypto/dag_checks.hpp"
#include "crypto/fake_coin.hpp"
#include "crypto/fake_signing.hpp"
#include "messages/codec_dag.hpp"
#include "storage/memory_kv.hpp"
#include "tests/unit/dag_headers.hpp"

namespace flamingo::testing {

/// What a dummy neighbour was sent, in order.
template <class Frame>
using notes = std::shared_ptr<std::vector<Frame>>;

class shell_bench {
public:
  static constexpr unsigned n = 4, f = 1;

  shell_bench() {
    auto members_of = std::make_shared<committee>(committee_of(n));
    for (unsigned i = 0; i < n; ++i) members_of->validators[i].key = signer(i).key();
    members = members_of;
  }
  ~shell_bench() {
    for (const auto& x : actors_) caf::anon_send_exit(x, caf::exit_reason::kill);
    run();
    store->crash();  // what waits for a sync holds who waits for it, and that the store
  }

  static crypto::fake_signer signer(unsigned i) {
    return crypto::fake_signer("v" + std::to_string(i));
  }

  /// The environment of validator `self`. All of a test share one disk: one validator's, which
  /// outlives its actors.
  runtime::environment_ptr environment(unsigned self) {
    auto env = std::make_shared<runtime::environment>();
    env->self = v(self);
    env->members = members;
    env->protocol = protocol;
    env->local = local;
    env->store = store;
    env->signer = std::make_shared<crypto::fake_signer>(signer(self));
    env->scheme = std::make_shared<crypto::fake_scheme>();
    env->coin = std::make_shared<crypto::fake_coin>(7, n, f, v(self));
    env->metrics = metrics = std::make_shared<runtime::metrics>(runtime::labels{});
    env->now = [this] { return now(); };
    env->fail = [this](ec, const std::string& what) { failures.push_back(what); };
    env->rejoin = [this] { ++rejoins; };
    return env;
  }

  time_point now() const {
    const auto since_start = sched.clock().now().time_since_epoch();
    return time_point{std::chrono::hours{1} + since_start};
  }
  void advance(duration d) {
    run();
    sched.advance_time(d);
    run();
  }
  void run() { sched.run(); }
  /// The disk makes everything durable that was written before.
  void sync() {
    store->sync();
    run();
  }
  /// Power off and on: the actors and what was not synced are gone.
  void crash() {
    for (const auto& x : actors_) caf::anon_send_exit(x, caf::exit_reason::kill);
    run();
    actors_.clear();
    store->crash();
  }

  template <class... Ts>
  auto spawn(Ts&&... xs) {
    auto handle = system.spawn(std::forward<Ts>(xs)...);
    actors_.push_back(caf::actor_cast<caf::actor>(handle));
    return handle;
  }
  /// A link that takes notes of what would leave.
  peer_link link(notes<peer_message> into) {
    const auto limits = this->limits();
    const auto take = [into, limits](peer_link::pointer) -> peer_link::behavior_type {
      return {[into, limits](atom::transmit, link_priority, const peer_frame& x) {
                into->push_back(*decode(x, limits));
              },
              [](atom::close) {}};
    };
    return spawn(take);
  }
  certified_sink certified_notes(notes<certified_header> into) {
    const auto limits = this->limits();
    return spawn([into, limits](certified_sink::pointer) -> certified_sink::behavior_type {
      return {[into, limits](const certified_frame& x) { into->push_back(*decode(x, limits)); }};
    });
  }

  dag_limits limits() const { return dag::limits_of(*members, protocol); }
  std::vector<digest> genesis() const {
    std::vector<digest> all;
    for (unsigned i = 0; i < n; ++i) all.push_back(genesis_header(members->chain, v(i)));
    return all;
  }
  /// A header as its author would sign it, with its coin share.
  signed_header sign(header x) const {
    x.epoch = members->epoch;
    if (carries_coin_share(x.round))
      x.coin_share = crypto::fake_coin(7, n, f, x.author).share(coin_wave(x.round));
    signed_bytes bytes{encode_header(x), {}};
    x.id = header_id(bytes.body);
    bytes.sig =
        signer(x.author.value).sign(crypto::header_statement(crypto::context_of(*members), x.id));
    return {std::move(x), std::move(bytes)};
  }
  /// The first header of `author`. @param created_at tells headers apart.
  signed_header first_header(unsigned author, unsigned created_at = 1) const {
    header x;
    x.author = v(author);
    x.round = r(1);
    x.parents = genesis();
    x.created_at = time_point{duration{created_at}};
    return sign(std::move(x));
  }
  vote vote_for(const header& x, unsigned voter) const {
    const auto statement =
        crypto::vote_statement(crypto::context_of(*members), x.id, x.author, x.round);
    return {x.id, x.author, x.round, v(voter), signer(voter).sign(statement)};
  }
  certified_header certify(const signed_header& x, std::initializer_list<unsigned> voters) const {
    certificate cert{x.hdr.id, x.hdr.author, x.hdr.round, {}};
    for (unsigned voter : voters) cert.votes.push_back({v(voter), vote_for(x.hdr, voter).sig});
    return {x.hdr, x.bytes, std::move(cert)};
  }
  /// How often a role refused something for this reason.
  double rejected(const std::string& role, reject why) {
    return metrics
        ->counter("flamingo_rejected_total", "",
                  {{"role", role}, {"reason", std::string(to_string(why))}})
        .Value();
  }

  struct config : caf::actor_system_config {
    config() {
      add_message_types<caf::id_block::flamingo>();
      set("scheduler.policy", caf::atom("testing"));
    }
  } cfg;
  caf::actor_system system{cfg};
  caf::scheduler::test_coordinator& sched =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  std::shared_ptr<const committee> members;
  protocol_parameters protocol;
  local_parameters local;
  std::shared_ptr<storage::memory_kv> store = std::make_shared<storage::memory_kv>();
  std::shared_ptr<runtime::metrics> metrics;
  std::vector<std::string> failures;  // what the environment was told
  unsigned rejoins = 0;               // how often it was asked for a checkpoint

private:
  std::vector<caf::actor> actors_;
};

template <class T>
std::vector<T> all_of(const std::vector<peer_message>& sent) {
  std::vector<T> result;
  for (const auto& x : sent)
    if (const auto* y = std::get_if<T>(&x)) result.push_back(*y);
  return result;
}

}  // namespace flamingo::testing
