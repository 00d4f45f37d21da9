#include "apps/flamingo/local/local_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/local/cluster.hpp"
#include "apps/flamingo/local/commit_latency.hpp"
#include "apps/flamingo/local/disturber.hpp"
#include "apps/flamingo/local/free_ports.hpp"
#include "apps/flamingo/local/resource_use.hpp"
#include "apps/flamingo/local/timeline.hpp"
#include "apps/flamingo/runtime/link_process.hpp"

namespace flamingo::local {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds start_limit{60'000};               // until all validators answer
constexpr milliseconds settle_limit{60'000};              // until all executed the same
constexpr milliseconds settle_limit_interrupted{10'000};  // who pressed Ctrl-C waits no minute
constexpr milliseconds stop_limit{8'000};       // a validator says itself that 5 s are enough
constexpr milliseconds answer_limit{1'000};     // of a question for the status
constexpr milliseconds load_end_limit{45'000};  // receipts are waited for 30 s
constexpr milliseconds beat{100};

double tenth(double x) {
  return std::round(x * 10) / 10;
}

class local_run {
public:
  local_run(run_plan plan, network_layout layout, runtime::stop_signal& stop, std::ostream& tell)
      : plan_(std::move(plan)),
        layout_(std::move(layout)),
        stop_(stop),
        progress_(plan_.shows, tell),
        members_(config::load_committee(layout_.committee()).members),
        operator_(config::load_operator(layout_.operator_())),
        validators_(layout_, members_.size()),
        disturber_(validators_),
        process_({}, config::link_settings(operator_.link, operator_.keys, operator_.source),
                 link::identity::of(members_, {link::peer::kind::operator_, 0}), {}),
        reader_(*process_.doors.operators, members_),
        latency_(members_.size()),
        timeline_(plan_.series, members_) {}
  ~local_run() { process_.close(); }

  run_result perform() {
    stage("{} validators and {} clients, {} transactions a second for {} s; files: {}",
          members_.size(), members_.clients.size(), plan_.rate, plan_.length.count(),
          layout_.directory.string());
    stage("starting the validators");
    for (std::size_t i = 0; i < validators_.size(); ++i) validators_.start(i);
    wait_until_up();
    start_load();
    follow_load();
    stage("the load is over; waiting for a state root that covers all of it");
    settle();
    stage("stopping the validators");
    stop_all();
    return result();
  }

private:
  template <class... Args>
  void stage(fmt::format_string<Args...> format, Args&&... args) {
    progress_.stage(fmt::format(format, std::forward<Args>(args)...), clock::now());
  }

  /// A moment's wait, in which everything is looked after.
  void pause() {
    if (stop_.wait_for(beat)) interrupt();
    validators_.check();
    sample();
    progress_.beat(clock::now());
  }

  /// The first signal ends the load, so that what ran can be counted.
  void interrupt() {
    if (!load_) throw stopped_by_signal("stopped by a signal before there was load");
    if (interrupted_) throw stopped_by_signal("stopped by a second signal before its end");
    interrupted_ = true;
    disturber_.end();
    load_->terminate();
    if (!cpu_after_) cpu_after_ = use_.cpu_seconds();
    stage("a signal: the load ends here; another signal stops everything at once");
  }

  void sample() {
    for (std::size_t i = 0; i < validators_.size(); ++i)
      if (validators_.running(i)) use_.sample(validators_.pid(i), validators_.data(i));
    if (load_) use_.sample(load_->pid());
  }

  void wait_until_up() {
    const auto until = clock::now() + start_limit;
    for (;;) {
      pause();
      answers_ = reader_.ask(answer_limit, milliseconds(0));
      if (std::all_of(answers_.begin(), answers_.end(),
                      [](const auto& x) { return x.has_value(); }))
        return;
      if (clock::now() > until)
        throw std::runtime_error(
            fmt::format("not all validators answered within {} s: their logs "
                        "are {} and so on",
                        start_limit.count() / 1000, validators_.log(0).string()));
    }
  }

  void start_load() {
    std::vector<std::string> arguments{own_program().string(), "client"};
    for (std::size_t i = 0; i < members_.clients.size(); ++i) {
      arguments.push_back("--config");
      arguments.push_back(layout_.client(i).string());
    }
    const auto add = [&](const char* name, const auto& value) {
      arguments.push_back(name);
      arguments.push_back(fmt::format("{}", value));
    };
    add("--rate", plan_.rate);
    add("--duration", plan_.length.count());
    add("--tx-size", plan_.transaction_bytes);
    add("--seed", plan_.seed);
    add("--every", 1);
    if (!plan_.skew.empty()) add("--skew", plan_.skew);
    arguments.push_back("--json");
    disturber_.plan(plan_chaos(plan_.faults, members_.size(), plan_.length, plan_.seed));
    scrape();
    latency_.restart();
    load_.emplace(arguments, layout_.directory / "load.log");
    sample();
    began_ = asked_ = clock::now();
    stage("load under way");
    cpu_before_ = use_.cpu_seconds();
  }

  /// Takes the load's lines as they come, until it ends.
  void follow_load() {
    while (!load_->ended()) {
      pause();
      disturb();
      take_newest();
      if (lines_ == 0 && clock::now() > began_ + start_limit)
        fail_load(fmt::format("did not begin within {} s", start_limit.count() / 1000));
      if (lines_ > 0 && clock::now() > first_line_ + plan_.length + load_end_limit)
        fail_load(
            fmt::format("did not end within {} s of its time", load_end_limit.count() / 1000));
      if (!cpu_after_ && clock::now() >= began_ + plan_.length) cpu_after_ = use_.cpu_seconds();
    }
    disturber_.end();
    take_newest();
    if (lines_ == 0)
      fail_load(fmt::format("ended with code {} before it told anything", *load_->ended()));
    load_complaint_ = last_line(layout_.directory / "load.log");
    if (!cpu_after_) cpu_after_ = use_.cpu_seconds();
  }

  [[noreturn]] void fail_load(const std::string& how) const {
    const auto log = layout_.directory / "load.log";
    const auto last = last_line(log);
    throw std::runtime_error(fmt::format("the load {}; its log {}{}", how, log.string(),
                                         last.empty() ? " is empty" : " ends: " + last));
  }

  /// Does what the plan of faults says for now.
  void disturb() {
    const auto now = std::chrono::duration_cast<milliseconds>(clock::now() - began_);
    const auto struck = disturber_.advance(now);
    if (!struck.empty()) event_ += (event_.empty() ? "" : ", ") + struck;
  }

  void scrape() {
    for (std::size_t i = 0; i < validators_.size(); ++i) {
      const auto node = config::load_node(layout_.node(i));
      if (const auto page = fetch_metrics(node.metrics, answer_limit)) latency_.add(i, *page);
    }
  }

  /// The load's newest line; those that came before it while validators answered late are passed
  /// over, or we would fall behind with what else is due. What they counted is in this one too.
  void take_newest() {
    std::optional<std::string> newest;
    while (auto line = load_->read_line(milliseconds(0))) newest = std::move(line);
    if (newest) take(*newest);
  }

  void take(const std::string& line) {
    counts_ = nlohmann::json::parse(line);
    if (lines_++ == 0) first_line_ = clock::now();
    const auto before = answers_;
    answers_ = reader_.ask(answer_limit, milliseconds(0));
    const auto now = clock::now();
    const status::sample sample{before, answers_, now - asked_};
    asked_ = now;
    scrape();
    const auto x = second_of(sample, counts_, std::exchange(event_, {}));
    if (covers_load(counts_)) timeline_.add(x);
    show(sample, x);
  }

  void show(const status::sample& sample, const second& x) {
    const double whole = static_cast<double>(plan_.length.count());
    constexpr int width = 40;
    const int done = static_cast<int>(width * std::min(1.0, x.at / whole));
    const auto at = fmt::format("{:.0f} of {:.0f} s", std::min(x.at, whole), whole);
    auto rates =
        fmt::format("offered {:.0f} tps  with receipts {:.0f} tps  p50 {:.0f} ms  p99 {:.0f} ms",
                    x.offered_tps, x.completed_tps, x.latency_p50_ms, x.latency_p99_ms);
    if (!covers_load(counts_))
      rates = fmt::format("no more load; without receipts: {}", counts_.at("outstanding").dump());
    const auto event = x.event.empty() ? "" : "  " + x.event;
    progress_.state(fmt::format("[{:<{}}] {}{}\n{}\n{}", std::string(done, '#'), width, at, event,
                                rates, status::to_table(sample, members_)),
                    fmt::format("{}: {}{}", at, rates, event));
  }

  /// Waits until every validator executed all that is committed and told the same state root for a
  /// commit after the end of the load.
  void settle() {
    const auto begun = clock::now();
    commit_index target;
    for (const auto& x : answers_)
      if (x) target = std::max(target, x->index);
    for (;;) {
      pause();
      answers_ = reader_.ask(answer_limit, milliseconds(0));
      const bool executed = std::all_of(answers_.begin(), answers_.end(), [&](const auto& x) {
        return x && x->executed >= target && x->state_root_index >= target &&
               x->executed_transactions == answers_[0]->executed_transactions;
      });
      const auto& first = answers_[0];
      const bool same_index =
          executed && std::all_of(answers_.begin(), answers_.end(), [&](auto& x) {
            return x->state_root_index == first->state_root_index;
          });
      if (same_index) {
        roots_equal_ = status::roots_agree(answers_).value_or(true);
        return;
      }
      const auto limit = interrupted_ ? settle_limit_interrupted : settle_limit;
      if (clock::now() > begun + limit) return;
    }
  }

  void stop_all() {
    process_.close();
    sample();
    for (const auto i : validators_.stop(stop_limit))
      not_stopped_ += (not_stopped_.empty() ? "" : ", ") + members_.validators[i].name;
  }

  std::uint64_t least(std::uint64_t status_report::*count) const {
    std::uint64_t out = std::numeric_limits<std::uint64_t>::max();
    for (const auto& x : answers_) out = std::min(out, x ? (*x).*count : 0);
    return out;
  }

  /// How long there was load.
  double seconds() const {
    return interrupted_ ? counts_.at("load_seconds").get<double>()
                        : static_cast<double>(plan_.length.count());
  }

  run_result result() const {
    const double seconds = this->seconds();
    const auto ms = [&](double q) {
      const auto x = latency_.quantile_ms(q);
      return x ? nlohmann::ordered_json(tenth(*x)) : nullptr;
    };
    const auto copied = [&](const char* group) {
      nlohmann::ordered_json out;
      for (const auto* key : {"p50", "p99", "max"}) out[key] = tenth(counts_.at(group).at(key));
      return out;
    };
    const bool bare = plan_.network.settings == network_plan::preset::bare;
    run_result out;
    out.line = {
        {"offered_tps", tenth(counts_.at("offered_tps"))},
        {"sent_tps", tenth(counts_.at("sent_tps"))},
        {"busy_tps", tenth(counts_.at("busy_tps"))},
        {"committed_tps",
         tenth(static_cast<double>(least(&status_report::committed_transactions)) / seconds)},
        {"executed_tps",
         tenth(static_cast<double>(least(&status_report::executed_transactions)) / seconds)},
        {"latency_ms", copied("latency_ms")},
        {"commit_latency_ms", {{"p50", ms(0.5)}, {"p99", ms(0.99)}}},
        {"bundles", counts_.at("bundles")},
        {"receipts", counts_.at("receipts")},
        {"never_sent", counts_.at("never_sent")},
        {"results_not_heard", counts_.at("results_not_heard")},
        {"lost", counts_.at("lost")},
        {"duplicated", counts_.at("duplicated")},
        {"state_roots_equal", roots_equal_ ? nlohmann::ordered_json(*roots_equal_) : nullptr},
        {"cpu_cores", std::round(100 * (cpu_after_.value_or(0) - cpu_before_) / seconds) / 100},
        {"rss_anon_mib_max", tenth(use_.anonymous_memory_mib_max())},
        {"store_mib_max", tenth(use_.store_mib_max())},
        {"on",
         {{"tls", !bare},
          {"sync", bare ? "os" : "group"},
          {"validators", members_.size()},
          {"clients", members_.clients.size()},
          {"executors", plan_.network.local.executors},
          {"tx_size", plan_.transaction_bytes},
          {"seconds", plan_.length.count()},
          {"skew", plan_.skew}}}};
    if (interrupted_) out.line["on"]["seconds"] = tenth(seconds);
    if (plan_.faults.faults() > 0) {
      const auto& x = disturber_.done();
      for (const auto& [key, count] :
           {std::pair("kills", x.kills), std::pair("restarts", x.restarts),
            std::pair("cuts", x.cuts), std::pair("healed", x.healed), std::pair("pauses", x.pauses),
            std::pair("resumed", x.resumed)})
        out.line[key] = count;
      out.line["seed"] = plan_.seed;
    }
    out.complaint = complaint();
    out.interrupted = interrupted_ && out.complaint.empty();
    if (out.interrupted)
      out.complaint = fmt::format("stopped by a signal after {:.0f} of {} s of load",
                                  this->seconds(), plan_.length.count());
    return out;
  }

  std::string complaint() const {
    const auto count = [&](const char* key) { return counts_.at(key).get<std::uint64_t>(); };
    if (count("completed") == 0 && !interrupted_) return "nothing was executed: " + load_complaint_;
    if (count("lost") > 0)
      return fmt::format("{} transactions were admitted and have no receipts", count("lost"));
    if (count("duplicated") > 0)
      return fmt::format("{} transactions were committed twice", count("duplicated"));
    if (!roots_equal_ && interrupted_) return {};
    if (!roots_equal_)
      return fmt::format("the validators did not come to the same commit within {} s",
                         settle_limit.count() / 1000);
    if (!*roots_equal_) return "the validators' state roots differ";
    if (!not_stopped_.empty())
      return fmt::format("did not end cleanly within {} s of SIGTERM: {}",
                         stop_limit.count() / 1000, not_stopped_);
    return {};
  }

  run_plan plan_;
  network_layout layout_;
  runtime::stop_signal& stop_;
  progress progress_;
  committee members_;
  config::operator_file operator_;
  cluster validators_;
  disturber disturber_;
  runtime::link_process process_;
  status::status_reader reader_;
  commit_latency latency_;
  timeline timeline_;
  resource_use use_;

  std::optional<child_process> load_;
  status::answers answers_;
  nlohmann::json counts_;  // the load's newest line
  std::size_t lines_ = 0;
  std::string load_complaint_, not_stopped_, event_;
  clock::time_point began_{}, first_line_{}, asked_{};
  double cpu_before_ = 0;
  std::optional<double> cpu_after_;
  std::optional<bool> roots_equal_;
  bool interrupted_ = false;
};

}  // namespace

run_result run(run_plan plan, runtime::stop_signal& stop, std::ostream& tell) {
  plan.network.ports = free_ports(plan.network.validators * plan.network.ports_each());
  auto layout = make_network(plan.network);
  return local_run(std::move(plan), std::move(layout), stop, tell).perform();
}

}  // namespace flamingo::local
