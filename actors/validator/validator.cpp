#include "actors/validator/validator.hpp"

#include <caf/io/all.hpp>
#include <caf/send.hpp>

#include "actors/certificate_aggregator/certificate_aggregator_actor.hpp"
#include "actors/checkpointer/checkpointer_actor.hpp"
#include "actors/committer/committer_actor.hpp"
#include "actors/executor/executor_actor.hpp"
#include "actors/executor/executor_group_actor.hpp"
#include "actors/executor/state_source_actor.hpp"
#include "actors/joiner/joiner_actor.hpp"
#include "actors/load_monitor/load_monitor_actor.hpp"
#include "actors/migration_coordinator/migration_coordinator_actor.hpp"
#include "actors/primary/primary_actor.hpp"
#include "actors/validator/introduction.hpp"
#include "actors/validator/operator_desk_actor.hpp"
#include "actors/validator/remote_host_actor.hpp"
#include "actors/validator/tls_middleman_actor.hpp"
#include "actors/worker/worker_actor.hpp"

namespace flamingo::validator {

namespace {

using link::events;
using link::peer;

constexpr peer as_peer(validator_id v) {
  return {peer::kind::validator, v.value};
}

/// Events for a role that talks to peers of one kind. A link from another kind is closed at once:
/// its certificate may be good, but this door is not for it.
template <class Id, class Message, class Up, class Frame, class Down>
events<Message> only(peer::kind kind, Up up, Frame frame, Down down) {
  using handle = link_actor<Message>;
  using rep = typename Id::rep;
  return {[=](peer who, handle link) {
            if (who.what == kind)
              up(Id{static_cast<rep>(who.index)}, link);
            else
              caf::anon_send(link, atom::close_v);
          },
          [=](peer who, const handle& link, wire<Message> x) {
            if (who.what == kind) frame(Id{static_cast<rep>(who.index)}, link, std::move(x));
          },
          [=](peer who, handle link) {
            if (who.what == kind) down(Id{static_cast<rep>(who.index)}, link);
          }};
}

/// Headers are the primary's, questions about checkpoints the checkpointer's; votes, certificates
/// and requests the aggregator's.
enum class conversation : std::uint8_t { headers, certificates, checkpoints };
conversation conversation_of(const peer_frame& x) {
  auto result = conversation::certificates;
  x.read([&](schema::PeerMessage::Reader r) {
    if (r.isHeader()) result = conversation::headers;
    if (r.isCheckpoint()) result = conversation::checkpoints;
  });
  return result;
}

events<schema::PeerMessage> to_primary(const role_handles& here) {
  const auto primary = here.primary;
  const auto aggregator = here.aggregator;
  const auto checkpointer = here.checkpointer;
  return only<validator_id, schema::PeerMessage>(
      peer::kind::validator,
      [=](validator_id v, peer_link link) {
        caf::anon_send(primary, atom::link_up_v, v, link);
        caf::anon_send(aggregator, atom::link_up_v, v, link);
      },
      [=](validator_id v, const peer_link& link, peer_frame x) {
        switch (conversation_of(x)) {
          case conversation::headers:
            return caf::anon_send(primary, v, std::move(x));
          case conversation::certificates:
            return caf::anon_send(aggregator, v, std::move(x));
          case conversation::checkpoints:
            return caf::anon_send(checkpointer, v, link, std::move(x));
        }
      },
      [=](validator_id v, peer_link link) {
        caf::anon_send(primary, atom::link_down_v, v, link);
        caf::anon_send(aggregator, atom::link_down_v, v, link);
      });
}

/// A worker's two doors differ only in who knocks and what is said.
template <class Id, class Message>
events<Message> to_worker(peer::kind kind, worker_id index, worker_actor worker) {
  using handle = link_actor<Message>;
  auto events = only<Id, Message>(
      kind, [=](Id id, handle link) { caf::anon_send(worker, atom::link_up_v, id, link); },
      [=](Id id, const handle&, wire<Message> x) { caf::anon_send(worker, id, std::move(x)); },
      [=](Id id, handle link) { caf::anon_send(worker, atom::link_down_v, id, link); });
  events.worker = index;
  return events;
}

events<schema::OperatorMessage> to_desk(operator_desk_actor desk) {
  return {[](peer who, operator_link link) {
            if (who.what != peer::kind::operator_) caf::anon_send(link, atom::close_v);
          },
          [=](peer who, const operator_link& link, operator_frame x) {
            if (who.what == peer::kind::operator_) caf::anon_send(desk, link, std::move(x));
          },
          [](peer, operator_link) {}};
}

}  // namespace

listen_addresses listen_addresses::advertised(const validator_info& self) {
  return {self.primary, self.operators, self.workers};
}

node::node(caf::actor_system& system, runtime::environment_ptr env, link::doorways doors,
           role_set roles)
    : system_(system), env_(std::move(env)), doors_(std::move(doors)) {
  if (roles.primary) {
    here_.primary = system.spawn(primary::shell, env_);
    here_.aggregator = system.spawn(certificate_aggregator::shell, env_);
    here_.committer = system.spawn(committer::shell, env_);
    here_.load_monitor = system.spawn(load_monitor::shell, env_);
    here_.coordinator = system.spawn(migration_coordinator::shell, env_);
    here_.checkpointer = system.spawn(checkpointer::shell, env_);
    joiner::counters{*env_->metrics};  // every series is there from the start
    here_.desk = system.spawn(operator_desk::shell, here_.committer, here_.primary);
  }
  if (roles.worker)
    for (std::uint16_t i = 0; i < env_->protocol.workers; ++i)
      here_.workers.push_back(system.spawn(worker::shell, env_, worker_id{i}));
  if (roles.executor) {
    executor_host_ = system.spawn(executor::host_shell, env_);
    here_.executors = system.spawn(executor_group::shell, env_, executor_host_);
    here_.states = system.spawn(executor::source_shell, env_);
  }
}

void node::start(const listen_addresses& where) {
  introduce(here_, here_);  // not the workers to the desk: here they are there while it is
  begin(here_);
  open_doors(where);
}

void node::start(const listen_addresses& where, const internal_network& network) {
  directory_ = system_.spawn(directory::shell, here_);
  const auto by = remoting(network.tls);
  publish_directory(system_, by, directory_, network.listen);
  // Called by the colleagues actor alone, one call at a time.
  const auto complete = [this, where, begun = false](const role_handles& all) mutable {
    introduce(here_, all);
    if (here_.desk) introduce_workers(here_.desk, all);
    if (std::exchange(begun, true)) return;
    begin(here_);
    try {
      open_doors(where);
    } catch (const std::runtime_error& failure) {
      env_->fail(ec::address_in_use, failure.what());
    }
  };
  colleagues_ = system_.spawn(colleagues::shell, by, here_, network.colleagues,
                              std::size_t{env_->protocol.workers}, complete);
}

caf::io::middleman_actor node::remoting(std::shared_ptr<const link::tls_context> tls) {
  if (!tls) return system_.middleman().actor_handle();
  if (!tls_remoting_) tls_remoting_ = spawn_tls_middleman(system_, std::move(tls));
  return tls_remoting_;
}

void node::find_executor_hosts(const std::vector<network_address>& at,
                               std::shared_ptr<const link::tls_context> tls) {
  if (!here_.executors || at.empty()) return;
  const auto by = remoting(std::move(tls));
  for (const network_address& x : at)
    remote_hosts_.push_back(system_.spawn(remote_host::shell, by, x, here_.executors));
}

void node::open_doors(const listen_addresses& where) {
  if (here_.primary) open_primary_doors(where);
  open_worker_doors(where);
}

void node::open_primary_doors(const listen_addresses& where) {
  const auto to = to_primary(here_);
  doors_.primaries->listen(where.primary, to);
  doors_.operators->listen(where.operators, to_desk(here_.desk));
  // Of each pair the one with the higher number dials.
  for (std::uint16_t v = 0; v < env_->self.value; ++v)
    doors_.primaries->dial(as_peer(validator_id{v}), env_->members->validators[v].primary, to);
}

void node::open_worker_doors(const listen_addresses& where) {
  for (std::uint16_t i = 0; i < here_.workers.size(); ++i) {
    const auto& worker = here_.workers[i];
    const auto peers =
        to_worker<validator_id, schema::WorkerMessage>(peer::kind::validator, worker_id{i}, worker);
    doors_.workers->listen(where.workers[i].peers, peers);
    doors_.clients->listen(where.workers[i].clients, to_worker<client_id, schema::ClientMessage>(
                                                         peer::kind::client, worker_id{i}, worker));
    for (std::uint16_t v = 0; v < env_->self.value; ++v)
      doors_.workers->dial(as_peer(validator_id{v}), env_->members->validators[v].workers[i].peers,
                           peers);
  }
}

void node::stop() {
  if (doors_.clients) doors_.clients->stop();
  if (doors_.operators) doors_.operators->stop();
  if (doors_.workers) doors_.workers->stop();
  if (doors_.primaries) doors_.primaries->stop();
  const auto end = [](const auto& who) {
    if (who) caf::anon_send_exit(who, caf::exit_reason::user_shutdown);
  };
  for (const auto& host : remote_hosts_) end(host);
  end(colleagues_);
  end(directory_);
  if (tls_remoting_) caf::anon_send_exit(tls_remoting_, caf::exit_reason::kill);
  end(here_.desk);
  for (const auto& worker : here_.workers) end(worker);
  end(here_.primary);
  end(here_.aggregator);
  end(here_.coordinator);
  end(here_.load_monitor);
  end(here_.committer);
  end(here_.checkpointer);
  end(here_.states);
  end(here_.executors);
  end(executor_host_);
}

}  // namespace flamingo::validator
