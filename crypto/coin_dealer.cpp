// The coin's dealer, and the files in which it hands out secrets.
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <limits>
#include <string>

#include "crypto/coin.hpp"
#include "crypto/hex.hpp"
#include "crypto/p256.hpp"
#include "crypto/secret_file.hpp"

namespace flamingo::crypto {

namespace {

// Coefficient `index` of the dealer's polynomial: 64 hashed bytes, so that it is uniform below the
// order.
p256::big_number coefficient(std::size_t n, std::size_t f, const coin_seed& seed,
                             std::size_t index) {
  std::array<byte, 64> wide;
  for (byte half = 0; half < 2; ++half) {
    hasher h(tags::coin_deal);
    h.update(seed).number(static_cast<std::uint16_t>(n)).number(static_cast<std::uint16_t>(f));
    h.number(static_cast<std::uint16_t>(index)).number(half);
    const auto part = h.finish();
    std::copy(part.bytes.begin(), part.bytes.end(), wide.begin() + 32 * half);
  }
  auto out = p256::reduce(wide);
  OPENSSL_cleanse(wide.data(), wide.size());
  return out;
}

}  // namespace

coin_secret::~coin_secret() {
  OPENSSL_cleanse(bytes.data(), bytes.size());
}

coin_deal deal(std::size_t n, std::size_t f, const coin_seed& seed) {
  if (f >= n || n > std::numeric_limits<std::uint16_t>::max())
    throw coin_error("a coin cannot be dealt to " + std::to_string(n) + " validators of which " +
                     std::to_string(f) + " are faulty: expected f < n <= 65535");
  std::vector<p256::big_number> polynomial;
  for (std::size_t j = 0; j <= f; ++j) polynomial.push_back(coefficient(n, f, seed, j));
  coin_deal out;
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = p256::number(i + 1);
    auto y = p256::number(0);
    for (auto c = polynomial.rbegin(); c != polynomial.rend(); ++c)  // Horner
      y = p256::add(p256::multiply(y.get(), x.get()).get(), c->get());
    out.secrets.emplace_back(p256::encode(y.get()));
    out.keys.push_back(p256::encode(p256::power_of_generator(y.get()).get()));
  }
  return out;
}

coin_deal deal(std::size_t n, std::size_t f) {
  coin_seed seed;
  must(RAND_priv_bytes(seed.data(), seed.size()) == 1, "the operating system's randomness");
  auto out = deal(n, f, seed);
  OPENSSL_cleanse(seed.data(), seed.size());
  return out;
}

coin_secret load_coin_secret(const std::filesystem::path& file) {
  return coin_secret(read_hex_secret(file, "coin secret"));
}

void save_coin_secret(const std::filesystem::path& file, const coin_secret& secret) {
  write_hex_secret(file, secret.bytes);
}

}  // namespace flamingo::crypto
