// Signatures: RFC 8032's vectors, what a signature binds, key files.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "crypto/fake_signing.hpp"
#include "crypto/hex.hpp"
#include "crypto/secret_file.hpp"
#include "crypto/signing.hpp"

using namespace flamingo;
using namespace flamingo::crypto;
namespace fs = std::filesystem;

namespace {

struct vector_of_rfc8032 {
  const char *seed, *key, *message, *sig;
};

// RFC 8032, 7.1, tests 1 to 3.
const vector_of_rfc8032 vectors[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b"
     "46b"
     "d25bf5f0595bbe24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "r",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11"
     "d8c"
     "387b2eaeb4302aeeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "\xaf\x82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc"
     "659"
     "4a7c15e9716ed28dc027beceea1ec40a"},
};

ed25519_signer::seed seed_of(byte x) {
  ed25519_signer::seed s{};
  s.fill(x);
  return s;
}

digest digest_of(std::string_view text) {
  return hash({as_bytes(text)});
}

struct temporary_folder {
  fs::path path;
  temporary_folder() {
    auto name = (fs::temp_directory_path() / "flamingo-signing-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~temporary_folder() { fs::remove_all(path); }
};

std::string complaint(const fs::path& file) {
  try {
    ed25519_signer::load(file);
  } catch (const file_error& e) {
    return e.what();
  }
  return "";
}

void write(const fs::path& file, const std::string& text, mode_t mode) {
  std::ofstream(file) << text;
  ::chmod(file.c_str(), mode);
}

}  // namespace

TEST_SUITE("crypto signing") {
  TEST_CASE("RFC 8032's vectors come out and are accepted") {
    const ed25519_scheme scheme;
    for (const auto& v : vectors) {
      const ed25519_signer s(*from_hex<32>(v.seed));
      const auto message = as_bytes(v.message);
      CHECK(to_hex(s.key()) == v.key);
      CHECK(to_hex(s.sign(message)) == v.sig);
      CHECK(scheme.verify(s.key(), message, signature{*from_hex<64>(v.sig)}));
    }
  }

  TEST_CASE("a signature with any one byte changed is refused, and so is its malleated twin") {
    const ed25519_scheme scheme;
    const ed25519_signer s(seed_of(1));
    const auto good = s.sign(as_bytes("message"));
    REQUIRE(scheme.verify(s.key(), as_bytes("message"), good));
    for (std::size_t i = 0; i < good.size; ++i) {
      auto bad = good;
      bad.bytes[i] ^= 1;
      CHECK_FALSE(scheme.verify(s.key(), as_bytes("message"), bad));
    }
    // s + L passes a check that does not demand s < L (RFC 8032, 5.1.7).
    const auto order =
        from_hex<32>("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    auto twin = good;
    unsigned carry = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      carry += twin.bytes[32 + i] + (*order)[i];
      twin.bytes[32 + i] = static_cast<byte>(carry);
      carry >>= 8;
    }
    CHECK_FALSE(scheme.verify(s.key(), as_bytes("message"), twin));
  }

  TEST_CASE("a signature of another key, or a key that is no point, is refused") {
    const ed25519_scheme scheme;
    const ed25519_signer a(seed_of(1)), b(seed_of(2));
    const auto sig = a.sign(as_bytes("message"));
    CHECK_FALSE(scheme.verify(b.key(), as_bytes("message"), sig));
    for (byte fill : {0x00, 0x01, 0x02, 0x7f, 0xff}) {
      public_key odd;
      odd.bytes.fill(fill);
      CHECK_FALSE(scheme.verify(odd, as_bytes("message"), sig));
      CHECK_FALSE(scheme.verify(odd, as_bytes("message"), sig));  // again, from the cache
    }
    CHECK(scheme.verify(a.key(), as_bytes("message"), sig));
  }

  TEST_CASE("what is signed under one tag, chain or epoch is refused under another") {
    const ed25519_scheme scheme;
    const ed25519_signer s(seed_of(3));
    const signing_context here{digest_of("chain"), epoch_id(7)};
    const signing_context other_chain{digest_of("fork"), epoch_id(7)};
    const signing_context other_epoch{digest_of("chain"), epoch_id(8)};
    const auto what = digest_of("header");
    const auto sig = s.sign(header_statement(here, what));
    CHECK(scheme.verify(s.key(), header_statement(here, what), sig));
    CHECK_FALSE(scheme.verify(s.key(), header_statement(other_chain, what), sig));
    CHECK_FALSE(scheme.verify(s.key(), header_statement(other_epoch, what), sig));
    CHECK_FALSE(scheme.verify(s.key(), header_statement(here, digest_of("x")), sig));
    CHECK_FALSE(scheme.verify(s.key(), receipts_statement(here, what), sig));
    CHECK_FALSE(scheme.verify(s.key(), checkpoint_statement(here, what), sig));
    CHECK_FALSE(scheme.verify(s.key(), bundle_statement(here.chain, what), sig));
    CHECK_FALSE(
        scheme.verify(s.key(), vote_statement(here, what, validator_id(0), round_number(1)), sig));
  }

  TEST_CASE("the signed bytes are tag, chain, epoch little-endian, digest") {
    const signing_context here{digest_of("chain"), epoch_id(0x0102)};
    const auto what = digest_of("x");
    CHECK(to_hex(header_statement(here, what)) ==
          to_hex(tags::header) + to_hex(here.chain) + "0201000000000000" + to_hex(what));
    CHECK(to_hex(bundle_statement(here.chain, what)) ==
          to_hex(tags::bundle) + to_hex(here.chain) + to_hex(what));
    const auto vote =
        hash({tags::vote, what, little_endian(std::uint16_t{3}), little_endian(std::uint64_t{9})});
    CHECK(to_hex(vote_statement(here, what, validator_id(3), round_number(9))) ==
          to_hex(tags::vote) + to_hex(here.chain) + "0201000000000000" + to_hex(vote));
  }

  TEST_CASE("a vote binds header, author and round, and every voter signs the same bytes") {
    const signing_context here{digest_of("chain"), epoch_id(1)};
    const auto s = [&](const char* header, int author, int round) {
      return to_hex(
          vote_statement(here, digest_of(header), validator_id(author), round_number(round)));
    };
    const std::set<std::string> all{s("a", 1, 2), s("b", 1, 2), s("a", 2, 2), s("a", 1, 3)};
    CHECK(all.size() == 4);
  }

  TEST_CASE("threads that sign and verify with shared objects get the right answers") {
    const ed25519_scheme scheme;
    std::vector<std::unique_ptr<ed25519_signer>> signers;
    for (byte i = 0; i < 8; ++i) signers.push_back(std::make_unique<ed25519_signer>(seed_of(i)));
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> threads;
    for (auto& w : wrong)
      threads.emplace_back([&] {
        for (int i = 0; i < 40; ++i) {
          const auto& s = *signers[i % 8];
          const auto& t = *signers[(i + 1) % 8];
          const auto sig = s.sign(as_bytes("message"));
          w += !scheme.verify(s.key(), as_bytes("message"), sig);
          w += scheme.verify(t.key(), as_bytes("message"), sig);
        }
      });
    for (auto& t : threads) t.join();
    CHECK(wrong == std::vector<int>(4, 0));
  }

  TEST_CASE("generated keys differ, and a saved key loads as the same key with mode 0600") {
    temporary_folder folder;
    const auto a = ed25519_signer::generate(), b = ed25519_signer::generate();
    CHECK(a.key() != b.key());
    const auto file = folder.path / "signing.key";
    a.save(file);
    CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(ed25519_signer::load(file).key() == a.key());
    CHECK_THROWS_AS(b.save(file), file_error);  // never overwritten
    CHECK(ed25519_signer::load(file).key() == a.key());
  }

  TEST_CASE("a key file that is missing, open to others, or malformed is refused in one line") {
    temporary_folder folder;
    const auto file = folder.path / "signing.key";
    const std::string good(64, 'a');
    const auto refused = [&](const std::string& text, mode_t mode, const std::string& why) {
      write(file, text, mode);
      const auto line = complaint(file);
      CHECK(line.starts_with(file.string() + ": "));
      CHECK(line.find('\n') == std::string::npos);
      CHECK(line.find(why) != std::string::npos);
      CHECK(line.find("aaaa") == std::string::npos);  // no secret in a message
      fs::remove(file);
    };
    CHECK(complaint(file).find("No such file") != std::string::npos);
    refused(good + "\n", 0644, "mode 0644");
    refused(good + "\n", 0640, "mode 0640");
    refused(good.substr(1) + "\n", 0600, "found 63 bytes");
    refused(good + "a\n", 0600, "found 65 bytes");
    refused(good.substr(1) + "g\n", 0600, "hexadecimal");
    refused("", 0600, "found 0 bytes");
    refused(std::string(5000, 'a'), 0600, "5000 bytes long");
    CHECK(complaint(folder.path).find("not a regular file") != std::string::npos);
    write(file, good + "\n", 0600);
    CHECK(complaint(file).empty());
    fs::remove(file);
    write(file, good, 0400);  // read-only, and no newline: fine
    CHECK(complaint(file).empty());
  }

  TEST_CASE("a fake signature is accepted for its own key and message alone") {
    const fake_signer a("a"), b("b");
    const fake_scheme scheme;
    const auto sig = a.sign(as_bytes("message"));
    CHECK(scheme.verify(a.key(), as_bytes("message"), sig));
    CHECK_FALSE(scheme.verify(b.key(), as_bytes("message"), sig));
    CHECK_FALSE(scheme.verify(a.key(), as_bytes("massage"), sig));
    CHECK(fake_signer("a").key() == a.key());
    const ed25519_scheme real;
    CHECK_FALSE(real.verify(a.key(), as_bytes("message"), sig));
  }
}
