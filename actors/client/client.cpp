// When transactions are due, how they become bundles, and when bundles are sent again. Answers and
// receipts are in client_answers.cpp.
#include "actors/client/client.hpp"

#include <algorithm>

#include "messages/assert.hpp"

namespace flamingo::client {

namespace {

// f+1 validators' welcomes are enough; more of them are waited for this long.
constexpr std::chrono::seconds welcome_patience{1};

// Only a carrier tells result codes, and its receipt may be the last one of a load: they are asked
// for once, and waited for this long.
constexpr std::chrono::seconds codes_patience{2};
constexpr std::size_t codes_asked_max = 64;  // bundles, the newest ones

constexpr std::uint64_t second_ns = 1'000'000'000;

}  // namespace

core::core(parameters with)
    : with_(std::move(with)),
      workload_(*with_.members->find(with_.self), with_.protocol.accounts, with_.with),
      window_(with_.with.outstanding_bundles) {
  counts_.client = with_.self;
}

effects core::step(time_point now, input in) {
  effects out;
  now_ = now;
  if (!first_step_) first_step_ = now;
  std::visit([&](auto&& x) { on(std::move(x), out); }, std::move(in));
  begin_if_ready();
  make_bundles(out);
  retry(out);
  end_if_due(out);
  return out;
}

// -- when

void core::begin_if_ready() {
  if (begun_ || welcomes_.size() < with_.members->validity()) return;
  if (!enough_welcomes_) enough_welcomes_ = now_;
  if (welcomes_.size() < with_.members->quorum() && now_ < *enough_welcomes_ + welcome_patience)
    return;
  // The highest `low` that f+1 validators reach: one of them is honest, so all below it is
  // consumed.
  std::vector<bundle_sequence> lows;
  for (const auto& [from, x] : welcomes_) lows.push_back(x.low);
  std::sort(lows.rbegin(), lows.rend());
  next_sequence_ = lows[with_.members->validity() - 1];
  begun_ = now_;
}

std::uint64_t core::due(time_point now) const {
  if (!begun_) return 0;
  if (with_.with.single) return 1;
  const auto until = std::min(now, stopped_.value_or(now));
  const auto elapsed =
      static_cast<unsigned __int128>(std::max(duration{}, until - *begun_).count());
  return static_cast<std::uint64_t>(elapsed * with_.with.rate / second_ns);
}

time_point core::due_at(std::uint64_t transaction) const {
  if (with_.with.rate == 0) return *begun_;
  const auto ns =
      (static_cast<unsigned __int128>(transaction + 1) * second_ns + with_.with.rate - 1) /
      with_.with.rate;
  return *begun_ + duration{static_cast<std::int64_t>(ns)};
}

std::optional<time_point> core::load_deadline() const {
  if (!begun_ || stopped_ || with_.with.single || with_.with.rate == 0) return std::nullopt;
  std::optional<time_point> first;
  if (with_.with.run_for) first = *begun_ + *with_.with.run_for;
  if (!has_room()) return first;
  // When a bundle is full, or its first transaction has waited long enough.
  std::uint64_t missing = with_.with.transactions_per_bundle, oldest = made_;
  for (const auto& [assignee, open] : open_) {
    if (open.empty()) continue;
    missing = std::min(missing, with_.with.transactions_per_bundle - open.size());
    oldest = std::min(oldest, open.front().due);
  }
  const auto next = std::min(due_at(made_ + missing - 1), due_at(oldest) + with_.with.bundle_delay);
  return std::min(first.value_or(time_point::max()), next);
}

std::optional<time_point> core::end() const {
  if (with_.with.single) return *first_step_ + with_.with.give_up;
  if (stopped_) return *stopped_ + with_.with.give_up;
  if (!begun_ && with_.with.run_for) return *first_step_ + *with_.with.run_for + with_.with.give_up;
  return std::nullopt;
}

std::optional<time_point> core::next_deadline() const {
  if (finished_ || !first_step_) return std::nullopt;
  std::optional<time_point> first = end();
  const auto sooner = [&](const std::optional<time_point>& at) {
    if (at) first = std::min(first.value_or(time_point::max()), *at);
  };
  if (!begun_ && enough_welcomes_) sooner(*enough_welcomes_ + welcome_patience);
  sooner(load_deadline());
  if (codes_asked_) sooner(*codes_asked_ + codes_patience);
  for (const auto& [sequence, x] : outstanding_) {
    sooner(x.resend_at);
    if (x.first_sent) sooner(x.relay_at);
  }
  return first;
}

duration core::relay_timeout() const {
  const duration median = served_.at_per_mille(500);
  return std::max<duration>(with_.with.relay_timeout, 3 * median);
}

void core::end_if_due(effects& out) {
  note_pending();
  if (finished_) return;
  const auto patience = end();
  if (!all_heard(out) && !(patience && now_ >= *patience)) return;
  finished_ = true;
  out.finished = true;
}

/// Whether nothing more will come that is worth waiting for.
bool core::all_heard(effects& out) {
  const bool over = with_.with.single ? begun_.has_value() && made_ > 0 : stopped_.has_value();
  if (!over || !outstanding_.empty() || !open_.empty()) return false;
  if (with_.with.single || codeless_.empty()) return true;
  if (codes_asked_) return now_ >= *codes_asked_ + codes_patience;
  codes_asked_ = now_;
  std::size_t asked = 0;
  for (auto at = codeless_.rbegin(); at != codeless_.rend() && asked < codes_asked_max;
       ++at, ++asked)
    for (const validator_id v : up_) out.queries.emplace_back(v, receipt_query{*at});
  return false;
}

void core::note_pending() {
  for (auto& [sequence, x] : outstanding_) {
    if (x.warned || !x.first_sent || now_ - *x.first_sent < with_.with.pending_warning) continue;
    x.warned = true;
    counts_.warning = "bundle " + std::to_string(sequence.value) + " of " +
                      with_.members->find(with_.self)->name + " has no receipts after " +
                      std::to_string(with_.with.pending_warning.count()) + " s (" +
                      (x.admitted ? "admitted" : "not admitted") + ", sent last to " +
                      with_.members->validators[x.target.value].name + ")";
  }
}

void core::on(load_stopped, effects&) {
  if (begun_ && !stopped_) stopped_ = now_;
  if (!begun_) stopped_ = now_;
}

// -- bundles

void core::make_bundles(effects& out) {
  if (!begun_ || finished_) return;
  bool last = false;
  if (!stopped_ && with_.with.run_for && now_ >= *begun_ + *with_.with.run_for) {
    stopped_ = *begun_ + *with_.with.run_for;
    last = true;
  }
  // What waits when the load stops stays a number; what is in a bundle already leaves.
  if (!stopped_ || last) fill_open_bundles(out);
  for (auto at = open_.begin(); at != open_.end();) {
    const validator_id assignee = (at++)->first;
    const auto& open = open_.at(assignee);
    if (!open.empty() && (stopped_ || with_.with.single || (has_room() && is_late(open))))
      close(assignee, out);
  }
}

void core::fill_open_bundles(effects& out) {
  const std::uint64_t until = due(now_);
  while (made_ < until && has_room()) {
    planned_transaction x = with_.with.single ? *with_.with.single : workload_.next();
    x.due = made_++;
    const validator_id assignee = assignee_of(x.account);
    auto& open = open_[assignee];
    if (open.empty()) open.reserve(with_.with.transactions_per_bundle);
    open.push_back(x);
    if (open.size() >= with_.with.transactions_per_bundle) close(assignee, out);
  }
}

bool core::is_late(const std::vector<planned_transaction>& open) const {
  return now_ >= due_at(open.front().due) + with_.with.bundle_delay;
}

validator_id core::assignee_of(account_id account) const {
  if (!moved_.empty())
    if (const auto found = moved_.find(account); found != moved_.end())
      return found->second.assignee;
  return with_.members->find(with_.self)->assignee;
}

void core::close(validator_id assignee, effects& out) {
  const auto open = open_.find(assignee);
  const bundle_sequence sequence = next_sequence_;
  ++next_sequence_;
  bundle& x = outstanding_[sequence];
  x.transactions =
      std::make_shared<const std::vector<planned_transaction>>(std::move(open->second));
  open_.erase(open);
  build(sequence, x, assignee, out);
}

void core::build(bundle_sequence sequence, bundle& x, validator_id assignee, effects& out) {
  x.assignee = assignee;
  x.expires = anchor_round_ + with_.with.expiry_rounds;
  x.frame = {};
  out.builds.push_back({sequence, assignee, x.expires, x.transactions});
}

void core::on(bundle_built x, effects& out) {
  const auto found = outstanding_.find(x.sequence);
  FLAMINGO_ASSERT(found != outstanding_.end());
  bundle& built = found->second;
  built.ids.push_back(x.id);
  built.frame = std::move(x.frame);
  // One that had to be relayed and was built anew, because it expired meanwhile, goes on from
  // carrier to carrier: to begin with its assignee again would let a short expiry keep it from all
  // others.
  const auto carrier =
      built.relays > 0 ? next_reachable(built.assignee, built.relays) : std::nullopt;
  send(x.sequence, built, carrier ? *carrier : first_target(built), out);
}

bool core::reachable(validator_id v) const {
  const auto since = unheard_since_.find(v);
  return up_.contains(v) &&
         (since == unheard_since_.end() || now_ - since->second < relay_timeout());
}

/// @param steps from `after`; on return, those to the validator found.
std::optional<validator_id> core::next_reachable(validator_id after, std::uint32_t& steps) const {
  const auto n = static_cast<std::uint32_t>(with_.members->size());
  for (std::uint32_t tried = 0; tried < n; ++tried) {
    const validator_id v{static_cast<std::uint16_t>((after.value + ++steps) % n)};
    if (reachable(v)) return v;
  }
  return std::nullopt;
}

/// The assignee; or, while it is down or says nothing, another one: then it gets a bundle now and
/// then, to see whether it is back.
validator_id core::first_target(bundle& x) {
  if (reachable(x.assignee)) return x.assignee;
  if (up_.contains(x.assignee) && now_ - probed_ >= relay_timeout()) {
    probed_ = now_;
    return x.assignee;
  }
  return next_reachable(x.assignee, x.relays).value_or(x.assignee);
}

void core::send(bundle_sequence, bundle& x, validator_id to, effects& out) {
  if (!x.first_sent) {
    x.first_sent = now_;
    counts_.sent += x.size();
    ++counts_.bundles;
  } else if (to == x.target) {
    ++counts_.resent;
  }
  if (to != x.assignee) ++counts_.relayed;
  x.target = to;
  x.last_sent = now_;
  unheard_since_.try_emplace(to, now_);
  x.resend_at.reset();
  x.relay_at = now_ + relay_timeout();
  out.bundles.push_back({to, x.frame});
}

void core::retry(effects& out) {
  for (auto& [sequence, x] : outstanding_) {
    if (x.frame.empty()) continue;  // it is being built
    if (now_ >= x.relay_at)
      relay(sequence, x, out);
    else if (x.resend_at && now_ >= *x.resend_at) {
      const auto relay_at = x.relay_at;  // a busy assignee does not put off the relay
      send(sequence, x, x.assignee, out);
      x.relay_at = relay_at;
    }
  }
}

/// To one further validator, unless it is surely committed: then all are only asked what became of
/// it. One receipt proves nothing: a liar who gives it would keep the bundle from all others.
void core::relay(bundle_sequence sequence, bundle& x, effects& out) {
  query_all(sequence, x, out);
  x.relay_at = now_ + relay_timeout();
  if (x.votes.prove_commit(with_.members->validity())) return;
  if (const auto to = next_reachable(x.assignee, x.relays)) send(sequence, x, *to, out);
}

void core::query_all(bundle_sequence sequence, const bundle& x, effects& out) {
  for (const validator_id v : up_)
    if (!x.votes.has(v)) out.queries.emplace_back(v, receipt_query{sequence});
}

}  // namespace flamingo::client
