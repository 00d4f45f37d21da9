// The threshold coin against tests/golden/coin_vectors.txt, which coin_vectors.py computed without
// our code.
#include <doctest/doctest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "crypto/coin.hpp"
#include "crypto/hex.hpp"

using namespace flamingo;
using namespace flamingo::crypto;

namespace {

// The lines between one "coin" line and the next.
struct frozen_coin {
  std::size_t n = 0, f = 0;
  coin_deal dealt;
  std::vector<std::unique_ptr<threshold_coin>> coins;
  signing_context context;

  void make() {
    for (std::size_t i = 0; i < n; ++i)
      coins.push_back(std::make_unique<threshold_coin>(
          context, f, dealt.keys, validator_id(static_cast<std::uint16_t>(i)), dealt.secrets[i]));
  }
};

}  // namespace

TEST_SUITE("crypto coin") {
  TEST_CASE("the coin agrees with the frozen vectors of an independent computation") {
    std::ifstream file(FLAMINGO_SOURCE_DIR "/tests/golden/coin_vectors.txt");
    REQUIRE(file);
    frozen_coin now;
    int deals = 0, waves = 0, shares = 0;
    for (std::string line; std::getline(file, line);) {
      std::istringstream in(line);
      std::string kind, hex, more;
      std::uint64_t number = 0, author = 0, leader = 0, epoch = 0;
      in >> kind;
      if (kind == "coin") {
        now = {};
        in >> now.n >> now.f >> epoch >> hex >> more;
        now.context = {digest{*from_hex<32>(hex)}, epoch_id(epoch)};
        now.dealt = deal(now.n, now.f, *from_hex<32>(more));
        now.make();
      } else if (kind == "dealt") {
        in >> number >> hex >> more;
        CHECK(to_hex(now.dealt.secrets.at(number).bytes) == hex);
        CHECK(to_hex(now.dealt.keys.at(number)) == more);
        ++deals;
      } else if (kind == "wave") {
        in >> number >> hex >> more >> leader;
        const wave_number w(number);
        CHECK(to_hex(now.coins[0]->point_of(w)) == hex);
        std::vector<std::vector<byte>> bytes;
        std::vector<coin_share> last;  // of the last f+1 validators
        for (const auto& c : now.coins) bytes.push_back(c->share(w));
        for (auto i = now.n - now.f - 1; i < now.n; ++i)
          last.push_back({validator_id(static_cast<std::uint16_t>(i)), bytes[i]});
        const auto value = now.coins[0]->value(w, last);
        REQUIRE(value);
        CHECK(to_hex(*value) == more);
        CHECK(*now.coins[0]->combine(w, last) % now.n == leader);
        ++waves;
      } else if (kind == "share") {
        in >> number >> author >> hex;
        CHECK(to_hex(now.coins.at(author)->share(wave_number(number))) == hex);
        const auto share = from_hex<coin_share_size>(hex);
        REQUIRE(share);
        CHECK(now.coins[0]->verify_share(validator_id(static_cast<std::uint16_t>(author)),
                                         wave_number(number), *share));
        ++shares;
      }
    }
    CHECK(deals == 4 + 7 + 1);
    CHECK(waves == 4 + 2 + 1);
    CHECK(shares == 16 + 14 + 1);
  }
}
