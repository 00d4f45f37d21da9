#include "tests/sim/simulation.hpp"

#include "crypto/fake_coin.hpp"
#include "tests/sim/byzantine/kinds.hpp"
#include "tests/sim/checkers/agreement.hpp"
#include "tests/sim/checkers/assignment_tables.hpp"
#include "tests/sim/checkers/exactly_once.hpp"
#include "tests/sim/checkers/lazy_observers.hpp"
#include "tests/sim/checkers/liveness.hpp"
#include "tests/sim/checkers/no_double_commit.hpp"
#include "tests/sim/checkers/serial_execution.hpp"
#include "tests/sim/client_fleet.hpp"
#include "tests/sim/operator_watch.hpp"
#include "tests/sim/recorder.hpp"

namespace flamingo::sim {

namespace {

constexpr std::chrono::milliseconds look_every{500};  // virtual time between two looks
constexpr unsigned lazy_observer_count = 6;

std::set<validator_id> byzantine_of(const scenario& plan) {
  std::set<validator_id> out;
  for (const auto& [v, kind] : plan.byzantine) out.insert(v);
  return out;
}

class running {
public:
  running(const scenario& plan, std::function<void(const std::string&)> print)
      : plan_(plan),
        recorder_(world::make_committee(plan.world), plan.world.protocol, byzantine_of(plan)),
        world_(options_of(plan, std::move(print))),
        clients_(world_, plan.load),
        operator_(world_, static_cast<host_id>(plan.world.validators + plan.world.clients)) {
    recorder_.read_clock([this] { return world_.now(); });
    recorder_.read_history([this](validator_id v) { return history_of(v); });
    world_.net().listen_in(recorder_);
    for (const auto& [v, kind] : plan.byzantine) corrupt(v, kind);
  }

  outcome run() {
    began_ = world_.now();
    for (std::uint16_t v = 0; v < plan_.world.validators; ++v) world_.start(validator_id{v});
    clients_.start();
    auto next = plan_.events.begin();
    while (next != plan_.events.end() && fine()) {
      if (elapsed() + look_every < next->at) {
        look_after(look_every);
        continue;
      }
      if (next->at > elapsed()) world_.run_for(next->at - elapsed());
      perform(*next++);
    }
    if (fine()) show_liveness();
    finish();
    return std::move(out_);
  }

private:
  world_options options_of(const scenario& plan, std::function<void(const std::string&)> print) {
    world_options options = plan.world;
    options.print = std::move(print);
    options.on_durable = [this](validator_id v, const storage::write_batch& x) {
      recorder_.durable(v, x);
    };
    return options;
  }

  /// How long v keeps committed batches at least. A store of a few MiB may be full of them sooner;
  /// no run fills one of usual size.
  duration history_of(validator_id v) const {
    constexpr std::uint64_t much = 64 << 20;
    const auto& local = world_.environment_of(v)->local;
    return local.history_bytes < much ? duration::zero() : local.history_retention;
  }

  void corrupt(validator_id v, byzantine_kind kind) {
    const auto members = world::make_committee(plan_.world);
    const auto signed_by = [members](validator_id who, byte_span statement) {
      return world::signer_of(members->validators[who.value].name)->sign(statement);
    };
    byzantine::insider who{v, members, plan_.world.protocol,
                           world::signer_of(members->validators[v.value].name),
                           random_source(plan_.world.seed).fork(members->validators[v.value].name)};
    if (auto how = byzantine::make(kind, who, signed_by))
      world_.net().corrupt(world_.host_of(v), std::move(how));
  }

  duration elapsed() const { return world_.now() - began_; }
  bool fine() const { return out_.found.empty(); }

  void look_after(duration time) {
    world_.run_for(time);
    operator_.ask();
    look();
  }

  /// The cheap checks, so that a trace ends close to what went wrong.
  void look() {
    collect(recorder_.seen());
    for (const auto& what : world_.failures()) out_.found.push_back({"environment", what});
    if (!fine()) return;
    const auto& facts = recorder_.facts();
    collect(checkers::agreement(facts));
    collect(checkers::no_double_commit(facts));
    collect(checkers::exactly_once(facts));
  }
  void collect(const checkers::violations& found) {
    out_.found.insert(out_.found.end(), found.begin(), found.end());
  }

  void perform(const event& x) {
    world_.log().note(world_.now(), [&] { return "-- " + x.text(); });
    auto& net = world_.net();
    switch (x.what) {
      case fault::crash:
        return crash(x.a);
      case fault::lose:
        if (world_.is_up(x.a)) return;
        world_.wipe(x.a);
        return recorder_.wiped(x.a);
      case fault::restart:
        if (!world_.is_up(x.a)) world_.start(x.a);
        return;
      case fault::cut:
        ++out_.cuts;
        return net.cut(world_.host_of(x.a), world_.host_of(x.b));
      case fault::heal:
        return net.heal(world_.host_of(x.a), world_.host_of(x.b));
      case fault::cut_client:
        return with_links_of(x.client, [&](host_id a, host_id b) { net.cut(a, b); });
      case fault::heal_client:
        return with_links_of(x.client, [&](host_id a, host_id b) { net.heal(a, b); });
      case fault::slow:
        return net.slow(world_.host_of(x.a), x.delay);
      case fault::lossy:
        net.model().loss_per_mille = net.model().duplicate_per_mille = x.per_mille;
        return;
      case fault::add:
        return world_.scale(x.a, 1);
      case fault::remove:
        return world_.scale(x.a, -1);
      case fault::executor_crash:
        out_.executor_crashes += world_.crash_executor(x.a) ? 1 : 0;
        return;
      case fault::host_crash:
        out_.executor_crashes += world_.crash_executor_host(x.a) ? 1 : 0;
        return;
      case fault::host_return:
        return world_.return_executor_hosts(x.a);
      case fault::calm:
        net.heal_all();
        net.nobody_slow();
        net.model().loss_per_mille = net.model().duplicate_per_mille = 0;
        return;
    }
  }

  template <class F>
  void with_links_of(client_id c, F&& f) {
    for (std::uint16_t v = 0; v < plan_.world.validators; ++v)
      f(world_.host_of(c), world_.host_of(validator_id{v}));
  }

  void crash(validator_id v) {
    if (!world_.is_up(v)) return;
    world_.crash(v);
    recorder_.crashed(v, world_.platter(v));
    if (v == plan_.dead) recorder_.died(v);
    ++out_.crashes;
  }

  /// Time goes on until everything works, or the bound has passed.
  void show_liveness() {
    const auto& facts = recorder_.facts();
    const auto then = checkers::lengths(facts);
    const auto calm = elapsed();
    const auto time_left = [&] { return elapsed() - calm < plan_.liveness_bound; };
    const auto works = [&] {
      return checkers::commits_go_on(facts, then, plan_.commits_to_show) &&
             checkers::executes_on(facts, then, plan_.commits_to_show);
    };
    while (fine() && time_left() && !works()) look_after(look_every);
    clients_.stop_load();
    while (fine() && time_left() && !(works() && checkers::all_answered(facts)))
      look_after(look_every);
    out_.calm_to_live = elapsed() - calm;
    if (!fine()) return;
    collect(checkers::liveness(facts, then, plan_.commits_to_show));
    if (fine()) collect(checkers::admitted_are_committed(facts));
  }

  void finish() {
    for (std::uint16_t v = 0; v < plan_.world.validators; ++v)
      if (world_.is_up(validator_id{v})) {
        world_.crash(validator_id{v});
        recorder_.crashed(validator_id{v}, world_.platter(validator_id{v}));
      }
    if (fine()) look();
    const auto& facts = recorder_.facts();
    if (fine()) {
      collect(checkers::assignment_tables(facts));
      collect(checkers::serial_execution(facts));
      collect(checkers::lazy_observers(facts, leader_from_coin(), plan_.world.seed,
                                       lazy_observer_count));
    }
    count();
  }

  /// The simulation's coin gives everybody's shares.
  checkers::leader_function leader_from_coin() const {
    const auto n = plan_.world.validators;
    const auto f = (n - 1) / 3;
    std::vector<std::shared_ptr<crypto::fake_coin>> coins;
    for (std::uint16_t i = 0; i <= f; ++i)
      coins.push_back(std::make_shared<crypto::fake_coin>(plan_.world.seed, n, f, validator_id{i}));
    return [n, coins](wave_number w) {
      std::vector<std::vector<byte>> bytes;
      std::vector<crypto::coin_share> shares;
      for (const auto& x : coins) bytes.push_back(x->share(w));
      for (std::uint16_t i = 0; i < coins.size(); ++i)
        shares.push_back({validator_id{i}, bytes[i]});
      return validator_id{static_cast<std::uint16_t>(*coins.front()->combine(w, shares) % n)};
    };
  }

  void count() {
    const auto& facts = recorder_.facts();
    out_.trace_hash = world_.log().hash();
    out_.frames = world_.log().events();
    out_.virtual_time = elapsed();
    const auto& log = facts.longest().commits;
    out_.commits = log.size();
    if (!log.empty()) out_.rounds = log.rbegin()->second.stream.anchor_round.value;
    for (const auto& [index, record] : log)
      for (const auto& batch : record.stream.batches)
        for (const auto& bundle : batch.bundles)
          ++(bundle.what == verdict::fresh ? out_.bundles : out_.duplicates);
    for (const auto& x : facts.of)
      if (!x.commits.empty()) out_.regroups += x.commits.rbegin()->second.stream.group.version;
    for (const auto& [client, told] : facts.clients)
      for (const auto& [sequence, all] : told.receipts) out_.receipts += all.size();
  }

  const scenario& plan_;
  outcome out_;
  recorder recorder_;
  world world_;
  client_fleet clients_;
  operator_watch operator_;
  time_point began_;
};

}  // namespace

outcome simulate(const scenario& plan, std::function<void(const std::string&)> print) {
  return running(plan, std::move(print)).run();
}

}  // namespace flamingo::sim
