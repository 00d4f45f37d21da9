// A group of executor cores in one test: what they say is delivered in an order that a seed picks,
// some of it twice; snapshots become durable late; executors join and leave; the group can crash
// and start again from its snapshots.
#pragma once

#include <doctest/doctest.h>

#include "tests/unit/executor_stream.hpp"

namespace flamingo::executor::test {

/// What a validator's store holds of snapshots.
struct snapshot_disk {
  std::map<std::pair<unsigned, std::uint16_t>, std::vector<char>> buckets;  // by parity, bucket
  std::map<std::pair<unsigned, std::uint16_t>, snapshot_marker> markers;    // by parity, executor

  std::optional<snapshot_marker> newest() const {
    std::vector<found_marker> found;
    for (const auto& [key, marker] : markers) found.push_back({executor_id{key.second}, marker});
    return newest_complete(found);
  }
};

struct group_settings {
  std::uint16_t executors = 2;
  std::uint32_t batch_transactions = 25;
  unsigned seed = 1;
  unsigned repeat_percent = 10;
  std::uint64_t max_lead = 4;
  std::size_t max_waiting_steps = 50'000;
  assembly::limits waiting{};
  std::uint16_t workers = 2;
  std::string scheduler = "static";
  std::uint16_t slow = 0xffff;  // an executor that mostly hears things later than the others
};

class executor_group {
public:
  executor_group(const group_settings& s, stream_source& source)
      : settings_(s), source_(source), rng_(s.seed) {
    dense_ = std::make_shared<dense_buckets>(source.rules()->dense_keys(), &bucket_of);
    group_.executors = s.executors;
    start();
  }

  /// From the next sub-DAG on the group has so many executors.
  void change_to(std::uint16_t executors) {
    while (cores_.size() < executors) {
      cores_.push_back(make_core(static_cast<std::uint16_t>(cores_.size()), last_));
      cores_.back()->stand_by(commit_index{history_.size()});
      step(static_cast<std::uint16_t>(cores_.size() - 1), started{});
    }
    ++group_.version;
    group_.executors = executors;
  }

  /// Runs until every executor has executed `count` more sub-DAGs.
  void run(std::uint64_t count) {
    for (; count > 0; --count) {
      make_next();
      if (rng_() % 3 == 0) drain(rng_() % 200);
      offer(history_.back());
    }
    drain_all();
  }
  /// Like run, but stops in the middle of it.
  void run_in_part(std::uint64_t count) {
    for (; count > 0; --count) {
      make_next();
      offer(history_.back());
      drain(rng_() % 400);
    }
  }

  /// Every executor loses what it holds; the disk stays.
  void crash() {
    bag_.clear();
    start();
  }

  /// Those that left included: they read along.
  std::uint16_t size() const { return static_cast<std::uint16_t>(cores_.size()); }
  const execution_group& group() const { return group_; }
  core& at(std::uint16_t i) { return *cores_[i]; }
  const snapshot_disk& disk() const { return disk_; }
  const std::map<answer_key, expected_answer>& answers() const { return answers_; }
  std::map<std::uint64_t, digest> roots;  // by commit index, as executor 0 reported them
  std::uint64_t rejected = 0;

  /// The value of a key at its owner.
  byte_span value(std::uint64_t key) {
    core& any = *cores_[0];
    const std::uint32_t slot = any.values().slot_of(key);
    const std::uint16_t owner = slot < any.partitions().slots()
                                    ? any.partitions().owner(slot)
                                    : any.partitions().first_owner(bucket_of(key));
    value_store& values = cores_[owner]->values();
    return {values.at(values.slot_of(key)), values.value_bytes()};
  }

  void check_equal_to_serial() {
    for (const auto& [key, expected] : source_.serial().touched()) {
      CAPTURE(key);
      const byte_span actual = value(key);
      REQUIRE(std::equal(actual.begin(), actual.end(), expected.begin(), expected.end()));
    }
    REQUIRE(answers_.size() == source_.answers().size());
    REQUIRE(answers_ == source_.answers());
  }

private:
  void make_next() {
    history_.push_back(source_.next());
    history_.back().sequenced.group = last_ = group_;
  }

  std::unique_ptr<core> make_core(std::uint16_t i, const execution_group& first) const {
    parameters p;
    p.share = {executor_id{i}, first.executors, settings_.workers, settings_.batch_transactions,
               first.slack_per_mille};
    p.group_version = first.version;
    p.waiting = settings_.waiting;
    p.max_lead = settings_.max_lead;
    p.max_waiting_steps = settings_.max_waiting_steps;
    p.stream_retry = std::chrono::seconds(1);
    return std::make_unique<core>(p, source_.rules(), make_scheduler(settings_.scheduler), dense_,
                                  functions{&bucket_of, &sha256});
  }

  /// All that the stream after the newest snapshot names, and the group to come.
  void start() {
    cores_.clear();
    const auto newest = disk_.newest();
    const std::size_t from = newest ? newest->index.value : 0;
    const execution_group first = from < history_.size() ? history_[from].sequenced.group : group_;
    last_ = from < history_.size() ? history_.back().sequenced.group : group_;
    std::uint16_t most = group_.executors;
    for (std::size_t i = from; i < history_.size(); ++i)
      most = std::max(most, history_[i].sequenced.group.executors);
    for (std::uint16_t i = 0; i < most; ++i) {
      cores_.push_back(make_core(i, first));
      if (i >= first.executors) cores_.back()->stand_by(commit_index{from});
    }
    if (newest) restore(*newest, first.executors);
    for (std::uint16_t i = 0; i < most; ++i) step(i, started{});
  }

  void restore(const snapshot_marker& marker, std::uint16_t executors) {
    for (const auto& [at, bytes] : disk_.buckets) {
      if (at.first != marker.parity()) continue;
      for (std::uint16_t i = 0; i < executors; ++i)
        if (cores_[i]->is_home(at.second)) REQUIRE(cores_[i]->restore_bucket(as_span(bytes)));
    }
    for (std::uint16_t i = 0; i < executors; ++i) cores_[i]->restored(marker);
    // The leaves of all buckets, as after any snapshot.
    for (std::uint16_t i = 0; i < executors; ++i) {
      state_leaves leaves{executor_id{i}, marker.index, {}, {}};
      for (std::size_t b = i; b < bucket_count; b += executors) {
        const auto bucket = static_cast<std::uint16_t>(b);
        const auto found = disk_.buckets.find({marker.parity(), bucket});
        const std::vector<char> empty{static_cast<char>(b), static_cast<char>(b >> 8)};
        leaves.buckets.push_back(bucket);
        leaves.hashes.push_back(leaf_of(found != disk_.buckets.end() ? found->second : empty));
      }
      bag_.push_back({0, leaves_received{std::move(leaves)}});
    }
  }

  static digest leaf_of(const std::vector<char>& bytes) {
    return crypto::hash({byte_span(std::array<byte, 1>{0}), as_span(bytes)});
  }

  static byte_span as_span(const std::vector<char>& x) {
    return {reinterpret_cast<const byte*>(x.data()), x.size()};
  }

  void offer(const sub_dag_frames& x) {
    for (std::uint16_t i = 0; i < size(); ++i) offer(i, x);
  }
  void offer(std::uint16_t i, const sub_dag_frames& x) {
    bag_.push_back({i, sequenced_received{x.sequenced}});
    for (const auto& payload : x.payloads) bag_.push_back({i, payload});
  }

  void drain(std::uint64_t deliveries) {
    for (; deliveries > 0; --deliveries) {
      for (std::uint16_t i = 0; bag_.empty() && i < size(); ++i)
        if (cores_[i]->holding()) step(i, timer{});
      if (bag_.empty()) return;
      deliver_one();
    }
  }
  void drain_all() {
    // What is held back leaves, and timers fire when nothing else happens.
    while (true) {
      while (!bag_.empty()) deliver_one();
      bool asked = false;
      for (std::uint16_t i = 0; i < size(); ++i) {
        const auto at = cores_[i]->next_deadline();
        if (!at && !cores_[i]->holding()) continue;
        if (at && !cores_[i]->holding()) now_ = std::max(now_, *at);
        step(i, timer{});
        asked = true;
      }
      if (!asked && bag_.empty()) return;
      REQUIRE(++idle_rounds_ < 10'000);
    }
  }

  void deliver_one() {
    std::size_t pick = rng_() % bag_.size();
    for (int i = 0; i < 4 && bag_[pick].first == settings_.slow; ++i) pick = rng_() % bag_.size();
    auto next = bag_[pick];
    if (rng_() % 100 >= settings_.repeat_percent ||
        std::holds_alternative<snapshot_durable>(next.second)) {
      bag_[pick] = std::move(bag_.back());
      bag_.pop_back();
    }
    step(next.first, std::move(next.second));
    if (cores_[next.first]->holding() && rng_() % 3 == 0) step(next.first, timer{});
  }

  void step(std::uint16_t i, input in) {
    if (std::holds_alternative<snapshot_durable>(in))
      disk_.markers[{pending_markers_[i].parity(), i}] = pending_markers_[i];
    perform(i, cores_[i]->step(now_, std::move(in)));
    // A busy executor does not always go on at once.
    while (cores_[i]->runnable()) {
      cores_[i]->prepare();
      cores_[i]->plan();
      perform(i, cores_[i]->run(now_));
    }
  }

  void perform(std::uint16_t i, effects x) {
    rejected += x.rejected.size();
    if (x.snapshot) store(i, *x.snapshot);
    for (auto& y : x.outputs.pushed) {
      REQUIRE(y.to.value != i);
      bag_.push_back({y.to.value, values_received{std::move(y.values)}});
    }
    for (auto& y : x.outputs.requested)
      bag_.push_back({y.to.value, requests_received{std::move(y.request)}});
    for (auto& y : x.outputs.results)
      bag_.push_back({y.to.value, results_received{std::move(y.results)}});
    for (const auto& y : x.outputs.executed) take_answers(y);
    if (x.progress && x.progress->state_root)
      roots[x.progress->state_root_index.value] = *x.progress->state_root;
    if (x.replay)
      for (const auto& y : history_)
        if (y.sequenced.index > *x.replay) offer(i, y);
  }

  void store(std::uint16_t i, const snapshot_image& image) {
    disk_.markers.erase({image.marker.parity(), i});
    state_leaves leaves{executor_id{i}, image.marker.index, {}, {}};
    std::size_t first = 0;
    for (std::size_t b = 0; b < image.buckets.size(); ++b) {
      std::vector<char> bytes(image.bytes.begin() + static_cast<std::ptrdiff_t>(first),
                              image.bytes.begin() + static_cast<std::ptrdiff_t>(image.ends[b]));
      first = image.ends[b];
      leaves.buckets.push_back(image.buckets[b]);
      leaves.hashes.push_back(leaf_of(bytes));
      if (image.empty[b])
        disk_.buckets.erase({image.marker.parity(), image.buckets[b]});
      else
        disk_.buckets[{image.marker.parity(), image.buckets[b]}] = std::move(bytes);
    }
    bag_.push_back({0, leaves_received{std::move(leaves)}});
    // The marker becomes durable when this is delivered.
    pending_markers_[i] = image.marker;
    bag_.push_back({i, snapshot_durable{image.marker.index}});
  }

  void take_answers(const executed_to& x) {
    for (const auto& bundle : x.bundles.bundles) {
      REQUIRE(x.to.value == bundle.client.value % settings_.workers);
      const byte_span codes = x.bundles.results_of(bundle);
      const expected_answer answer{
          x.bundles.index, bundle.id, bundle.author, {codes.begin(), codes.end()}};
      const auto [at, is_new] =
          answers_.try_emplace({bundle.client.value, bundle.sequence.value}, answer);
      if (!is_new) REQUIRE(at->second == answer);  // after a crash it is answered again
    }
  }

  group_settings settings_;
  execution_group group_;  // of the next sub-DAG
  execution_group last_;   // of the newest one, or what a group that is empty-handed began with
  stream_source& source_;
  std::mt19937_64 rng_;
  std::shared_ptr<const dense_buckets> dense_;
  std::vector<std::unique_ptr<core>> cores_;
  std::vector<std::pair<std::uint16_t, input>> bag_;
  std::vector<sub_dag_frames> history_;
  std::map<answer_key, expected_answer> answers_;
  snapshot_disk disk_;
  std::map<std::uint16_t, snapshot_marker> pending_markers_;
  time_point now_{};
  int idle_rounds_ = 0;
};

}  // namespace flamingo::executor::test
