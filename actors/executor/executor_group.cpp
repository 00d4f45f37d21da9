#include "actors/executor/executor_group.hpp"

#include <algorithm>
#include <utility>

#include "messages/assert.hpp"

namespace flamingo::executor_group {

namespace {

std::string name_of(executor_id x) {
  return "executor " + std::to_string(x.value);
}
std::string place_of(const host_address& x) {
  return x.empty() ? "this process" : "host " + x;
}

}  // namespace

effects core::step(time_point now, input in) {
  effects out;
  now_ = now;
  std::visit([&](const auto& x) { on(x, out); }, in);
  end_leavers(out);
  return out;
}

std::uint16_t core::executors() const {
  return log_.entries.empty() ? std::uint16_t{0} : log_.entries.back().group.executors;
}

// -- a life of the group

void core::on(const started&, effects& out) {
  if (phase_ == phase::idle || phase_ == phase::learning) learn(out);
  // What was asked of a committer that went is asked again.
  if (phase_ == phase::running && change_ && change_->logging) out.want = change_->executors;
}

void core::learn(effects& out) {
  phase_ = phase::learning;
  learn_at_.reset();
  out.learn = true;
}

void core::on(const log_known& x, effects& out) {
  if (phase_ != phase::learning || x.log.entries.empty()) return;
  log_ = x.log;
  snapshot_ = x.snapshot;
  begin_life(out);
}

void core::begin_life(effects& out) {
  // Higher than any before, that of an earlier process included.
  life_ = std::max(life_ + 1, static_cast<std::uint64_t>(now_.time_since_epoch().count()));
  life_began_ = now_;
  phase_ = phase::restoring;
  out.new_life = life_;
  const auto before = std::exchange(members_, {});
  std::uint16_t most = 0;
  for (const group_entry& x : log_.entries) most = std::max(most, x.group.executors);
  if (change_) most = std::max(most, change_->executors);  // the log may name it any time
  for (std::uint16_t i = 0; i < most; ++i) {
    const executor_id who{i};
    // Where it was, if that is still there.
    const auto old = before.find(who);
    const bool stays =
        old != before.end() && !old->second.host.empty() && hosts_.at(old->second.host);
    const host_address host = stays ? old->second.host : pick_host();
    members_[who].host = host;
    out.spawn.push_back({who, host, snapshot_, log_.entries.front().group});
  }
  for (std::uint16_t i = most; i < max_group_executors; ++i) out.forget.push_back(executor_id{i});
}

void core::roll_back(const std::string& why, effects& out) {
  ++roll_backs_;
  out.roll_back = why;
  for (const auto& [who, x] : members_) out.end.push_back(who);
  if (change_ && !change_->logging) give_up_change(why + ": try again", out);
  phase_ = phase::learning;
  // What crashes at once again and again must not keep the machine busy.
  learn_at_ = std::max(now_, life_began_ + parameters_.pause);
  if (*learn_at_ == now_) learn(out);
}

void core::on(const timer&, effects& out) {
  if (learn_at_ && *learn_at_ <= now_) learn(out);
}

core::member* core::find(executor_id who, std::uint64_t life) {
  const auto found = members_.find(who);
  return life == life_ && phase_ != phase::learning && found != members_.end() ? &found->second
                                                                               : nullptr;
}

void core::on(const not_spawned& x, effects& out) {
  member* const here = find(x.who, x.life);
  if (!here) return;
  const host_address refused = here->host;
  const std::string why =
      name_of(x.who) + " cannot be started in " + place_of(refused) + ": " + x.why;
  if (!refused.empty()) hosts_[refused] = false;  // until it is met again
  if (phase_ != phase::running) return roll_back(why, out);
  members_.erase(x.who);
  if (!change_ || change_->retried || refused.empty()) return give_up_change(why, out);
  change_->retried = true;
  add(out);
}

void core::on(const restored& x, effects& out) {
  member* const here = find(x.who, x.life);
  if (!here || here->at != stage::spawned) return;
  here->at = stage::restored;
  const auto waits = [](const auto& y) { return y.second.at == stage::spawned; };
  if (std::any_of(members_.begin(), members_.end(), waits)) return;
  if (phase_ == phase::restoring) phase_ = phase::introducing;
  out.introduce = true;
}

void core::on(const introduced& x, effects& out) {
  if (x.life != life_ || phase_ == phase::learning) return;
  for (auto& [who, y] : members_)
    if (y.at == stage::restored) {
      y.at = stage::started;
      out.start.push_back(who);
    }
  if (phase_ == phase::introducing) phase_ = phase::running;
  if (change_ && !change_->logging && change_->executors > executors()) {
    change_->logging = true;
    out.want = change_->executors;
  }
}

void core::on(const ended& x, effects& out) {
  const member* const here = find(x.who, x.life);
  if (!here) return;
  const member gone = *here;
  const std::string why = name_of(x.who) + " in " + place_of(gone.host) + " is gone";
  if (gone.at == stage::ending) {
    members_.erase(x.who);
    return out.forget.push_back(x.who);  // it says nothing any more
  }
  // Who was only about to join takes nothing with it.
  const bool joins = change_ && !change_->logging && x.who.value >= executors();
  if (!joins) return roll_back(why, out);
  members_.erase(x.who);
  give_up_change(why + ": try again", out);
}

void core::on(const worker_restarted& x, effects& out) {
  if (phase_ == phase::idle || phase_ == phase::learning) return;
  roll_back("worker " + std::to_string(x.who.value) + " restarted", out);
}

void core::on(const progressed& x, effects&) {
  member* const here = find(x.progress.executor, x.progress.life);
  if (here) here->executed = std::max(here->executed, x.progress.index);
}

// -- changes

std::optional<std::string> core::cannot_change(std::int8_t by) const {
  if (phase_ != phase::running)
    return "its executors are returning to their last snapshot: try again in a few seconds";
  if (change_) return "another change is on its way: try again when it is done";
  if (by > 0 && executors() >= max_group_executors)
    return "it has " + std::to_string(max_group_executors) +
           " executors already, the most there can be";
  if (by < 0 && executors() <= 1) return "it has one executor, and cannot do without";
  return std::nullopt;
}

void core::on(const scale_asked& x, effects& out) {
  if (x.change == 0) return out.answers.push_back({x.ticket, report({})});
  if (const auto why = cannot_change(x.change))
    return out.answers.push_back({x.ticket, report(*why)});
  change_ = change{x.ticket, static_cast<std::uint16_t>(executors() + x.change), false, false};
  if (x.change > 0) return add(out);
  change_->logging = true;
  out.want = change_->executors;
}

void core::add(effects& out) {
  const executor_id who{static_cast<std::uint16_t>(change_->executors - 1)};
  const auto found = members_.find(who);
  if (found != members_.end() && found->second.at == stage::ending)
    return give_up_change(name_of(who) + " is still leaving: try again", out);
  if (found != members_.end()) {  // it left, and still reads along
    change_->logging = true;
    out.want = change_->executors;
    return;
  }
  commit_index from = snapshot_;
  for (const auto& [other, x] : members_) from = std::max(from, x.executed);
  const host_address host = pick_host();
  members_[who] = {host, stage::spawned, from};
  out.spawn.push_back({who, host, from, group_at(from + 1)});
}

void core::on(const group_logged& x, effects& out) {
  for (const group_entry& y : x.log.entries) {
    if (!log_.entries.empty() && y.from == log_.entries.back().from) log_.entries.pop_back();
    if (log_.entries.empty() || y.from > log_.entries.back().from) log_.entries.push_back(y);
  }
  if (!change_ || !change_->logging || executors() != change_->executors) return;
  out.answers.push_back({change_->ticket, report({})});
  change_.reset();
}

void core::give_up_change(const std::string& why, effects& out) {
  if (!change_) return;
  out.answers.push_back({change_->ticket, report(why)});
  change_.reset();
}

/// Who left has handed over everything once the others are past that place; before, all would have
/// to return to a snapshot if it crashed.
void core::end_leavers(effects& out) {
  if (phase_ != phase::running || change_ || log_.entries.empty()) return;
  const commit_index since = log_.entries.back().from;
  for (const auto& [who, x] : members_)
    if (who.value < executors() && x.executed < since) return;
  for (auto& [who, x] : members_)
    if (who.value >= executors() && x.at == stage::started) {
      x.at = stage::ending;
      out.end.push_back(who);
    }
}

/// The host that is there with the fewest executors; this process if there is none.
host_address core::pick_host() const {
  std::optional<host_address> best;
  std::size_t fewest = 0;
  for (const auto& [host, there] : hosts_) {
    if (!there) continue;
    const auto here = static_cast<std::size_t>(
        std::count_if(members_.begin(), members_.end(),
                      [&at = host](const auto& x) { return x.second.host == at; }));
    if (best && here >= fewest) continue;
    best = host;
    fewest = here;
  }
  return best.value_or(host_address{});
}

execution_group core::group_at(commit_index index) const {
  execution_group result = log_.entries.front().group;
  for (const group_entry& x : log_.entries)
    if (x.from <= index) result = x.group;
  return result;
}

executors_report core::report(std::string problem) const {
  executors_report x;
  x.validator = parameters_.self;
  x.executors = executors();
  if (!log_.entries.empty()) {
    x.version = log_.entries.back().group.version;
    x.from = log_.entries.back().from;
  }
  x.roll_backs = roll_backs_;
  x.problem = std::move(problem);
  for (const auto& [who, y] : members_)
    x.list.push_back({who, y.host, y.executed, y.at == stage::started});
  for (const auto& [host, there] : hosts_) x.hosts.push_back({host, there});
  return x;
}

}  // namespace flamingo::executor_group
