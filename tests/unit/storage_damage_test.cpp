// storage/lmdb_kv on files that were cut, emptied, overwritten or deleted: one line and exit code
// 1, never a crash, and never a store that others take for a new one.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "storage/lmdb_kv.hpp"
#include "tests/unit/storage_contents.hpp"
#include "tests/unit/temporary_directory.hpp"

using namespace flamingo;
using namespace flamingo::storage;
using flamingo::tests::contents;
using flamingo::tests::temporary_directory;
using flamingo::tests::text;
using flamingo::tests::write_now;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t page = 4096;

lmdb_options small(const fs::path& where) {
  lmdb_options result;
  result.directory = where.string();
  result.store_bytes_max = 64 << 20;
  result.preallocate_bytes = 0;
  return result;
}

fs::path data_of(const temporary_directory& here) {
  return here.path() / "data.mdb";
}

/// Small and large values in two tables, some erased: branch, leaf, overflow and free pages.
void fill(const lmdb_options& settings) {
  lmdb_kv store(settings);
  for (std::uint64_t i = 0; i < 300; ++i) {
    write_batch changes;
    changes.put(table::votes, key::of(i), std::vector<char>(100, 'v'));
    if (i % 10 == 0) changes.put(table::batches, key::of(i), std::vector<char>(20'000, 'b'));
    if (i % 50 == 49) changes.erase_range(table::batches, key::of(i - 40), key::of(i - 20));
    write_now(store, std::move(changes));
  }
}

struct end_of_use {
  bool exited = false;
  int code = -1;
  std::string line;  // all that it wrote to stderr
};

/// A process of its own opens the store, reads all of it and writes.
end_of_use use(const lmdb_options& settings) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    for (const int x : {SIGSEGV, SIGABRT, SIGFPE}) ::signal(x, SIG_DFL);  // not doctest's report
    std::string complaint;
    try {
      lmdb_kv store(settings);
      for (std::size_t i = 0; i < table_count; ++i) contents(store, static_cast<table>(i));
      for (std::uint64_t i = 0; complaint.empty() && i < 10; ++i)
        complaint = write_now(store, write_batch{}
                                         .put(table::votes, key::of(i), text("new"))
                                         .put(table::batches, key::of(i), std::vector<char>(9000)))
                        .message;
    } catch (const std::exception& e) {
      complaint = e.what();
    }
    if (!complaint.empty()) std::fprintf(stderr, "flamingo: %s\n", complaint.c_str());
    ::_exit(complaint.empty() ? 0 : 1);
  }
  ::close(ends[1]);
  end_of_use out;
  char some[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], some, sizeof some)) > 0;)
    out.line.append(some, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  out.exited = WIFEXITED(status);
  out.code = out.exited ? WEXITSTATUS(status) : WTERMSIG(status);
  return out;
}

void check_refused(const end_of_use& how, const temporary_directory& here) {
  INFO(how.line);
  CHECK(how.exited);
  CHECK(how.code == 1);
  CHECK(std::count(how.line.begin(), how.line.end(), '\n') == 1);
  CHECK(how.line.starts_with("flamingo: store " + here.path().string()));
  CHECK(how.line.find("damaged") != std::string::npos);
}

void overwrite(const fs::path& file, std::size_t number, const std::vector<char>& with) {
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(number * page));
  out.write(with.data(), static_cast<std::streamsize>(with.size()));
}

}  // namespace

TEST_SUITE("storage damage") {
  TEST_CASE("a store that was cut short, to nothing or anywhere, is refused with one line") {
    temporary_directory here;
    fill(small(here.path()));
    const auto whole = fs::file_size(data_of(here));
    const auto copy = here.path() / "copy";
    fs::copy_file(data_of(here), copy);
    REQUIRE(use(small(here.path())).code == 0);
    for (const std::uint64_t size :
         {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{page}, std::uint64_t{2 * page},
          std::uint64_t{3 * page + 5}, whole / 2, whole - page}) {
      CAPTURE(size);
      fs::copy_file(copy, data_of(here), fs::copy_options::overwrite_existing);
      fs::resize_file(data_of(here), size);
      check_refused(use(small(here.path())), here);
      CHECK(fs::file_size(data_of(here)) == size);
    }
  }

  TEST_CASE("a store that is cut short while it is read ends its process with one line") {
    temporary_directory here;
    fill(small(here.path()));
    // Longer than all that is in it, so that opening does not see it.
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::dup2(ends[1], STDERR_FILENO);
      lmdb_kv store(small(here.path()));
      fs::resize_file(data_of(here), 3 * page);
      contents(store, table::votes);
      ::_exit(0);
    }
    ::close(ends[1]);
    char some[4096];
    const auto n = ::read(ends[0], some, sizeof some);
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    check_refused({bool(WIFEXITED(status)), WEXITSTATUS(status),
                   std::string(some, static_cast<std::size_t>(std::max<ssize_t>(n, 0)))},
                  here);
  }

  TEST_CASE("whatever page is zeroed, a store works or ends with one line") {
    temporary_directory here;
    fill(small(here.path()));
    const auto copy = here.path() / "copy";
    fs::copy_file(data_of(here), copy);
    const auto pages = fs::file_size(copy) / page;
    int refused = 0;
    for (std::size_t i = 2; i < pages; ++i) {
      CAPTURE(i);
      fs::copy_file(copy, data_of(here), fs::copy_options::overwrite_existing);
      overwrite(data_of(here), i, std::vector<char>(page));
      const auto how = use(small(here.path()));
      if (how.exited && how.code == 0) continue;
      ++refused;
      check_refused(how, here);
    }
    CHECK(refused > 5);
  }

  TEST_CASE("a deleted store acknowledges nothing more") {
    temporary_directory here;
    lmdb_kv store(small(here.path()));
    CHECK(write_now(store, write_batch{}.put(table::votes, key::of(std::uint64_t{1}), text("x")))
              .ok());
    fs::remove(data_of(here));
    const auto r =
        write_now(store, write_batch{}.put(table::votes, key::of(std::uint64_t{2}), text("x")));
    CHECK(r.why == failure::io);
    CHECK(r.message.find(here.path().string()) != std::string::npos);
    CHECK(r.message.find("deleted") != std::string::npos);
  }

  TEST_CASE("a store is never refused for pages that were never written") {
    // LMDB writes no page that one transaction took and freed: the file ends before them.
    const auto seed = std::random_device{}();
    MESSAGE("seed ", seed);
    std::mt19937_64 random(seed);
    int shorter = 0;
    for (int run = 0; run < 20; ++run) {
      temporary_directory here;
      for (int i = 0; i < 30; ++i) {
        lmdb_kv store(small(here.path()));  // throws if it is refused
        write_batch changes;
        const auto first = random() % 50;
        for (std::uint64_t k = first; k < first + 1 + random() % 60; ++k)
          changes.put(table::votes, key::of(k), std::vector<char>(random() % 3000));
        if (random() % 4 != 0)
          changes.erase_range(table::votes, key::of(first + random() % 30), key::of(first + 60));
        write_now(store, std::move(changes));
        store.stop();
        shorter += fs::file_size(data_of(here)) < store.stats().file_bytes;
      }
    }
    MESSAGE("files shorter than what LMDB has numbered: ", shorter);
    CHECK(shorter > 0);
  }
}
