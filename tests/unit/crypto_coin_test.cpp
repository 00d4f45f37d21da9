// The threshold coin: what combines, what is refused, what a hostile share can do (nothing).
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "crypto/coin.hpp"
#include "crypto/fake_coin.hpp"
#include "crypto/hex.hpp"
#include "crypto/secret_file.hpp"

using namespace flamingo;
using namespace flamingo::crypto;
namespace fs = std::filesystem;

namespace {

digest digest_of(std::string_view text) {
  return hash({as_bytes(text)});
}

const signing_context here{digest_of("chain"), epoch_id(3)};

struct committee_of_coins {
  std::size_t n, f;
  coin_deal dealt;
  std::vector<std::unique_ptr<threshold_coin>> coins;

  committee_of_coins(std::size_t n_, std::size_t f_, signing_context context = here,
                     std::string_view seed = "seed")
      : n(n_), f(f_), dealt(deal(n_, f_, digest_of(seed).bytes)) {
    for (std::size_t i = 0; i < n; ++i)
      coins.push_back(std::make_unique<threshold_coin>(
          context, f, dealt.keys, validator_id(static_cast<std::uint16_t>(i)), dealt.secrets[i]));
  }

  const threshold_coin& operator[](std::size_t i) const { return *coins[i]; }

  std::vector<std::vector<byte>> shares(wave_number wave) const {
    std::vector<std::vector<byte>> out;
    for (const auto& c : coins) out.push_back(c->share(wave));
    return out;
  }
};

std::vector<coin_share> pick(const std::vector<std::vector<byte>>& shares,
                             const std::vector<int>& authors) {
  std::vector<coin_share> out;
  for (int a : authors) out.push_back({validator_id(static_cast<std::uint16_t>(a)), shares[a]});
  return out;
}

const validator_id zero{0}, one{1};
const wave_number wave{5};

// The reason why these cannot make a coin.
std::string refusal(std::size_t f, const std::vector<curve_point>& keys, int me,
                    const coin_secret& secret) {
  try {
    threshold_coin(here, f, keys, validator_id(static_cast<std::uint16_t>(me)), secret);
  } catch (const coin_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_SUITE("crypto coin") {
  TEST_CASE("any f+1 shares give the same value, whoever combines them") {
    const committee_of_coins c(7, 2);
    const auto shares = c.shares(wave);
    const auto expected = c[0].value(wave, pick(shares, {0, 1, 2}));
    REQUIRE(expected);
    int subsets = 0;
    for (int i = 0; i < 7; ++i)
      for (int j = i + 1; j < 7; ++j)
        for (int k = j + 1; k < 7; ++k, ++subsets) {
          CHECK(c[k].value(wave, pick(shares, {k, i, j})) == expected);
        }
    CHECK(subsets == 35);
    CHECK(c[0].value(wave, pick(shares, {6, 5, 4, 3, 2, 1, 0})) == expected);
    CHECK(c[0].combine(wave, pick(shares, {4, 5, 6})) == leading_u64(*expected));
  }

  TEST_CASE("f shares do not combine, and one author's share counts once") {
    const committee_of_coins c(7, 2);
    const auto shares = c.shares(wave);
    CHECK_FALSE(c[0].combine(wave, {}));
    CHECK_FALSE(c[0].combine(wave, pick(shares, {0, 1})));
    CHECK_FALSE(c[0].combine(wave, pick(shares, {0, 1, 0, 1, 1})));
    CHECK(c[0].combine(wave, pick(shares, {0, 1, 0, 1, 2})) ==
          c[0].combine(wave, pick(shares, {0, 1, 2})));
  }

  TEST_CASE("malformed shares, and shares of nobody, are passed over when combining") {
    const committee_of_coins c(4, 1);
    const auto shares = c.shares(wave);
    const std::vector<byte> garbage(coin_share_size, 0xff), empty;
    const std::vector<coin_share> mixed{{validator_id(0), garbage},
                                        {validator_id(1), empty},
                                        {validator_id(9), shares[0]},
                                        {validator_id(2), shares[2]},
                                        {validator_id(3), shares[3]}};
    CHECK(c[0].combine(wave, mixed) == c[0].combine(wave, pick(shares, {2, 3})));
    CHECK_FALSE(c[0].combine(wave, std::span(mixed).first(4)));
  }

  TEST_CASE("every honest share is accepted by everyone, and has the fixed size") {
    const committee_of_coins c(4, 1);
    for (std::uint64_t w : {std::uint64_t{1}, std::uint64_t{2}, ~std::uint64_t{0}}) {
      const auto shares = c.shares(wave_number(w));
      for (std::uint16_t author = 0; author < 4; ++author) {
        CHECK(shares[author].size() == coin_share_size);
        for (const auto& verifier : c.coins)
          CHECK(verifier->verify_share(validator_id(author), wave_number(w), shares[author]));
      }
    }
  }

  TEST_CASE("a share is the same each time it is made, and differs by wave and author") {
    const committee_of_coins c(4, 1);
    CHECK(c[0].share(wave) == c[0].share(wave));
    const std::set<std::vector<byte>> all{c[0].share(wave), c[1].share(wave), c[0].share(wave + 1)};
    CHECK(all.size() == 3);
  }

  TEST_CASE("a share of another wave, author, epoch, chain or deal is refused") {
    const committee_of_coins c(4, 1);
    const auto good = c[0].share(wave);
    REQUIRE(c[1].verify_share(zero, wave, good));
    CHECK_FALSE(c[1].verify_share(zero, wave + 1, good));
    CHECK_FALSE(c[1].verify_share(one, wave, good));
    CHECK_FALSE(c[1].verify_share(validator_id(4), wave, good));
    CHECK_FALSE(c[1].verify_share(validator_id(65535), wave, good));
    const committee_of_coins other_epoch(4, 1, {here.chain, epoch_id(4)});
    const committee_of_coins other_chain(4, 1, {digest_of("fork"), here.epoch});
    const committee_of_coins other_deal(4, 1, here, "another seed");
    CHECK_FALSE(c[1].verify_share(zero, wave, other_epoch[0].share(wave)));
    CHECK_FALSE(c[1].verify_share(zero, wave, other_chain[0].share(wave)));
    CHECK_FALSE(c[1].verify_share(zero, wave, other_deal[0].share(wave)));
  }

  TEST_CASE("a share with any one bit changed is refused") {
    const committee_of_coins c(4, 1);
    const auto good = c[0].share(wave);
    for (std::size_t i = 0; i < good.size(); ++i) {
      auto bad = good;
      bad[i] ^= static_cast<byte>(1u << (i % 8));
      CHECK_FALSE(c[1].verify_share(zero, wave, bad));
    }
  }

  TEST_CASE("another's point under one's own proof, and the reverse, are refused") {
    const committee_of_coins c(4, 1);
    const auto a = c[0].share(wave), b = c[1].share(wave), later = c[0].share(wave + 1);
    const auto join = [](const std::vector<byte>& point, const std::vector<byte>& proof) {
      auto out = proof;
      std::copy_n(point.begin(), 33, out.begin());
      return out;
    };
    CHECK_FALSE(c[2].verify_share(zero, wave, join(b, a)));
    CHECK_FALSE(c[2].verify_share(zero, wave, join(a, b)));
    CHECK_FALSE(c[2].verify_share(one, wave, join(a, b)));
    CHECK_FALSE(c[2].verify_share(zero, wave, join(later, a)));
    CHECK_FALSE(c[2].verify_share(zero, wave, join(a, later)));
  }

  TEST_CASE("malformed points and scalars are refused, whatever their bytes and length") {
    const committee_of_coins c(4, 1);
    const auto good = c[0].share(wave);
    const auto refused = [&](std::size_t at, const std::vector<byte>& replacement) {
      auto bad = good;
      std::copy(replacement.begin(), replacement.end(), bad.begin() + at);
      return !c[1].verify_share(zero, wave, bad) && !c[1].verify_share(one, wave, bad);
    };
    for (int form = 0; form < 256; ++form)
      if (form != good[0]) CHECK(refused(0, {static_cast<byte>(form)}));
    CHECK(refused(0, std::vector<byte>(33, 0)));     // the point at infinity, padded
    CHECK(refused(1, std::vector<byte>(32, 0xff)));  // x above the field's prime
    const auto q =
        *from_hex<32>("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
    CHECK(refused(33, {q.begin(), q.end()}));  // a challenge that is not below the order
    CHECK(refused(65, {q.begin(), q.end()}));
    CHECK(refused(33, std::vector<byte>(64, 0)));  // a proof of zeros
    for (std::size_t size = 0; size < 2 * coin_share_size; ++size) {
      auto bad = good;
      bad.resize(size, 0x5a);
      CHECK(c[1].verify_share(zero, wave, bad) == (size == coin_share_size));
    }
    auto noise = digest_of("noise");
    for (int i = 0; i < 300; ++i) {
      std::vector<byte> bad;
      for (; bad.size() < coin_share_size; noise = hash({noise}))
        bad.insert(bad.end(), noise.bytes.begin(), noise.bytes.end());
      bad.resize(coin_share_size);
      bad[0] = static_cast<byte>(2 + i % 2);  // about half of them are points
      CHECK_FALSE(c[1].verify_share(zero, wave, bad));
    }
  }

  TEST_CASE("each of four validators leads about a quarter of the waves") {
    const committee_of_coins c(4, 1);
    std::vector<int> led(4, 0);
    for (std::uint64_t w = 1; w <= 200; ++w) {
      const auto a = c[0].share(wave_number(w)), b = c[1].share(wave_number(w));
      const coin_share two[] = {{zero, a}, {one, b}};
      ++led[*c[2].combine(wave_number(w), two) % 4];
    }
    for (int count : led) CHECK((count > 25 && count < 75));
  }

  TEST_CASE("two deals from the system's randomness share nothing") {
    const auto a = deal(4, 1), b = deal(4, 1);
    std::set<curve_point> keys(a.keys.begin(), a.keys.end());
    keys.insert(b.keys.begin(), b.keys.end());
    CHECK(keys.size() == 8);
    CHECK_NOTHROW(threshold_coin(here, 1, a.keys, one, a.secrets[1]));
  }

  TEST_CASE("keys or a secret that do not belong together make no coin, and one line says why") {
    const auto d = deal(4, 1, digest_of("seed").bytes);
    const auto other = deal(4, 1, digest_of("other").bytes);
    CHECK(refusal(1, d.keys, 2, d.secrets[2]).empty());
    CHECK(refusal(1, d.keys, 2, d.secrets[1]).find("validator 2") != std::string::npos);
    CHECK(refusal(1, d.keys, 2, coin_secret()).find("does not match") != std::string::npos);
    CHECK(refusal(1, d.keys, 4, d.secrets[0]).find("validator 4") != std::string::npos);
    CHECK(refusal(4, d.keys, 0, d.secrets[0]).find("f < n") != std::string::npos);
    CHECK(refusal(0, d.keys, 0, d.secrets[0]).find("f = 0") != std::string::npos);
    auto keys = d.keys;
    keys[3] = other.keys[3];
    CHECK(refusal(1, keys, 0, d.secrets[0]).find("validator 3 was not dealt") != std::string::npos);
    keys[3].bytes.fill(0xff);
    CHECK(refusal(1, keys, 0, d.secrets[0]).find("validator 3 is no point") != std::string::npos);
    CHECK_THROWS_AS(deal(4, 4), coin_error);
    CHECK_THROWS_AS(deal(0, 0), coin_error);
  }

  TEST_CASE("threads that use one coin for different waves at once get the right answers") {
    const committee_of_coins c(4, 1);
    std::vector<std::vector<byte>> shares;
    for (std::uint64_t w = 0; w < 4; ++w) shares.push_back(c[0].share(wave_number(w)));
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> threads;
    for (std::uint64_t w = 0; w < 4; ++w)
      threads.emplace_back([&, w] {
        for (int i = 0; i < 20; ++i) {
          wrong[w] += !c[1].verify_share(zero, wave_number(w), shares[w]);
          wrong[w] += c[1].verify_share(zero, wave_number(w + 1), shares[w]);
          wrong[w] += c[0].share(wave_number(w)) != shares[w];
        }
      });
    for (auto& t : threads) t.join();
    CHECK(wrong == std::vector<int>(4, 0));
  }

  TEST_CASE(
      "a saved coin secret loads again, is never overwritten, and is refused when others can read "
      "it") {
    auto folder = (fs::temp_directory_path() / "flamingo-coin-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    const auto file = fs::path(folder) / "coin.key";
    const auto d = deal(4, 1, digest_of("seed").bytes);
    save_coin_secret(file, d.secrets[0]);
    CHECK(load_coin_secret(file).bytes == d.secrets[0].bytes);
    CHECK_THROWS_AS(save_coin_secret(file, d.secrets[1]), file_error);
    ::chmod(file.c_str(), 0644);
    std::string line;
    try {
      load_coin_secret(file);
    } catch (const file_error& e) {
      line = e.what();
    }
    CHECK(line.find(file.string()) != std::string::npos);
    CHECK(line.find("0644") != std::string::npos);
    fs::remove(file);
    std::ofstream(file) << "00";
    ::chmod(file.c_str(), 0600);
    CHECK_THROWS_AS(load_coin_secret(file), file_error);
    fs::remove_all(folder);
  }

  TEST_CASE("the fake coin keeps the real one's promises except secrecy") {
    std::vector<fake_coin> c;
    for (std::uint16_t i = 0; i < 4; ++i) c.emplace_back(7, 4, 1, validator_id(i));
    std::vector<std::vector<byte>> shares;
    for (const auto& x : c) shares.push_back(x.share(wave));
    CHECK(shares[0].size() == coin_share_size);
    CHECK(c[1].verify_share(zero, wave, shares[0]));
    CHECK_FALSE(c[1].verify_share(one, wave, shares[0]));
    CHECK_FALSE(c[1].verify_share(zero, wave + 1, shares[0]));
    CHECK_FALSE(c[1].verify_share(validator_id(4), wave, shares[0]));
    CHECK_FALSE(c[1].verify_share(zero, wave, std::span(shares[0]).first(96)));
    CHECK_FALSE(c[0].combine(wave, pick(shares, {0, 0})));
    CHECK(c[0].combine(wave, pick(shares, {0, 1})) == c[3].combine(wave, pick(shares, {3, 2})));
    CHECK(c[0].combine(wave, pick(shares, {0, 1})) != c[0].combine(wave + 1, pick(shares, {0, 1})));
  }
}
