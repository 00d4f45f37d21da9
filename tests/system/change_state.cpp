// change-state DIRECTORY: adds to or takes from one account of a stopped validator's newest
// snapshot, as no transaction did: row (1, parity, bucket) of actors/executor/snapshots_actor.hpp.
// Its state is then not the others', which it must find out.
#include <cstdio>
#include <exception>

#include "actors/executor/snapshots_actor.hpp"
#include "storage/lmdb_kv.hpp"

using namespace flamingo;

namespace {

int change(const char* directory) {
  storage::lmdb_options settings;
  settings.directory = directory;
  settings.preallocate_bytes = 0;
  storage::lmdb_kv store(settings);
  const auto newest = executor::find_snapshot(store, std::nullopt);
  if (!newest) {
    std::fprintf(stderr, "change-state: there is no snapshot in %s\n", directory);
    return 1;
  }
  storage::write_batch writes;
  executor::scan_snapshot(
      store, *newest,
      [&](std::uint16_t bucket, byte_span bytes) {
        std::vector<byte> changed(bytes.begin(), bytes.end());
        changed.at(changed.size() - sizeof(std::uint64_t)) ^= 1;  // of the last account's balance
        const auto parity = static_cast<std::uint8_t>(newest->parity());
        writes.put(storage::table::executor, storage::key::of(std::uint8_t{1}, parity, bucket),
                   byte_span(changed));
        return false;
      },
      0, executor::bucket_count);
  store.write(std::move(writes), {});
  store.stop();
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 2) return change(argv[1]);
  std::fprintf(stderr, "usage: change-state DIRECTORY\n");
  return 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "change-state: %s\n", e.what());
  return 1;
}
