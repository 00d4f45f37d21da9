// What a committer core meets in tests: headers with payload over a random or a hand-made DAG, a
// store that keeps what commits say, and neighbours that answer sooner or later.
#pragma once

#include <deque>

#include "actors/committer/committer.hpp"
#include "tests/unit/tusk_random_dag.hpp"

namespace flamingo::committer::test {

inline parameters test_parameters(std::size_t n, std::uint16_t self = 0) {
  parameters p;
  p.slack_per_mille = 80;
  p.self = validator_id{self};
  p.validators = n;
  p.validity = (n - 1) / 3 + 1;
  p.gc_depth = 6;
  p.checkpoint_anchors = 4;
  p.bundle_window = 64;
  p.executors = 1;
  p.stream_window = 8;
  p.commit_retention = 3;
  p.index_cache_bundles = 1000;
  p.max_fetches = 256;
  p.fetch_retry = std::chrono::milliseconds(200);
  return p;
}

/// The store of one validator, as the shell keeps it.
struct test_store {
  recovered content;

  void apply(const commit& x) {
    content.head = x.head;
    content.totals = x.totals;
    content.output.insert(content.output.end(), x.output.begin(), x.output.end());
    std::erase_if(content.output,
                  [&](const auto& y) { return y.position.round <= x.forget_output; });
    std::sort(content.output.begin(), content.output.end(),
              [](const auto& a, const auto& b) { return a.position < b.position; });
    for (const auto& [client, window] : x.windows) content.windows.insert_or_assign(client, window);
    content.dead.insert(x.dead_added.begin(), x.dead_added.end());
    for (const digest& batch : x.dead_removed) content.dead.erase(batch);
    content.oldest = x.keep_from;
    content.groups.insert(content.groups.end(), x.groups.begin(), x.groups.end());
  }
};

inline digest named(std::uint64_t kind, std::uint64_t number) {
  return name_of(kind, {round_number{number}, validator_id{0}});
}

/// A DAG whose headers carry batches whose bundles now and then repeat, expire or leave gaps.
struct test_world {
  random_dag dag;
  std::map<dag_position, header> headers;
  std::map<digest, batch_index> batches;

  test_world(std::uint64_t seed, std::uint64_t rounds) : dag(make_random_dag(seed, rounds)) {
    random_source rng(seed + 77);
    std::uint64_t next_batch = 1;
    std::map<std::uint32_t, std::uint64_t> next_sequence;
    for (const auto& [place, x] : dag.vertices) {
      header& h = headers[place];
      h.id = x.id;
      h.author = place.author;
      h.round = place.round;
      h.parents = x.parents;
      h.weak_links = x.weak_links;
      h.created_at = time_point{std::chrono::milliseconds(place.round.value * 100)};
      if (rng.chance(800)) h.queue_delay = std::chrono::microseconds(rng.below(100'000));
      if (carries_coin_share(place.round)) h.coin_share = {byte(place.author.value)};
      if (rng.chance(200)) h.control.push_back(capacity_declaration{place.round.value, 1});
      for (std::uint64_t i = rng.below(3); i > 0; --i) {
        if (!batches.empty() && rng.chance(100)) {  // a batch of its own once more
          const auto old =
              std::next(batches.begin(), static_cast<std::ptrdiff_t>(rng.below(batches.size())));
          if (old->second.author == place.author)
            h.payload.push_back({old->first, worker_id{0}, 1, {}, {}});
          continue;
        }
        batch_index batch{named(9, next_batch++), place.author, worker_id{0}, {}};
        for (std::uint64_t k = rng.below(4); k > 0; --k) {
          const auto client = static_cast<std::uint32_t>(rng.below(5));
          auto& next = next_sequence[client];
          const std::uint64_t sequence = rng.chance(200) ? rng.between(1, next + 1) : ++next;
          const std::uint64_t expires = rng.chance(100) ? place.round.value / 2 : 1000;
          batch.bundles.push_back({named(10, sequence * 8 + client), client_id{client},
                                   bundle_sequence{sequence}, place.author, round_number{expires},
                                   static_cast<std::uint32_t>(rng.between(1, 9)), false});
        }
        h.payload.push_back({batch.id, worker_id{0}, 1, {}, {}});
        batches.emplace(batch.id, std::move(batch));
      }
    }
  }
};

/// A committer with its store, coin, worker and executor. What it commits is durable at once,
/// unless the test cuts it off.
class test_validator {
public:
  test_validator(const test_world& world, parameters p)
      : world_(world), parameters_(p), logic_(std::in_place, p, recovered{}) {
    run(started{});
    run(replay_asked{executor_id{0}, commit_index{0}});
  }

  void deliver(dag_position place) {
    delivered_.push_back(place);
    run(certified{world_.headers.at(place), {}});
  }
  /// The worker answers `count` of what it was asked for, in any order.
  void answer(random_source& rng, std::size_t count) {
    for (; count > 0 && !wanted_.empty(); --count) {
      const auto at = static_cast<std::ptrdiff_t>(rng.below(wanted_.size()));
      const digest batch = wanted_[static_cast<std::size_t>(at)];
      wanted_.erase(wanted_.begin() + at);
      run(indexed{world_.batches.at(batch)});
    }
  }
  void pass(duration x) {
    now_ += x;
    run(ticked{});
  }
  /// Power off after only `durable` of the commits of the last step were synced, and on again.
  void restart() {
    wanted_.clear();
    logic_.emplace(parameters_, store.content);
    const auto executed = store.content.head.index;
    run(started{});
    run(replay_asked{executor_id{0}, executed});
    const auto again = std::move(delivered_);
    delivered_.clear();
    for (const auto& place : again) deliver(place);
  }

  core& logic() { return *logic_; }
  void run(input in) {
    effects x = logic_->step(now_, std::move(in));
    bool cut = false;
    for (commit& y : x.commits) {
      if (cut_after && commits.size() == *cut_after) cut = true;
      if (cut) break;
      store.apply(y);
      commits.push_back(std::move(y));
    }
    if (cut && &x.commits.front() != &x.commits.back()) ++cuts_within_steps;
    if (cut) return;  // nothing below leaves
    for (const auto& part : x.stream) streamed.push_back(part.index.value);
    if (!x.stream.empty()) {
      execution_progress progress;
      progress.index = x.stream.back().index;
      run(progressed{progress});
    }
    for (const auto& batch : x.wanted) wanted_.push_back(batch.id);
    if (x.noted) noted.push_back(*x.noted);
    for (const auto& coin : x.coins)
      run(coin_known{coin.wave, world_.dag.leaders.at(coin.wave).value});
    if (x.announcement) announcements.push_back(*x.announcement);
    for (const auto why : x.rejected) rejected.push_back(why);
  }

  test_store store;
  std::vector<commit> commits;
  std::vector<std::uint64_t> streamed;
  std::vector<commit_notice> announcements;
  std::vector<noted_to> noted;
  std::vector<reject> rejected;
  std::optional<std::size_t> cut_after;  // commits that still become durable
  std::size_t cuts_within_steps = 0;

private:
  const test_world& world_;
  parameters parameters_;
  std::optional<core> logic_;
  time_point now_{std::chrono::seconds(100)};
  std::vector<dag_position> delivered_;
  std::vector<digest> wanted_;
};

}  // namespace flamingo::committer::test
