#include "actors/executor/executor_group_actor.hpp"

#include <spdlog/spdlog.h>
#include <caf/all.hpp>

#include "actors/executor/executor_actor.hpp"
#include "actors/executor/snapshots_actor.hpp"
#include "actors/runtime/neighbours.hpp"
#include "messages/codec_executor.hpp"
#include "messages/codec_validator.hpp"

namespace flamingo::executor_group {

namespace {

using pointer = executor_group_actor::stateful_pointer<state>;

/// A host that does not answer so long is none.
constexpr std::chrono::seconds spawn_patience{10};

void take(pointer self, input in);

// -- who knows whom

/// Everybody who is to know the executors.
template <class F>
void each_watcher(const state& s, F&& f) {
  if (s.committer) f(executors_sink(s.committer));
  for (const auto& [id, worker] : s.workers) f(executors_sink(worker));
  for (const auto& other : s.others) f(other);
}

void introduce_executors_to(pointer self, const executors_sink& who) {
  for (const executor_id id : self->state.known)
    self->send(who, atom::meet_v, id, stream_sink(self->state.alive.at(id)));
}

/// Its own neighbours but the other executors.
void introduce_neighbours_to(pointer self, const executor_actor& who) {
  auto& s = self->state;
  self->send(who, atom::meet_v, progress_sink(s.committer));
  self->send(who, atom::meet_v, group_sink(executor_group_actor(self)));
  for (const auto& [w, worker] : s.workers) self->send(who, atom::meet_v, w, executed_sink(worker));
}

/// All to each other; the core hears of it when each of them knows.
void introduce_all(pointer self) {
  auto& s = self->state;
  for (const auto& [id, executor] : s.alive) s.known.insert(id);
  each_watcher(s, [&](const executors_sink& who) { introduce_executors_to(self, who); });
  s.unaware = s.alive.size();
  const std::uint64_t number = ++s.introductions;
  for (const auto& [id, executor] : s.alive) {
    introduce_executors_to(self, executors_sink(executor));
    introduce_neighbours_to(self, executor);
    // Its answer comes behind all that.
    self->request(executor, caf::infinite, atom::ready_v)
        .then(
            [self, number, life = s.life](executor_id) {
              auto& x = self->state;
              if (number == x.introductions && --x.unaware == 0) take(self, introduced{life});
            },
            [](const caf::error&) {});  // it is gone: its end comes too
  }
}

void forget(pointer self, executor_id who) {
  auto& s = self->state;
  each_watcher(s, [&](const executors_sink& x) { self->send(x, atom::leave_v, who); });
  for (const auto& [id, executor] : s.alive) self->send(executor, atom::leave_v, who);
}

// -- lives

void end(pointer self, executor_id who) {
  const auto found = self->state.alive.find(who);
  if (found == self->state.alive.end()) return;
  self->send_exit(found->second, caf::exit_reason::user_shutdown);
  self->state.alive.erase(found);
  self->state.known.erase(who);
}

void begin_life(pointer self, std::uint64_t life) {
  auto& s = self->state;
  s.life = life;
  for (const auto& [who, executor] : std::exchange(s.alive, {}))
    self->send_exit(executor, caf::exit_reason::user_shutdown);
  s.known.clear();
  if (s.keeper) self->send_exit(s.keeper, caf::exit_reason::user_shutdown);
  s.keeper = self->home_system().spawn(executor::keeper_shell, s.env);
}

void learn(pointer self) {
  auto& s = self->state;
  commit_index snapshot;
  try {
    if (const auto marker = executor::find_snapshot(*s.env->store)) snapshot = marker->index;
  } catch (const storage::error& failure) {
    return s.env->fail(ec::store_failed, failure.what());
  }
  if (!s.committer) return;  // it will be met
  self->request(s.committer, caf::infinite, atom::group_v, snapshot)
      .then(
          [self, snapshot](const group_log& log) {
            take(self, log_known{snapshot, log});
          },
          [](const caf::error&) {});  // it will be met again
}

void on_spawned(pointer self, executor_id who, std::uint64_t life, const executor_actor& executor) {
  auto& s = self->state;
  if (life != s.life) return self->send_exit(executor, caf::exit_reason::user_shutdown);
  s.alive[who] = executor;
  s.births[executor.address()] = {who, life};
  self->monitor(executor);
  self->request(executor, caf::infinite, atom::ready_v)
      .then(
          [self, life](executor_id ready) {
            take(self, restored{ready, life});
          },
          [](const caf::error&) {});
}

void spawn(pointer self, const birth& x) {
  auto& s = self->state;
  const std::uint64_t life = s.life;
  const auto refused = [self, who = x.who, life](const std::string& why) {
    take(self, not_spawned{who, life, why});
  };
  const auto host = s.hosts.find(x.host);
  if (host == s.hosts.end()) return refused("it is not connected");
  const executor_birth born{x.who, life, x.from, x.group, s.env->local.scheduler};
  self->request(host->second, spawn_patience, born, s.keeper)
      .then([self, who = x.who, life](const executor_actor& y) { on_spawned(self, who, life, y); },
            [self, refused](const caf::error& why) { refused(self->home_system().render(why)); });
}

// -- effects

void want(pointer self, std::uint16_t executors) {
  self->request(self->state.committer, caf::infinite, atom::group_v, executors)
      .then([self](const group_log& log) { take(self, group_logged{log}); },
            [](const caf::error&) {});
}

void answer_operator(pointer self, const answer& x) {
  const auto found = self->state.asked.find(x.ticket);
  if (found == self->state.asked.end()) return;
  found->second.deliver(encode(operator_message{x.report}));
  self->state.asked.erase(found);
}

void perform(pointer self, const effects& fx) {
  auto& s = self->state;
  if (fx.roll_back) {
    spdlog::warn("{}: all executors return to the last snapshot", *fx.roll_back);
    s.counted->roll_backs.Increment();
  }
  for (const executor_id who : fx.end) end(self, who);
  if (fx.new_life) begin_life(self, *fx.new_life);
  if (fx.learn) learn(self);
  for (const birth& x : fx.spawn) spawn(self, x);
  if (fx.introduce) introduce_all(self);
  for (const executor_id who : fx.start) self->send(s.alive.at(who), atom::start_v);
  for (const executor_id who : fx.forget) forget(self, who);
  if (fx.want) want(self, *fx.want);
  for (const answer& x : fx.answers) answer_operator(self, x);
}

void take(pointer self, input in) {
  auto& s = self->state;
  const time_point now = s.env->now();
  perform(self, s.logic->step(now, std::move(in)));
  s.counted->executors.Set(s.logic->executors());
  if (const auto pause = s.wait.arm(now, s.logic->next_deadline()))
    self->delayed_send(self, *pause, atom::tick_v);
}

void on_down(pointer self, const caf::actor_addr& who) {
  auto& s = self->state;
  const auto found = s.births.find(who);
  if (found == s.births.end()) return;
  const auto [id, life] = found->second;
  s.births.erase(found);
  if (const auto here = s.alive.find(id); here != s.alive.end() && here->second.address() == who) {
    s.alive.erase(here);
    s.known.erase(id);
  }
  take(self, ended{id, life});
}

void host_came(pointer self, const host_address& at, const executor_host& host) {
  auto& s = self->state;
  s.hosts[at] = host;
  s.counted->hosts.Set(static_cast<double>(s.hosts.size() - 1));
  take(self, host_met{at});
}

void host_went(pointer self, const host_address& at) {
  auto& s = self->state;
  s.hosts.erase(at);
  s.counted->hosts.Set(static_cast<double>(s.hosts.size() - 1));
  take(self, host_left{at});
}

}  // namespace

metrics::metrics(runtime::metrics& into)
    : executors(into.gauge("flamingo_executor_group_executors",
                           "Executors of the newest group; 0 until it is known.")),
      hosts(into.gauge("flamingo_executor_group_hosts",
                       "Executor hosts of the validator that are connected.")),
      roll_backs(into.counter("flamingo_executor_group_roll_backs_total",
                              "How often all executors returned to the last snapshot.")) {}

state::~state() {
  if (keeper) caf::anon_send_exit(keeper, caf::exit_reason::user_shutdown);
}

executor_group_actor::behavior_type shell(pointer self, runtime::environment_ptr env,
                                          executor_host here) {
  auto& s = self->state;
  s.env = std::move(env);
  s.logic.emplace(parameters{s.env->self});
  s.counted.emplace(*s.env->metrics);
  s.hosts[{}] = std::move(here);
  // Every series is there from the start.
  for (std::uint16_t i = 0; i < max_group_executors; ++i)
    executor::executor_metrics{*s.env->metrics, executor_id{i}};
  self->set_down_handler([self](const caf::down_msg& gone) { on_down(self, gone.source); });
  return {[self](atom::meet, const group_keeper& committer) {
            auto& x = self->state;
            const bool again = static_cast<bool>(x.committer);
            x.committer = committer;
            introduce_executors_to(self, executors_sink(committer));
            for (const executor_id who : x.known)
              self->send(x.alive.at(who), atom::meet_v, progress_sink(committer));
            if (again) take(self, started{});
          },
          [self](atom::meet, worker_id id, const executors_worker& worker) {
            auto& x = self->state;
            const executors_worker before = std::exchange(x.workers[id], worker);
            if (before && before != worker) take(self, worker_restarted{id});
            introduce_executors_to(self, executors_sink(worker));
            for (const executor_id who : x.known)
              self->send(x.alive.at(who), atom::meet_v, id, executed_sink(worker));
          },
          [self](atom::meet, const executors_sink& other) {
            runtime::meet(self->state.others, other);
            introduce_executors_to(self, other);
          },
          [self](atom::meet, const std::string& at, const executor_host& host) {
            host_came(self, at, host);
          },
          [self](atom::leave, const std::string& at) { host_went(self, at); },
          [self](atom::start) { take(self, started{}); },
          [self](const progress_frame& x) {
            if (const auto progress = decode(x)) take(self, progressed{*progress});
          },
          [self](atom::scale, std::int8_t change) -> caf::result<operator_frame> {
            auto& x = self->state;
            const std::uint64_t ticket = ++x.tickets;
            auto promise = self->make_response_promise<operator_frame>();
            x.asked.emplace(ticket, promise);
            take(self, scale_asked{ticket, change});
            return promise;
          },
          [self](atom::tick) {
            self->state.wait.fired(self->state.env->now());
            take(self, timer{});
          }};
}

}  // namespace flamingo::executor_group
