// The threshold coin that names each wave's leader (paper §2, Tusk's global perfect coin).
//
// Source: Cachin, Kursawe, Shoup, "Random oracles in Constantinople" (J. Cryptology 2005), §6, over
// P-256. A dealer shares a secret s with a polynomial of degree f. Validator i's share for wave w
// is H(w)^{s_i} with a Chaum-Pedersen proof that the exponent is the one in its verification key.
// Any f+1 valid shares give H(w)^s by interpolation in the exponent, f give nothing, and its hash
// is the wave's value. H(w) is a point whose logarithm nobody knows (try and increment; the input
// is public), never a scalar times the generator, which would make every future value public.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "crypto/signing.hpp"
#include "messages/digest.hpp"
#include "messages/identifiers.hpp"

namespace flamingo::crypto {

/// Bytes of every share: the point (33, compressed), then the proof's challenge and response (32
/// each, big-endian).
inline constexpr std::size_t coin_share_size = 33 + 32 + 32;

struct coin_share {
  validator_id author;
  byte_span bytes;
};

/// A validator's coin. Const members may be called from several threads at once.
class coin {
public:
  virtual ~coin() = default;

  /// Our share for `wave`. Must leave only inside our header of round 2 * wave + 1.
  virtual std::vector<byte> share(wave_number wave) const = 0;

  /// True iff `bytes` is `author`'s share for `wave`. Whatever the bytes are, it neither throws nor
  /// aborts.
  virtual bool verify_share(validator_id author, wave_number wave, byte_span bytes) const = 0;

  /// The wave's value, the same from any f+1 shares. Empty when fewer than f+1 distinct authors are
  /// there. The shares were verified, by us or by the quorum that certified the header in which
  /// each rode: only their form is looked at here, and a malformed one is passed over.
  virtual std::optional<std::uint64_t> combine(wave_number wave,
                                               std::span<const coin_share> shares) const = 0;
};

// -- the dealer ---------------------------------------------------------------

/// A validator's exponent s_i, big-endian, below P-256's order.
struct coin_secret {
  std::array<byte, 32> bytes{};

  coin_secret() = default;
  explicit coin_secret(const std::array<byte, 32>& b) : bytes(b) {}
  coin_secret(const coin_secret&) = default;
  coin_secret& operator=(const coin_secret&) = default;
  ~coin_secret();  // wipes
};

/// One line of 64 hexadecimal digits, mode 0600. Both throw file_error; saving never overwrites.
coin_secret load_coin_secret(const std::filesystem::path& file);
void save_coin_secret(const std::filesystem::path& file, const coin_secret& secret);

struct coin_deal {
  std::vector<coin_secret> secrets;  // secrets[i] goes to validator i and to nobody else
  std::vector<curve_point> keys;     // the verification keys, for the committee file
};

using coin_seed = std::array<byte, 32>;

/// Shares a new secret among n validators so that f+1 of them can use it. 0 <= f < n <= 65535.
/// Whoever holds `seed` can foresee every leader, which can hurt liveness, never safety: real
/// networks take the operating system's randomness, which is forgotten.
coin_deal deal(std::size_t n, std::size_t f, const coin_seed& seed);
coin_deal deal(std::size_t n, std::size_t f);

// -- the coin itself ----------------------------------------------------------

/// Why keys or secret cannot make a coin: one line. The operator's error, never a peer's.
class coin_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class threshold_coin final : public coin {
public:
  /// `keys` are those of the committee file, `f` its fault bound, `secret` that of validator `me`.
  /// Throws coin_error if a key is no point, the keys do not lie on one polynomial of degree f
  /// (then different shares would name different leaders), or the secret does not belong to `me`.
  threshold_coin(const signing_context& context, std::size_t f, std::vector<curve_point> keys,
                 validator_id me, const coin_secret& secret);
  ~threshold_coin() override;

  std::vector<byte> share(wave_number wave) const override;
  bool verify_share(validator_id author, wave_number wave, byte_span bytes) const override;
  /// The first eight bytes of `value`, little-endian.
  std::optional<std::uint64_t> combine(wave_number wave,
                                       std::span<const coin_share> shares) const override;

  /// All 32 bytes of the wave's value, as `combine` finds it.
  std::optional<digest> value(wave_number wave, std::span<const coin_share> shares) const;

  /// H(wave), compressed. Public; for frozen vectors.
  curve_point point_of(wave_number wave) const;

private:
  struct state;
  std::unique_ptr<const state> state_;
};

}  // namespace flamingo::crypto
