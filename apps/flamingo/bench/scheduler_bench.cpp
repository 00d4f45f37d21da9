#include "apps/flamingo/bench/scheduler_bench.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "actors/executor/mixed.hpp"
#include "messages/assert.hpp"
#include "messages/execution.hpp"

namespace flamingo::bench {

namespace {

using executor::batch_plan;
using executor::execution_batch;

/// One scheduler with its view of the keys, and what was measured of it.
class contestant {
public:
  contestant(const std::string& name, std::uint16_t executors, const executor::partition_map& start)
      : name_(name),
        scheduler_(executor::make_scheduler(
            name, slack_of_group(executors, executor::default_slack_per_mille))),
        map_(start) {
    FLAMINGO_ASSERT(scheduler_ != nullptr);
  }

  void plan(const execution_batch& batch) {
    const auto begin = std::chrono::steady_clock::now();
    scheduler_->schedule(batch, map_, plan_);
    const auto end = std::chrono::steady_clock::now();
    us_.push_back(std::chrono::duration<double, std::micro>(end - begin).count() * 1000 /
                  static_cast<double>(batch.ends.size()));
    judge(batch);
  }

  scheduler_result result(const key_set_load& load) {
    scheduler_result out{.scheduler = name_, .load = load};
    out.us_p50 = at_per_mille(500);
    out.us_p99 = at_per_mille(990);
    out.remote_reads = remote_reads_ * 1000 / transactions_;
    out.load_max_over_mean = largest_work_[0] * load.executors / transactions_;
    for (std::size_t i = 0; i < out.speedup.size(); ++i)
      out.speedup[i] = transactions_ / largest_work_[i];
    return out;
  }

private:
  void judge(const execution_batch& batch) {
    std::array<std::uint32_t, executor::max_executors> own{}, remote{};
    std::uint32_t a = 0;
    for (std::size_t t = 0; t < batch.ends.size(); ++t) {
      const std::uint8_t master = plan_.masters[t];
      ++own[master];
      for (; a < batch.ends[t]; ++a) remote[master] += plan_.holders[a] != master;
    }
    transactions_ += static_cast<double>(batch.ends.size());
    for (const std::uint32_t x : remote) remote_reads_ += x;
    for (std::size_t i = 0; i < remote_read_costs.size(); ++i) {
      double largest = 0;
      for (std::size_t e = 0; e < own.size(); ++e)
        largest = std::max(largest, own[e] + remote_read_costs[i] * remote[e]);
      largest_work_[i] += largest;
    }
  }

  double at_per_mille(std::size_t per_mille) {
    const std::size_t rank = std::min(us_.size() - 1, us_.size() * per_mille / 1000);
    std::nth_element(us_.begin(), us_.begin() + static_cast<std::ptrdiff_t>(rank), us_.end());
    return us_[rank];
  }

  std::string name_;
  std::unique_ptr<executor::scheduler> scheduler_;
  executor::partition_map map_;
  batch_plan plan_;
  std::vector<double> us_;  // of each batch
  double transactions_ = 0, remote_reads_ = 0;
  std::array<double, remote_read_costs.size()> largest_work_{};
};

}  // namespace

std::vector<scheduler_result> measure(const std::vector<std::string>& schedulers,
                                      const key_set_load& load, std::uint32_t accounts,
                                      std::size_t batches) {
  executor::partition_map start(load.executors);
  start.reserve(accounts);
  std::vector<std::uint8_t> homes;
  for (std::uint32_t account = 0; account < accounts; ++account) {
    start.add(static_cast<std::uint16_t>(executor::mixed(account + 1)));
    homes.push_back(start.owner(account));
  }
  std::vector<contestant> all;
  for (const std::string& name : schedulers) all.emplace_back(name, load.executors, start);
  key_sets stream(load, homes);
  std::vector<std::array<std::uint64_t, 2>> values(accounts);  // as large as SmallBank's
  for (std::size_t i = 0; i < batches; ++i) {
    const execution_batch batch = stream.next();
    for (contestant& x : all) {
      x.plan(batch);
      for (const executor::slot_access access : batch.accesses) ++values[access.slot()][0];
    }
  }
  std::vector<scheduler_result> results;
  for (contestant& x : all) results.push_back(x.result(load));
  return results;
}

}  // namespace flamingo::bench
