#include "tests/sim/world.hpp"

#include "actors/executor/executor_actor.hpp"
#include "actors/runtime/metrics.hpp"
#include "crypto/fake_coin.hpp"
#include "crypto/fake_signing.hpp"
#include "tests/sim/local_values.hpp"

namespace flamingo::sim {

namespace {

/// Virtual time begins here, so that created_at values look like real ones.
constexpr std::chrono::hours epoch_offset{24 * 365 * 50};

network_address address(const std::string& host, std::uint16_t port) {
  return {host, port};
}

}  // namespace

world::config::config() {
  add_message_types<caf::id_block::flamingo>();
  set("scheduler.policy", caf::atom("testing"));
}

std::shared_ptr<const crypto::signer> world::signer_of(const std::string& name) {
  return std::make_shared<crypto::fake_signer>(name);
}

std::shared_ptr<const committee> world::make_committee(const world_options& options) {
  auto result = std::make_shared<committee>();
  result->chain =
      crypto::hash(crypto::tag_of("simulation"), crypto::as_bytes(std::to_string(options.seed)));
  result->file = result->chain;
  for (std::uint16_t i = 0; i < options.validators; ++i) {
    validator_info v;
    v.name = "v" + std::to_string(i);
    v.key = signer_of(v.name)->key();
    v.primary = address(v.name, 1);
    v.operators = address(v.name, 2);
    for (std::uint16_t k = 0; k < options.protocol.workers; ++k)
      v.workers.push_back({address(v.name, 10 + 2 * k), address(v.name, 11 + 2 * k)});
    v.capacity_max = 1'000'000;
    result->validators.push_back(std::move(v));
  }
  for (std::uint32_t i = 0; i < options.clients; ++i) {
    client_info c;
    c.name = "c" + std::to_string(i);
    c.key = signer_of(c.name)->key();
    c.accounts = {{account_id{options.accounts * i / options.clients},
                   account_id{options.accounts * (i + 1) / options.clients}}};
    c.assignee = validator_id{static_cast<std::uint16_t>(i % options.validators)};
    result->clients.push_back(std::move(c));
  }
  return result;
}

world::world(world_options options)
    : options_(std::move(options)),
      random_(options_.seed),
      trace_(options_.print),
      system_(config_),
      coordinator_(dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())),
      members_(make_committee(options_)),
      net_(system_, random_, trace_, options_.links),
      validators_(options_.validators) {
  options_.protocol.accounts = options_.accounts;
  for (std::uint16_t i = 0; i < validators_.size(); ++i) {
    auto& mine = validators_[i];
    mine.platter = std::make_shared<storage::memory_kv>();
    mine.local = pick_local_parameters(validator_id{i});
    const auto offset = options_.clock_offset_max.count();
    if (offset > 0)
      mine.clock_offset = std::chrono::milliseconds(
          static_cast<std::int64_t>(random_.below(2 * offset + 1)) - offset);
  }
}

world::~world() {
  for (std::uint16_t i = 0; i < validators_.size(); ++i)
    if (is_up(validator_id{i})) crash(validator_id{i});
  net_.stop();
  coordinator_.run();
}

local_parameters world::pick_local_parameters(validator_id v) {
  local_parameters x;
  if (options_.local == world_options::locals::other_delays) x = other_delays(random_);
  if (options_.local == world_options::locals::small) x = small_values(random_);
  const auto part = "executors of " + std::to_string(v.value);
  auto of_executors = random_source(options_.seed).fork(part);
  if (of_executors.chance(500)) x.scheduler = "flamingo";
  if (options_.history_rounds) x.history_rounds = *options_.history_rounds;
  if (options_.change_local) options_.change_local(x);
  if (options_.small_change.contains(v)) {
    x.batch_bytes = 1'000;
    x.max_batch_delay = std::chrono::milliseconds(1);
    x.header_payload_target = 1;
  }
  return x;
}

runtime::environment_ptr world::make_environment(validator_id v) {
  auto& mine = validators_[v.value];
  const auto schedule = [this, v](std::function<void()> task) {
    const auto takes = std::chrono::microseconds(
        random_.between(options_.sync_min.count(), options_.sync_max.count()));
    net_.after(host_of(v), takes, std::move(task));
  };
  disk::observer observer;
  if (options_.on_durable)
    observer = [this, v](const storage::write_batch& x) { options_.on_durable(v, x); };
  auto store = std::make_shared<disk>(mine.platter, schedule, observer);
  mine.disks.push_back(store);
  auto env = std::make_shared<runtime::environment>();
  const auto& name = members_->validators[v.value].name;
  env->self = v;
  env->members = members_;
  env->protocol = options_.protocol;
  if (options_.lax.contains(v)) env->protocol.bundle_window = 1 << 20;
  env->local = mine.local;
  env->store = store;
  env->signer = signer_of(name);
  env->scheme = std::make_shared<crypto::fake_scheme>();
  env->coin =
      std::make_shared<crypto::fake_coin>(options_.seed, members_->size(), members_->faulty(), v);
  env->metrics = std::make_shared<runtime::metrics>(runtime::labels{{"validator", name}});
  env->now = [this, offset = mine.clock_offset] { return now() + offset; };
  env->fail = [this, name](ec what, const std::string& text) {
    failures_.push_back(name + ": " + std::string(to_string(what)) + ": " + text);
  };
  // Not from within the actor that asks: its roles are about to go.
  env->rejoin = [this, v] {
    if (std::exchange(validators_[v.value].rejoins, true)) return;
    net_.after(host_of(v), std::chrono::milliseconds(1), [this, v] { rejoin(v); });
  };
  return env;
}

void world::start(validator_id v) {
  auto& mine = validators_[v.value];
  FLAMINGO_ASSERT(!is_up(v));
  trace_.note(now(), [&] { return "-- start " + members_->validators[v.value].name; });
  mine.env = make_environment(v);
  mine.rejoins = false;
  const auto stands = joiner::read_standing(*mine.platter);
  if (stands.joins())
    begin_joining(v, stands);
  else
    start_roles(v);
}

void world::begin_joining(validator_id v, const joiner::standing& stands) {
  auto& mine = validators_[v.value];
  trace_.note(now(), [&] { return "-- " + members_->validators[v.value].name + " joins"; });
  ++joined_;
  const auto done = [this, v] {
    // Not from within the joiner: it is about to go.
    net_.after(host_of(v), std::chrono::milliseconds(1), [this, v] {
      power_off(v);
      validators_[v.value].env = make_environment(v);
      start_roles(v);
    });
  };
  mine.joining = std::make_unique<validator::joining>(
      system_, mine.env, net_.doors(host_of(v), {link::peer::kind::validator, v.value}), stands,
      done);
  mine.joining->start(members_->validators[v.value].primary);
}

void world::rejoin(validator_id v) {
  trace_.note(now(),
              [&] { return "-- " + members_->validators[v.value].name + " was left behind"; });
  power_off(v);
  validators_[v.value].rejoins = false;
  validators_[v.value].env = make_environment(v);
  begin_joining(v, {});
}

void world::start_roles(validator_id v) {
  auto& mine = validators_[v.value];
  mine.node = std::make_unique<validator::node>(
      system_, mine.env, net_.doors(host_of(v), {link::peer::kind::validator, v.value}),
      validator::role_set{});
  start_hosts(v);
  mine.node->start(validator::listen_addresses::advertised(members_->validators[v.value]));
}

void world::start_hosts(validator_id v) {
  auto& mine = validators_[v.value];
  mine.hosts.clear();
  const auto found = options_.executor_hosts.find(v);
  const unsigned count = found == options_.executor_hosts.end() ? 0 : found->second;
  for (unsigned i = 0; i < count; ++i) {
    host x{"host" + std::to_string(i), {}, std::make_shared<std::vector<executor_actor>>(), true};
    x.actor = system_.spawn([env = mine.env, spawned = x.executors](
                                executor_host::pointer self) -> executor_host::behavior_type {
      return {[=](const executor_birth& birth, const snapshot_keeper& keeper) {
        auto executor = self->home_system().spawn(executor::shell, env, birth, keeper);
        spawned->push_back(executor);
        const auto is_it = [who = executor.address()](const executor_actor& y) {
          return y.address() == who;
        };
        caf::actor_cast<caf::actor>(executor)->attach_functor(
            [=] { std::erase_if(*spawned, is_it); });
        return executor;
      }};
    });
    caf::anon_send(mine.node->roles().executors, atom::meet_v, x.name, x.actor);
    mine.hosts.push_back(std::move(x));
  }
}

void world::scale(validator_id v, std::int8_t change) {
  if (const auto* roles = handles_of(v)) caf::anon_send(roles->executors, atom::scale_v, change);
}

bool world::crash_executor(validator_id v) {
  std::vector<executor_actor> alive;
  for (const auto& x : validators_[v.value].hosts)
    alive.insert(alive.end(), x.executors->begin(), x.executors->end());
  if (alive.empty() || !handles_of(v)) return false;
  caf::anon_send_exit(alive[random_.below(alive.size())], caf::exit_reason::kill);
  return true;
}

bool world::crash_executor_host(validator_id v) {
  for (auto& x : validators_[v.value].hosts) {
    if (!x.up || x.executors->empty() || !handles_of(v)) continue;
    for (const auto& executor : std::exchange(*x.executors, {}))
      caf::anon_send_exit(executor, caf::exit_reason::kill);
    x.up = false;
    caf::anon_send(handles_of(v)->executors, atom::leave_v, x.name);
    return true;
  }
  return false;
}

void world::return_executor_hosts(validator_id v) {
  for (auto& x : validators_[v.value].hosts)
    if (!std::exchange(x.up, true) && handles_of(v))
      caf::anon_send(handles_of(v)->executors, atom::meet_v, x.name, x.actor);
}

void world::crash(validator_id v) {
  FLAMINGO_ASSERT(is_up(v));
  trace_.note(now(), [&] { return "-- power goes at " + members_->validators[v.value].name; });
  power_off(v);
}

void world::power_off(validator_id v) {
  auto& mine = validators_[v.value];
  mine.disks.back()->die();
  if (mine.node) mine.node->stop();
  if (mine.joining) mine.joining->stop();
  for (const auto& x : std::exchange(mine.hosts, {}))
    caf::anon_send_exit(x.actor, caf::exit_reason::user_shutdown);
  net_.crash(host_of(v));
  mine.node.reset();
  mine.joining.reset();
  mine.env.reset();
}

void world::wipe(validator_id v) {
  auto& mine = validators_[v.value];
  FLAMINGO_ASSERT(!is_up(v));
  trace_.note(now(),
              [&] { return "-- disk of " + members_->validators[v.value].name + " is lost"; });
  mine.platter = std::make_shared<storage::memory_kv>();
  // A process that finds an empty disk in a network that is not new does this before anything else.
  storage::write_batch standing;
  joiner::put_standing(standing, {.lost = true});
  mine.platter->write(std::move(standing), {});
  mine.platter->sync();
}

const role_handles* world::handles_of(validator_id v) const {
  const auto& node = validators_[v.value].node;
  return node ? &node->roles() : nullptr;
}

time_point world::now() const {
  return time_point(epoch_offset + std::chrono::duration_cast<duration>(
                                       coordinator_.clock().now().time_since_epoch()));
}

void world::run_for(duration time) {
  auto& clock = coordinator_.clock();
  const auto until = clock.current_time + time;
  for (;;) {
    auto& jobs = coordinator_.jobs;
    if (!jobs.empty()) {
      std::swap(jobs.front(), jobs[random_.below(jobs.size())]);
      coordinator_.run_once();
    } else if (clock.has_pending_timeout() && clock.schedule().begin()->first <= until) {
      clock.trigger_timeout();
    } else {
      clock.current_time = until;
      return;
    }
  }
}

}  // namespace flamingo::sim
