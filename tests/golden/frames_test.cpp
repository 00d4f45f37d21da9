// Every message kind against its frozen bytes (tests/golden/frames); how to change them on purpose
// is in frozen.hpp.
#include "tests/golden/frozen.hpp"

#include <doctest/doctest.h>

#include <set>

#include "tests/golden/hex_file.hpp"

namespace flamingo::golden {

std::vector<frozen_frame> all_frames() {
  std::vector<frozen_frame> all;
  for (auto part : {peer_frames(), client_frames(), worker_frames(), committer_frames(),
                    executor_frames(), link_frames(), stored_records()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

namespace {

std::filesystem::path file_of(const frozen_frame& x) {
  return folder() / "frames" / (x.name + ".hex");
}

/// The bytes in the file and those of today are equal, and today's decoder reads the file.
void check_frozen(const std::vector<frozen_frame>& frames) {
  for (const frozen_frame& x : frames) {
    CAPTURE(x.name);
    if (writing()) write_hex(file_of(x), x.bytes);
    auto read = read_hex(file_of(x));
    CHECK_MESSAGE(read, "missing or no hex file: FLAMINGO_WRITE_GOLDEN=1 writes it");
    if (!read) continue;
    const shared_bytes frozen_bytes(std::move(*read));
    CHECK(difference(frozen_bytes, x.bytes) == "");
    CHECK(x.reads_back(frozen_bytes));
  }
}

}  // namespace

TEST_SUITE("golden frames") {
  TEST_CASE("what primaries say and store has its frozen bytes") {
    check_frozen(peer_frames());
  }

  TEST_CASE("what clients and workers say has its frozen bytes") {
    check_frozen(client_frames());
  }

  TEST_CASE("what workers say has its frozen bytes") {
    check_frozen(worker_frames());
  }

  TEST_CASE("what the committer says has its frozen bytes") {
    check_frozen(committer_frames());
  }

  TEST_CASE("what executors say has its frozen bytes") {
    check_frozen(executor_frames());
  }

  TEST_CASE("hello and framing of links have their frozen bytes") {
    check_frozen(link_frames());
  }

  TEST_CASE("the store's own records have their frozen bytes") {
    check_frozen(stored_records());
  }

  TEST_CASE("each frozen file is of one message kind") {
    std::set<std::filesystem::path> files;
    for (const frozen_frame& x : all_frames())
      CHECK_MESSAGE(files.insert(file_of(x)).second, x.name);
    for (const auto& entry : std::filesystem::directory_iterator(folder() / "frames")) {
      if (writing() && !files.contains(entry.path()))
        std::filesystem::remove(entry.path());
      else
        CHECK_MESSAGE(files.contains(entry.path()), entry.path().string());
    }
  }

  TEST_CASE("a changed byte is told with the line that it is in") {
    std::vector<byte> now(100, 0xaa);
    const auto frozen_bytes = now;
    CHECK(difference(frozen_bytes, now) == "");
    now[40] = 0xab;
    CHECK(difference(frozen_bytes, now) ==
          "line 2, byte 40: frozen aaaaaaaaaaaaaaaa, now abaaaaaaaaaaaaaa; sizes 100 and 100");
    now = frozen_bytes;
    now.pop_back();
    CHECK(difference(frozen_bytes, now) ==
          "line 4, byte 99: frozen aa, now the end; sizes 100 and 99");
  }
}

}  // namespace flamingo::golden
