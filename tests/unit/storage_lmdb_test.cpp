// storage/lmdb_kv: groups, order, what readers see, limits, and what a killed process leaves.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <random>
#include <thread>

#include "storage/lmdb_kv.hpp"
#include "storage/memory_kv.hpp"
#include "tests/unit/storage_contents.hpp"
#include "tests/unit/temporary_directory.hpp"

using namespace flamingo;
using namespace flamingo::storage;
using flamingo::tests::contents;
using flamingo::tests::temporary_directory;
using flamingo::tests::text;
using flamingo::tests::value_of;
using flamingo::tests::write_now;

namespace {

lmdb_options small(const temporary_directory& where) {
  lmdb_options result;
  result.directory = where.path().string();
  result.store_bytes_max = 64 << 20;
  result.preallocate_bytes = 0;
  return result;
}

key number(std::uint64_t x) {
  return key::of(x);
}

/// Keeps the writer in a call-back, so that what is written meanwhile waits.
class held_writer {
public:
  explicit held_writer(kv& store) {
    // The call-back owns what it touches: it may still run when this object and frame are gone.
    auto held = std::make_shared<std::promise<void>>();
    auto is_held = held->get_future();
    store.write(write_batch{}.put(table::meta, number(0), text("hold")),
                [held, released = released_.get_future().share()](const write_result&) {
                  held->set_value();
                  released.wait();
                });
    is_held.wait();
  }
  ~held_writer() { release(); }
  void release() {
    if (!std::exchange(done_, true)) released_.set_value();
  }

private:
  std::promise<void> released_;
  bool done_ = false;
};

write_batch random_batch(std::mt19937_64& random) {
  write_batch result;
  const auto any = [&](std::uint64_t n) { return random() % n; };
  for (auto n = 1 + any(4); n > 0; --n) {
    const auto where = any(2) == 0 ? table::votes : table::headers;
    const auto at = any(20);
    if (any(10) < 6)
      result.put(where, number(at), std::vector<char>(any(9000), static_cast<char>('a' + any(26))));
    else if (any(2) == 0)
      result.erase(where, number(at));
    else
      result.erase_range(where, number(at), number(at + any(8)));
  }
  return result;
}

}  // namespace

TEST_SUITE("storage lmdb") {
  TEST_CASE("writes that wait are committed as one group with one sync") {
    temporary_directory here;
    lmdb_kv store(small(here));
    std::promise<void> last;
    std::vector<int> order;
    {
      held_writer hold(store);
      for (int i = 0; i < 100; ++i)
        store.write(write_batch{}.put(table::votes, number(i), text("v")),
                    [&, i](const write_result& r) {
                      if (r.ok()) order.push_back(i);
                      if (i == 99) last.set_value();
                    });
      CHECK(store.queued_bytes() == 100 * 9);
    }
    last.get_future().wait();
    CHECK(store.stats().syncs == 2);
    CHECK(store.stats().writes == 101);
    CHECK(store.queued_bytes() == 0);
    REQUIRE(order.size() == 100);
    CHECK(std::is_sorted(order.begin(), order.end()));
  }

  TEST_CASE("a group takes no more bytes than its bound") {
    temporary_directory here;
    auto settings = small(here);
    settings.group_bytes_max = 1000;
    lmdb_kv store(settings);
    {
      held_writer hold(store);
      for (int i = 0; i < 10; ++i)
        store.write(write_batch{}.put(table::votes, number(i), std::vector<char>(392)), {});
      // Larger than the bound alone: it still goes.
      store.write(write_batch{}.put(table::votes, number(10), std::vector<char>(5000)), {});
    }
    store.stop();
    CHECK(store.stats().syncs == 1 + 5 + 1);
  }

  TEST_CASE("readers see every submitted write, waiting or in the file, as a model does") {
    std::mt19937_64 random(20260730);
    temporary_directory here;
    lmdb_kv store(small(here));
    memory_kv model;
    for (int step = 0; step < 30; ++step) {
      const auto hold = step % 2 == 0 ? std::make_unique<held_writer>(store) : nullptr;
      for (int i = 0; i < 5; ++i) {
        const write_batch changes = random_batch(random);
        store.write(changes, {});
        model.write(changes, {});
        const key first = number(random() % 20), last = number(random() % 24);
        INFO("step ", step, " write ", i);
        for (const table where : {table::votes, table::headers}) {
          CHECK(contents(store, where) == contents(model, where));
          CHECK(contents(store, where, first, last) == contents(model, where, first, last));
          for (std::uint64_t k = 0; k < 20; ++k)
            CHECK(store.get(where, number(k)) == model.get(where, number(k)));
        }
      }
    }
  }

  TEST_CASE("a scan that writes run beside sees one consistent state") {
    temporary_directory here;
    lmdb_kv store(small(here));
    const auto both = [](std::uint64_t value) {
      return write_batch{}
          .put(table::state, number(1), text(std::to_string(value)))
          .put(table::state, number(2), text(std::to_string(value)));
    };
    store.write(both(0), {});
    std::jthread writer([&] {
      for (std::uint64_t i = 1; i <= 300; ++i) store.write(both(i), {});
    });
    for (bool last = false; !last;) {
      const auto seen = contents(store, table::state);
      REQUIRE(seen.size() == 2);
      REQUIRE(seen.begin()->second == seen.rbegin()->second);
      last = seen.begin()->second == "300";
    }
  }

  TEST_CASE("a scan ends when its visitor says so, in the file and in what waits") {
    temporary_directory here;
    lmdb_kv store(small(here));
    const auto first_two = [&] {
      std::vector<std::uint64_t> result;
      store.scan(table::votes, {}, key::end(), [&](byte_span at, byte_span) {
        result.push_back(number_at<std::uint64_t>(at, 0));
        return result.size() < 2;
      });
      return result;
    };
    write_now(store, write_batch{}
                         .put(table::votes, number(2), text("x"))
                         .put(table::votes, number(4), text("x")));
    CHECK(first_two() == std::vector<std::uint64_t>{2, 4});
    held_writer hold(store);
    store.write(write_batch{}
                    .put(table::votes, number(1), text("x"))
                    .put(table::votes, number(3), text("x")),
                {});
    CHECK(first_two() == std::vector<std::uint64_t>{1, 2});
  }

  TEST_CASE("a value of many parts is stored as their bytes in a row, and reopening keeps it") {
    temporary_directory here;
    std::string whole;
    value_parts parts;
    for (int i = 0; i < 300; ++i) {
      const std::string part(static_cast<std::size_t>(i * 7), static_cast<char>('a' + i % 26));
      whole += part;
      parts.emplace_back(text(part));
    }
    {
      lmdb_kv store(small(here));
      CHECK(store.opened_as() == lmdb_kv::origin::created);
      write_now(store, write_batch{}.put(table::batches, number(5), parts));
    }
    lmdb_kv store(small(here));
    CHECK(store.opened_as() == lmdb_kv::origin::reopened);
    CHECK(value_of(store, table::batches, number(5)) == whole);
    CHECK(contents(store, table::votes).empty());
  }

  TEST_CASE("a range erased from the file frees its pages for later writes") {
    temporary_directory here;
    lmdb_kv store(small(here));
    const auto fill = [&](std::uint64_t from) {
      for (std::uint64_t i = from; i < from + 100; ++i)
        store.write(write_batch{}.put(table::batches, number(i), std::vector<char>(100'000)), {});
    };
    fill(0);
    write_now(store, write_batch{}.erase_range(table::batches, number(10), number(100)));
    CHECK(contents(store, table::batches).size() == 10);
    CHECK(store.stats().used_bytes < 1'500'000);
    // 64 MiB hold six times this only if erased pages are used again.
    for (std::uint64_t round = 1; round < 20; ++round) {
      fill(round * 100);
      CHECK(
          write_now(store, write_batch{}.erase_range(table::batches, number(10), key::end())).ok());
    }
  }

  TEST_CASE(
      "a full map fails that write and every later one, and a larger map opens with what was "
      "durable") {
    temporary_directory here;
    auto settings = small(here);
    settings.store_bytes_max = 1 << 20;
    std::uint64_t durable = 0;
    {
      lmdb_kv store(settings);
      write_result r;
      while ((r = write_now(store, write_batch{}.put(table::batches, number(durable),
                                                     std::vector<char>(50'000))))
                 .ok())
        ++durable;
      CHECK(r.why == failure::map_full);
      CHECK(r.message.find(settings.directory) != std::string::npos);
      CHECK(r.message.find("store_bytes_max") != std::string::npos);
      CHECK(r.message.find('\n') == std::string::npos);
      CHECK(durable > 5);
      // Small enough to fit, but nothing after a failure may become durable.
      const write_result later =
          write_now(store, write_batch{}.put(table::votes, number(1), text("v")));
      CHECK(later.why == failure::map_full);
      CHECK_FALSE(store.get(table::votes, number(1)).has_value());
      CHECK(contents(store, table::batches).size() == durable);
    }
    settings.store_bytes_max = 4 << 20;
    lmdb_kv store(settings);
    CHECK(contents(store, table::batches).size() == durable);
    CHECK(write_now(store,
                    write_batch{}.put(table::batches, number(durable), std::vector<char>(50'000)))
              .ok());
  }

  TEST_CASE("a second opener is refused with one line that names the directory and the process") {
    temporary_directory here;
    lmdb_kv store(small(here));
    try {
      lmdb_kv second(small(here));
      FAIL("opened twice");
    } catch (const error& e) {
      const std::string line = e.what();
      CHECK(line.find(here.path().string()) != std::string::npos);
      CHECK(line.find("process " + std::to_string(getpid())) != std::string::npos);
      CHECK(line.find('\n') == std::string::npos);
    }
    CHECK(write_now(store, write_batch{}.put(table::meta, number(1), text("x"))).ok());
  }

  TEST_CASE("what cannot be a store is refused with one line that says what to do") {
    temporary_directory here;
    std::ofstream(here.path() / "data.mdb") << std::string(8192, 'x');
    CHECK_THROWS_WITH_AS(lmdb_kv(small(here)), doctest::Contains("move it away"), error);
    auto settings = small(here);
    settings.directory = (here.path() / "data.mdb" / "below").string();
    CHECK_THROWS_WITH_AS(lmdb_kv(std::move(settings)), doctest::Contains("check the path"), error);
  }

  TEST_CASE("after a stop writes are refused and reads throw, and what was submitted is durable") {
    temporary_directory here;
    lmdb_kv store(small(here));
    bool durable = false;
    store.write(write_batch{}.put(table::meta, number(1), text("x")),
                [&](const write_result& r) { durable = r.ok(); });
    store.stop();
    store.stop();
    CHECK(durable);
    CHECK(write_now(store, write_batch{}.erase(table::meta, number(1))).why == failure::stopped);
    CHECK_THROWS_AS(store.get(table::meta, number(1)), error);
    CHECK_THROWS_AS(contents(store, table::meta), error);
  }

  TEST_CASE("a store that a reboot may have torn is moved aside, a cleanly stopped one is not") {
    temporary_directory here;
    auto settings = small(here);
    settings.sync = sync_mode::os;
    {
      lmdb_kv store(settings);
      write_now(store, write_batch{}.put(table::votes, number(1), text("v")));
    }
    {
      lmdb_kv store(settings);
      CHECK(store.opened_as() == lmdb_kv::origin::reopened);
      CHECK(value_of(store, table::votes, number(1)) == "v");
    }
    std::ofstream(here.path() / "unsynced") << "another boot\n";
    lmdb_kv store(settings);
    CHECK(store.opened_as() == lmdb_kv::origin::replaced);
    CHECK(contents(store, table::votes).empty());
    CHECK(std::filesystem::exists(here.path() / "data.mdb.unsynced"));
  }

  TEST_CASE("an idle store grows its file ahead of what it uses, and goes on from there") {
    temporary_directory here;
    auto settings = small(here);
    settings.preallocate_bytes = 4 << 20;
    lmdb_kv store(settings);
    for (std::uint64_t i = 0; i < 10; ++i) {
      CHECK(
          write_now(store, write_batch{}.put(table::batches, number(i), std::vector<char>(500'000)))
              .ok());
      // The writer alone decides when; without growth this never ends.
      while (store.stats().file_bytes < store.stats().used_bytes + settings.preallocate_bytes)
        std::this_thread::yield();
    }
    CHECK(std::filesystem::file_size(here.path() / "data.mdb") == store.stats().file_bytes);
    CHECK(contents(store, table::batches).size() == 10);
  }
}
