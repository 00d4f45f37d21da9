#include "actors/committer/committer.hpp"

#include <algorithm>
#include <utility>

#include "messages/assert.hpp"

namespace flamingo::committer {

namespace {

/// The next commit waits that long at most for batches that others may have deleted.
constexpr std::chrono::seconds batch_patience{5};

/// Commits erased with one commit, at most: erasing is paid for by the store's writer.
constexpr std::uint64_t max_erased = 64;

std::uint64_t transactions_of(const header& x) {
  std::uint64_t result = 0;
  for (const payload_entry& entry : x.payload) result += entry.transactions;
  return result;
}

std::vector<ordered_header> above(round_number floor, std::vector<ordered_header> headers) {
  std::erase_if(headers, [&](const ordered_header& x) { return x.position.round <= floor; });
  return headers;
}

std::vector<digest> ids_of(const std::vector<ordered_header>& headers) {
  std::vector<digest> result;
  for (const ordered_header& x : headers) result.push_back(x.id);
  return result;
}

}  // namespace

parameters parameters::of(validator_id self, const committee& members,
                          const protocol_parameters& protocol, const local_parameters& local) {
  parameters x;
  x.self = self;
  x.validators = members.size();
  x.validity = members.validity();
  x.election = protocol.election;
  x.gc_depth = protocol.gc_depth;
  x.checkpoint_anchors = protocol.checkpoint_anchors;
  x.bundle_window = protocol.bundle_window;
  x.executors = local.executors;
  x.slack_per_mille = local.slack_per_mille;
  x.stream_window = local.stream_window;
  x.commit_retention = local.commit_retention;
  x.index_cache_bundles = local.index_cache_bundles;
  x.max_fetches = local.max_fetches;
  x.fetch_retry = local.fetch_retry;
  return x;
}

core::core(const parameters& p, recovered r)
    : parameters_(p),
      leaders_(make_leader_rule(p.election, p.validators)),
      rule_({p.validators, p.validity, p.gc_depth}, r.head,
            above(r.head.anchor_round - p.gc_depth, r.output)),
      indexes_(p.validators, p.index_cache_bundles),
      windows_(p.bundle_window),
      stream_(p.executors, p.stream_window),
      dead_(std::move(r.dead)),
      committed_(r.head),
      totals_(r.totals),
      oldest_(r.oldest),
      queue_delays_(p.validators) {
  leaders_->forget(r.head.wave);
  for (auto& [client, window] : r.windows) windows_.restore(client, std::move(window));
  for (const ordered_header& x : r.output)
    if (x.position.author == p.self) own_output_.insert(x.position.round);
  for (const group_entry& x : r.groups) groups_.emplace(x.from, x.group);
  if (groups_.empty()) {
    new_groups_.push_back(
        {commit_index{1}, {0, p.executors, slack_of_group(p.executors, p.slack_per_mille)}});
    groups_.emplace(new_groups_[0].from, new_groups_[0].group);
  }
  wanted_executors_ = group().executors;
  stream_.regroup(group().executors);
  announcement_ = {r.head.index,
                   r.head.anchor_round,
                   rule_.floor(),
                   ids_of(r.output),
                   {dead_.begin(), dead_.end()}};
}

effects core::step(time_point now, input in) {
  effects out;
  std::visit([&](auto&& x) { on(std::move(x), out); }, std::move(in));
  order_more(now);
  sequence_ready(now, out);
  if (!diverged_at_) out.stream = stream_.send(committed_.index);
  ask_batches(now, out);
  out.left_behind = left_behind(now);
  return out;
}

/// Neighbours that rebuilt themselves hear again what may have been lost on its way to them.
void core::on(started, effects& out) {
  if (announcement_.index > commit_index{0}) out.announcement = announcement_;
}

void core::on(certified in, effects& out) {
  const header& x = in.hdr;
  const dag_position place = x.position();
  switch (rule_.add({x.id, place, x.parents, x.weak_links})) {
    case tusk::taken::known:
    case tusk::taken::output:
      return;
    case tusk::taken::contradicted:
      return out.rejected.push_back(reject::equivocation);
    case tusk::taken::malformed:
      return out.rejected.push_back(reject::bad_weak_links);
    case tusk::taken::dead:
      return came_late(x);
    case tusk::taken::added:
      break;
  }
  body& entry = bodies_[place];
  for (const payload_entry& batch : x.payload)
    entry.batches.push_back({batch.batch, x.author, batch.worker, in.signers});
  entry.signals = {x.author, x.round, x.created_at, x.queue_delay, transactions_of(x)};
  entry.control = std::move(in.hdr.control);
  entry.coin_share = std::move(in.hdr.coin_share);
  if (carries_coin_share(place.round)) ask_coin(place.round, out);
}

/// Shares of certified headers were checked by the voters. Asked again with each further share
/// until there is a value.
void core::ask_coin(round_number of, effects& out) const {
  const wave_number w = coin_wave(of);
  if (w <= rule_.head().wave || !leaders_->wants_coin(w)) return;
  coin_wanted coin{w, {}};
  const auto end = bodies_.lower_bound({of + 1, validator_id{0}});
  for (auto at = bodies_.lower_bound({of, validator_id{0}}); at != end; ++at)
    if (!at->second.coin_share.empty())
      coin.shares.emplace_back(at->first.author, at->second.coin_share);
  if (coin.shares.size() >= parameters_.validity) out.coins.push_back(std::move(coin));
}

void core::on(coin_known in, effects&) {
  if (leaders_->wants_coin(in.wave)) leaders_->coin_known(in.wave, in.value);
}

void core::on(indexed in, effects&) {
  if (indexes_.arrived(in.batch)) ask_ = true;
}

/// Nothing that is sequenced from now on lists one of them, unless the worker tells its index again
/// or it is kept. What a crash takes back of the newest commits comes again without indexes.
void core::on(batches_withdrawn in, effects& out) {
  out.noted = noted_to{in.x.worker,
                       {in.x.number, committed_.anchor_round, indexes_.forget(in.x.batches), true}};
}

void core::on(progressed in, effects& out) {
  if (!stream_.may_be(in.progress.executor)) return out.rejected.push_back(reject::not_requested);
  stream_.progress(in.progress);
}

void core::on(replay_asked in, effects& out) {
  if (!stream_.may_be(in.who)) return out.rejected.push_back(reject::not_requested);
  if (in.after + 1 < oldest_) {
    out.unservable = in;
    return;
  }
  stream_.replay(in.who, in.after, in.life);
}

void core::order_more(time_point now) {
  for (sub_dag& x : rule_.commit(*leaders_)) enqueue(std::move(x), now);
}

void core::enqueue(sub_dag order, time_point now) {
  queued x;
  x.since = now;
  for (const ordered_header& y : order.output) {
    if (y.position.author == parameters_.self) own_output_.insert(y.position.round);
    auto taken = bodies_.extract(y.position);
    FLAMINGO_ASSERT(!taken.empty());
    for (const wanted_batch& batch : taken.mapped().batches) indexes_.need(batch);
    x.bodies.push_back(std::move(taken.mapped()));
  }
  for (const dag_position& place : order.died) {
    const auto lost = died(place);
    x.dead.insert(x.dead.end(), lost.begin(), lost.end());
  }
  const round_number forget = output_floor(order.head.anchor_round, parameters_.gc_depth);
  own_output_.erase(own_output_.begin(), own_output_.upper_bound(forget));
  x.order = std::move(order);
  queue_.push_back(std::move(x));
  ask_ = true;
}

/// @returns the batches that an own header takes with it.
std::vector<digest> core::died(const dag_position& place) {
  std::vector<digest> result;
  const auto lost = bodies_.extract(place);
  FLAMINGO_ASSERT(!lost.empty());
  if (place.author == parameters_.self)
    for (const wanted_batch& batch : lost.mapped().batches) result.push_back(batch.id);
  return result;
}

/// An own header that was certified only when the log had passed it by.
void core::came_late(const header& x) {
  if (x.author != parameters_.self) return;
  if (x.round <= output_floor(rule_.head().anchor_round, parameters_.gc_depth)) return;
  if (own_output_.contains(x.round)) return;
  for (const payload_entry& entry : x.payload) late_dead_.insert(entry.batch);
}

bool core::ready(const queued& x) const {
  return std::all_of(x.bodies.begin(), x.bodies.end(), [&](const body& y) {
    return std::all_of(y.batches.begin(), y.batches.end(), [&](const wanted_batch& batch) {
      return indexes_.find(batch.id) != nullptr;
    });
  });
}

void core::sequence_ready(time_point now, effects& out) {
  while (!queue_.empty() && ready(queue_.front())) {
    queued x = std::move(queue_.front());
    queue_.pop_front();
    next_since_ = now;
    out.commits.push_back(make_commit(std::move(x), now));
  }
}

commit core::make_commit(queued x, time_point now) {
  commit result;
  committed_ = x.order.head;
  result.head = x.order.head;
  result.floor = x.order.next_floor;
  const commit_index index = result.head.index;
  const round_number anchor_round = result.head.anchor_round;
  result.stream = {
      index, anchor_round, x.order.anchor, stream_position{totals_.transactions}, false, {}, {},
      {}};
  choose_group(result);
  result.stream.snapshot = index.value % parameters_.checkpoint_anchors == 0;
  result.signals = {index, anchor_round, {}};
  result.control = {index, anchor_round, {}};
#if FLAMINGO_MUTANT_order_by_vote_sets
  std::stable_sort(x.bodies.begin(), x.bodies.end(), [](const body& a, const body& b) {
    return !a.batches.empty() && !b.batches.empty() &&
           a.batches.front().signers < b.batches.front().signers;
  });
#endif
  for (body& y : x.bodies) {
    for (const wanted_batch& batch : y.batches) {
      result.stream.batches.push_back(sequence(batch, anchor_round));
      indexes_.release(batch.id);
    }
    for (auto& record : y.control)
      result.control.records.push_back({y.signals.author, std::move(record)});
    queue_delays_[y.signals.author.value] = y.signals.queue_delay;
    result.signals.headers.push_back(y.signals);
  }
  note_dead(x, result);
  result.notice = {index, anchor_round, result.floor, ids_of(x.order.output), result.dead_added};
  result.output = std::move(x.order.output);
  result.forget_output = output_floor(anchor_round, parameters_.gc_depth);
  result.windows = windows_.take_changed();
  result.totals = totals_;
  result.keep_from = oldest_ = keep_from();
  result.skipped_waves = x.order.skipped_waves;
  result.waited = now - x.since;
  return result;
}

/// A change of the executors' group is an entry of this validator's stream: it stands in the log at
/// one place, so that whoever reads the log again meets it there.
void core::choose_group(commit& into) {
  execution_group next = group();
  next.executors = wanted_executors_;
  next.slack_per_mille = slack_of_group(next.executors, parameters_.slack_per_mille);
  if (next != group()) {
    ++next.version;
    // The first commit of all may take the place of what the group was to be at first.
    const commit_index from = into.head.index;
    groups_.insert_or_assign(from, next);
    std::erase_if(new_groups_, [&](const group_entry& x) { return x.from == from; });
    new_groups_.push_back({from, next});
    stream_.regroup(next.executors);
  }
  into.stream.group = next;
  into.groups = std::exchange(new_groups_, {});
}

group_log core::groups_after(commit_index index) const {
  group_log x{{}, committed_.index};
  auto at = groups_.upper_bound(index + 1);
  if (at != groups_.begin()) --at;
  for (; at != groups_.end(); ++at) x.entries.push_back({at->first, at->second});
  return x;
}

sequenced_batch core::sequence(const wanted_batch& batch, round_number anchor_round) {
  sequenced_batch result{batch.id, batch.author, batch.worker, {}};
  for (const bundle_head& x : *indexes_.find(batch.id)) {
    const verdict what = windows_.take(x, anchor_round);
    result.bundles.push_back({x.client, x.sequence, x.id, what, x.transactions});
    switch (what) {
      case verdict::fresh:
        ++totals_.fresh;
        totals_.transactions += x.transactions;
        break;
      case verdict::duplicate:
        ++totals_.duplicate;
        break;
      case verdict::out_of_window:
        ++totals_.out_of_window;
        break;
      case verdict::expired:
        ++totals_.expired;
        break;
    }
  }
  return result;
}

/// Dead batches that no later header committed are kept, so that a restarted primary hears of them
/// again.
void core::note_dead(const queued& x, commit& into) {
  std::set<digest> committed;
  for (const sequenced_batch& batch : into.stream.batches)
    if (batch.author == parameters_.self) committed.insert(batch.id);
  const auto add = [&](const digest& batch) {
    if (!committed.contains(batch) && dead_.insert(batch).second) into.dead_added.push_back(batch);
  };
  for (const digest& batch : x.dead) add(batch);
  for (const digest& batch : late_dead_) add(batch);
  late_dead_.clear();
  for (const digest& batch : committed)
    if (dead_.erase(batch) > 0) into.dead_removed.push_back(batch);
}

/// The last two snapshots of the executors are kept: a restart may need what follows the older one.
commit_index core::keep_from() const {
  const commit_index by_snapshot = stream_.snapshot() - parameters_.checkpoint_anchors + 1;
  const commit_index by_age = committed_.index - parameters_.commit_retention + 1;
  // Executors that must not go on will not ask for what they missed.
  const commit_index wanted = diverged_at_ ? by_age : std::min(by_snapshot, by_age);
  return std::clamp(wanted, oldest_, oldest_ + max_erased);
}

void core::ask_batches(time_point now, effects& out) {
  if (!ask_ && (!deadline_ || now < *deadline_)) return;
  ask_ = false;
  deadline_.reset();
  std::uint32_t missing = 0;
  for (const queued& x : queue_)
    for (const body& y : x.bodies)
      for (const wanted_batch& batch : y.batches) {
        if (missing >= parameters_.max_fetches) return;
        const auto again = indexes_.ask(batch.id, now, parameters_.fetch_retry, out.wanted);
        if (!again) continue;
        ++missing;
        if (!deadline_ || *again < *deadline_) deadline_ = again;
      }
}

/// Batches are deleted once they are executed and a checkpoint has passed them, however little
/// history is kept. So who still lacks some when the log is a checkpoint further may ask for ever.
bool core::left_behind(time_point now) {
  if (queue_.empty() || told_behind_) return false;
  const auto since = std::max(next_since_, queue_.front().since);
  const auto every = parameters_.checkpoint_anchors;
  const auto passed_at = (queue_.front().order.head.index.value / every + 2) * every;
  if (queue_.back().order.head.index.value < passed_at || now < since + batch_patience)
    return false;
  return told_behind_ = true;
}

status_report core::status() const {
  status_report x;
  x.validator = parameters_.self;
  x.round = rule_.top();
  x.index = committed_.index;
  x.anchor_round = committed_.anchor_round;
  x.executed = stream_.executed();
  x.committed_transactions = totals_.transactions;
  x.duplicates = totals_.duplicate;
  x.diverged_at = diverged_at_;
  if (const auto* root = stream_.newest_root()) {
    x.state_root = root->state_root;
    x.state_root_index = root->state_root_index;
  }
  x.executors = group().executors;
  x.queue_delays = queue_delays_;
  x.rounds_behind = x.round.value - x.anchor_round.value;
  return x;
}

}  // namespace flamingo::committer
