#include "actors/validator/colleagues_actor.hpp"

#include <spdlog/spdlog.h>
#include <caf/all.hpp>
#include <caf/io/all.hpp>

namespace flamingo::validator {

namespace colleagues {

namespace {

using pointer = caf::stateful_actor<state>*;
using dial_atom = caf::atom_constant<caf::atom("dial")>;

constexpr std::chrono::seconds retry{1};
constexpr std::chrono::seconds answer_timeout{10};

template <class Handle>
void take(Handle& into, const Handle& from) {
  if (from) into = from;
}

/// All roles that are known, ours and the others'.
role_handles merged(const state& s) {
  role_handles all = s.here;
  for (const auto& there : s.there) {
    take(all.primary, there.primary);
    take(all.aggregator, there.aggregator);
    take(all.committer, there.committer);
    take(all.load_monitor, there.load_monitor);
    take(all.coordinator, there.coordinator);
    if (!there.workers.empty()) all.workers = there.workers;
    take(all.desk, there.desk);
    take(all.executors, there.executors);
  }
  return all;
}

void complete_if_all_known(pointer self) {
  const auto& s = self->state;
  const auto all = merged(s);
  if (all.primary && all.workers.size() == s.expected_workers && all.executors) s.on_complete(all);
}

void dial_later(pointer self, std::size_t which) {
  self->delayed_send(self, retry, dial_atom::value, static_cast<std::uint64_t>(which));
}

void ask(pointer self, std::size_t which, const caf::strong_actor_ptr& found) {
  const auto there = caf::actor_cast<directory_actor>(found);
  self->monitor(there);
  self->request(there, answer_timeout, atom::roles_v)
      .then(
          [self, which](const role_handles& roles) {
            const auto& at = self->state.addresses[which];
            spdlog::info("found {} roles of this validator at {}:{}",
                         (roles.primary ? 1 : 0) + roles.workers.size() + (roles.executors ? 1 : 0),
                         at.host, at.port);
            self->state.there[which] = roles;
            complete_if_all_known(self);
          },
          [self, which](const caf::error&) { dial_later(self, which); });
}

void dial(pointer self, std::size_t which) {
  const auto& at = self->state.addresses[which];
  self->request(self->state.remoting, answer_timeout, caf::connect_atom::value, at.host, at.port)
      .then(
          [self, which](const caf::node_id&, const caf::strong_actor_ptr& found,
                        const std::set<std::string>&) {
            if (found)
              ask(self, which, found);
            else
              dial_later(self, which);
          },
          [self, which](const caf::error&) { dial_later(self, which); });
}

}  // namespace

caf::behavior shell(caf::stateful_actor<state>* self, caf::io::middleman_actor remoting,
                    role_handles here, std::vector<network_address> addresses,
                    std::size_t expected_workers, complete_callback on_complete) {
  auto& s = self->state;
  s.remoting = std::move(remoting);
  s.here = std::move(here);
  s.addresses = std::move(addresses);
  s.there.resize(s.addresses.size());
  s.expected_workers = expected_workers;
  s.on_complete = std::move(on_complete);
  self->set_down_handler([self](caf::down_msg& gone) {
    // Which process it was: the one whose directory lives on that node. All that miss are dialled
    // again.
    for (std::size_t i = 0; i < self->state.there.size(); ++i) {
      const auto& roles = self->state.there[i];
      const auto on_node = [&](const auto& role) {
        return role && role.node() == gone.source.node();
      };
      const bool lost = on_node(roles.primary) ||
                        (!roles.workers.empty() && on_node(roles.workers.front())) ||
                        on_node(roles.executors);
      if (!lost) continue;
      spdlog::warn("lost the roles of this validator at {}:{}", self->state.addresses[i].host,
                   self->state.addresses[i].port);
      self->state.there[i] = {};
      dial_later(self, i);
    }
  });
  for (std::size_t i = 0; i < s.addresses.size(); ++i) dial(self, i);
  return {[self](dial_atom, std::uint64_t which) { dial(self, which); }};
}

}  // namespace colleagues

namespace directory {

directory_actor::behavior_type shell(directory_actor::stateful_pointer<state>, role_handles here) {
  return {[here](atom::roles) { return here; }};
}

}  // namespace directory

}  // namespace flamingo::validator
