#include "actors/executor/executor.hpp"

#include <algorithm>
#include <utility>

namespace flamingo::executor {

core::core(const parameters& p, std::shared_ptr<const application> rules,
           std::unique_ptr<scheduler> plans, std::shared_ptr<const dense_buckets> dense,
           functions outside)
    : parameters_(p),
      rules_(rules),
      values_(*rules, std::move(dense), outside.bucket_of),
      execution_(p.share, rules, std::move(plans), values_),
      assembly_(commit_index{1}, p.waiting, p.share.self),
      group_{p.group_version, p.share.executors, p.share.slack_per_mille} {
  if (p.share.self.value == 0) roots_.emplace(outside.hash);
  told_.executor = p.share.self;
  told_.life = p.life;
}

// -- restoring

bool core::is_home(std::uint16_t bucket) const {
  return execution_.partitions().home(bucket) == parameters_.share.self.value;
}

bool core::restore_bucket(byte_span from) {
  return values_.restore_bucket(from);
}

void core::restored(const snapshot_marker& from) {
  snapshots_ = from.number;
  snapshot_taken_ = executed_ = durable_ = homes_at_ = from.index;
  // The group restores the same snapshot.
  for (peer& x : peers_) x = {from.index, from.index};
  assembly_ = assembly(from.index + 1, parameters_.waiting, self());
  told_.index = told_.snapshot = from.index;
  if (roots_) roots_->expect(from.index, group_.executors);
  // What lies at the other parity may be of any age: the next snapshot writes all of it again.
  for (std::size_t b = 0; b < bucket_count; ++b)
    values_.clear_changed(static_cast<std::uint16_t>(b), from.parity());
}

void core::stand_by(commit_index after) {
  FLAMINGO_ASSERT(!is_member());
  executed_ = told_.index = after;
  assembly_ = assembly(after + 1, parameters_.waiting, self());
}

// -- inputs

effects core::step(time_point now, input in) {
  effects out;
  holding_ = std::holds_alternative<values_received>(in) ||
             std::holds_alternative<requests_received>(in) ||
             std::holds_alternative<results_received>(in);
  std::visit([&](auto&& x) { on(std::move(x), out); }, std::move(in));
  settle(now, out);
  if (!holding_) release(out);
  return out;
}

void core::on(const started&, effects& out) {
  out.replay = assembly_.next() - 1;
  assembly_.asked_again();
  tell_ = true;
}

void core::on(sequenced_received in, effects& out) {
  if (const auto why = assembly_.add(in.sub_dag)) out.rejected.push_back(*why);
}

void core::on(payload_received in, effects& out) {
  if (const auto why = assembly_.add(in.payload, in.frame)) out.rejected.push_back(*why);
}

void core::on(values_received in, effects& out) {
  const std::uint16_t from = in.values.from.value;
  if (from >= peers_.size()) return out.rejected.push_back(reject::unknown_validator);
  peers_[from].executed = std::max(peers_[from].executed, in.values.executed);
  peers_[from].snapshot = std::max(peers_[from].snapshot, in.values.snapshot);
  if (in.values.handover != 0) return keep_handover(std::move(in.values));
  if (in.values.snapshot_at != commit_index{}) return keep_home_changes(std::move(in.values));
  if (!execution_.receive(std::move(in.values), held_)) out.rejected.push_back(reject::malformed);
}

void core::keep_home_changes(pushed_values from) {
  if (from.snapshot_at <= homes_at_) return;
  auto& here = home_changes_[from.snapshot_at];
  const auto is_same = [&](const pushed_values& x) { return x.from == from.from; };
  if (std::none_of(here.begin(), here.end(), is_same)) here.push_back(std::move(from));
}

void core::on(requests_received in, effects&) {
  execution_.receive(std::move(in.request), held_);
}

void core::on(const results_received& in, effects&) {
  execution_.receive(in.results, held_);
}

void core::on(leaves_received in, effects& out) {
  if (!roots_) return out.rejected.push_back(reject::not_requested);
  if (roots_->add(std::move(in.leaves))) tell_ = true;
}

void core::on(const snapshot_durable& in, effects&) {
  FLAMINGO_ASSERT(in.index == snapshot_taken_);
  durable_ = in.index;
}

void core::on(const timer&, effects&) {
  timer_fired_ = true;
}

// -- running

bool core::runnable() const {
  if (execution_.steps_waiting() >= parameters_.max_waiting_steps) return false;
  if (execution_.planning()) return true;
  if (snapshot_due() || !is_member() || !assembly_.ready()) return false;
  if (assembly_.next_group()->executors != group_.executors) return false;
  // The slowest executor of the group bounds what early values the others may send it.
  commit_index slowest = executed_;
  each_other([&](std::uint16_t i) { slowest = std::min(slowest, peers_[i].executed); });
  return assembly_.next() <= slowest + parameters_.max_lead;
}

void core::prepare() {
  if (!execution_.planning()) {
    assembled_sub_dag next = assembly_.take();
    if (next.snapshot) barrier_ = next.index;
    group_ = next.group;
    execution_.begin(std::move(next));
  }
  execution_.prepare();
}

effects core::run(time_point now) {
  effects out;
  execution_.run(held_);
  holding_ = false;
  settle(now, out);
  release(out);
  return out;
}

void core::settle(time_point now, effects& out) {
  if (const auto last = execution_.take_completed()) executed_ = *last;
  take_snapshot(out);
  follow_group(out);
  ask_for_missing(now, out);
}

void core::release(effects& out) {
  out.outputs = std::exchange(held_, {});
  tell(out);
}

bool core::group_has_snapshot(commit_index index) const {
  bool all = durable_ >= index;
  each_other([&](std::uint16_t i) { all = all && peers_[i].snapshot >= index; });
  return all;
}

void core::take_snapshot(effects& out) {
  // The one before must be complete everywhere first: this one takes the place of the one before
  // that, and until it is complete itself the group returns to the one before.
  if (!barrier_ || executed_ != *barrier_ || !group_has_snapshot(snapshot_taken_)) return;
  if (!gather_home_changes(*barrier_, out)) return;
  make_image(out);
  snapshot_taken_ = *barrier_;
  barrier_.reset();
  if (roots_) roots_->expect(snapshot_taken_, group_.executors);
}

bool core::gather_home_changes(commit_index at, effects& out) {
  if (homes_at_ == at) return true;
  if (!execution_.keys_move()) {
    homes_at_ = at;
    return true;
  }
  if (!std::exchange(changes_told_, true)) {
    for (pushed_to& x : execution_.changes_for_homes(at)) held_.pushed.push_back(std::move(x));
    holding_ = false;  // the others wait for it
  }
  const auto here = home_changes_.find(at);
  const std::size_t others = group_.executors - 1u;
  if (others > 0 && (here == home_changes_.end() || here->second.size() < others)) return false;
  homes_at_ = at;
  changes_told_ = false;
  if (here == home_changes_.end()) return true;
  for (const pushed_values& x : here->second)
    if (!execution_.take_home_changes(x)) out.rejected.push_back(reject::malformed);
  home_changes_.erase(here);
  return true;
}

void core::make_image(effects& out) {
  snapshot_image& image = out.snapshot.emplace();
  image.marker = {++snapshots_, *barrier_, group_.executors,
                  static_cast<std::uint32_t>(values_.value_bytes())};
  const unsigned parity = image.marker.parity();
  std::vector<std::uint16_t>& buckets = image.buckets;
  std::size_t expected = 0;
  for (std::size_t b = self().value; b < bucket_count; b += group_.executors) {
    const auto bucket = static_cast<std::uint16_t>(b);
    if (!values_.changed(bucket, parity)) continue;
    values_.clear_changed(bucket, parity);
    buckets.push_back(bucket);
    expected += values_.dense_bytes(bucket);
  }
  image.bytes.reserve(expected);  // no copies: the stream stands still meanwhile
  for (const std::uint16_t bucket : buckets) {
    image.empty.push_back(!values_.append_bucket(bucket, image.bytes));
    image.ends.push_back(image.bytes.size());
  }
}

void core::ask_for_missing(time_point now, effects& out) {
  const bool stuck = !assembly_.ready() && assembly_.incomplete();
  const bool fired = std::exchange(timer_fired_, false);
  if (!stuck) {
    retry_at_.reset();
    return;
  }
  if (assembly_.next_was_dropped()) {
    // Nobody sends it a second time unasked, and there is room for it now.
    out.replay = assembly_.next() - 1;
    assembly_.asked_again();
    retry_at_.reset();
  } else if (!retry_at_ || retry_for_ != assembly_.next()) {
    retry_at_ = now + parameters_.stream_retry;
    retry_for_ = assembly_.next();
  } else if (fired && now >= *retry_at_) {
    out.replay = assembly_.next() - 1;
    assembly_.asked_again();
    retry_at_ = now + parameters_.stream_retry;
  }
}

void core::tell(effects& out) {
  const bool moved = executed_ != told_.index || durable_ != told_.snapshot;
  if (moved || tell_) {
    told_.index = executed_;
    told_.executed = execution_.counts().executed;
    told_.snapshot = durable_;
    if (roots_ && roots_->root()) {
      told_.state_root = roots_->root();
      told_.state_root_index = roots_->index();
    }
    tell_ = false;
    out.progress = told_;
  }
  // The others hear it with the values that go to them anyway, or else in a message without values;
  // at a change of the group those of both, since they wait for each other's snapshots.
  const std::uint16_t audience =
      std::max(group_.executors, std::exchange(audience_, group_.executors));
  const bool speaks = std::exchange(spoke_, is_member()) || is_member();
  for (std::uint16_t i = 0; moved && speaks && i < audience; ++i) {
    const auto to_it = [&](const pushed_to& x) { return x.to.value == i; };
    if (i == self().value ||
        std::any_of(out.outputs.pushed.begin(), out.outputs.pushed.end(), to_it))
      continue;
    pushed_values nothing;
    nothing.from = self();
    out.outputs.pushed.push_back({executor_id{i}, std::move(nothing)});
  }
  for (pushed_to& x : out.outputs.pushed) {
    x.values.executed = executed_;
    x.values.snapshot = durable_;
  }
}

}  // namespace flamingo::executor
