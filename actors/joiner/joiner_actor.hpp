// The CAF shell of the joiner: checks what peers prove, writes what is kept, and puts the
// checkpoint in its place at the end.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "actors/interfaces.hpp"
#include "actors/joiner/joiner.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/runtime/metrics.hpp"
#include "actors/runtime/outbox.hpp"
#include "actors/runtime/timer.hpp"

namespace flamingo::joiner {

/// How a validator stands before its roles start: a row of table `meta`, until a joiner is done.
struct standing {
  bool lost = false;   // its store is empty, or older than what it signed
  bool begun = false;  // what it held of the state is forgotten

  bool joins() const { return lost || begun; }
};

/// The standing that the store says; all false if it says nothing.
standing read_standing(storage::kv&);
void put_standing(storage::write_batch&, const standing&);

/// What the other roles' stores must hold when they start. False if this version cannot read the
/// ledger.
using installer = std::function<bool(storage::write_batch&, const finish&, byte_span ledger)>;

struct plan {
  standing stands;
  commit_index have;           // the newest commit of the store
  installer install;           // everything but the buckets, which are kept as they come
  std::function<void()> done;  // all is durable; called once, on the actor's thread
};

struct counters {
  explicit counters(runtime::metrics&);

  runtime::reject_counters rejected;
  prometheus::Gauge &answers, &target, &buckets;
};

struct state {
  static inline const char* name = "joiner";

  runtime::environment_ptr env;
  std::optional<plan> with;
  std::optional<core> logic;
  std::optional<runtime::outbox> out;
  std::optional<counters> counted;
  std::map<validator_id, peer_link> links;
  runtime::timer timer;
};

joiner_actor::behavior_type shell(joiner_actor::stateful_pointer<state> self,
                                  runtime::environment_ptr env, plan with);

}  // namespace flamingo::joiner
