#include "storage/lmdb_kv.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "storage/fault_point.hpp"
#include "storage/file_growth.hpp"
#include "storage/flatten.hpp"
#include "storage/lmdb_environment.hpp"
#include "storage/pending_writes.hpp"
#include "storage/store_directory.hpp"

namespace flamingo::storage {

namespace {

constexpr std::uint64_t growth_step_bytes =
    2 << 20;  // a write that arrives meanwhile waits for one step

/// A store that a reboot may have torn is moved aside: LMDB cannot tell, and what it says may be
/// anything.
lmdb_kv::origin prepare(const store_directory& directory) {
  const auto data = directory.file("data.mdb");
  std::error_code failed;
  const bool found = std::filesystem::exists(data, failed);
  if (failed)
    throw error("store " + directory.path().string() + ": cannot look at data.mdb (" +
                failed.message() + "): check its owner and mode");
  if (!found) return lmdb_kv::origin::created;
  if (!directory.lost_at_reboot()) return lmdb_kv::origin::reopened;
  std::filesystem::rename(data, directory.file("data.mdb.unsynced"), failed);
  if (failed)
    throw error("store " + directory.path().string() + ": cannot move data.mdb aside (" +
                failed.message() +
                "): the machine went down before it was synced; remove it and start again");
  return lmdb_kv::origin::replaced;
}

}  // namespace

class lmdb_kv::writer {
public:
  explicit writer(lmdb_options settings);
  ~writer() { stop(); }

  void write(write_batch changes, durable_callback on_durable);
  void stop();
  statistics stats() const;
  std::uint64_t queued_bytes() const;

  /// A snapshot of the file and what hides parts of it, taken at the same moment.
  struct view {
    std::unique_ptr<lmdb_environment::snapshot> file;
    pending_writes::overlay pending;
  };
  view look(table where, const key& first, const key& last) const;
  std::optional<std::vector<char>> get(table where, const key& at) const;

  const lmdb_options settings;
  store_directory directory;
  const origin opened_as;

private:
  struct waiting {
    std::uint64_t number;
    pending_writes::shared_batch changes;
    durable_callback on_durable;
  };

  void run();
  bool take(std::vector<waiting>& group);
  write_result commit(const std::vector<const write_batch*>& batches);
  void settle(const std::vector<waiting>& group, const write_result& result,
              std::chrono::nanoseconds took);
  void check_running() const;

  lmdb_environment environment_;
  file_growth growth_;            // the writing thread's
  std::uint64_t high_water_ = 0;  // the writing thread's

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable arrived_;
  std::deque<waiting> queue_;
  pending_writes pending_;  // Invariant: every write not in the file yet, in order.
  std::uint64_t next_number_ = 1;
  write_result failed_;
  statistics counted_;
  bool stopping_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

lmdb_kv::writer::writer(lmdb_options given)
    : settings(std::move(given)),
      directory(settings.directory),
      opened_as(prepare(directory)),
      environment_(directory.path(), settings.store_bytes_max, settings.sync),
      growth_(directory.file("data.mdb"), settings.preallocate_bytes, environment_.map_bytes()),
      high_water_(environment_.high_water_bytes()) {
  if (settings.sync == sync_mode::os)
    directory.mark_unsynced();
  else
    directory.clear_unsynced();
  counted_.file_bytes = growth_.file_bytes();
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "store-writer");
}

void lmdb_kv::writer::write(write_batch changes, durable_callback on_durable) {
  std::unique_lock lock(mutex_);
  if (stopping_) {
    lock.unlock();
    if (on_durable) on_durable({failure::stopped, "store " + settings.directory + " was stopped"});
    return;
  }
  auto shared = std::make_shared<const write_batch>(std::move(changes));
  const std::uint64_t number = next_number_++;
  counted_.queued_bytes += shared->bytes();
  if (failed_.ok()) pending_.add(number, shared);
  queue_.push_back({number, std::move(shared), std::move(on_durable)});
  lock.unlock();
  arrived_.notify_one();
}

void lmdb_kv::writer::run() {
  std::vector<waiting> group;
  while (take(group)) {
    std::vector<const write_batch*> batches;
    for (const waiting& x : group) batches.push_back(x.changes.get());
    const auto start = std::chrono::steady_clock::now();
    fault_point(moment::before_sync, batches);
    const write_result result = commit(batches);
    fault_point(moment::after_sync, batches);
    settle(group, result, std::chrono::steady_clock::now() - start);
    for (const waiting& x : group)
      if (x.on_durable) x.on_durable(result);
    fault_point(moment::after_news, batches);
    group.clear();
  }
}

/// Grows the file while nobody waits (beside a group it would take the disk's time from the group,
/// measured), waits for writes and takes them all, up to a group's bound. False: stopped, and
/// nothing is left.
bool lmdb_kv::writer::take(std::vector<waiting>& group) {
  std::unique_lock lock(mutex_);
  while (queue_.empty()) {
    if (stopping_) return false;
    if (failed_.ok() && growth_.wanted(high_water_)) {
      lock.unlock();
      growth_.advance(high_water_, growth_step_bytes);
      lock.lock();
      counted_.file_bytes = growth_.file_bytes();
    } else {
      arrived_.wait(lock);
    }
  }
  std::uint64_t bytes = 0;
  do {
    bytes += queue_.front().changes->bytes();
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
  } while (!queue_.empty() && bytes + queue_.front().changes->bytes() <= settings.group_bytes_max);
  return true;
}

write_result lmdb_kv::writer::commit(const std::vector<const write_batch*>& batches) {
  if (!failed_.ok()) return failed_;  // only this thread changes it
  write_result result = environment_.apply(batches);
  high_water_ = environment_.high_water_bytes();
  return result;
}

void lmdb_kv::writer::settle(const std::vector<waiting>& group, const write_result& result,
                             std::chrono::nanoseconds took) {
  const std::lock_guard lock(mutex_);
  for (const waiting& x : group) {
    counted_.queued_bytes -= x.changes->bytes();
    if (!result.ok()) continue;
    pending_.retire(x.number, *x.changes);
    ++counted_.writes;
    counted_.bytes += x.changes->bytes();
  }
  if (result.ok()) {
    ++counted_.syncs;
    counted_.last_sync_ns = took.count();
    counted_.file_bytes = std::max(growth_.file_bytes(), high_water_);
  } else {
    failed_ = result;
    pending_.clear();
  }
}

void lmdb_kv::writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    stopping_ = true;
  }
  FLAMINGO_ASSERT(std::this_thread::get_id() != thread_.get_id());
  arrived_.notify_one();
  thread_.join();
  if (settings.sync == sync_mode::os && failed_.ok() && environment_.sync().ok())
    directory.clear_unsynced();
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

void lmdb_kv::writer::check_running() const {
  if (stopped_) throw error("store " + settings.directory + " was stopped");
}

std::optional<std::vector<char>> lmdb_kv::writer::get(table where, const key& at) const {
  std::unique_lock lock(mutex_);
  check_running();
  if (const auto pending = pending_.find(where, at)) {
    lock.unlock();
    if (!*pending) return std::nullopt;
    return flatten(**pending);
  }
  // The snapshot may be newer than the look at pending_, never older: what left pending_ is in the
  // file.
  lock.unlock();
  const lmdb_environment::snapshot now(environment_);
  const auto value = now.get(where, at);
  if (!value) return std::nullopt;
  return std::vector<char>(value->begin(), value->end());
}

lmdb_kv::writer::view lmdb_kv::writer::look(table where, const key& first, const key& last) const {
  const std::lock_guard lock(mutex_);
  check_running();
  // Under the lock, so that a write is in at least one of the two, and later writes are in neither
  // or seen through what is pending of them.
  return {std::make_unique<lmdb_environment::snapshot>(environment_),
          pending_.slice(where, first, last)};
}

statistics lmdb_kv::writer::stats() const {
  statistics result;
  {
    const std::lock_guard lock(mutex_);
    result = counted_;
  }
  result.used_bytes = environment_.used_bytes();
  result.capacity_bytes = environment_.map_bytes();
  return result;
}

std::uint64_t lmdb_kv::writer::queued_bytes() const {
  const std::lock_guard lock(mutex_);
  return counted_.queued_bytes;
}

lmdb_kv::lmdb_kv(lmdb_options settings) : writer_(std::make_unique<writer>(std::move(settings))) {}
lmdb_kv::~lmdb_kv() = default;

void lmdb_kv::write(write_batch changes, durable_callback on_durable) {
  writer_->write(std::move(changes), std::move(on_durable));
}

std::optional<std::vector<char>> lmdb_kv::get(table where, const key& at) {
  return writer_->get(where, at);
}

void lmdb_kv::scan(table where, const key& first, const key& last, const visitor& visit) {
  const auto [file, pending] = writer_->look(where, first, last);
  auto next = pending.keys.begin();
  const auto end = pending.keys.end();
  bool going = true;
  const auto visit_pending = [&] {
    if (next->second) {
      const std::vector<char> flat = flatten(*next->second);
      going =
          visit(next->first, byte_span(reinterpret_cast<const byte*>(flat.data()), flat.size()));
    }
    ++next;
  };
  file->scan(where, first, last, [&, &overlay = pending](byte_span at, byte_span value) {
    const key k(at);
    while (going && next != end && next->first < k) visit_pending();
    if (!going) return false;
    if (next != end && next->first == k)
      visit_pending();
    else if (!overlay.erases(at))
      going = visit(at, value);
    return going;
  });
  while (going && next != end) visit_pending();
}

statistics lmdb_kv::stats() const {
  return writer_->stats();
}
std::uint64_t lmdb_kv::queued_bytes() const {
  return writer_->queued_bytes();
}
std::uint64_t lmdb_kv::queue_bytes_max() const {
  return writer_->settings.queue_bytes_max;
}
void lmdb_kv::stop() {
  writer_->stop();
}
lmdb_kv::origin lmdb_kv::opened_as() const {
  return writer_->opened_as;
}

}  // namespace flamingo::storage
