// Applications keep the rules of docs/applications.md, and who breaks one is found.
#include "tests/unit/application_rules.hpp"

#include "tests/unit/application_loads.hpp"
#include "tests/unit/executor_group.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

enum class fault {
  none,
  values_too_large,
  another_genesis,
  genesis_beyond,
  another_set,
  key_twice,
  own_refusal,
  own_code,
  another_outcome,
  writes_beyond,
  writes_what_it_reads,
  changes_and_fails,
  ignores_a_full_set,
};

/// Counts up one key by what another holds; with at most one fault.
class careless final : public application {
public:
  explicit careless(fault x) : fault_(x) {}

  std::string_view name() const override { return "careless"; }
  std::size_t value_size() const override { return has(fault::values_too_large) ? 257 : 8; }
  std::uint64_t dense_keys() const override { return 100; }
  void genesis(std::uint64_t key, std::span<byte> into) const override {
    into[0] = static_cast<byte>(key + 1);
    if (has(fault::another_genesis)) into[0] = static_cast<byte>(++calls_);
    if (has(fault::genesis_beyond)) into.data()[into.size()] = 1;
  }
  void read_write_set(const stream_operation& x, access_set& into) const override {
    const std::uint64_t key = x.account.value % 50;
    if (has(fault::own_refusal)) return into.refuse(result_code::expired);
    into.add(key, access_mode::write);
    into.add(key + (has(fault::key_twice) ? 0 : 50), access_mode::read);
    if (has(fault::another_set)) into.set_cost(static_cast<std::uint16_t>(++calls_));
    if (has(fault::ignores_a_full_set) && x.account.value % 2 == 0)
      for (std::uint64_t i = 0; i < max_accesses + 13; ++i)
        into.add((key + 1 + i) % 50, access_mode::write);
  }
  result_code execute(const stream_operation&, const value_view& values) const override {
    values.write(0)[0] = static_cast<byte>(values.read(0)[0] + values.read(1)[0]);
    if (has(fault::own_code)) return result_code::system;
    if (has(fault::another_outcome)) values.write(0)[1] = static_cast<byte>(++calls_);
    if (has(fault::writes_beyond)) values.write(0).data()[values.write(0).size()] = 0;
    if (has(fault::writes_what_it_reads)) values.write(1)[0] = 0;
    return has(fault::changes_and_fails) ? result_code::insufficient : result_code::applied;
  }

private:
  bool has(fault x) const { return fault_ == x; }

  fault fault_;
  mutable std::uint64_t calls_ = 0;  // no application may have such a thing
};

std::string broken_by(fault x) {
  const auto rules = std::make_shared<careless>(x);
  if (auto broken = broken_genesis(*rules); !broken.empty()) return broken;
  serial_execution state(rules);
  return broken_rule(*rules, {account_id{3}, {}, false}, state);
}

/// Random operations of an application, whole or damaged, on the state that they lead to.
template <class Random>
void check_rules(std::shared_ptr<const application> rules, std::uint64_t accounts,
                 const std::vector<named_operation>& hostile, Random random) {
  CAPTURE(rules->name());
  CHECK(broken_genesis(*rules) == "");
  serial_execution state(rules);
  std::mt19937_64 rng(5);
  for (int i = 0; i < 40'000; ++i) {
    std::uint64_t account = rng() % (accounts + 1);
    std::vector<byte> bytes;
    if (rng() % 4 == 0) {
      const named_operation& x = hostile[rng() % hostile.size()];
      account = x.account;
      bytes = x.bytes;
    } else {
      bytes = random(rng, account);
    }
    if (rng() % 4 == 0 && !bytes.empty()) bytes[rng() % bytes.size()] = static_cast<byte>(rng());
    if (rng() % 16 == 0) bytes.resize(rng() % 60);
    CAPTURE(i);
    REQUIRE(broken_rule(*rules, {account_id{account}, bytes, false}, state) == "");
  }
}

}  // namespace

TEST_SUITE("application") {
  TEST_CASE("each rule that an application breaks is named") {
    CHECK(broken_by(fault::none) == "");
    CHECK(broken_by(fault::values_too_large) == "values have 1 to 256 bytes");
    CHECK(broken_by(fault::another_genesis) == "a key has two values at genesis");
    CHECK(broken_by(fault::genesis_beyond) == "wrote beyond a value at genesis");
    CHECK(broken_by(fault::another_set) == "the same bytes have two read/write sets");
    CHECK(broken_by(fault::key_twice) == "a key stands in the read/write set twice");
    CHECK(broken_by(fault::own_refusal) == "refused with a code of Flamingo's own");
    CHECK(broken_by(fault::own_code) == "ended with a code of Flamingo's own");
    CHECK(broken_by(fault::another_outcome) ==
          "the same operation on the same values has two outcomes");
    CHECK(broken_by(fault::writes_beyond) == "wrote beyond a value");
    CHECK(broken_by(fault::writes_what_it_reads) == "changed a value that it only reads");
    CHECK(broken_by(fault::changes_and_fails) == "changed a value and did not succeed");
  }

  TEST_CASE("SmallBank, key sets and escrow keep the rules whatever they are sent") {
    check_rules(std::make_shared<smallbank::bank>(10, smallbank::balances{100, 100}), 10,
                hostile_smallbank(),
                [](auto& rng, std::uint64_t) { return edge_smallbank(rng, 10); });
    check_rules(std::make_shared<keyset::keys>(20), 20, hostile_keysets(),
                [](auto& rng, std::uint64_t) {
                  std::vector<key_access> keys;
                  for (std::uint64_t i = 1 + rng() % 4; i > 0; --i)
                    keys.push_back({i * 9 + rng() % 9, static_cast<access_mode>(rng() % 2)});
                  std::vector<byte> bytes(keyset::encoded_bytes(keys.size()));
                  keyset::encode(static_cast<std::uint16_t>(rng() % 9), keys, bytes);
                  return bytes;
                });
    check_rules(std::make_shared<escrow::ledger>(100, 100), 100, hostile_escrow(),
                [](auto& rng, std::uint64_t acting) {
                  return random_escrow(rng, 100, acting, rng() % 2 == 0);
                });
  }

  TEST_CASE("a transaction that is refused stays so, touches nothing and costs 1") {
    access_set set;
    set.set_cost(900);
    for (std::uint64_t key = 0; key < max_accesses; ++key) CHECK(set.add(key, access_mode::write));
    CHECK(!set.refused());
    CHECK(set.cost() == 900);
    CHECK(!set.add(100, access_mode::write));
    CHECK(set.refusal() == result_code::invalid_operation);
    CHECK(!set.add(101, access_mode::write));
    set.refuse(result_code::invalid_amount);
    set.set_cost(900);
    CHECK(set.refusal() == result_code::invalid_operation);
    CHECK(set.accesses().empty());
    CHECK(set.cost() == 1);
    set.clear();
    CHECK(!set.refused());
    CHECK(set.add(1, access_mode::read));
  }

  TEST_CASE("an application that goes on with a full set does not part the executors") {
    const auto rules = std::make_shared<careless>(fault::ignores_a_full_set);
    for (const char* scheduler : {"static", "flamingo", "pilotfish"})
      for (unsigned seed = 1; seed <= 5; ++seed) {
        CAPTURE(scheduler);
        CAPTURE(seed);
        stream_source source({.seed = seed,
                              .rules = rules,
                              .write = [](operation_writer& into, std::mt19937_64& rng) {
                                into.application(account_id{rng() % 100}, {});
                              }});
        executor_group group({.executors = 3, .seed = seed, .scheduler = scheduler}, source);
        group.run(10);
        group.check_equal_to_serial();
      }
  }
}
