#include "crypto/coin.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>

#include "crypto/p256.hpp"
#include "messages/assert.hpp"

namespace flamingo::crypto {

namespace {

using p256::big_number;
using p256::point;

constexpr std::size_t scalar_size = 32;

// Validator i holds the polynomial's value at i + 1; its value at 0 is the secret.
std::uint64_t abscissa(std::size_t index) {
  return index + 1;
}

// The weight of `mine` when the polynomial's value at `target` is interpolated from its values at
// `nodes`: the product over the other nodes x of (x - target) / (x - mine).
big_number lagrange_weight(std::uint64_t target, std::uint64_t mine,
                           std::span<const std::uint64_t> nodes) {
  std::vector<std::uint64_t> above, below;
  bool negative = false;
  for (const auto x : nodes) {
    if (x == mine) continue;
    negative ^= (x < target) != (x < mine);
    above.push_back(x < target ? target - x : x - target);
    below.push_back(x < mine ? mine - x : x - mine);
  }
  const auto divisor = p256::invert(p256::product_of(below).get());
  auto weight = p256::multiply(p256::product_of(above).get(), divisor.get());
  return negative ? p256::negate(weight.get()) : std::move(weight);
}

// points[k]^weight(k): the polynomial's value at `target`, in the exponent.
point interpolate(std::uint64_t target, std::span<const std::uint64_t> nodes,
                  std::span<const point> points) {
  std::vector<big_number> weights;
  std::vector<p256::term> terms;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    weights.push_back(lagrange_weight(target, nodes[k], nodes));
    terms.push_back({points[k].get(), weights.back().get()});
  }
  return p256::product(nullptr, terms);
}

digest digest_of(std::size_t f, std::span<const curve_point> keys) {
  hasher h(tags::coin_keys);
  h.number(static_cast<std::uint16_t>(f));
  for (const auto& key : keys) h.update(key);
  return h.finish();
}

// The parts of a share's bytes.
struct parsed_share {
  curve_point encoded;
  point at;
  big_number challenge, response;

  static std::optional<parsed_share> of(byte_span bytes) {
    if (bytes.size() != coin_share_size) return std::nullopt;
    auto at = p256::decode_point(bytes.first(curve_point::size));
    auto challenge = p256::decode_scalar(bytes.subspan(curve_point::size, scalar_size));
    auto response = p256::decode_scalar(bytes.last(scalar_size));
    if (!at || !challenge || !response) return std::nullopt;
    parsed_share out{{}, std::move(*at), std::move(*challenge), std::move(*response)};
    std::copy_n(bytes.begin(), curve_point::size, out.encoded.bytes.begin());
    return out;
  }
};

}  // namespace

// -- threshold_coin -----------------------------------------------------------

struct threshold_coin::state {
  signing_context context;
  std::size_t f;
  std::vector<curve_point> encoded_keys;
  std::vector<point> keys;
  digest keys_digest;
  validator_id me;
  coin_secret secret;

  // Both sides of a wave need its point: the last one asked for is kept.
  mutable std::mutex guard;
  mutable std::optional<std::pair<wave_number, curve_point>> last_point;

  void read_keys();
  void check_polynomial() const;
  void check_secret() const;

  curve_point point_of(wave_number wave) const;
  hasher about(const tag& kind, wave_number wave) const;
  hasher statement(const tag& kind, wave_number wave, validator_id author, const curve_point& base,
                   const curve_point& share) const;
  big_number nonce(wave_number wave, const curve_point& base, const curve_point& share) const;
  big_number challenge(wave_number wave, validator_id author, const curve_point& base,
                       const curve_point& share, const EC_POINT* a, const EC_POINT* b) const;
};

void threshold_coin::state::read_keys() {
  for (std::size_t i = 0; i < encoded_keys.size(); ++i) {
    auto key = p256::decode_point(encoded_keys[i]);
    if (!key)
      throw coin_error("the coin key of validator " + std::to_string(i) +
                       " is no point of P-256: the committee file is damaged");
    keys.push_back(std::move(*key));
  }
}

// Any f+1 of the keys determine the others.
void threshold_coin::state::check_polynomial() const {
  std::vector<std::uint64_t> nodes;
  for (std::size_t i = 0; i <= f; ++i) nodes.push_back(abscissa(i));
  for (std::size_t i = f + 1; i < keys.size(); ++i) {
    const auto expected = interpolate(abscissa(i), nodes, {keys.data(), f + 1});
    if (p256::is_infinity(expected.get()) || p256::encode(expected.get()) != encoded_keys[i])
      throw coin_error("the coin key of validator " + std::to_string(i) +
                       " was not dealt together with the others for f = " + std::to_string(f) +
                       ": the committee file is damaged");
  }
}

void threshold_coin::state::check_secret() const {
  const auto exponent = p256::decode_scalar(secret.bytes);
  const bool usable = exponent && !BN_is_zero(exponent->get());
  if (!usable ||
      p256::encode(p256::power_of_generator(exponent->get()).get()) != encoded_keys[me.value])
    throw coin_error("the coin secret does not match the coin key of validator " +
                     std::to_string(me.value) + " in the committee file");
}

// Starts a hash over what every use of the coin for a wave binds.
hasher threshold_coin::state::about(const tag& kind, wave_number wave) const {
  hasher h(kind);
  h.update(context.chain).number(context.epoch).number(wave);
  return h;
}

// H(wave): the first x among the hashes of 0, 1, 2, ... that is on the curve, with an even y. About
// every second one is. The time depends on the wave, which is public.
curve_point threshold_coin::state::point_of(wave_number wave) const {
  const std::lock_guard lock(guard);
  if (last_point && last_point->first == wave) return last_point->second;
  const auto prefix = about(tags::coin_point, wave);
  for (std::uint32_t attempt = 0;; ++attempt) {
    auto h = prefix;
    const auto found = p256::with_even_y(h.number(attempt).finish());
    if (!found) continue;
    last_point.emplace(wave, p256::encode(found->get()));
    return last_point->second;
  }
}

hasher threshold_coin::state::statement(const tag& kind, wave_number wave, validator_id author,
                                        const curve_point& base, const curve_point& share) const {
  auto h = about(kind, wave);
  h.number(author).update(keys_digest).update(base).update(share);
  return h;
}

// Derived from secret and statement, so a nonce is never used for two statements, whatever the
// state of the random generator. 64 bytes, so that it is uniform below the order.
big_number threshold_coin::state::nonce(wave_number wave, const curve_point& base,
                                        const curve_point& share) const {
  std::array<byte, 64> wide;
  for (byte half = 0; half < 2; ++half) {
    auto h = statement(tags::coin_nonce, wave, me, base, share);
    const auto part = h.update(secret.bytes).number(half).finish();
    std::copy(part.bytes.begin(), part.bytes.end(), wide.begin() + 32 * half);
  }
  auto k = p256::reduce(wide);
  OPENSSL_cleanse(wide.data(), wide.size());
  return k;
}

big_number threshold_coin::state::challenge(wave_number wave, validator_id author,
                                            const curve_point& base, const curve_point& share,
                                            const EC_POINT* a, const EC_POINT* b) const {
  auto h = statement(tags::coin_challenge, wave, author, base, share);
  return p256::reduce(h.update(p256::encode(a)).update(p256::encode(b)).finish());
}

threshold_coin::threshold_coin(const signing_context& context, std::size_t f,
                               std::vector<curve_point> keys, validator_id me,
                               const coin_secret& secret) {
  auto made = std::make_unique<state>();
  if (f >= keys.size() || keys.size() > std::numeric_limits<std::uint16_t>::max())
    throw coin_error("a coin for " + std::to_string(keys.size()) + " validators of which " +
                     std::to_string(f) + " are faulty cannot be: expected f < n <= 65535");
  if (me.value >= keys.size())
    throw coin_error("there is no coin key of validator " + std::to_string(me.value) +
                     " in the committee file, which has " + std::to_string(keys.size()));
  made->context = context;
  made->f = f;
  made->encoded_keys = std::move(keys);
  made->keys_digest = digest_of(f, made->encoded_keys);
  made->me = me;
  made->secret = secret;
  made->read_keys();
  made->check_polynomial();
  made->check_secret();
  state_ = std::move(made);
}

threshold_coin::~threshold_coin() = default;

// Chaum-Pedersen, made non-interactive: with nonce k, a = g^k, b = H^k, c = hash(..., a, b), z = k
// + c s.
std::vector<byte> threshold_coin::share(wave_number wave) const {
  const auto& s = *state_;
  const auto base = s.point_of(wave);
  const auto h = p256::decode_point(base);
  const auto secret = p256::decode_scalar(s.secret.bytes);
  const auto share = p256::encode(p256::power(h->get(), secret->get()).get());
  const auto k = s.nonce(wave, base, share);
  const auto a = p256::power_of_generator(k.get());
  const auto b = p256::power(h->get(), k.get());
  const auto c = s.challenge(wave, s.me, base, share, a.get(), b.get());
  const auto z = p256::add(k.get(), p256::multiply(c.get(), secret->get()).get());

  std::vector<byte> out(share.bytes.begin(), share.bytes.end());
  for (const auto& part : {p256::encode(c.get()), p256::encode(z.get())})
    out.insert(out.end(), part.begin(), part.end());
  FLAMINGO_ASSERT(out.size() == coin_share_size);
  return out;
}

// a = g^z key^-c and b = H^z share^-c must give the challenge back.
bool threshold_coin::verify_share(validator_id author, wave_number wave, byte_span bytes) const {
  const auto& s = *state_;
  if (author.value >= s.keys.size()) return false;
  const auto parsed = parsed_share::of(bytes);
  if (!parsed) return false;
  const auto base = s.point_of(wave);
  const auto h = p256::decode_point(base);
  const auto minus_c = p256::negate(parsed->challenge.get());
  const p256::term key_term[] = {{s.keys[author.value].get(), minus_c.get()}};
  const p256::term share_terms[] = {{h->get(), parsed->response.get()},
                                    {parsed->at.get(), minus_c.get()}};
  const auto a = p256::product(parsed->response.get(), key_term);
  const auto b = p256::product(nullptr, share_terms);
  if (p256::is_infinity(a.get()) || p256::is_infinity(b.get())) return false;
  const auto c = s.challenge(wave, author, base, parsed->encoded, a.get(), b.get());
  return BN_cmp(c.get(), parsed->challenge.get()) == 0;
}

std::optional<digest> threshold_coin::value(wave_number wave,
                                            std::span<const coin_share> shares) const {
  const auto& s = *state_;
  std::vector<std::uint64_t> nodes;
  std::vector<point> points;
  for (const auto& share : shares) {
    if (points.size() == s.f + 1) break;
    if (share.author.value >= s.keys.size() || share.bytes.size() != coin_share_size) continue;
    const auto node = abscissa(share.author.value);
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) continue;
    auto at = p256::decode_point(share.bytes.first(curve_point::size));
    if (!at) continue;
    nodes.push_back(node);
    points.push_back(std::move(*at));
  }
  if (points.size() <= s.f) return std::nullopt;
  const auto sum = interpolate(0, nodes, points);
  if (p256::is_infinity(sum.get())) return std::nullopt;  // only shares that nobody verified
  return s.about(tags::coin_value, wave).update(p256::encode(sum.get())).finish();
}

std::optional<std::uint64_t> threshold_coin::combine(wave_number wave,
                                                     std::span<const coin_share> shares) const {
  const auto v = value(wave, shares);
  if (!v) return std::nullopt;
  return leading_u64(*v);
}

curve_point threshold_coin::point_of(wave_number wave) const {
  return state_->point_of(wave);
}

}  // namespace flamingo::crypto
