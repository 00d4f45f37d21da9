#include "actors/executor/execution.hpp"

#include <algorithm>
#include <array>

namespace flamingo::executor {

namespace {

bool has_repeated_key(std::span<const key_access> keys) {
  for (std::size_t i = 1; i < keys.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (keys[k].key == keys[i].key) return true;
  return false;
}

}  // namespace

execution::execution(const settings& s, std::shared_ptr<const application> rules,
                     std::unique_ptr<scheduler> plans, value_store& values)
    : settings_(s),
      rules_(std::move(rules)),
      scheduler_(std::move(plans)),
      values_(values),
      map_(s.executors),
      writes_stay_(scheduler_->writes_stay()),
      pulls_(scheduler_->pulls()),
      steps_(values.value_bytes()),
      value_groups_(max_group_executors),
      request_groups_(max_group_executors),
      result_groups_(max_group_executors) {
  FLAMINGO_ASSERT(s.executors >= 1 && s.executors <= max_group_executors);
  FLAMINGO_ASSERT(s.self.value < max_group_executors && s.workers >= 1);
  FLAMINGO_ASSERT(s.batch_transactions >= 1 && scheduler_->keeps_order());
  map_.reserve(values_.slots());
  for (std::uint32_t slot = 0; slot < values_.slots(); ++slot) map_.add(values_.bucket_of(slot));
}

// -- the stream

void execution::begin(assembled_sub_dag from) {
  FLAMINGO_ASSERT(!planning_);
  FLAMINGO_ASSERT(open_.empty() || open_.back().stream.index + 1 == from.index);
  if (from.group.slack_per_mille != settings_.slack_per_mille)
    renew_scheduler(from.group.slack_per_mille);
  sub_dag_run& x = open_.emplace_back();
  x.stream = std::move(from);
  x.codes.assign(x.stream.transactions, unknown_code);
  x.bundles.resize(x.stream.bundles.size());
  for (std::size_t i = 0; i < x.bundles.size(); ++i)
    if (x.stream.bundles[i].what == verdict::fresh)
      x.bundles[i].remaining = x.stream.bundles[i].transactions;
  planned_ = x.stream.first_position;
  planning_ = true;
}

void execution::prepare() {
  FLAMINGO_ASSERT(planning_);
  sub_dag_run& x = open_.back();
  transactions_.clear();
  accesses_.clear();
  ends_.clear();
  costs_.clear();
  unexecuted_.clear();
  batch_ = x.stream.first_position + x.planned;
  read_batch(x);
  name_new_slots();
}

void execution::name_new_slots() {
  while (map_.slots() < values_.slots())
    map_.add(values_.bucket_of(static_cast<std::uint32_t>(map_.slots())));
}

void execution::plan() {
  scheduler_->schedule({batch_, accesses_, ends_, costs_}, map_, plan_);
}

void execution::read_batch(sub_dag_run& x) {
  while (true) {
    if (const auto operation = x.rest.next()) {
      append(*operation, static_cast<std::uint32_t>(x.next_bundle - 1));
      if (transactions_.size() == settings_.batch_transactions) break;
      continue;
    }
    if (x.next_bundle == x.stream.bundles.size()) break;
    const stream_bundle& bundle = x.stream.bundles[x.next_bundle++];
    if (bundle.what == verdict::fresh && bundle.transactions > 0)
      x.rest = operation_reader(bundle.operations);
    else
      unexecuted_.push_back(static_cast<std::uint32_t>(x.next_bundle - 1));
  }
}

void execution::append(const stream_operation& from, std::uint32_t bundle) {
  set_.clear();
  if (from.system)
    set_.refuse(result_code::system);
  else
    rules_->read_write_set(from, set_);
  // An application that names a key twice would make a transaction wait for itself.
  if (has_repeated_key(set_.accesses())) set_.refuse(result_code::invalid_operation);
  for (const key_access& x : set_.accesses())
    accesses_.emplace_back(values_.slot_of(x.key), x.mode == access_mode::write);
  ends_.push_back(static_cast<std::uint32_t>(accesses_.size()));
  costs_.push_back(set_.cost());
  transactions_.push_back({from, bundle, set_.refusal()});
}

void execution::run(execution_outputs& out) {
  FLAMINGO_ASSERT(planning_);
  sub_dag_run& x = open_.back();
  for (const std::uint32_t bundle : unexecuted_) answer_unexecuted(x, bundle, out);
  std::uint32_t first = 0;
  for (std::uint32_t t = 0; t < transactions_.size(); ++t) {
    const prepared_transaction& current = transactions_[t];
    const std::uint32_t last = ends_[t];
    bundle_run& bundle = x.bundles[current.bundle];
    if (bundle.first_master == unknown_master) {
      bundle.first_master = plan_.masters[t];
      if (bundle.first_master == settings_.self.value) ++x.unanswered;
    }
    const bool here = plan_.masters[t] == settings_.self.value;
    if (here) ++counts_.executed;
    if (current.refusal != result_code::applied) {
      // Everybody knows the result, so nobody reports it.
      if (bundle.first_master == settings_.self.value)
        set_code(x, current.bundle, x.planned + t, current.refusal, out);
    } else if (here) {
      run_here(t, first, last, out);
    } else {
      run_elsewhere(t, first, last, out);
    }
    first = last;
  }
  if (!transactions_.empty()) ++counts_.batches;
  x.planned += static_cast<std::uint32_t>(transactions_.size());
  planned_ = x.stream.first_position + x.planned;
  planning_ = x.next_bundle != x.stream.bundles.size() || x.planned != x.stream.transactions;
  apply_early(out);
  go(out);
}

void execution::run_here(std::uint32_t t, std::uint32_t first, std::uint32_t last,
                         execution_outputs& out) {
  std::array<byte*, max_accesses> at;
  bool direct = true;
  for (std::uint32_t a = first; a < last; ++a) {
    const std::uint32_t slot = accesses_[a].slot();
    direct = direct && plan_.holders[a] == settings_.self.value && !steps_.blocked(slot);
    at[a - first] = values_.at(slot);
  }
  const prepared_transaction& current = transactions_[t];
  if (direct) {
    const result_code code =
        rules_->execute(current.operation, value_view(at.data(), values_.value_bytes()));
    if (succeeded(code))
      for (std::uint32_t a = first; a < last; ++a)
        if (accesses_[a].writes()) mark_changed(accesses_[a].slot());
    answer(open_.back(), current.bundle, batch_, t, code, out);
    return;
  }
  const std::uint32_t id = add_step(waiting_steps::kind::run, t);
  for (std::uint32_t a = first; a < last; ++a) {
    auto link = link_of(a);
    link.remote = link.holder != settings_.self.value;
    link.chained = !link.remote || (writes_stay_ && link.writes);
    if (link.remote) ++counts_.remote_reads;
    if (link.remote && pulls_) request(link.holder, t, out);
    steps_.add_link(id, link);
  }
}

void execution::run_elsewhere(std::uint32_t t, std::uint32_t first, std::uint32_t last,
                              execution_outputs& out) {
  bool held = false, returned = false;
  bool blocked = pulls_;  // the values may not leave before the master asks
  for (std::uint32_t a = first; a < last; ++a) {
    if (plan_.holders[a] != settings_.self.value) continue;
    held = true;
    blocked = blocked || steps_.blocked(accesses_[a].slot());
    returned = returned || (!writes_stay_ && accesses_[a].writes());
  }
  if (!held) return;
  if (!blocked)
    for (std::uint32_t a = first; a < last; ++a)
      if (const std::uint32_t slot = accesses_[a].slot(); plan_.holders[a] == settings_.self.value)
        push(plan_.masters[t], batch_, t, values_.key_of(slot), values_.at(slot), out);
  if (!blocked && !returned) return;
  const std::uint32_t id =
      add_step(blocked ? waiting_steps::kind::serve : waiting_steps::kind::regain, t);
  if (pulls_) steps_.await_request(id);
  for (std::uint32_t a = first; a < last; ++a) {
    auto link = link_of(a);
    if (link.holder != settings_.self.value || (!blocked && !link.writes)) continue;
    link.chained = true;
    link.remote = !blocked;
    steps_.add_link(id, link);
  }
}

std::uint32_t execution::add_step(waiting_steps::kind what, std::uint32_t t) {
  waiting_steps::step x;
  x.batch = batch_;
  x.transaction = t;
  x.bundle = transactions_[t].bundle;
  x.sub_dag = open_.back().stream.index;
  x.operation = transactions_[t].operation;
  x.what = what;
  x.master = plan_.masters[t];
  ++open_.back().steps;
  return steps_.add(x);
}

waiting_steps::link execution::link_of(std::uint32_t access) const {
  waiting_steps::link x;
  x.slot = accesses_[access].slot();
  x.key = values_.key_of(x.slot);
  x.holder = plan_.holders[access];
  x.writes = accesses_[access].writes();
  return x;
}

// -- steps that waited

void execution::go(execution_outputs& out) {
  while (!ready_.empty()) {
    const std::uint32_t id = ready_.back();
    ready_.pop_back();
    switch (steps_.at(id).what) {
      case waiting_steps::kind::run:
        run_step(id, out);
        break;
      case waiting_steps::kind::serve:
        serve_step(id, out);
        break;
      case waiting_steps::kind::regain:
        regain_step(id);
        break;
    }
  }
}

void execution::run_step(std::uint32_t id, execution_outputs& out) {
  const waiting_steps::step& x = steps_.at(id);
  std::array<byte*, max_accesses> at;
  std::size_t count = 0;
  for (std::uint32_t i = x.first_link; i != waiting_steps::none;) {
    const auto& link = steps_.link_at(i);
    at[count++] = link.remote ? steps_.input(i) : values_.at(link.slot);
    i = link.next_in_step;
  }
  const result_code code =
      rules_->execute(x.operation, value_view(at.data(), values_.value_bytes()));
  count = 0;
  for (std::uint32_t i = x.first_link; i != waiting_steps::none;) {
    const auto& link = steps_.link_at(i);
    const byte* const value = at[count++];
    if (link.writes && link.remote && !writes_stay_) {
      push(link.holder, x.batch, x.transaction, link.key, value, out);
    } else if (link.writes && link.remote) {
      // The key is ours from here on, so whether it changed since the snapshots is ours to say.
      std::copy_n(value, values_.value_bytes(), values_.at(link.slot));
      mark_changed(link.slot);
    } else if (link.writes && succeeded(code)) {
      mark_changed(link.slot);
    }
    i = link.next_in_step;
  }
  answer(run_of(x.sub_dag), x.bundle, x.batch, x.transaction, code, out);
  finish(id);
}

void execution::serve_step(std::uint32_t id, execution_outputs& out) {
  const waiting_steps::step& x = steps_.at(id);
  for (std::uint32_t i = x.first_link; i != waiting_steps::none;) {
    const auto& link = steps_.link_at(i);
    push(x.master, x.batch, x.transaction, link.key, values_.at(link.slot), out);
    i = link.next_in_step;
  }
  if (writes_stay_ || !steps_.await_returns(id)) finish(id);
}

void execution::regain_step(std::uint32_t id) {
  for (std::uint32_t i = steps_.at(id).first_link; i != waiting_steps::none;) {
    const auto& link = steps_.link_at(i);
    if (link.remote) {
      std::copy_n(steps_.input(i), values_.value_bytes(), values_.at(link.slot));
      mark_changed(link.slot);
    }
    i = link.next_in_step;
  }
  finish(id);
}

void execution::finish(std::uint32_t id) {
  --run_of(steps_.at(id).sub_dag).steps;
  steps_.finish(id, ready_);
}

void execution::mark_changed(std::uint32_t slot) {
  values_.mark_changed(slot);
  if (!writes_stay_ || map_.at(slot).changed) return;
  map_.at(slot).changed = true;
  changed_.push_back(slot);
}

// -- the homes of keys

std::vector<pushed_to> execution::changes_for_homes(commit_index snapshot) {
  std::vector<pushed_to> out;
  if (!writes_stay_) return out;
  for (std::uint16_t e = 0; e < settings_.executors; ++e) {
    out.push_back({executor_id{e}, {}});
    out.back().values.from = settings_.self;
    out.back().values.snapshot_at = snapshot;
  }
  for (const std::uint32_t slot : changed_) {
    partition_map::entry& key = map_.at(slot);
    key.changed = false;
    // Who took the key over since then tells its home itself.
    if (key.owner != settings_.self.value) continue;
    append(out[map_.home(values_.bucket_of(slot))].values, values_.key_of(slot),
           {values_.at(slot), values_.value_bytes()});
  }
  changed_.clear();
  out.erase(out.begin() + settings_.self.value);
  return out;
}

bool execution::take_home_changes(const pushed_values& from) {
  if (from.values.size() != from.keys.size() * values_.value_bytes()) return false;
  for (std::size_t i = 0; i < from.keys.size(); ++i) {
    const std::uint32_t slot = values_.slot_of(from.keys[i]);
    std::copy_n(from.values.data() + i * values_.value_bytes(), values_.value_bytes(),
                values_.at(slot));
    values_.mark_changed(slot);
  }
  name_new_slots();
  return true;
}

void execution::append(pushed_values& into, std::uint64_t key, byte_span value) {
  into.transactions.push_back(0);
  into.keys.push_back(key);
  into.values.insert(into.values.end(), value.begin(), value.end());
}

// -- another group

std::vector<pushed_to> execution::handovers(const execution_group& next) {
  std::vector<pushed_to> out;
  std::array<std::size_t, max_group_executors> newest{};  // by executor: in `out`
  const auto begin = [&](std::uint16_t to) {
    newest[to] = out.size();
    pushed_values& x = out.emplace_back(pushed_to{executor_id{to}, {}}).values;
    x.from = settings_.self;
    x.handover = next.version;
  };
  for (std::uint16_t e = 0; e < next.executors; ++e)
    if (e != settings_.self.value) begin(e);
  for (std::uint32_t slot = 0; slot < values_.slots(); ++slot) {
    const std::uint16_t bucket = values_.bucket_of(slot);
    const auto to = static_cast<std::uint16_t>(bucket % next.executors);
    if (map_.home(bucket) != settings_.self.value || to == settings_.self.value) continue;
    if (out[newest[to]].values.keys.size() == handover_keys) begin(to);
    append(out[newest[to]].values, values_.key_of(slot), {values_.at(slot), values_.value_bytes()});
  }
  std::array<std::uint32_t, max_group_executors> parts{};
  for (pushed_to& x : out) x.values.part = parts[x.to.value]++;
  for (pushed_to& x : out) x.values.parts = parts[x.to.value];
  return out;
}

bool execution::take_handover(const pushed_values& from) {
  if (from.values.size() != from.keys.size() * values_.value_bytes()) return false;
  for (std::size_t i = 0; i < from.keys.size(); ++i)
    std::copy_n(from.values.data() + i * values_.value_bytes(), values_.value_bytes(),
                values_.at(values_.slot_of(from.keys[i])));
  return true;
}

void execution::regroup(const execution_group& next) {
  FLAMINGO_ASSERT(open_.empty() && steps_.size() == 0 && changed_.empty());
  // What came home here is not in the snapshots that were written here, be it empty by now.
  for (std::size_t b = 0; b < bucket_count; ++b) {
    const auto bucket = static_cast<std::uint16_t>(b);
    const bool here = bucket % next.executors == settings_.self.value;
    if (here && map_.home(bucket) != settings_.self.value) values_.mark_bucket_changed(bucket);
  }
  settings_.executors = next.executors;
  map_.regroup(next.executors, writes_stay_);
  name_new_slots();
  renew_scheduler(next.slack_per_mille);
}

/// Who joins has a new one, so everybody must.
void execution::renew_scheduler(std::uint32_t slack_per_mille) {
  settings_.slack_per_mille = slack_per_mille;
  scheduler_ = make_scheduler(scheduler_->name(), slack_per_mille);
}

// -- from other executors

bool execution::receive(pushed_values from, execution_outputs& out) {
  if (from.values.size() != from.keys.size() * values_.value_bytes()) return false;
  if (from.keys.empty()) return true;
  if (from.batch >= planned_) {
    early_values_[from.batch].push_back(std::move(from));
    return true;
  }
  deliver(from);
  go(out);
  return true;
}

void execution::deliver(const pushed_values& from) {
  for (std::size_t i = 0; i < from.keys.size(); ++i) {
    const std::uint32_t id = steps_.find(from.batch + from.transactions[i]);
    if (id == waiting_steps::none)
      ++counts_.unexpected;
    else if (steps_.deliver(id, from.keys[i], from.values.data() + i * values_.value_bytes()))
      ready_.push_back(id);
  }
}

void execution::receive(requested_values from, execution_outputs& out) {
  if (from.batch >= planned_) {
    early_requests_[from.batch].push_back(std::move(from));
    return;
  }
  serve(from);
  go(out);
}

void execution::serve(const requested_values& from) {
  for (const std::uint32_t transaction : from.transactions) {
    const std::uint32_t id = steps_.find(from.batch + transaction);
    if (id == waiting_steps::none)
      ++counts_.unexpected;
    else if (steps_.take_request(id))
      ready_.push_back(id);
  }
}

void execution::receive(const reported_results& from, execution_outputs& out) {
  if (from.batch >= planned_)
    early_results_[from.batch].push_back(from);
  else
    take_results(from, out);
}

void execution::take_results(const reported_results& from, execution_outputs& out) {
  for (sub_dag_run& x : open_) {
    const stream_position first = x.stream.first_position;
    if (from.batch < first || from.batch >= first + x.stream.transactions) continue;
    std::size_t bundle = 0;
    for (std::size_t i = 0; i < from.codes.size(); ++i) {
      const std::uint64_t index = from.batch.value - first.value + from.transactions[i];
      if (index >= x.stream.transactions) break;
      const auto holds = [&](std::size_t b) {
        const stream_bundle& y = x.stream.bundles[b];
        return y.what == verdict::fresh && index >= y.first && index < y.first + y.transactions;
      };
      // Codes come mostly in order: look on from the bundle of the one before.
      if (i > 0 && from.transactions[i] < from.transactions[i - 1]) bundle = 0;
      while (!holds(bundle)) ++bundle;
      set_code(x, static_cast<std::uint32_t>(bundle), static_cast<std::uint32_t>(index),
               from.codes[i], out);
    }
    return;
  }
}

void execution::apply_early(execution_outputs& out) {
  while (!early_values_.empty() && early_values_.begin()->first < planned_) {
    for (const pushed_values& x : early_values_.begin()->second) deliver(x);
    early_values_.erase(early_values_.begin());
  }
  while (!early_requests_.empty() && early_requests_.begin()->first < planned_) {
    for (const requested_values& x : early_requests_.begin()->second) serve(x);
    early_requests_.erase(early_requests_.begin());
  }
  while (!early_results_.empty() && early_results_.begin()->first < planned_) {
    for (const reported_results& x : early_results_.begin()->second) take_results(x, out);
    early_results_.erase(early_results_.begin());
  }
}

}  // namespace flamingo::executor
