// storage/lmdb_kv in a process that is killed, or that may not write more.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>

#include "storage/lmdb_kv.hpp"
#include "tests/unit/storage_contents.hpp"
#include "tests/unit/temporary_directory.hpp"

using namespace flamingo;
using namespace flamingo::storage;
using flamingo::tests::contents;
using flamingo::tests::temporary_directory;
using flamingo::tests::write_now;

namespace {

lmdb_options settings_for(const temporary_directory& where, sync_mode sync) {
  lmdb_options result;
  result.directory = where.path().string();
  result.store_bytes_max = 1 << 30;
  result.preallocate_bytes = 0;
  result.sync = sync;
  return result;
}

/// A child process: writes 1, 2, 3, ... without end, each in two tables, and says each durable one
/// on `out`.
[[noreturn]] void write_for_ever(const lmdb_options& settings, int out) {
  lmdb_kv store(settings);
  for (std::uint64_t i = 1;; ++i) {
    write_batch changes;
    changes.put(table::votes, key::of(i), std::vector<char>(100));
    changes.put(table::batches, key::of(i), std::vector<char>(20'000));
    store.write(std::move(changes), [i, out](const write_result& r) {
      if (!r.ok() || ::write(out, &i, sizeof i) != sizeof i) ::_exit(1);
    });
    while (store.queued_bytes() > 1'000'000) ::sched_yield();
  }
}

void survives_kill(sync_mode sync) {
  temporary_directory here;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) write_for_ever(settings_for(here, sync), ends[1]);
  ::close(ends[1]);
  std::uint64_t said = 0, next = 0;
  while (said < 150 && ::read(ends[0], &next, sizeof next) == sizeof next) said = next;
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  while (::read(ends[0], &next, sizeof next) == sizeof next) said = next;
  ::close(ends[0]);
  CHECK(WIFSIGNALED(status));
  CHECK(said >= 150);

  lmdb_kv store(settings_for(here, sync));
  CHECK(store.opened_as() == lmdb_kv::origin::reopened);
  const auto votes = contents(store, table::votes), batches = contents(store, table::batches);
  CHECK(votes.size() >= said);
  CHECK(votes.size() == batches.size());
  // A prefix: nothing before the last is missing.
  const byte_span last(reinterpret_cast<const byte*>(votes.rbegin()->first.data()), 8);
  CHECK(number_at<std::uint64_t>(last, 0) == votes.size());
}

/// A child process whose files may not pass `limit` bytes: 0 if its store refused as a full disk
/// does.
int write_until_refused(const lmdb_options& settings, rlim_t limit) {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit bound{limit, limit};
  if (::setrlimit(RLIMIT_FSIZE, &bound) != 0) return 2;
  lmdb_kv store(settings);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const write_result r =
        write_now(store, write_batch{}.put(table::batches, key::of(i), std::vector<char>(50'000)));
    if (r.ok()) continue;
    const bool helpful = r.message.find(settings.directory) != std::string::npos &&
                         r.message.find("free space") != std::string::npos;
    return r.why == failure::disk_full && helpful ? 0 : 3;
  }
  return 4;
}

}  // namespace

TEST_SUITE("storage crash") {
  TEST_CASE("a killed process leaves every write that it reported durable, whole and in order") {
    survives_kill(sync_mode::group);
  }

  TEST_CASE("a killed process leaves its writes without syncs too while the machine stays up") {
    survives_kill(sync_mode::os);
  }

  TEST_CASE(
      "a disk without space fails the write in one helpful line, and the store opens again with "
      "space") {
    temporary_directory here;
    const lmdb_options settings = settings_for(here, sync_mode::group);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(write_until_refused(settings, 2'000'000));
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    lmdb_kv store(settings);
    CHECK(contents(store, table::batches).size() > 20);
    CHECK(write_now(store, write_batch{}.put(table::batches, key::of(std::uint64_t{5000}),
                                             std::vector<char>(3'000'000)))
              .ok());
  }
}
