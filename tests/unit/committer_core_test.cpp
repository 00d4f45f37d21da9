// The committer over random DAGs: every validator sequences the same stream, whatever comes when,
// and a crash after any commit changes nothing.
#include <doctest/doctest.h>

#include "tests/unit/committer_world.hpp"

using namespace flamingo;
using namespace flamingo::committer;
using namespace flamingo::committer::test;

namespace {

bool same(const sequenced_batch& a, const sequenced_batch& b) {
  return a.id == b.id && a.author == b.author && a.worker == b.worker &&
         std::equal(a.bundles.begin(), a.bundles.end(), b.bundles.begin(), b.bundles.end(),
                    [](const sequenced_bundle& x, const sequenced_bundle& y) {
                      return x.client == y.client && x.sequence == y.sequence && x.id == y.id &&
                             x.what == y.what && x.transactions == y.transactions;
                    });
}

/// What is a function of the log.
bool same(const commit& a, const commit& b) {
  return a.head == b.head && a.floor == b.floor && a.output == b.output && a.windows == b.windows &&
         a.totals == b.totals && a.signals == b.signals && a.control == b.control &&
         a.notice.output == b.notice.output && a.stream.anchor == b.stream.anchor &&
         a.stream.snapshot == b.stream.snapshot &&
         a.stream.first_position == b.stream.first_position &&
         std::equal(a.stream.batches.begin(), a.stream.batches.end(), b.stream.batches.begin(),
                    b.stream.batches.end(),
                    [](const auto& x, const auto& y) { return same(x, y); });
}

/// Both ran on; one may be ahead.
void require_prefixes(const std::vector<commit>& a, const std::vector<commit>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    CAPTURE(i);
    REQUIRE(same(a[i], b[i]));
  }
}

/// Feeds everything, with a worker that answers now and then, and at last everything.
void run_all(test_validator& x, const test_world& world, std::uint64_t seed) {
  random_source rng(seed);
  for (const auto& place : causal_order(world.dag, rng, rng.between(1, 6))) {
    x.deliver(place);
    if (rng.chance(300)) x.answer(rng, rng.between(1, 8));
    if (rng.chance(100)) x.pass(std::chrono::milliseconds(250));
  }
  x.answer(rng, 10'000);
}

}  // namespace

TEST_SUITE("committer") {
  TEST_CASE("validators sequence one stream, whatever certificates and batches come when") {
    bundle_totals seen;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      CAPTURE(seed);
      const test_world world(seed, 33);
      test_validator a(world, test_parameters(world.dag.n, 0));
      test_validator b(world, test_parameters(world.dag.n, 1));
      run_all(a, world, seed);
      run_all(b, world, seed + 1000);
      require_prefixes(a.commits, b.commits);
      REQUIRE(a.rejected.empty());
      REQUIRE(!a.commits.empty());
      REQUIRE(a.logic().waiting_sub_dags() == 0);
      const auto& t = a.commits.back().totals;
      seen.fresh += t.fresh;
      seen.duplicate += t.duplicate;
      seen.expired += t.expired;
      // Indexes and stream positions have no gap.
      std::uint64_t position = 0;
      for (std::size_t i = 0; i < a.commits.size(); ++i) {
        REQUIRE(a.commits[i].head.index.value == i + 1);
        REQUIRE(a.commits[i].stream.first_position.value == position);
        REQUIRE(a.commits[i].stream.snapshot == ((i + 1) % 4 == 0));
        for (const auto& batch : a.commits[i].stream.batches)
          for (const auto& bundle : batch.bundles)
            if (bundle.what == verdict::fresh) position += bundle.transactions;
        REQUIRE(a.commits[i].totals.transactions == position);
        REQUIRE(a.streamed.at(i) == i + 1);
      }
    }
    CHECK(seen.fresh > 500);  // the world holds every case
    CHECK(seen.duplicate > 100);
    CHECK(seen.expired > 10);
  }

  TEST_CASE(
      "a batch that its worker is about to give up is not sequenced until it is told of anew") {
    std::size_t asked = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      CAPTURE(seed);
      const test_world world(seed, 33);
      test_validator sound(world, test_parameters(world.dag.n)),
          x(world, test_parameters(world.dag.n));
      run_all(sound, world, seed);
      random_source rng(seed);
      const auto order = causal_order(world.dag, rng, 3);
      for (const auto& [id, index] : world.batches) x.run(indexed{index});
      const auto half = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
      std::for_each(order.begin(), half, [&](auto place) { x.deliver(place); });
      x.answer(rng, 10'000);  // batches that come a second time
      REQUIRE(!x.commits.empty());
      REQUIRE(x.logic().waiting_sub_dags() == 0);
      std::vector<digest> all;
      for (const auto& [id, index] : world.batches) all.push_back(id);
      x.run(batches_withdrawn{{5, worker_id{3}, all}});
      REQUIRE(x.noted.size() == 1);
      CHECK(x.noted[0].worker == worker_id{3});
      CHECK(x.noted[0].what == withdrawal_noted{5, x.commits.back().head.anchor_round, {}, true});
      const auto before = x.commits.size();
      std::for_each(half, order.end(), [&](auto place) { x.deliver(place); });
      for (std::size_t i = before; i < x.commits.size(); ++i)
        REQUIRE(x.commits[i].stream.batches.empty());
      asked += x.logic().waiting_sub_dags();
      // What waits is not withdrawn.
      x.run(batches_withdrawn{{6, worker_id{3}, all}});
      CHECK(x.noted[1].what.until == x.commits.back().head.anchor_round);
      CHECK(x.noted[1].what.kept.empty() == (x.logic().waiting_sub_dags() == 0));
      x.answer(rng, 10'000);
      REQUIRE(x.logic().waiting_sub_dags() == 0);
      require_prefixes(sound.commits, x.commits);
    }
    CHECK(asked > 30);
  }

  TEST_CASE("no bundle sequence of a client is fresh twice") {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      CAPTURE(seed);
      const test_world world(seed, 33);
      test_validator x(world, test_parameters(world.dag.n));
      run_all(x, world, seed);
      std::set<std::pair<client_id, bundle_sequence>> consumed;
      for (const auto& commit : x.commits)
        for (const auto& batch : commit.stream.batches)
          for (const auto& bundle : batch.bundles) {
            const bool first = !consumed.contains({bundle.client, bundle.sequence});
            if (bundle.what == verdict::out_of_window) continue;
            REQUIRE(first == (bundle.what != verdict::duplicate));
            consumed.insert({bundle.client, bundle.sequence});
          }
    }
  }

  TEST_CASE("a crash after any durable commit, in the middle of a step too, changes nothing") {
    std::size_t within_steps = 0, went_on = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      CAPTURE(seed);
      const test_world world(seed, 25);
      const auto p = test_parameters(world.dag.n);
      test_validator undisturbed(world, p);
      run_all(undisturbed, world, seed);
      for (std::size_t cut = 0; cut < undisturbed.commits.size(); ++cut) {
        CAPTURE(cut);
        test_validator x(world, p);
        random_source rng(seed + 5);
        x.cut_after = cut;
        for (const auto& place : causal_order(world.dag, rng, 2)) {
          x.deliver(place);
          x.answer(rng, rng.below(4));
        }
        x.answer(rng, 10'000);
        REQUIRE(x.commits.size() <= cut);
        x.cut_after.reset();
        within_steps += x.cuts_within_steps;
        x.restart();
        x.answer(rng, 10'000);
        for (std::size_t i = 0; i < x.commits.size(); ++i)
          REQUIRE(x.commits[i].head.index.value == i + 1);
        require_prefixes(x.commits, undisturbed.commits);
        went_on += x.commits.size() > cut;
      }
    }
    CHECK(within_steps > 10);
    CHECK(went_on > 60);
  }

  TEST_CASE("restarted after every step, it commits the same once") {
    std::size_t commits = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      CAPTURE(seed);
      const test_world world(seed, 21);
      const auto p = test_parameters(world.dag.n);
      test_validator undisturbed(world, p), restless(world, p);
      run_all(undisturbed, world, seed);
      random_source rng(seed);
      for (const auto& place : causal_order(world.dag, rng, 2)) {
        restless.deliver(place);
        restless.answer(rng, 10'000);
        restless.restart();
        restless.answer(rng, 10'000);
      }
      require_prefixes(undisturbed.commits, restless.commits);
      for (std::size_t i = 0; i < restless.commits.size(); ++i)
        REQUIRE(restless.commits[i].head.index.value == i + 1);
      commits += restless.commits.size();
      if (restless.commits.empty()) continue;
      const auto& announced = restless.announcements.back();
      CHECK(announced.index == restless.commits.back().head.index);
      CHECK(announced.floor == restless.commits.back().floor);
    }
    CHECK(commits > 20);
  }
}
