// The simulated world: n whole validators (the real shells) and their clients in one actor system
// on CAF's test coordinator. One thread, virtual time, everything from one seed.
#pragma once

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "actors/validator/joining.hpp"
#include "actors/validator/validator.hpp"
#include "tests/sim/disk.hpp"
#include "tests/sim/network.hpp"
#include "tests/sim/random.hpp"
#include "tests/sim/trace.hpp"

namespace flamingo::sim {

struct world_options {
  std::uint64_t seed = 1;
  unsigned validators = 4, clients = 4;
  std::uint64_t accounts = 1000;
  link_model links;
  std::chrono::microseconds sync_min{500}, sync_max{6000};  // one sync of a disk
  std::chrono::milliseconds clock_offset_max{0};            // of each validator's clock, either way
  protocol_parameters protocol;
  /// Byzantine: they take every bundle, however far ahead of its client's window it is.
  std::set<validator_id> lax;
  std::optional<std::uint64_t> history_rounds;  // that everybody keeps below the floor
  /// Different random ones at each validator.
  enum class locals : std::uint8_t { usual, other_delays, small } local = locals::other_delays;
  std::function<void(local_parameters&)> change_local;  // after that; may be empty
  /// So many executor hosts each has. Without one its executors run with its other roles.
  std::map<validator_id, unsigned> executor_hosts;
  /// Byzantine: each bundle is a batch of theirs.
  std::set<validator_id> small_change;
  std::function<void(const std::string&)> print;  // lines of the trace
  /// What becomes durable on whose disk. May be empty.
  std::function<void(validator_id, const storage::write_batch&)> on_durable;
};

class world {
public:
  explicit world(world_options options);
  ~world();

  /// Starts a validator that is down: from its disk, if it lived before.
  void start(validator_id v);
  /// Power off: actors, links and unsynced writes are gone at once.
  void crash(validator_id v);
  /// The disk of a validator that is down is replaced by an empty one.
  void wipe(validator_id v);
  /// Whether it runs; it may still be joining.
  bool is_up(validator_id v) const {
    return validators_[v.value].node != nullptr || validators_[v.value].joining != nullptr;
  }
  bool is_joining(validator_id v) const { return validators_[v.value].joining != nullptr; }
  /// How often a validator came back by a joiner.
  std::uint64_t joined() const { return joined_; }

  /// An operator of a validator that runs asks for one executor more (1) or less (-1).
  void scale(validator_id v, std::int8_t change);
  /// One of a validator's executors crashes, or all of one of its hosts, which is away then until
  /// the next `return_hosts`. @returns whether there was one.
  bool crash_executor(validator_id v);
  bool crash_executor_host(validator_id v);
  void return_executor_hosts(validator_id v);

  /// Lets virtual time pass; a seed picks among the actors that are ready.
  void run_for(duration time);

  time_point now() const;
  const committee& members() const { return *members_; }
  const world_options& options() const { return options_; }
  network& net() { return net_; }
  random_source& random() { return random_; }
  trace& log() { return trace_; }
  caf::actor_system& system() { return system_; }

  /// The disk of a validator, whether it is up or not.
  storage::memory_kv& platter(validator_id v) { return *validators_[v.value].platter; }
  const role_handles* handles_of(validator_id v) const;
  runtime::environment_ptr environment_of(validator_id v) const { return validators_[v.value].env; }

  /// What a validator's environment failed with; empty: nothing.
  const std::vector<std::string>& failures() const { return failures_; }

  host_id host_of(validator_id v) const { return v.value; }
  host_id host_of(client_id c) const { return options_.validators + c.value; }

  /// The committee, keys and addresses of a simulation: all from its options.
  static std::shared_ptr<const committee> make_committee(const world_options& options);
  static std::shared_ptr<const crypto::signer> signer_of(const std::string& name);

private:
  /// A process of the validator in which executors may run.
  struct host {
    std::string name;
    executor_host actor;
    std::shared_ptr<std::vector<executor_actor>> executors;  // that it spawned
    bool up = true;
  };
  struct life {
    std::shared_ptr<storage::memory_kv> platter;
    std::vector<std::shared_ptr<disk>> disks;  // of all its lives: tasks may still point to them
    local_parameters local;
    duration clock_offset{};
    runtime::environment_ptr env;
    std::unique_ptr<validator::joining> joining;  // before `node`, if at all
    std::unique_ptr<validator::node> node;
    bool rejoins = false;  // it asked to be stopped for it
    std::vector<host> hosts;
  };

  struct config : caf::actor_system_config {
    config();
  };

  void start_roles(validator_id v);
  void start_hosts(validator_id v);
  void begin_joining(validator_id v, const joiner::standing& stands);
  void power_off(validator_id v);
  void rejoin(validator_id v);
  local_parameters pick_local_parameters(validator_id v);
  runtime::environment_ptr make_environment(validator_id v);

  world_options options_;
  random_source random_;
  trace trace_;
  config config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator& coordinator_;
  std::shared_ptr<const committee> members_;
  network net_;
  std::vector<life> validators_;
  std::vector<std::string> failures_;
  std::uint64_t joined_ = 0;
};

}  // namespace flamingo::sim
