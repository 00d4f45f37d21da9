// Whole validators while the log goes on: what they hold in memory and keep in their stores is as
// much at a late point as at a later one, whatever f of them say of far rounds. What a role counts
// is named; what none of them counts shows as memory of the whole world.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "messages/codec_dag.hpp"
#include "storage/kv.hpp"
#include "tests/sim/byzantine/insider.hpp"
#include "tests/sim/client_fleet.hpp"
#include "tests/sim/tests/heap.hpp"
#include "tests/sim/world.hpp"

namespace {

using namespace flamingo;
using namespace flamingo::sim;
using namespace std::chrono_literals;

/// Says, for some of what it hears, what nothing will ever complete: signed headers of rounds near
/// and far whose parents, weak links and batches nobody has, certificates of them that lack votes,
/// votes for nothing; batches that no header ever lists; questions for all of it.
class far_garbage final : public byzantine::behaviour {
public:
  explicit far_garbage(byzantine::insider who) : who_(std::move(who)) {}

  using behaviour::hears;
  void hears(link::peer from, const peer_frame& x) override {
    x.read([&](schema::PeerMessage::Reader r) {
      if (r.isCertificate()) newest_ = std::max(newest_, r.getCertificate().getRound());
    });
    if (!who_.random.chance(said_per_mille)) return;
    const auto to = byzantine::validator_of(from);
    for (const bool far : {false, true}) {
      const header hdr = invented(newest_ + who_.random.between(1, far ? 1'000'000 : 4));
      const auto body = encode_header(hdr);
      const digest id = header_id(body);
      send(to, encode_peer(signed_bytes{
                   body, who_.key->sign(crypto::header_statement(who_.context(), id))}));
      send(to, encode_peer(certificate_of(id, hdr.round)));
      send(to, encode_peer(vote_for(id, to, hdr.round)));
      send(to, encode_peer(header_request{hdr.parents}));
    }
    ++said;
  }
  void hears(link::peer from, const worker_frame& x) override {
    const auto limits = who_.limits_of_batches();
    const auto message = decode(x, limits);
    const auto* batch = message ? std::get_if<batch_view>(&*message) : nullptr;
    if (batch == nullptr || !who_.random.chance(said_per_mille)) return;
    const batch_sequence sequence{(std::uint64_t{1} << 40) + (++batches_ << 20)};
    send_to_workers(byzantine::validator_of(from),
                    encode_batch(who_.self, batch->worker, sequence, batch->bundles));
    send_to_workers(byzantine::validator_of(from), encode(batch_request{{who_.some_digest()}}));
  }

  std::uint64_t said = 0;

private:
  static constexpr unsigned said_per_mille = 100;

  header invented(std::uint64_t round) {
    header x;
    x.author = who_.self;
    x.epoch = who_.members->epoch;
    x.round = round_number{round};
    x.created_at = time_point(duration(1));
    for (std::size_t i = 0; i < who_.members->quorum(); ++i)
      x.parents.push_back(who_.some_digest());
    if (round > 3)
      x.weak_links.push_back({{round_number{round - 2}, validator_id{0}}, who_.some_digest()});
    x.payload.push_back({who_.some_digest(), worker_id{0}, 1, who_.some_digest(), {}});
    if (carries_coin_share(x.round)) x.coin_share.resize(32);
    return x;
  }
  certificate certificate_of(const digest& id, round_number round) {
    certificate x{id, who_.self, round, {}};
    for (std::uint16_t v = 0; v < who_.members->quorum(); ++v)
      x.votes.emplace_back(validator_id{v}, vote_for(id, who_.self, round).sig);
    return x;
  }
  vote vote_for(const digest& id, validator_id author, round_number round) {
    const auto statement = crypto::vote_statement(who_.context(), id, author, round);
    return {id, author, round, who_.self, who_.key->sign(statement)};
  }

  byzantine::insider who_;
  std::uint64_t newest_ = 0, batches_ = 0;
};

/// As little as may be kept, so that a window of each kind passes soon.
void keep_little(local_parameters& x) {
  x.history_bytes = 64 << 10;
  x.history_retention = 1s;
  x.history_rounds = 10;
  x.commit_retention = 10;
  x.recent_receipts = 100;
  x.batch_cache_bytes = 1 << 20;
  x.index_cache_bundles = 1000;
  x.max_evidence = 2;
}

/// By name: rows of a table, and records and bytes that a role counts; the most of all honest
/// validators.
using records = std::map<std::string, double>;

class long_run {
public:
  explicit long_run(unsigned n)
      : world_(options_of(n)), clients_(world_, std::vector(world_.options().clients, load_of(n))) {
    const auto members = world::make_committee(world_.options());
    first_liar_ = n - static_cast<unsigned>(members->faulty());
    for (unsigned v = first_liar_; v < n; ++v) {
      byzantine::insider who{validator_id{static_cast<std::uint16_t>(v)}, members,
                             world_.options().protocol,
                             world::signer_of(members->validators[v].name), random_source(7 * v)};
      liars_.push_back(std::make_shared<far_garbage>(std::move(who)));
      world_.net().corrupt(v, liars_.back());
    }
    for (std::uint16_t v = 0; v < n; ++v) world_.start(validator_id{v});
    clients_.start();
  }

  std::uint64_t round() { return static_cast<std::uint64_t>(read(0)["anchor round"]); }
  void run_to(std::uint64_t round_to_reach) {
    for (int i = 0; i < 10'000 && round() < round_to_reach; ++i) world_.run_for(20ms);
    REQUIRE(round() >= round_to_reach);
    REQUIRE(world_.failures().empty());
  }

  /// The least of each within some rounds: what is under way comes and goes.
  records least() {
    records out;
    for (const auto until = round() + 12; round() < until; world_.run_for(5ms)) {
      records now;
      for (unsigned v = 0; v < first_liar_; ++v)
        for (const auto& [name, count] : read(v)) now[name] = std::max(now[name], count);
      const auto heap = sim::test::held();
      const double finished = now["finished bundles"];
      now["blocks of memory"] = static_cast<double>(heap.blocks) - finished;
      now["bytes of memory"] = static_cast<double>(heap.bytes) - bytes_of_finished * finished;
      for (const auto& [name, count] : now) {
        const auto [found, is_new] = out.emplace(name, count);
        if (!is_new) found->second = std::min(found->second, count);
      }
    }
    return out;
  }

  std::uint64_t lies() const {
    std::uint64_t out = 0;
    for (const auto& x : liars_) out += x->said;
    return out;
  }

private:
  static world_options options_of(unsigned n) {
    world_options with;
    with.seed = n;
    with.validators = n;
    // Nobody pays at a liar: its own batches would wait in it, since its peers have enough of it.
    with.clients = n - (n - 1) / 3;
    with.protocol.gc_depth = 10;
    with.protocol.checkpoint_anchors = 5;
    with.protocol.bundle_window = 512;
    with.local = world_options::locals::usual;
    with.change_local = keep_little;
    with.links.delay_max = 2ms;
    return with;
  }
  /// A client remembers its newest bundles, far more of them than a run has, in a node each.
  static constexpr double bytes_of_finished = 184;

  static client::settings load_of(unsigned n) {
    client::settings load;
    load.rate = 1000 / n;
    load.transactions_per_bundle = 5;
    load.outstanding_bundles = 200;
    load.give_up = 3600s;
    return load;
  }

  records read(unsigned validator) {
    static const std::map<std::string, std::string> counted{
        {"flamingo_committer_anchor_round", "anchor round"},
        {"flamingo_committer_bundles_total", "finished bundles"},
        {"flamingo_primary_headers_deferred", "deferred headers"},
        {"flamingo_primary_batches_waiting", "waiting batches"},
        {"flamingo_certificate_aggregator_incomplete", "incomplete certificates"},
        {"flamingo_certificate_aggregator_missing", "missing headers"},
        {"flamingo_committer_waiting_sub_dags", "waiting sub-DAGs"},
        {"flamingo_load_monitor_window_headers", "headers of the window"},
        {"flamingo_worker_ingress_bytes", "ingress bytes"},
        {"flamingo_worker_uncommitted_bytes", "uncommitted bytes"},
        {"flamingo_worker_wanted_batches", "wanted batches"},
        {"flamingo_worker_history_bytes", "history bytes"},
        {"flamingo_executor_sub_dags_waiting", "sub-DAGs at executors"},
        {"flamingo_executor_steps_waiting", "waiting steps"},
        {"flamingo_executor_early_batches", "early batches"}};
    const validator_id v{static_cast<std::uint16_t>(validator)};
    records out;
    for (const auto& family : world_.environment_of(v)->metrics->registry()->Collect())
      if (const auto name = counted.find(family.name); name != counted.end())
        for (const auto& x : family.metric) out[name->second] += x.gauge.value + x.counter.value;
    for (std::size_t t = 0; t < storage::table_count; ++t) {
      const auto which = static_cast<storage::table>(t);
      double rows = 0;
      world_.platter(v).scan(which, storage::key(), storage::key::end(), [&](byte_span, byte_span) {
        ++rows;
        return true;
      });
      out[std::string("rows of ") + storage::name(which)] = rows;
    }
    return out;
  }

  world world_;
  client_fleet clients_;
  unsigned first_liar_ = 0;
  std::vector<std::shared_ptr<far_garbage>> liars_;
};

void check_flat(unsigned n, std::uint64_t early, std::uint64_t late) {
  CAPTURE(n);
  long_run x(n);
  x.run_to(early);
  const auto lies = x.lies();
  const records before = x.least();
  x.run_to(late);
  const records after = x.least();
  CHECK(x.lies() > lies + 100);
  for (const auto& [name, count] : before) {
    CAPTURE(name);
    MESSAGE(name << ": " << count << " " << after.at(name));
    if (name == "anchor round" || name == "finished bundles") continue;
    // Bytes are those of the moment: a few batches more or less are under way.
    const bool of_moment = name == "uncommitted bytes" || name == "ingress bytes";
    const bool of_world = name == "blocks of memory" || name == "bytes of memory";
    CHECK(after.at(name) <= (of_world ? 1.02 : 1.25) * count + (of_moment ? 32 << 10 : 10));
  }
}

}  // namespace

TEST_CASE("what 4 validators hold and store stays flat under far garbage while the log goes on") {
  check_flat(4, 250, 1250);
}
TEST_CASE("what 10 validators hold and store stays flat under far garbage while the log goes on") {
  check_flat(10, 200, 300);
}
TEST_CASE("what 21 validators hold and store stays flat under far garbage while the log goes on") {
  check_flat(21, 55, 85);
}
