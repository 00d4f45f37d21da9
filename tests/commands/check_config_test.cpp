// flamingo check-config: whatever a file names is checked before anything is called good.
#include <doctest/doctest.h>

#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "crypto/hex.hpp"
#include "tests/commands/network_files.hpp"

using namespace flamingo;
using testing::edit;
using testing::flamingo_run;
using testing::one_line;
using testing::small;

namespace fs = std::filesystem;

TEST_SUITE("check-config") {
  TEST_CASE("nothing is called good before all of it is checked") {
    testing::temporary_directory dir;
    const auto layout = make_network(small(dir.path() / "net"));
    const auto text = testing::content_of(layout.node(0));
    const auto refused = [&](const std::string& with, const std::string& part) {
      testing::overwrite(layout.node(0), with);
      const auto checked = flamingo_run({"check-config", layout.node(0).string()});
      CHECK(checked.code == 1);
      CHECK(checked.out == "");
      CHECK_MESSAGE(one_line(checked.err), checked.err);
      const auto folder = layout.node(0).parent_path().string();
      CHECK_MESSAGE(checked.err.find(folder) != std::string::npos, checked.err);
      CHECK_MESSAGE(checked.err.find(part) != std::string::npos, checked.err);
    };
    const auto emulation = [](const std::string& peer) {
      return "\n[[link.emulation_to]]\npeer = \"" + peer + "\"\n";
    };
    refused(text + emulation("validator-4"),
            "link.emulation_to[0].peer: expected a member of " + layout.committee().string() +
                ", which has validator-0 to validator-3, found \"validator-4\"");
    refused(text + emulation("client-4"), "client-0 to client-3, found \"client-4\"");
    refused(text + emulation("validator-3") + emulation("validator-3"), "is there twice");
    refused("data = \"\"\n" + text, "data: expected a path as a string");
    refused(text + "\n[store]\nstore_bytes_max = 100000000\n",
            "store.preallocate_bytes: expected at most store.store_bytes_max, 100000000, found");
    refused(text +
                "\n[internal]\ntls = true\ncertificate = \"validator-0.pem\"\n"
                "certificate_key = \"gone.key\"\nauthority = \"../ca.pem\"\n",
            "gone.key: cannot be read");
    refused("", "holds no key");
    refused("# A comment.\n", "holds no key");
    testing::overwrite(layout.node(0), text + emulation("client-3") + emulation("validator-3"));
    CHECK(flamingo_run({"check-config", layout.node(0).string()}).code == 0);
  }

  TEST_CASE("clients and the operator may not emulate links to nobody either") {
    testing::temporary_directory dir;
    const auto layout = make_network(small(dir.path() / "net"));
    for (const auto& file : {layout.client(0), layout.operator_()}) {
      testing::overwrite(
          file, testing::content_of(file) + "\n[[link.emulation_to]]\npeer = \"validator-9\"\n");
      const auto checked = flamingo_run({"check-config", file.string()});
      CHECK(checked.code == 1);
      CHECK_MESSAGE(checked.err.find("found \"validator-9\"") != std::string::npos, checked.err);
    }
  }

  TEST_CASE("a balancing rule that this version has not is refused wherever the file is read") {
    testing::temporary_directory dir;
    const auto layout = make_network(small(dir.path() / "net"));
    edit(layout.committee(), "balancing = \"none\"", "balancing = \"flamingo\"");
    for (const std::vector<std::string>& args :
         {std::vector<std::string>{"check-config", layout.committee().string()},
          {"check-config", layout.node(0).string()},
          {"node", "--config", layout.node(0).string()},
          {"status", "--config", layout.operator_().string()}}) {
      const auto run = flamingo_run(args);
      CHECK(run.code == 1);
      CHECK(run.out == "");
      CHECK_MESSAGE(run.err.find("protocol.balancing = \"flamingo\"") != std::string::npos,
                    run.err);
      CHECK_MESSAGE(one_line(run.err), run.err);
    }
  }

  TEST_CASE("what many accounts take is told in one line before anything is started") {
    testing::temporary_directory dir;
    const auto net = (dir.path() / "net").string();
    const auto made = flamingo_run(
        {"init", "--accounts", "100000000", "--executors", "4", "--clients", "1", "--dir", net});
    CHECK(made.code == 0);
    CHECK_MESSAGE(one_line(made.err), made.err);
    CHECK_MESSAGE(made.err.find("100000000 accounts take up to 15.6 GiB of memory in a validator "
                                "with 4 executors") != std::string::npos,
                  made.err);
    for (const std::string file : {"committee.toml", "v0/node.toml"}) {
      const auto checked = flamingo_run({"check-config", net + "/" + file});
      CHECK(checked.code == 0);
      CHECK_MESSAGE(one_line(checked.err), checked.err);
      CHECK_MESSAGE(checked.err.find("100000000 accounts take up to") != std::string::npos,
                    checked.err);
    }
    CHECK(flamingo_run({"check-config", net + "/c0/client.toml"}).err == "");
    const auto few = flamingo_run({"init", "--accounts", "1000000", "--dir", net + "2"});
    CHECK(few.err == "");
  }

  TEST_CASE("paths in a file that a symbolic link leads to start where the real file is") {
    testing::temporary_directory dir;
    const auto layout = make_network(small(dir.path() / "net"));
    fs::create_directories(dir.path() / "etc/flamingo");
    const auto file = dir.path() / "etc/flamingo/node.toml";
    fs::create_symlink(layout.node(0), file);
    CHECK(flamingo_run({"check-config", file.string()}).code == 0);
    // A link to the directory, too: its parent is not the link's.
    const auto folder = dir.path() / "etc/v0";
    fs::create_directory_symlink(layout.node(0).parent_path(), folder);
    CHECK(flamingo_run({"check-config", (folder / "node.toml").string()}).code == 0);
    CHECK(config::beside(folder / "node.toml", "data") == folder / "data");
    CHECK(fs::equivalent(config::beside(folder / "node.toml", "../committee.toml"),
                         layout.committee()));
  }

  TEST_CASE("a validator with the key of another is refused with both values") {
    testing::temporary_directory dir;
    const auto layout = make_network(small(dir.path() / "net"));
    fs::rename(layout.directory / "v1/signing.key", layout.directory / "v0/signing.key");
    const auto members = config::load_committee(layout.committee()).members;
    const auto checked = flamingo_run({"check-config", layout.node(0).string()});
    CHECK(checked.code == 1);
    CHECK(one_line(checked.err));
    CHECK(checked.err.find(crypto::to_hex(members.validators[0].key)) != std::string::npos);
    CHECK(checked.err.find(crypto::to_hex(members.validators[1].key)) != std::string::npos);
  }

  TEST_CASE("a coin share or a certificate of another validator is refused") {
    testing::temporary_directory dir;
    const auto layout = make_network(small(dir.path() / "net"));
    fs::copy_file(layout.directory / "v1/coin.key", layout.directory / "v0/coin.key",
                  fs::copy_options::overwrite_existing);
    const auto coin = flamingo_run({"check-config", layout.node(0).string()});
    CHECK(coin.code == 1);
    CHECK(one_line(coin.err));
    CHECK(coin.err.find("v0/coin.key") != std::string::npos);
    edit(layout.node(2), "validator-2.pem", "../v3/validator-3.pem");
    edit(layout.node(2), "validator-2.key", "../v3/validator-3.key");
    const auto certificate = flamingo_run({"check-config", layout.node(2).string()});
    CHECK(certificate.code == 1);
    CHECK(one_line(certificate.err));
    CHECK(certificate.err.find("validator-3.pem") != std::string::npos);
  }

  TEST_CASE("a secret that others can read is refused") {
    testing::temporary_directory dir;
    const auto layout = make_network(small(dir.path() / "net"));
    fs::permissions(layout.directory / "c1/signing.key", fs::perms(0644));
    const auto checked = flamingo_run({"check-config", layout.client(1).string()});
    CHECK(checked.code == 1);
    CHECK(one_line(checked.err));
    CHECK(checked.err.find("c1/signing.key") != std::string::npos);
  }

  TEST_CASE("a name that the committee lacks is refused with the names it has") {
    testing::temporary_directory dir;
    const auto layout = make_network(small(dir.path() / "net"));
    edit(layout.node(0), "\"v0\"", "\"v9\"");
    const auto checked = flamingo_run({"check-config", layout.node(0).string()});
    CHECK(checked.code == 1);
    CHECK(checked.err.find("no validator \"v9\": it has v0, v1, v2, v3") != std::string::npos);
  }

  TEST_CASE("a committee file of another network is refused") {
    testing::temporary_directory dir;
    const auto layout = make_network(small(dir.path() / "a"));
    const auto other = make_network(small(dir.path() / "b"));
    fs::copy_file(other.committee(), layout.committee(), fs::copy_options::overwrite_existing);
    for (const auto& file : {layout.node(0), layout.client(0)})
      CHECK(flamingo_run({"check-config", file.string()}).code == 1);
  }
}
