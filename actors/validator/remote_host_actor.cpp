#include "actors/validator/remote_host_actor.hpp"

#include <spdlog/spdlog.h>
#include <caf/all.hpp>
#include <caf/io/all.hpp>

#include "actors/executor/executor_actor.hpp"

namespace flamingo::validator {

namespace {

constexpr const char* executor_type = "executor";
constexpr std::chrono::seconds retry{1}, answer_timeout{10};
/// The group takes a host that failed it for absent, until it hears of it again.
constexpr std::chrono::seconds announce_every{5};

using dial_atom = caf::atom_constant<caf::atom("dial")>;
using say_atom = caf::atom_constant<caf::atom("say")>;

/// The host to the group: hands on to CAF's remote spawn.
executor_host::behavior_type spawner(executor_host::pointer self,
                                     const caf::io::middleman_actor& remoting,
                                     const caf::node_id& there) {
  return {[=](const executor_birth& birth,
              const snapshot_keeper& keeper) -> caf::result<executor_actor> {
    auto promise = self->make_response_promise<executor_actor>();
    self->request(remoting, answer_timeout, caf::spawn_atom::value, there,
                  std::string(executor_type), caf::make_message(birth, keeper),
                  self->home_system().message_types<executor_actor>())
        .then(
            [promise](const caf::strong_actor_ptr& found) mutable {
              promise.deliver(caf::actor_cast<executor_actor>(found));
            },
            [promise](caf::error& why) mutable { promise.deliver(std::move(why)); });
    return promise;
  }};
}

}  // namespace

namespace remote_host {

namespace {

using pointer = caf::stateful_actor<state>*;

void dial_later(pointer self) {
  self->delayed_send(self, retry, dial_atom::value);
}

void found(pointer self, const caf::node_id& node, const caf::strong_actor_ptr& directory) {
  auto& s = self->state;
  self->monitor(directory);
  s.there = caf::actor_cast<caf::actor_addr>(directory);
  s.spawner = self->home_system().spawn(spawner, s.remoting, node);
  spdlog::info("executor host {} is there", name_of(s.at));
  self->send(self, say_atom::value);
}

void dial(pointer self) {
  const auto& at = self->state.at;
  self->request(self->state.remoting, answer_timeout, caf::connect_atom::value, at.host, at.port)
      .then(
          [self](const caf::node_id& node, const caf::strong_actor_ptr& directory,
                 const std::set<std::string>&) {
            if (directory)
              found(self, node, directory);
            else
              dial_later(self);
          },
          [self](const caf::error&) { dial_later(self); });
}

}  // namespace

state::~state() {
  if (spawner) caf::anon_send_exit(spawner, caf::exit_reason::user_shutdown);
}

std::string name_of(const network_address& at) {
  return at.host + ":" + std::to_string(at.port);
}

caf::behavior shell(pointer self, caf::io::middleman_actor remoting, network_address at,
                    executor_group_actor group) {
  auto& s = self->state;
  s.remoting = std::move(remoting);
  s.at = std::move(at);
  s.group = std::move(group);
  self->set_down_handler([self](const caf::down_msg& gone) {
    auto& x = self->state;
    if (gone.source != x.there) return;
    spdlog::warn("executor host {} is gone", name_of(x.at));
    self->send_exit(x.spawner, caf::exit_reason::user_shutdown);
    x.spawner = executor_host();
    self->send(x.group, atom::leave_v, name_of(x.at));
    dial_later(self);
  });
  dial(self);
  return {[self](dial_atom) { dial(self); },
          [self](say_atom) {
            auto& x = self->state;
            if (!x.spawner) return;
            self->send(x.group, atom::meet_v, name_of(x.at), x.spawner);
            self->delayed_send(self, announce_every, say_atom::value);
          }};
}

}  // namespace remote_host

executor_actor host_context::spawn(const executor_birth& birth, const snapshot_keeper& keeper) {
  const std::lock_guard lock(mutex_);
  if (ending_ || !env) return {};
  const auto executor = system->spawn(executor::shell, env, birth, keeper);
  if (spawned_.size() >= 2 * max_group_executors) spawned_.erase(spawned_.begin());
  spawned_.push_back(executor);
  return executor;
}

void host_context::end_all() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  for (const auto& executor : std::exchange(spawned_, {}))
    caf::anon_send_exit(executor, caf::exit_reason::user_shutdown);
}

void offer_executors(caf::actor_system_config& to, std::shared_ptr<host_context> with) {
  to.add_actor_factory(executor_type,
                       [with = std::move(with)](caf::actor_config&,
                                                caf::message& args) -> caf::actor_factory_result {
                         if (!args.match_elements<executor_birth, snapshot_keeper>()) return {};
                         const auto executor = with->spawn(args.get_as<executor_birth>(0),
                                                           args.get_as<snapshot_keeper>(1));
                         if (!executor) return {};
                         return {caf::actor_cast<caf::strong_actor_ptr>(executor),
                                 with->system->message_types<executor_actor>()};
                       });
}

void publish_directory(caf::actor_system& system, const caf::io::middleman_actor& remoting,
                       const directory_actor& directory, const network_address& at) {
  const caf::scoped_actor self(system);
  self->request(remoting, caf::infinite, caf::publish_atom::value, at.port,
                caf::actor_cast<caf::strong_actor_ptr>(directory), system.message_types(directory),
                at.host, true)
      .receive([](std::uint16_t) {},
               [&](const caf::error& why) {
                 throw std::runtime_error(
                     "cannot listen for the other processes of this validator at " + at.host + ":" +
                     std::to_string(at.port) + ": " + system.render(why));
               });
}

}  // namespace flamingo::validator
