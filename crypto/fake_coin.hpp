// SIMULATOR ONLY: a coin that costs one hash. Whoever knows its seed, that is everybody in the
// simulation, can foresee values and forge shares, so a Byzantine behaviour that runs on it must
// not. Injected in place of the threshold coin, with shares of the same size.
#pragma once

#include <algorithm>
#include <set>

#include "crypto/coin.hpp"

namespace flamingo::crypto {

class fake_coin final : public coin {
public:
  /// All validators of one simulation take the same `seed`, n and f.
  fake_coin(std::uint64_t seed, std::size_t n, std::size_t f, validator_id me)
      : seed_(seed), n_(n), f_(f), me_(me) {}

  std::vector<byte> share(wave_number wave) const override { return share_of(me_, wave); }

  bool verify_share(validator_id author, wave_number wave, byte_span bytes) const override {
    if (author.value >= n_ || bytes.size() != coin_share_size) return false;
    const auto expected = share_of(author, wave);
    return std::equal(bytes.begin(), bytes.end(), expected.begin());
  }

  std::optional<std::uint64_t> combine(wave_number wave,
                                       std::span<const coin_share> shares) const override {
    std::set<validator_id> authors;
    for (const auto& share : shares)
      if (share.author.value < n_ && share.bytes.size() == coin_share_size)
        authors.insert(share.author);
    if (authors.size() <= f_) return std::nullopt;
    static const tag kind = tag_of("fake-coin-value");
    return leading_u64(hasher(kind).number(seed_).number(wave).finish());
  }

private:
  std::vector<byte> share_of(validator_id author, wave_number wave) const {
    static const tag kind = tag_of("fake-coin-share");
    const auto mac = hasher(kind).number(seed_).number(wave).number(author).finish();
    std::vector<byte> out(coin_share_size);
    std::copy(mac.bytes.begin(), mac.bytes.end(), out.begin());
    return out;
  }

  std::uint64_t seed_;
  std::size_t n_, f_;
  validator_id me_;
};

}  // namespace flamingo::crypto
