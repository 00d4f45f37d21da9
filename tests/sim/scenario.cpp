#include "tests/sim/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/sim/recipes.hpp"

namespace flamingo::sim {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// How soon after the last fault everything must work again (tests/sim/README.md).
constexpr std::chrono::seconds liveness_with_usual_ones{20};
constexpr std::chrono::seconds liveness_with_small_values{60};

using kind = byzantine_kind;

/// Plans the faults of one run.
class planner {
public:
  planner(const recipe& how, const scenario_options& options)
      : how_(how), random_(random_source(options.seed).fork("scenario")), active_(options.active) {
    out_.name = how.name;
    out_.world.seed = options.seed;
    const auto drawn = random_.between(4, 7);
    out_.world.validators =
        options.validators.value_or(how.validators > 0 ? how.validators : drawn);
    n_ = out_.world.validators;
    faulty_ = (n_ - 1) / 3;
  }

  scenario plan() {
    choose_world();
    if (how_.one_dies) plan_death();
    choose_byzantine();
    if (random_.chance(how_.crashes)) plan_crashes();
    if (random_.chance(how_.blackout)) plan_blackout();
    if (random_.chance(how_.partitions)) plan_partitions();
    if (random_.chance(how_.lossy)) plan_losses();
    if (random_.chance(how_.slow)) plan_laggards();
    if (random_.chance(how_.lost_disk)) plan_lost_disk();
    if (random_.chance(how_.left_behind)) plan_left_behind();
    if (random_.chance(how_.scaling)) plan_scaling();
    if (random_.chance(how_.orphans)) plan_orphans();
    if (random_.chance(how_.snapshots)) plan_snapshots();
    finish();
    return std::move(out_);
  }

private:
  void choose_world() {
    auto& w = out_.world;
    w.clients = random_.between(2, 4);
    w.accounts = w.protocol.accounts = 400;
    w.links.delay_min = microseconds(random_.between(200, 20'000));
    w.links.delay_max = w.links.delay_min + microseconds(random_.between(500, 40'000));
    w.sync_max = microseconds(random_.between(1'000, 20'000));
    if (random_.chance(how_.small_values)) w.local = world_options::locals::small;
    if (random_.chance(how_.skewed_clocks)) w.clock_offset_max = milliseconds(15'000);
    auto& p = w.protocol;
    p.gc_depth = random_.between(10, 40);
    p.round_limit = random_.between(2, 6);
    p.checkpoint_anchors = random_.between(5, 30);
    p.workers = static_cast<std::uint16_t>(random_.between(1, 2));
    p.bundle_window = random_.between(64, 512);
    p.execution_batch = static_cast<std::uint32_t>(random_.between(3, 200));
    p.max_bundles_per_batch = static_cast<std::uint32_t>(random_.between(4, 512));
    for (std::uint32_t i = 0; i < w.clients; ++i) choose_load(i);
    if (random_.chance(how_.gaps)) choose_gaps();
    if (random_.chance(how_.patient)) choose_patience();
  }

  /// Nobody else speaks for a client: what its assignee has taken must come from it.
  void choose_patience() {
    out_.world.protocol.gc_depth = 10;
    for (auto& x : out_.load) x.relay_timeout = std::chrono::seconds(3600);
  }

  void choose_load(std::uint64_t client) {
    auto& x = out_.load.emplace_back();
    x.rate = random_.between(20, 200);
    x.transaction_bytes = static_cast<std::uint32_t>(random_.between(0, 200));
    x.seed = out_.world.seed * 1000 + client;
    x.transactions_per_bundle = static_cast<std::uint32_t>(random_.between(1, 10));
    x.bundle_delay = milliseconds(random_.between(5, 60));
    x.outstanding_bundles = static_cast<std::uint32_t>(random_.between(4, 48));
    if (random_.chance(200)) x.expiry_rounds = random_.between(10, 60);
    x.relay_timeout = milliseconds(random_.between(500, 2000));
    x.give_up = std::chrono::seconds(3600);
  }

  /// Many small bundles and a small window: whoever loses one is soon far ahead of it, and the
  /// first client's assignee lets it.
  void choose_gaps() {
    const validator_id assignee{0};
    out_.byzantine.emplace(assignee, byzantine_kind::lax);
    out_.world.lax.insert(assignee);
    out_.world.protocol.bundle_window = 64;
    for (auto& x : out_.load) {
      x.rate = random_.between(150, 250);
      x.transactions_per_bundle = 1;
      x.outstanding_bundles = static_cast<std::uint32_t>(random_.between(16, 60));
    }
  }

  /// f of them, of any kinds that the recipe has.
  void choose_byzantine() {
    if (!random_.chance(how_.byzantine)) return;
    std::vector<kind> kinds;
    for (unsigned i = 0; i < byzantine_kinds; ++i)
      if ((how_.kinds >> i & 1) != 0) kinds.push_back(static_cast<kind>(i));
    while (out_.byzantine.size() + (out_.dead ? 1 : 0) < faulty_)
      corrupt(some_honest(), kinds[random_.below(kinds.size())]);
  }

  void corrupt(validator_id v, kind how) {
    out_.byzantine.emplace(v, how);
    if (how != kind::small_change) return;
    out_.world.small_change.insert(v);
    // Its clients, if it has some, help.
    for (std::uint32_t c = v.value; c < out_.load.size(); c += static_cast<std::uint32_t>(n_)) {
      out_.load[c].rate = random_.between(200, 500);
      out_.load[c].transactions_per_bundle = 1;
      out_.load[c].outstanding_bundles = 200;
    }
  }

  validator_id some_honest() {
    for (;;) {
      const validator_id v{static_cast<std::uint16_t>(random_.below(n_))};
      if (out_.is_honest(v) && v != out_.dead) return v;
    }
  }

  duration some_time(duration from, duration to) {
    return from + duration(random_.below(static_cast<std::uint64_t>((to - from).count()) + 1));
  }
  void add(duration at, fault what, validator_id a = {}, validator_id b = {}) {
    out_.events.push_back({at, what, a, b, {}, 0, {}});
  }
  void add_for_client(duration at, fault what, std::uint32_t client) {
    out_.events.push_back({at, what, {}, {}, {}, 0, client_id{client}});
  }

  /// One honest validator after the other, so that never more than f are faulty beside those that
  /// are Byzantine; where those leave no room, commits stop until it is back.
  void plan_crashes() {
    duration at = some_time(milliseconds(200), active_ / 4);
    while (at < active_) {
      const auto v = some_honest();
      const auto down = random_.chance(500) ? some_time(milliseconds(1), milliseconds(300))
                                            : some_time(milliseconds(300), active_ / 4);
      add(at, fault::crash, v);
      add(at + down, fault::restart, v);
      at += down + some_time(milliseconds(50), active_ / 4);
    }
  }

  void plan_death() {
    out_.dead = some_honest();
    add(some_time(duration::zero(), active_), fault::crash, *out_.dead);
  }

  /// Who loses its disk counts as faulty until it has heard from n - f others: there must be room
  /// for it beside those that are Byzantine.
  void plan_lost_disk() {
    if (out_.byzantine.size() + 1 > faulty_) return;
    const auto v = some_honest();
    const auto at = some_time(milliseconds(200), active_ / 2);
    add(at, fault::crash, v);
    add(at, fault::lose, v);
    add(at + some_time(milliseconds(1), active_ / 2), fault::restart, v);
  }

  /// Nobody keeps more than the rounds that it still needs itself.
  void plan_left_behind() {
    out_.world.history_rounds = random_.between(0, 10);
    const auto v = some_honest();
    const auto at = some_time(milliseconds(200), active_ / 4);
    add(at, fault::crash, v);
    add(at + some_time(active_ / 2, active_), fault::restart, v);
  }

  /// An author whose batches are with its peers, and on its own disk or not yet, is gone, for a
  /// moment or until the peers are about to give them up; then it offers them again.
  void plan_orphans() {
    auto& w = out_.world;
    w.protocol.gc_depth = 10;
    w.history_rounds = random_.between(0, 5);
    w.sync_max = microseconds(random_.between(20'000, 60'000));
    for (auto& x : out_.load) x.rate = random_.between(100, 200);
    duration at = some_time(milliseconds(200), active_ / 8);
    while (at < active_) {
      const auto v = some_honest();
      const auto down = random_.chance(500) ? some_time(milliseconds(1), milliseconds(300))
                                            : some_time(active_ / 8, active_ / 2);
      add(at, fault::crash, v);
      add(at + down, fault::restart, v);
      at += down + some_time(milliseconds(50), active_ / 8);
    }
  }

  /// At every honest validator, independently.
  void plan_scaling() {
    constexpr std::array faults{fault::add,        fault::add,        fault::add,
                                fault::remove,     fault::remove,     fault::executor_crash,
                                fault::host_crash, fault::host_return};
    for (std::uint16_t v = 0; v < n_; ++v) {
      out_.world.executor_hosts[validator_id{v}] = static_cast<unsigned>(random_.below(3));
      if (!out_.is_honest(validator_id{v})) continue;
      for (duration at = some_time(milliseconds(100), active_ / 4); at < active_;
           at += some_time(milliseconds(1), active_ / 6))
        add(at, faults[random_.below(faults.size())], validator_id{v});
    }
  }

  void plan_blackout() { black_out(some_time(active_ / 4, active_), milliseconds(2000)); }

  /// Everybody loses power at once.
  void black_out(duration at, duration longest) {
    for (std::uint16_t v = 0; v < n_; ++v) {
      add(at, fault::crash, validator_id{v});
      add(at + some_time(milliseconds(10), longest), fault::restart, validator_id{v});
    }
  }

  /// Everybody loses power while clients hear nobody. What was executed for them meanwhile a
  /// snapshot has passed: it is executed no more, and what stores keep of it must answer them.
  void plan_snapshots() {
    out_.world.protocol.checkpoint_anchors = random_.between(1, 3);
    duration at = some_time(active_ / 8, active_ / 4);
    for (auto blackouts = random_.between(1, 2); blackouts > 0; --blackouts) {
      const auto dark = at + some_time(milliseconds(500), active_ / 4);
      for (std::uint32_t c = 0; c < out_.load.size(); ++c) {
        if (random_.chance(200)) continue;
        add_for_client(at + some_time(duration::zero(), milliseconds(300)), fault::cut_client, c);
        add_for_client(dark + some_time(milliseconds(1), active_ / 4), fault::heal_client, c);
      }
      black_out(dark, milliseconds(500));
      at = dark + some_time(active_ / 4, active_ / 2);
    }
  }

  void plan_partitions() {
    duration at = some_time(milliseconds(200), active_ / 4);
    while (at < active_) {
      const auto lasts = some_time(milliseconds(50), active_ / 3);
      std::vector<bool> side(n_);
      for (std::size_t i = 0; i < n_; ++i) side[i] = random_.below(2) == 0;
      // Half of the time one alone is cut off, and in both cases links may be cut one by one.
      const auto alone = random_.below(n_);
      const bool single = random_.chance(500);
      for (std::uint16_t i = 0; i < n_; ++i)
        for (std::uint16_t k = 0; k < i; ++k) {
          const bool apart = single ? (i == alone || k == alone) : side[i] != side[k];
          if (!apart || random_.chance(100)) continue;
          add(at, fault::cut, validator_id{i}, validator_id{k});
          add(at + lasts, fault::heal, validator_id{i}, validator_id{k});
        }
      at += lasts + some_time(milliseconds(50), active_ / 4);
    }
  }

  void plan_losses() {
    const auto at = some_time(duration::zero(), active_ / 2);
    add(at, fault::lossy);
    out_.events.back().per_mille = static_cast<unsigned>(random_.between(5, 60));
  }

  /// Somebody is far away, and then somebody else.
  void plan_laggards() {
    duration at = some_time(duration::zero(), active_ / 8);
    while (at < active_) {
      const validator_id v{static_cast<std::uint16_t>(random_.below(n_))};
      add(at, fault::slow, v);
      out_.events.back().delay = milliseconds(random_.between(20, 400));
      at += some_time(milliseconds(200), active_ / 3);
      if (random_.chance(500)) {
        add(at, fault::slow, v);  // near again
      }
    }
  }

  /// After the last fault everything is whole.
  void finish() {
    auto& events = out_.events;
    out_.calm_at = active_;
    for (const auto& x : events) out_.calm_at = std::max(out_.calm_at, x.at);
    add(out_.calm_at, fault::calm);
    std::stable_sort(events.begin(), events.end(),
                     [](const event& x, const event& y) { return x.at < y.at; });
    out_.commits_to_show = 5;
    const bool small = out_.world.local == world_options::locals::small;
    out_.liveness_bound = small ? liveness_with_small_values : liveness_with_usual_ones;
  }

  const recipe& how_;
  random_source random_;
  duration active_;
  scenario out_;
  std::size_t n_ = 0, faulty_ = 0;
};

}  // namespace

std::string event::text() const {
  const std::string x = "v" + std::to_string(a.value), y = "v" + std::to_string(b.value);
  switch (what) {
    case fault::crash:
      return "crash " + x;
    case fault::lose:
      return "the disk of " + x + " is lost";
    case fault::restart:
      return "restart " + x;
    case fault::cut:
      return "cut " + x + " - " + y;
    case fault::heal:
      return "heal " + x + " - " + y;
    case fault::cut_client:
      return "cut c" + std::to_string(client.value);
    case fault::heal_client:
      return "heal c" + std::to_string(client.value);
    case fault::slow:
      return fmt::format("{} is {} ms further away", x, delay.count() / 1000);
    case fault::lossy:
      return fmt::format("links lose and repeat {} per mille", per_mille);
    case fault::add:
      return x + " is to have one executor more";
    case fault::remove:
      return x + " is to have one executor less";
    case fault::executor_crash:
      return "an executor of " + x + " crashes";
    case fault::host_crash:
      return "an executor host of " + x + " is lost";
    case fault::host_return:
      return "the executor hosts of " + x + " are back";
    case fault::calm:
      return "all links are whole";
  }
  return "unknown";
}

scenario make_scenario(const scenario_options& options) {
  return planner(find_recipe(options.recipe), options).plan();
}

}  // namespace flamingo::sim
