#include "apps/flamingo/runtime/store_owner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <future>

#include "apps/flamingo/config/error.hpp"
#include "crypto/hash.hpp"
#include "crypto/hex.hpp"
#include "crypto/secret_file.hpp"

namespace flamingo::runtime {

namespace {

/// A name that no role's keys in table meta start with.
const storage::key owner_key(crypto::as_bytes("owner"));

constexpr std::size_t owner_size = digest::size + public_key::size;

}  // namespace

void claim_store(storage::kv& store, const std::string& directory, const committee& members,
                 validator_id self, storage::write_batch when_empty) {
  const auto& me = members.validators.at(self.value);
  std::vector<char> owner(members.chain.bytes.begin(), members.chain.bytes.end());
  owner.insert(owner.end(), me.key.bytes.begin(), me.key.bytes.end());
  const auto held = store.get(storage::table::meta, owner_key);
  if (!held) {
    std::promise<storage::write_result> done;
    storage::write_batch batch = std::move(when_empty);
    batch.put(storage::table::meta, owner_key, owner);
    store.write(std::move(batch), [&done](const storage::write_result& r) { done.set_value(r); });
    const auto result = done.get_future().get();
    if (!result.ok()) throw config::error(fmt::format("{}: {}", directory, result.message));
    return;
  }
  if (held->size() != owner_size)
    throw config::error(
        fmt::format("{}: holds a store of another program or version: choose "
                    "another directory with the key data",
                    directory));
  const auto hex = [](auto from, std::size_t size) {
    return crypto::to_hex({reinterpret_cast<const byte*>(&*from), size});
  };
  const auto compare = [&](const char* what, std::size_t offset, std::size_t size) {
    if (std::equal(held->begin() + offset, held->begin() + offset + size, owner.begin() + offset))
      return;
    throw config::error(fmt::format(
        "{}: holds the store of {} {}, but the committee file says {}: use the store's own "
        "configuration, or an empty directory with the key data",
        directory, what, hex(held->begin() + offset, size), hex(owner.begin() + offset, size)));
  };
  compare("chain", 0, digest::size);
  compare("the validator with key", digest::size, public_key::size);
}

namespace {

std::filesystem::path mark_in(const std::filesystem::path& data) {
  return data / "never-run";
}

}  // namespace

void mark_never_run(const std::filesystem::path& data) {
  std::error_code failed;
  std::filesystem::create_directories(data, failed);
  if (!failed) std::filesystem::permissions(data, std::filesystem::perms::owner_all, failed);
  if (failed)
    throw config::error(fmt::format("{}: cannot be made ({}): choose another directory",
                                    data.string(), failed.message()));
  crypto::write_new_file(
      mark_in(data),
      "This validator has never run. Its first start removes this file; without it, an empty\n"
      "data directory counts as lost, and the validator asks the others before it signs.\n");
}

bool never_ran(const std::filesystem::path& data) {
  std::error_code failed;
  const bool found = std::filesystem::exists(mark_in(data), failed);
  if (failed)
    throw config::error(fmt::format("{}: cannot be looked at ({}): give it to who runs this",
                                    mark_in(data).string(), failed.message()));
  return found;
}

void unmark_never_run(const std::filesystem::path& data) {
  std::error_code ignored;  // it says nothing about a store that is claimed
  if (!std::filesystem::remove(mark_in(data), ignored)) return;
  // Gone for good, or a store that is lost later would count as new.
  const int directory = ::open(data.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

}  // namespace flamingo::runtime
