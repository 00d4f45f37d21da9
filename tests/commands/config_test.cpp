// Configuration files: every key is known, documented and bounded, and errors name what is wrong.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/config/node_file.hpp"
#include "apps/flamingo/config/parameters.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "apps/flamingo/config/samples.hpp"
#include "apps/flamingo/config/toml_text.hpp"
#include "apps/flamingo/config/writer.hpp"
#include "crypto/hex.hpp"
#include "tests/commands/field_count.hpp"
#include "tests/commands/temporary_directory.hpp"

using namespace flamingo;
using testing::replaced;

namespace {

std::string sample(const std::string& kind) {
  for (const auto& x : config::samples())
    if (x.kind == kind) return x.text;
  throw std::runtime_error("no sample " + kind);
}

/// The error that reading gives, or nothing.
template <class F>
std::string complaint(F read) {
  try {
    read();
  } catch (const config::error& e) {
    return e.what();
  }
  return {};
}

std::string node_complaint(const std::string& text) {
  return complaint([&] { config::parse_node(text, "node.toml"); });
}
std::string committee_complaint(const std::string& text) {
  return complaint([&] { config::parse_committee(text, "committee.toml"); });
}

struct probe {
  std::uint16_t small = 7;
  std::int64_t wide = -3;
  bool on = false;
  std::string name = "x";
  std::chrono::milliseconds wait{5};
  network_address where{"h", 1};
  public_key key;

  config::section describe() {
    return {
        .key = {},
        .meaning = {},
        .entries = {config::integer("small", small, 1, 10, "Small.", "apples"),
                    config::integer("wide", wide, -10, 10, "Wide."), config::flag("on", on, "On."),
                    config::text("name", name, "a name", "Name."),
                    config::milliseconds("wait_ms", wait, 1, 9, "Wait."),
                    config::address("where", where, 1, "Where."), config::hex("key", key, "Key.")}};
  }
  std::string complaint(const std::string& text) {
    return ::complaint([&] { config::read_toml(text, "f.toml", describe()); });
  }
};

}  // namespace

TEST_SUITE("config") {
  TEST_CASE("each sample in configs is exactly what the program documents") {
    for (const auto& x : config::samples()) {
      const bool same = testing::content_of(std::string(FLAMINGO_SOURCE_DIR) + "/configs/" +
                                            x.kind + ".toml") == x.text;
      CHECK_MESSAGE(same, "write it anew: flamingo check-config --sample "
                              << x.kind << " > configs/" << x.kind << ".toml");
    }
  }

  TEST_CASE("every protocol parameter has a key in the committee file") {
    protocol_parameters x;
    CHECK(config::describe_protocol(x).entries.size() +
              config::describe_application(x).entries.size() ==
          testing::field_count<protocol_parameters>());
  }

  TEST_CASE("every local parameter has a key in the node file") {
    local_parameters x;
    CHECK(config::describe_local(x).entries.size() == testing::field_count<local_parameters>());
  }

  TEST_CASE("every link setting has a key") {
    config::link_section x;
    const auto described = config::describe(x);
    // Of its fields three are paths of [keys] and one is the emulation, with tables of its own.
    CHECK(described.entries.size() == testing::field_count<link::settings>() - 4);
    CHECK(described.sections.at(0).entries.size() == testing::field_count<link::emulation>());
  }

  TEST_CASE("link settings get the paths of the keys and the emulation of each peer") {
    const auto node = config::parse_node(
        "validator = \"v0\"\n[link.emulation]\ndelay_us = 9\n[[link.emulation_to]]\n"
        "peer = \"validator-3\"\nrate_bits = 1000\n",
        "net/v0/node.toml");
    const auto link = config::link_settings(node.link, node.keys, node.source);
    CHECK(link.authority == "net/ca.pem");
    CHECK(link.private_key == "net/v0/validator.key");
    CHECK(link.emulate.all.delay.count() == 9);
    const link::peer three{link::peer::kind::validator, 3};
    CHECK(link.emulate.to.at(three).rate_bits == 1000);
    CHECK(node_complaint("validator = \"v0\"\n[[link.emulation_to]]\npeer = \"v3\"\n")
              .find("node.toml: link.emulation_to[0].peer: expected") == 0);
    CHECK(node_complaint("validator = \"v0\"\n[link]\nidle_timeout_ms = 100\n")
              .find("node.toml: link: link setting idle_timeout is 100 ms, expected 2001") == 0);
  }

  TEST_CASE("every setting of a client has a key or an option of the command") {
    config::client_file x;
    const auto keys = config::all_keys(config::describe(x));
    const auto of_load = std::count_if(keys.begin(), keys.end(),
                                       [](const auto& k) { return k.starts_with("load."); });
    // Options: rate, run_for, transaction_bytes, hot_per_mille, hot_accounts, seed, single.
    CHECK(of_load == testing::field_count<client::settings>() - 7);
  }

  TEST_CASE("the samples hold the defaults") {
    const auto node = config::parse_node(sample("node"), "node.toml");
    local_parameters defaults, read = node.local;
    CHECK(config::write_plain(config::describe_local(read), "") ==
          config::write_plain(config::describe_local(defaults), ""));
    CHECK(node.store.sync == storage::sync_mode::group);
    auto committee = config::parse_committee(sample("committee"), "committee.toml");
    protocol_parameters protocol;
    CHECK(config::write_plain(config::describe_protocol(committee.protocol), "") ==
          config::write_plain(config::describe_protocol(protocol), ""));
    CHECK(config::parse_client(sample("client"), "client.toml").client == "c0");
    CHECK(config::parse_operator(sample("operator"), "operator.toml").keys.certificate ==
          "operator.pem");
  }

  TEST_CASE("a key that the committee file lacks is an error and not a default") {
    const auto text = sample("committee");
    for (const auto* key : {"gc_depth", "bundle_window", "genesis_savings_cents", "epoch"}) {
      const auto at = text.find(std::string("\n") + key + " = ") + 1;
      auto without = text;
      without.erase(at, text.find('\n', at) + 1 - at);
      CHECK(committee_complaint(without).find(
                std::string(key) + ": missing: expected an integer") != std::string::npos);
    }
  }

  TEST_CASE("protocol sizes that would abort or stall validators are refused") {
    const auto with = [](const std::string& key, const std::string& value) {
      auto text = sample("committee");
      const auto at = text.find("\n" + key + " = ") + 1;
      text.replace(at, text.find('\n', at) - at, key + " = " + value);
      return committee_complaint(text);
    };
    CHECK(with("accounts", "2147483649")
              .find("application.accounts: expected an integer from 1 to 2147483648") !=
          std::string::npos);
    CHECK(with("max_bundle_bytes", "4194304") ==
          "committee.toml: protocol.max_batch_bytes: expected at least 4194448: a bundle of "
          "protocol.max_bundle_bytes and its wrapping");
    CHECK(with("max_bundle_bytes", "4194160") == "");
    CHECK(with("max_header_bytes", "16384")
              .starts_with("committee.toml: protocol.max_header_bytes: expected at least "));
    CHECK(with("max_header_bytes", "32768") == "");
  }

  TEST_CASE("an unknown key is refused with the nearest known one") {
    CHECK(node_complaint(sample("node") + "max_lagg = 3\n")
              .ends_with(": local.max_lagg: no such key; did you mean max_lag? If not: remove it"));
    CHECK(node_complaint("validator = \"v0\"\nhello = 1\n") ==
          "node.toml:2: hello: no such key: remove it");
    CHECK(committee_complaint(replaced(sample("committee"), "region =", "reigon ="))
              .find("validators[0].reigon: no such key; did you mean region?") !=
          std::string::npos);
  }

  TEST_CASE("a value out of its bounds is refused with the bounds and the line") {
    probe x;
    CHECK(x.complaint("small = 10") == "");
    CHECK(x.complaint("on = true\nsmall = 11") ==
          "f.toml:2: small: expected an integer from 1 to 10 (apples), found 11");
    CHECK(x.complaint("small = 0") != "");
    CHECK(x.complaint("wide = -11") != "");
    CHECK(x.complaint("wait_ms = 10") ==
          "f.toml:1: wait_ms: expected an integer from 1 to 9 (milliseconds), found 10");
    CHECK(x.complaint("small = 9223372036854775808").starts_with("f.toml:1: not valid TOML"));
    CHECK(x.small == 10);
  }

  TEST_CASE("a scheduler that changes the committed order is refused with the reason") {
    const auto said = node_complaint(
        replaced(sample("node"), "scheduler = \"static\"", "scheduler = \"hermes\""));
    CHECK(said.find("local.scheduler: expected one of \"static\", \"pilotfish\", \"flamingo\", "
                    "\"flamingo-paper\"") != std::string::npos);
    CHECK(said.find("hermes changes the committed order") != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
    CHECK(node_complaint(replaced(sample("node"), "scheduler = \"static\"",
                                  "scheduler = \"pilotfish\"")) == "");
  }

  TEST_CASE("a value of another type is refused") {
    probe x;
    CHECK(x.complaint("small = 3.0") ==
          "f.toml:1: small: expected an integer from 1 to 10 (apples), found 3.0");
    CHECK(x.complaint("small = \"3\"") != "");
    CHECK(x.complaint("on = 1") == "f.toml:1: on: expected true or false, found 1");
    CHECK(x.complaint("name = [1, 2]") ==
          "f.toml:1: name: expected a name as a string, found [ 1, 2 ]");
    CHECK(x.complaint("key = \"abc\"") ==
          "f.toml:1: key: expected 64 hexadecimal digits, found \"abc\"");
    CHECK(node_complaint("validator = \"v0\"\nlocal = 3\n") ==
          "node.toml:2: local: expected a table [local]");
    CHECK(node_complaint("validator = \"v0\"\n[store]\nsync = \"never\"\n") ==
          "node.toml:3: store.sync: expected one of \"group\", \"os\", found \"never\"");
  }

  TEST_CASE("text that is no TOML is refused with its line") {
    CHECK(node_complaint("validator = \"v0\"\n= 3\n").starts_with("node.toml:2: not valid TOML: "));
    const auto cut = node_complaint("validator = fals\n");
    CHECK(cut.starts_with("node.toml:1: not valid TOML: "));
    CHECK(cut.find('\n') == cut.npos);
  }

  TEST_CASE("text that nests deeper than any file needs is refused before it is parsed") {
    const auto dotted = [](std::size_t parts) {
      std::string out = "validator = \"v0\"\nunheard_of";
      for (std::size_t i = 1; i < parts; ++i) out += ".a";
      return out + " = 1\n";
    };
    CHECK(node_complaint(dotted(config::nesting_max)) ==
          "node.toml:2: unheard_of: no such key: remove it");
    const std::string deep = "node.toml:2: nests deeper than 16 levels: no configuration file does";
    CHECK(node_complaint(dotted(config::nesting_max + 1)) == deep);
    CHECK(node_complaint(dotted(200'000)) == deep);
    CHECK(node_complaint("validator = \"v0\"\nx = " + std::string(100'000, '[')) == deep);
    std::string header = "\n[a";
    for (int i = 0; i < 200'000; ++i) header += ".b";
    CHECK(node_complaint(header + "]\n") == deep);
    std::string tables;
    for (int i = 0; i < 1000; ++i) tables += "{a=";
    CHECK(node_complaint("\nx = " + tables) == deep);
    // Dots and brackets in strings and comments nest nothing.
    const std::string dots(1000, '.'), brackets(1000, '[');
    for (const auto& harmless :
         {"# " + dots + brackets + "\n", "data = \"" + dots + "\\\"" + brackets + "\"\n",
          "data = '" + dots + brackets + "'\n", "data = '''\n" + dots + "'\n" + brackets + "'''\n",
          "data = \"\"\"" + dots + "\\\"\"\\\"\n" + brackets + "\"\"\"\n"}) {
      CAPTURE(harmless);
      CHECK(node_complaint("validator = \"v0\"\n" + harmless) == "");
    }
    CHECK(config::line_too_deep("a = '''\n\n'''\nb = " + brackets) == 4u);
    CHECK(config::line_too_deep("a = 'open\n# \"\nb = " + brackets) == 3u);
  }

  TEST_CASE("more text than a file of its kind holds is refused") {
    CHECK(node_complaint("validator = \"v0\"\n#" + std::string(1 << 20, 'x')) ==
          "node.toml: is 1048594 bytes long, expected at most 1048576: is it the right file?");
    CHECK(node_complaint(std::string(100'000, 'k') + " = 1\n") ==
          "node.toml:1: " + std::string(64, 'k') + "...: no such key: remove it");
    // A committee file names up to 100000 clients.
    CHECK(committee_complaint(sample("committee") + "#" + std::string(2 << 20, 'x')) == "");
  }

  TEST_CASE("only a regular file is read") {
    testing::temporary_directory dir;
    const auto pipe = dir.path() / "node.toml";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(complaint([&] { config::load_node(pipe); }) == pipe.string() + ": is not a regular file");
  }

  TEST_CASE("an address is host and port") {
    using config::parse_address;
    CHECK(parse_address("a.b:70") == network_address{"a.b", 70});
    CHECK(parse_address("[::1]:70") == network_address{"::1", 70});
    CHECK(config::to_string(network_address{"::1", 70}) == "[::1]:70");
    for (const auto* bad : {"", "a", ":7", "a:", "a:65536", "a:7x", "::1:70", "a b:7", "a:-1"})
      CHECK_FALSE(parse_address(bad));
    probe x;
    CHECK(x.complaint("where = \"h:0\"") ==
          "f.toml:1: where: expected \"host:port\" with a port from 1 to 65535, found \"h:0\"");
  }

  TEST_CASE("what the writer writes the reader reads back") {
    probe x;
    x.small = 9;
    x.wide = -10;
    x.on = true;
    x.name = "a \"b\"\\\n\t\x7f é";
    x.wait = std::chrono::milliseconds(8);
    x.where = {"::2", 99};
    x.key.bytes.fill(0xab);
    for (const auto& text : {config::write_plain(x.describe(), "heading"),
                             config::write_documented(x.describe(), "heading")}) {
      probe y;
      CHECK(y.complaint(text) == "");
      CHECK(y.small == 9);
      CHECK(y.wide == -10);
      CHECK(y.on);
      CHECK(y.name == x.name);
      CHECK(y.wait == x.wait);
      CHECK(y.where == x.where);
      CHECK(y.key == x.key);
    }
  }

  TEST_CASE("a node file of init holds only what differs from the defaults") {
    config::node_file x;
    x.validator = "v7";
    x.local.max_lag = 77;
    const auto text = config::write_node(x);
    CHECK(text.find("max_lag = 77") != std::string::npos);
    CHECK(text.find("batch_bytes") == std::string::npos);
    const auto back = config::parse_node(text, "node.toml");
    CHECK(back.validator == "v7");
    CHECK(back.local.max_lag == 77);
  }

  TEST_CASE("a relative path starts at the file that names it") {
    CHECK(config::beside("net/v0/node.toml", "../committee.toml") == "net/committee.toml");
    CHECK(config::beside("net/v0/node.toml", "/x/y") == "/x/y");
    CHECK(config::beside("node.toml", "data") == "data");
  }

  TEST_CASE("a missing file is one line that names it") {
    CHECK(complaint([] { config::load_node("/nowhere/node.toml"); }) ==
          "/nowhere/node.toml: does not exist: flamingo init makes such files");
    CHECK(complaint([] { config::load_node("/"); }) == "/: is a directory: name the file in it");
  }
}

TEST_SUITE("committee file") {
  TEST_CASE("the chain id is the hash of the first file and any change makes another") {
    const auto text = sample("committee");
    const auto a = config::parse_committee(text, "a");
    CHECK(a.members.chain == a.members.file);
    const auto b = config::parse_committee(text + "\n", "b");
    CHECK(b.members.chain != a.members.chain);
  }

  TEST_CASE("a file of a later epoch keeps the chain id") {
    auto file = config::parse_committee(sample("committee"), "a");
    const auto chain = file.members.chain;
    file.members.epoch = epoch_id(1);
    const auto text = config::write_committee(file);
    const auto later = config::parse_committee(text, "b");
    CHECK(later.members.chain == chain);
    CHECK(later.members.file != chain);
    CHECK(
        committee_complaint(replaced(text, "epoch = 1", "epoch = 0")).find("chain: expected no") !=
        std::string::npos);
    CHECK(
        committee_complaint(replaced(text, "chain = ", "# chain = ")).find("chain: expected 64") !=
        std::string::npos);
  }

  TEST_CASE("what init writes reads back as it was") {
    auto file = config::parse_committee(sample("committee"), "a");
    file.protocol.gc_depth = 123;
    file.protocol.election = leader_election::round_robin;
    file.members.clients[1].assignee = validator_id(3);
    const auto text = config::write_committee(file);
    const auto back = config::parse_committee(text, "b");
    CHECK(config::write_committee(back) == text);
    CHECK(back.protocol.gc_depth == 123);
    CHECK(back.protocol.election == leader_election::round_robin);
    CHECK(back.members.clients[1].assignee == validator_id(3));
    CHECK(back.members.validators[2].workers[0].clients == network_address{"v2.example.org", 7004});
    CHECK(back.members.clients[0].owns(account_id(499'999)));
    CHECK_FALSE(back.members.clients[0].owns(account_id(500'000)));
  }

  TEST_CASE("two members never share a name, a key or an address") {
    const auto text = sample("committee");
    CHECK(committee_complaint(replaced(text, "name = \"v1\"", "name = \"v0\"")) ==
          "committee.toml: validators[1].name: expected another value: validators[0].name has v0 "
          "too");
    const auto key = [](byte x) { return crypto::to_hex(std::vector<byte>(32, x)); };
    CHECK(committee_complaint(replaced(text, key(2), key(1)))
              .find("validators[1].key: expected another value") != std::string::npos);
    CHECK(committee_complaint(replaced(text, key(102), key(3)))
              .find("clients[1].key: expected another value") != std::string::npos);
    CHECK(committee_complaint(replaced(text, "v1.example.org:7000", "v0.example.org:7004"))
              .find("expected another value") != std::string::npos);
  }

  TEST_CASE("an account has one owner at most") {
    const auto text = sample("committee");
    for (const auto* other : {"[[0, 10]]", "[[499999, 500001]]", "[[100, 200], [600000, 700000]]",
                              "[[0, 1000000]]", "[[700000, 700002], [700001, 700003]]"})
      CHECK(committee_complaint(replaced(text, "[[500000, 1000000]]", other))
                .find("clients[1].accounts: expected accounts that clients[") != std::string::npos);
    CHECK(committee_complaint(replaced(text, "[[500000, 1000000]]", "[[500000, 1000001]]")) ==
          "committee.toml: clients[1].accounts: expected accounts below application.accounts, "
          "1000000");
    for (const auto* bad : {"[[2, 2]]", "[[-1, 2]]", "[1, 2]", "[[1, 2, 3]]", "3"})
      CHECK(committee_complaint(replaced(text, "[[500000, 1000000]]", bad))
                .find("clients[1].accounts: expected ranges") != std::string::npos);
  }

  TEST_CASE("an assignee is a validator of the file") {
    CHECK(committee_complaint(
              replaced(sample("committee"), "assignee = \"v1\"", "assignee = \"v9\"")) ==
          "committee.toml: clients[1].assignee: expected a validator's name, found \"v9\"");
  }

  TEST_CASE("a validator has as many workers as the protocol says") {
    CHECK(committee_complaint(replaced(sample("committee"), "workers = 1", "workers = 2")) ==
          "committee.toml: validators[0].workers: expected 2 of them, as protocol.workers says; "
          "found 1");
  }

  TEST_CASE("a committee without validators is refused") {
    const auto text = sample("committee");
    const auto none = text.substr(0, text.find("# The validators;"));
    CHECK(committee_complaint(none) ==
          "committee.toml:1: validators: missing: expected at least one [[validators]]");
  }
}
