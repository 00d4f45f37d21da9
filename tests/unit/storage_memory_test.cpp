// storage/memory_kv: the simulator's disk.
#include <doctest/doctest.h>

#include "storage/memory_kv.hpp"
#include "tests/unit/storage_contents.hpp"

using namespace flamingo;
using namespace flamingo::storage;
using flamingo::tests::contents;
using flamingo::tests::text;
using flamingo::tests::value_of;

TEST_SUITE("storage memory") {
  TEST_CASE("a crash loses exactly what was not synced, and its call-backs are never called") {
    memory_kv disk;
    std::vector<int> durable;
    for (int i = 0; i < 4; ++i)
      disk.write(write_batch{}.put(table::votes, key::of(std::uint64_t(i)), text("v")),
                 [&, i](const write_result& r) {
                   CHECK(r.ok());
                   durable.push_back(i);
                 });
    CHECK(disk.pending() == 4);
    disk.sync(2);
    CHECK(durable == std::vector<int>{0, 1});
    disk.crash();
    disk.sync();
    CHECK(durable == std::vector<int>{0, 1});
    CHECK(disk.get(table::votes, key::of(std::uint64_t(1))).has_value());
    CHECK_FALSE(disk.get(table::votes, key::of(std::uint64_t(2))).has_value());
    CHECK(disk.queued_bytes() == 0);
  }

  TEST_CASE("an unsynced erasure is undone by a crash") {
    memory_kv disk;
    const auto at = key::of(std::uint64_t{7});
    disk.write(write_batch{}.put(table::meta, at, text("kept")), {});
    disk.sync();
    disk.write(write_batch{}.erase_range(table::meta, key{}, key::end()), {});
    CHECK_FALSE(disk.get(table::meta, at).has_value());
    disk.crash();
    CHECK(value_of(disk, table::meta, at) == "kept");
  }

  TEST_CASE(
      "a crash inside a call-back leaves the later ones uncalled though their writes were synced") {
    memory_kv disk;
    int called = 0;
    for (int i = 0; i < 3; ++i)
      disk.write(write_batch{}.put(table::meta, key::of(std::uint8_t(i)), text("x")),
                 [&](const write_result&) {
                   ++called;
                   disk.crash();
                 });
    disk.sync();
    CHECK(called == 1);
    CHECK(contents(disk, table::meta).size() == 3);
  }

  TEST_CASE("what a call-back writes waits for the next sync") {
    memory_kv disk;
    bool second = false;
    disk.write(write_batch{}.put(table::meta, key::of(std::uint8_t{1}), text("x")),
               [&](const write_result&) {
                 disk.write(write_batch{}.put(table::meta, key::of(std::uint8_t{2}), text("y")),
                            [&](const write_result&) { second = true; });
               });
    disk.sync();
    CHECK_FALSE(second);
    CHECK(disk.pending() == 1);
    disk.sync();
    CHECK(second);
  }

  TEST_CASE("a full disk fails every write from then on, and a restart after repair goes on") {
    memory_kv disk;
    std::vector<failure> seen;
    const auto note = [&](const write_result& r) { seen.push_back(r.why); };
    disk.write(write_batch{}.put(table::meta, key::of(std::uint8_t{1}), text("x")), note);
    disk.sync();
    disk.write(write_batch{}.put(table::meta, key::of(std::uint8_t{2}), text("y")), note);
    disk.fail(failure::disk_full);
    disk.sync();
    disk.repair();  // The process that saw the failure still fails.
    disk.write(write_batch{}.put(table::meta, key::of(std::uint8_t{3}), text("z")), note);
    CHECK_FALSE(disk.get(table::meta, key::of(std::uint8_t{3})).has_value());
    disk.sync();
    CHECK(seen == std::vector{failure::none, failure::disk_full, failure::disk_full});
    disk.crash();
    CHECK(contents(disk, table::meta).size() == 1);
    disk.write(write_batch{}.put(table::meta, key::of(std::uint8_t{4}), text("w")), note);
    disk.sync();
    CHECK(seen.back() == failure::none);
  }

  TEST_CASE("the owner hears of each write that waits") {
    int waits = 0;
    memory_kv::options settings;
    settings.on_pending = [&] { ++waits; };
    memory_kv disk(settings);
    disk.write(write_batch{}.erase(table::meta, key::of(std::uint8_t{1})), {});
    disk.write(write_batch{}.erase(table::meta, key::of(std::uint8_t{1})), {});
    CHECK(waits == 2);
    CHECK(disk.stats().syncs == 0);
    disk.sync();
    CHECK(disk.stats().syncs == 1);
    CHECK(disk.stats().writes == 2);
  }

  TEST_CASE("after a stop writes are refused and after a reopen everything is there") {
    memory_kv disk;
    bool durable = false;
    disk.write(write_batch{}.put(table::commits, key::of(std::uint64_t{1}), text("one")),
               [&](const write_result& r) { durable = r.ok(); });
    disk.stop();
    CHECK(durable);
    failure why = failure::none;
    disk.write(write_batch{}.erase(table::commits, key::of(std::uint64_t{1})),
               [&](const write_result& r) { why = r.why; });
    CHECK(why == failure::stopped);
    CHECK_THROWS_AS(disk.get(table::commits, key::of(std::uint64_t{1})), error);
    disk.reopen();
    CHECK(value_of(disk, table::commits, key::of(std::uint64_t{1})) == "one");
  }
}
