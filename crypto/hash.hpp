// SHA-256 with a domain tag for each kind of object, so that the digest of one kind is never the
// digest of another (paper §2, "collision-resistant hash"; every digest here is SHA-256(tag ‖
// bytes)).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"

namespace flamingo::crypto {

using tag = fixed_bytes<struct domain_tag, 32>;

/// SHA-256("flamingo/<kind>/v1"). Computes each time: keep the result.
tag tag_of(std::string_view kind);

/// The tags in use. What is hashed under a tag stands beside it. A new meaning takes a new tag.
namespace tags {
inline const tag header = tag_of("header");          // a header's body
inline const tag vote = tag_of("vote");              // header digest, author, round
inline const tag bundle = tag_of("bundle");          // a bundle's body
inline const tag batch = tag_of("batch");            // author, worker, sequence, bundle digests
inline const tag counts = tag_of("counts");          // account counts of a batch
inline const tag checkpoint = tag_of("checkpoint");  // a checkpoint's fields
inline const tag ledger = tag_of("ledger");          // a checkpoint's ledger
inline const tag receipts = tag_of("receipts");      // a validator's receipts for one client
inline const tag results = tag_of("results");        // the result codes of a bundle
inline const tag sub_dag = tag_of("sub-dag");        // the chain over committed sub-DAGs
inline const tag coin_deal = tag_of("coin-deal");    // the dealer's polynomial
inline const tag coin_keys = tag_of("coin-keys");    // all verification keys
inline const tag coin_point = tag_of("coin-point");  // a wave's point
inline const tag coin_nonce = tag_of("coin-nonce");  // a proof's secret nonce
inline const tag coin_challenge = tag_of("coin-challenge");  // a proof's challenge
inline const tag coin_value = tag_of("coin-value");          // a wave's value
}  // namespace tags

/// An unsigned integer as it is hashed and signed everywhere: little-endian, at its full width.
template <class T>
requires std::is_unsigned_v<T>
constexpr std::array<byte, sizeof(T)> little_endian(T x) {
  std::array<byte, sizeof(T)> out{};
  for (std::size_t i = 0; i < sizeof(T); ++i)
    out[i] = static_cast<byte>(static_cast<std::uint64_t>(x) >> (8 * i));
  return out;
}

/// The first eight bytes of `bytes` as a little-endian number. `bytes` holds at least eight.
constexpr std::uint64_t leading_u64(byte_span bytes) {
  std::uint64_t x = 0;
  for (std::size_t i = 0; i < 8; ++i) x |= std::uint64_t{bytes[i]} << (8 * i);
  return x;
}

/// The bytes of a text, for hashing.
inline byte_span as_bytes(std::string_view text) {
  return {reinterpret_cast<const byte*>(text.data()), text.size()};
}

/// SHA-256 in pieces. A plain value: no allocation, no lock, as cheap to make as to fill.
class hasher {
public:
  hasher();
  explicit hasher(const tag& kind) : hasher() { update(kind); }

  hasher& update(byte_span bytes);

  /// Appends an integer, little-endian, at the full width of its type.
  template <class T>
  requires std::is_unsigned_v<T> hasher& number(T x) { return update(little_endian(x)); }
  template <class Tag, class Rep>
  hasher& number(identifier<Tag, Rep> x) {
    return number(x.value);
  }

  /// The digest of all that was appended. The hasher is then empty again, without a tag.
  digest finish();

private:
  alignas(8) std::array<byte, 112> state_;  // a SHA256_CTX
};

/// SHA-256(kind ‖ bytes).
digest hash(const tag& kind, byte_span bytes);

/// SHA-256 of the parts, one after another, without lengths in between: at most one of them may be
/// of variable length, or two different lists could have one digest.
digest hash(std::initializer_list<byte_span> parts);

/// A batch's digest is over its bundles' digests, so that each byte is hashed once a validator.
digest batch_digest(validator_id author, worker_id worker, batch_sequence sequence,
                    std::span<const digest> bundles);

}  // namespace flamingo::crypto
