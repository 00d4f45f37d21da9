#include "apps/flamingo/runtime/store_owner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "apps/flamingo/config/error.hpp"
#include "crypto/hash.hpp"
#include "crypto/hex.hpp"

namespace flamingo::runtime {

namespace {

/// A name that no role's keys in table meta start with.
const storage::key owner_key(crypto::as_bytes("owner"));

constexpr std::size_t owner_size = digest::size + public_key::size;

}  // namespace

void claim_store(storage::kv& store, const std::string& directory, const committee& members,
                 validator_id self) {
  const auto& me = members.validators.at(self.value);
  std::vector<char> owner(members.chain.bytes.begin(), members.chain.bytes.end());
  owner.insert(owner.end(), me.key.bytes.begin(), me.key.bytes.end());
  const auto held = store.get(storage::table::meta, owner_key);
  if (!held) {
    std::promise<storage::write_result> done;
    storage::write_batch batch;
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

}  // namespace flamingo::runtime
