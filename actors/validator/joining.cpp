#include "actors/validator/joining.hpp"

#include <caf/all.hpp>

#include "actors/certificate_aggregator/certificate_aggregator_actor.hpp"
#include "actors/committer/committer_store_actor.hpp"
#include "actors/executor/applications/application.hpp"
#include "actors/executor/snapshots_actor.hpp"
#include "actors/primary/primary_actor.hpp"
#include "actors/worker/worker_store_actor.hpp"

namespace flamingo::validator {

namespace {

/// What each role finds in the store when it starts after a checkpoint.
bool install(const runtime::environment& env, storage::write_batch& into, const joiner::finish& x,
             byte_span bytes) {
  if (x.bar) primary::install_bar(into, *x.bar);
  if (!x.checkpoint) return true;
  const auto ledger = committer::decode_ledger(bytes);
  const auto rules = executor::make_application(env.protocol);
  if (!ledger || !rules || ledger->head.head.index != x.checkpoint->index) return false;
  const round_number anchor = ledger->head.head.anchor_round;
  const round_number floor = anchor - env.protocol.gc_depth;
  committer::install(into, *ledger);
  primary::install(into, {floor, anchor});
  certificate_aggregator::install(into, floor);
  executor::install_markers(into, x.checkpoint->index, env.local.executors,
                            static_cast<std::uint32_t>(rules->value_size()));
  for (std::uint16_t w = 0; w < env.protocol.workers; ++w) {
    const worker::batch_store store(*env.store, worker_id{w});
    for (const auto& [client, window] : ledger->windows) store.put_window(into, client, window);
    store.put_newest(into, x.checkpoint->index, anchor);
  }
  return true;
}

link::events<schema::PeerMessage> to_joiner(const joiner_actor& joiner) {
  using link::peer;
  const auto id = [](peer who) { return validator_id{static_cast<std::uint16_t>(who.index)}; };
  const auto is_validator = [](peer who) { return who.what == peer::kind::validator; };
  return {[=](peer who, peer_link link) {
            if (is_validator(who))
              caf::anon_send(joiner, atom::link_up_v, id(who), link);
            else
              caf::anon_send(link, atom::close_v);
          },
          [=](peer who, const peer_link&, peer_frame x) {
            if (is_validator(who)) caf::anon_send(joiner, id(who), std::move(x));
          },
          [=](peer who, peer_link link) {
            if (is_validator(who)) caf::anon_send(joiner, atom::link_down_v, id(who), link);
          }};
}

commit_index newest_commit(storage::kv& store) {
  digest chain;
  return committer::recover(store, chain).head.index;
}

}  // namespace

std::optional<std::string> cannot_join(const committee& members, const joiner::standing& stands) {
  if (!stands.lost || members.faulty() > 0) return std::nullopt;
  return "the store is empty, and this is no new network: with " + std::to_string(members.size()) +
         " validators none may lose its store; restore it from a copy";
}

joining::joining(caf::actor_system& system, runtime::environment_ptr env, link::doorways doors,
                 const joiner::standing& stands, std::function<void()> done)
    : env_(std::move(env)), doors_(std::move(doors)) {
  // What was forgotten of the state cannot be gone on from, however old the checkpoint.
  const commit_index have = stands.begun ? commit_index{} : newest_commit(*env_->store);
  const auto install_all = [env = env_](storage::write_batch& into, const joiner::finish& x,
                                        byte_span ledger) {
    return install(*env, into, x, ledger);
  };
  joiner_ =
      system.spawn(joiner::shell, env_, joiner::plan{stands, have, install_all, std::move(done)});
}

void joining::start(const network_address& where) {
  caf::anon_send(joiner_, atom::start_v);
  const auto to = to_joiner(joiner_);
  doors_.primaries->listen(where, to);
  // Of each pair the one with the higher number dials.
  for (std::uint16_t v = 0; v < env_->self.value; ++v)
    doors_.primaries->dial({link::peer::kind::validator, v}, env_->members->validators[v].primary,
                           to);
}

void joining::stop() {
  if (doors_.clients) doors_.clients->stop();
  if (doors_.operators) doors_.operators->stop();
  if (doors_.workers) doors_.workers->stop();
  if (doors_.primaries) doors_.primaries->stop();
  caf::anon_send_exit(joiner_, caf::exit_reason::user_shutdown);
}

}  // namespace flamingo::validator
