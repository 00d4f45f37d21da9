// Digests and the exact bytes that signatures cover, frozen in tests/golden/digests.txt, a name and
// hexadecimal digits a line: nodes that compute others never agree. How to change them on purpose
// is in frozen.hpp.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "crypto/checkpoint_checks.hpp"
#include "crypto/hex.hpp"
#include "crypto/sub_dag_chain.hpp"
#include "messages/account_counts.hpp"
#include "messages/batch_checks.hpp"
#include "messages/codec_client.hpp"
#include "tests/golden/hex_file.hpp"
#include "tests/unit/bundle_samples.hpp"
#include "tests/unit/codec_dag_values.hpp"

namespace flamingo::golden {

namespace {

using namespace flamingo::testing;
using namespace flamingo::tests;
namespace tags = crypto::tags;

using named_bytes = std::map<std::string, std::string>;  // hexadecimal

const crypto::signing_context context{some_digest(90), epoch_id{6}};

/// A batch as its author seals it: the digest over its bundles, and its accounts' counts.
checked_batch sealed() {
  const auto members = std::make_shared<const committee>(sample_committee());
  batch_checks checks(members, std::make_shared<crypto::fake_scheme>(), {{1 << 20, 1000}, 1 << 20});
  std::vector<checked_bundle> bundles;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto made = make_bundle(*members, client_id{i}, 1 + i, validator_id{1}, 3 + i);
    const auto got = checks.check(made.parts());
    bundles.push_back(*std::get<verified<checked_bundle>>(got));
  }
  return checks.seal(validator_id{3}, worker_id{1}, batch_sequence{12}, bundles);
}

named_bytes digests() {
  const auto bundle = make_bundle(sample_committee(), client_id{2}, 5, validator_id{3});
  const receipts one{validator_id{1},
                     round_number{33},
                     {{client_id{2},
                       bundle_sequence{4},
                       some_digest(1),
                       commit_index{5},
                       some_digest(2),
                       {0, 1}}}};
  std::vector<account_id> accounts;
  for (const std::uint64_t x : {700, 5, 700, 0, 5, 700, 1'000'000}) accounts.emplace_back(x);
  const std::vector<byte> codes{0, 0, 3, 8};
  const std::vector<digest> output{some_digest(4), some_digest(5)};
  const checked_batch batch = sealed();
  const auto hex = [](byte_span x) { return crypto::to_hex(x); };
  const digest first = crypto::sub_dag_chain({}, commit_index{1}, some_digest(3), output);
  return {
      {"header", hex(header_id(encode_header(full_header())))},
      {"genesis_header", hex(genesis_header(context.chain, validator_id{2}))},
      {"bundle", hex(bundle.id)},
      {"batch", hex(batch.id)},
      {"batch_counts", hex(batch.counts_digest)},
      {"counts", hex(crypto::hash(tags::counts, encode_counts(accounts)))},
      {"receipts", hex(crypto::hash(tags::receipts, encode_receipts(one)))},
      {"results", hex(crypto::hash(tags::results, codes))},
      {"ledger", hex(crypto::ledger_digest(codes))},
      {"checkpoint",
       hex(crypto::checkpoint_digest({commit_index{700}, some_digest(7), some_digest(8), 5000}))},
      {"chain_1", hex(first)},
      {"chain_2", hex(crypto::sub_dag_chain(first, commit_index{2}, some_digest(6), output))},
  };
}

named_bytes statements() {
  const digest what = some_digest(91);
  const auto hex = [](const crypto::signing_input& x) { return crypto::to_hex(x); };
  return {
      {"header_statement", hex(crypto::header_statement(context, what))},
      {"vote_statement",
       hex(crypto::vote_statement(context, what, validator_id{3}, round_number{0x900000007}))},
      {"receipts_statement", hex(crypto::receipts_statement(context, what))},
      {"checkpoint_statement", hex(crypto::checkpoint_statement(context, what))},
      {"bundle_statement", hex(crypto::bundle_statement(context.chain, what))},
  };
}

std::filesystem::path file() {
  return folder() / "digests.txt";
}

named_bytes frozen_digests() {
  std::ifstream in(file());
  named_bytes found;
  for (std::string name, hex; in >> name >> hex;) found[name] = hex;
  return found;
}

}  // namespace

TEST_SUITE("golden digests") {
  TEST_CASE("digests and what is signed are the frozen ones") {
    auto now = digests();
    now.merge(statements());
    if (writing()) {
      std::ofstream out(file());
      for (const auto& [name, hex] : now) out << name << ' ' << hex << '\n';
    }
    const auto before = frozen_digests();
    for (const auto& [name, hex] : now) {
      CAPTURE(name);
      REQUIRE(before.contains(name));
      CHECK(before.at(name) == hex);
    }
    CHECK(before.size() == now.size());
  }

  TEST_CASE("no two of the frozen digests are equal, whatever role the bytes have") {
    std::map<std::string, std::string> name_of;
    for (const auto& [name, hex] : frozen_digests())
      CHECK_MESSAGE(name_of.emplace(hex, name).second, name);
    CHECK(name_of.size() >= 15);
  }
}

}  // namespace flamingo::golden
