// flamingo init: a new network is complete, consistent, secret where it must be, and never
// overwrites.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "apps/flamingo/config/identity.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "tests/commands/network_files.hpp"

using namespace flamingo;
using testing::edit;
using testing::flamingo_run;
using testing::one_line;
using testing::small;

namespace fs = std::filesystem;

TEST_SUITE("init") {
  TEST_CASE("every file of a new network checks out") {
    testing::temporary_directory dir;
    const auto net = (dir.path() / "net").string();
    const auto made = flamingo_run({"init", "--validators", "4", "--clients", "3", "--dir", net});
    CHECK(made.code == 0);
    CHECK(made.err == "");
    for (const std::string file : {"committee.toml", "v0/node.toml", "v3/node.toml",
                                   "c0/client.toml", "c2/client.toml", "operator/operator.toml"}) {
      const auto checked = flamingo_run({"check-config", net + "/" + file});
      CHECK_MESSAGE(checked.code == 0, checked.err);
      CHECK(checked.out.find("4 validators (1 may be faulty), 3 clients") != std::string::npos);
    }
  }

  TEST_CASE("who makes a network is told who owns which accounts and what to do next") {
    testing::temporary_directory dir;
    const auto net = (dir.path() / "net").string();
    const auto made =
        flamingo_run({"init", "--clients", "3", "--accounts", "1001", "--dir", net}).out;
    CHECK(made.find("c0 0 to 333, c1 334 to 667, c2 668 to 1000\n") != std::string::npos);
    for (const std::string& next : {"node --config " + net + "/v0/node.toml",
                                    "status --config " + net + "/operator/operator.toml",
                                    "bank pay --config " + net + "/c0/client.toml",
                                    "client --config " + net + "/c0/client.toml"})
      CHECK(made.find("flamingo " + next) != std::string::npos);
    const auto many =
        flamingo_run({"init", "--clients", "20", "--dir", (dir.path() / "many").string()}).out;
    CHECK(many.find("c7 350000 to 399999, and so on up to c19\n") != std::string::npos);
  }

  TEST_CASE("a network of one to three validators checks out too") {
    for (const std::size_t n : {1, 2, 3}) {
      testing::temporary_directory dir;
      auto plan = small(dir.path() / "net");
      plan.validators = n;
      const auto layout = make_network(plan);
      const auto checked = flamingo_run({"check-config", layout.node(n - 1).string()});
      CHECK_MESSAGE(checked.code == 0, checked.err);
    }
  }

  TEST_CASE("secrets are for their owner only and everything else is not secret") {
    testing::temporary_directory dir;
    const auto layout = make_network(small(dir.path() / "net"));
    std::size_t secrets = 0;
    for (const auto& x : fs::recursive_directory_iterator(layout.directory)) {
      struct stat info {};
      REQUIRE(::stat(x.path().c_str(), &info) == 0);
      const auto mode = info.st_mode & 0777;
      if (x.path().extension() == ".key") {
        CHECK_MESSAGE(mode == 0600, x.path());
        ++secrets;
      } else if (x.is_directory()) {
        CHECK_MESSAGE(mode == 0700, x.path());
      } else {
        CHECK_MESSAGE(mode == 0644, x.path());
      }
    }
    CHECK(secrets == 4 * 3 + 4 * 2 + 1 + 1);
  }

  TEST_CASE("links and windows that the largest messages do not pass are refused") {
    testing::temporary_directory dir;
    const auto net = dir.path() / "net";
    make_network(small(net));
    const auto checked = [&](const std::string& file) {
      const auto x = flamingo_run({"check-config", (net / file).string()});
      CHECK((x.code == 0) == x.err.empty());
      if (x.code != 0) CHECK(one_line(x.err));
      return x.err;
    };
    const auto with = [&](const std::string& file, const std::string& more) {
      const auto before = testing::content_of(net / file);
      testing::overwrite(net / file, before + more);
      const auto said = checked(file);
      testing::overwrite(net / file, before);
      return said;
    };
    const std::string node = "v0/node.toml", client = "c0/client.toml";
    CHECK(with(node, "[link]\nqueue_bytes = 1048576\n")
              .find("link.queue_bytes: expected at "
                    "least 4259840: protocol."
                    "max_batch_bytes") != std::string::npos);
    CHECK(with(client, "[link]\nmax_frame_bytes = 65536\n")
              .find("link.max_frame_bytes: expected at least 1114112: the receipts") !=
          std::string::npos);
    edit(net / "committee.toml", "max_header_bytes = 1048576", "max_header_bytes = 16777216");
    CHECK(checked(node).find("link.max_frame_bytes: expected at least 16843012: "
                             "protocol.max_header_bytes with a certificate") != std::string::npos);
    CHECK(checked(client) == "");
    edit(net / "committee.toml", "max_header_bytes = 16777216", "max_header_bytes = 1048576");
    edit(net / "committee.toml", "max_bundle_bytes = 1048576", "max_bundle_bytes = 2097152");
    for (const std::string key : {"client_window_bytes", "ingress_bytes"})
      CHECK(with(node, "[local]\n" + key + " = 1048576\n")
                .find("local." + key + ": expected at least protocol.max_bundle_bytes") !=
            std::string::npos);
    CHECK(checked(node) == "");
  }

  TEST_CASE("history that is shorter than who joins needs for the state is refused") {
    testing::temporary_directory dir;
    const auto net = dir.path() / "net";
    REQUIRE(flamingo_run({"init", "--dir", net.string(), "--accounts", "1000000"}).code == 0);
    const auto node = net / "v0/node.toml";
    const auto before = testing::content_of(node);
    const auto with = [&](const std::string& local) {
      testing::overwrite(node, before + "[local]\n" + local);
      return flamingo_run({"check-config", node.string()}).err;
    };
    const std::string slow = "checkpoint_bytes_per_second = 65536\n";  // 64 MB in 977 s
    CHECK(with(slow + "history_retention_s = 977\n").empty());
    const auto said = with(slow + "history_retention_s = 976\n");
    CHECK(one_line(said));
    CHECK(said.find("local.history_retention_s: expected at least 977") != std::string::npos);
    CHECK(with("history_retention_s = 1\n").find("expected at least 2") != std::string::npos);
  }

  TEST_CASE("nothing is ever overwritten") {
    testing::temporary_directory dir;
    const auto net = (dir.path() / "net").string();
    REQUIRE(flamingo_run({"init", "--dir", net}).code == 0);
    const auto before = testing::content_of(net + "/committee.toml");
    const auto again = flamingo_run({"init", "--dir", net});
    CHECK(again.code == 1);
    CHECK(one_line(again.err));
    CHECK(again.err.find(net + ": exists") != std::string::npos);
    CHECK(testing::content_of(net + "/committee.toml") == before);
  }

  TEST_CASE("two networks share nothing") {
    testing::temporary_directory dir;
    const auto a = config::load_committee(make_network(small(dir.path() / "a")).committee());
    const auto b = config::load_committee(make_network(small(dir.path() / "b")).committee());
    CHECK(a.members.chain != b.members.chain);
    CHECK(a.members.validators[0].key != b.members.validators[0].key);
    CHECK(a.members.validators[0].coin_key != b.members.validators[0].coin_key);
  }

  TEST_CASE("the accounts are split evenly and each client has its validator") {
    testing::temporary_directory dir;
    auto plan = small(dir.path() / "net");
    plan.clients = 6;
    const auto members = config::load_committee(make_network(plan).committee()).members;
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      const auto& range = members.clients[i].accounts.at(0);
      CHECK(range.first.value == next);
      next = range.last.value;
      const auto size = range.last.value - range.first.value;
      CHECK((size == 166 || size == 167));
      CHECK(members.clients[i].assignee.value == i % 4);
    }
    CHECK(next == 1001);
  }

  TEST_CASE("validators on one host have different ports and may share them on different hosts") {
    testing::temporary_directory dir;
    auto plan = small(dir.path() / "net");
    plan.protocol.workers = 5;
    plan.base_port = 20'000;
    const auto members = config::load_committee(make_network(plan).committee()).members;
    CHECK(members.validators[0].primary.port == 20'000);
    CHECK(members.validators[1].primary.port == 20'020);
    plan.directory = dir.path() / "hosts";
    plan.hosts = {"a", "b", "c", "d"};
    plan.listen_host = "0.0.0.0";
    const auto layout = make_network(plan);
    const auto spread = config::load_committee(layout.committee()).members;
    CHECK(spread.validators[3].primary == network_address{"d", 20'000});
    const auto node = config::load_node(layout.node(3));
    CHECK(node.listen.primary == network_address{"0.0.0.0", 20'000});
    CHECK(node.listen.workers.size() == 5);
    CHECK(node.metrics == network_address{"0.0.0.0", 20'002});
  }

  TEST_CASE("the bare preset has plain links and leaves syncs to the operating system") {
    testing::temporary_directory dir;
    const auto net = (dir.path() / "net").string();
    REQUIRE(flamingo_run({"init", "--dir", net, "--preset", "bare"}).code == 0);
    CHECK(config::load_node(net + "/v0/node.toml").store.sync == storage::sync_mode::os);
    CHECK_FALSE(config::load_node(net + "/v3/node.toml").link.settings.tls);
    CHECK_FALSE(config::load_client(net + "/c0/client.toml").link.settings.tls);
    CHECK_FALSE(config::load_operator(net + "/operator/operator.toml").link.settings.tls);
    CHECK(flamingo_run({"init", "--dir", net + "2"}).code == 0);
    CHECK(config::load_node(net + "2/v0/node.toml").store.sync == storage::sync_mode::group);
    CHECK(config::load_node(net + "2/v0/node.toml").link.settings.tls);
  }

  TEST_CASE("a network that cannot be made leaves nothing behind") {
    testing::temporary_directory dir;
    auto plan = small(dir.path() / "net");
    plan.hosts = {"not a host"};
    plan.ports = {1, 2, 3};  // too few
    CHECK_THROWS(make_network(plan));
    CHECK_FALSE(fs::exists(plan.directory));
    CHECK(fs::is_empty(dir.path()));
  }

  TEST_CASE("a signal ends it and nothing is left of what was half made") {
    testing::temporary_directory dir;
    auto plan = small(dir.path() / "net");
    for (const std::size_t calls : {1, 4, 9}) {
      std::size_t asked = 0;
      const auto stopped = [&] {
        // Until it is done the target is not there, and what is there is its owner's alone.
        CHECK_FALSE(fs::exists(plan.directory));
        for (const auto& x : fs::directory_iterator(dir.path()))
          CHECK(fs::status(x).permissions() == fs::perms::owner_all);
        return ++asked == calls;
      };
      CHECK_THROWS_WITH_AS(
          make_network(plan, stopped),
          (plan.directory.string() + ": stopped by a signal: nothing was made").c_str(),
          config::error);
      CHECK(asked == calls);
      CHECK(fs::is_empty(dir.path()));
    }
    CHECK(fs::exists(make_network(plan).committee()));
    CHECK(std::distance(fs::directory_iterator(dir.path()), {}) == 1);
  }

  TEST_CASE("an empty directory is taken, also by a symbolic link or with a slash at its end") {
    testing::temporary_directory dir;
    fs::create_directory(dir.path() / "real");
    fs::create_directory_symlink(dir.path() / "real", dir.path() / "link");
    CHECK(flamingo_run({"init", "--dir", (dir.path() / "link").string() + "/"}).code == 0);
    CHECK(fs::exists(dir.path() / "real/v3/node.toml"));
    CHECK(fs::is_symlink(dir.path() / "link"));
    // It stays whose it was, and as open as it was.
    const auto own = dir.path() / "own";
    fs::create_directory(own);
    fs::permissions(own, fs::perms(0750));
    CHECK(flamingo_run({"init", "--dir", own.string()}).code == 0);
    CHECK(fs::status(own).permissions() == fs::perms(0750));
    CHECK(flamingo_run({"init", "--dir", (dir.path() / "new/er").string() + "/"}).code == 0);
    CHECK(fs::exists(dir.path() / "new/er/committee.toml"));
  }

  TEST_CASE("a target that cannot be is refused by name and says what to do") {
    testing::temporary_directory dir;
    const auto refused = [&](const fs::path& target, const std::string& part) {
      const auto made = flamingo_run({"init", "--dir", target.string()});
      CHECK(made.code == 1);
      CHECK_MESSAGE(one_line(made.err), made.err);
      CHECK_MESSAGE(made.err.find(target.string()) != std::string::npos, made.err);
      CHECK_MESSAGE(made.err.find(part) != std::string::npos, made.err);
    };
    testing::overwrite(dir.path() / "file", "x");
    refused(dir.path() / "file", "exists and is no directory: choose another");
    refused(dir.path() / "file/net", "choose another");
    REQUIRE(flamingo_run({"init", "--dir", (dir.path() / "net").string()}).code == 0);
    refused(dir.path() / "net", "exists and is not empty: choose another");
    refused("/proc", "exists and is not empty");
    refused("/proc/net-of-mine", "choose another");
  }
}

TEST_SUITE("command line") {
  TEST_CASE("each command explains itself with an example") {
    const auto top = flamingo_run({"--help"});
    CHECK(top.code == 0);
    for (const std::string command :
         {"init", "check-config", "node", "client", "bank", "local", "status", "version"}) {
      CHECK(top.out.find("\n  " + command + " ") != std::string::npos);
      const auto help = flamingo_run({command, "--help"});
      CHECK(help.code == 0);
      CHECK(help.err == "");
      CHECK(help.out.find("Example: flamingo " + command) != std::string::npos);
    }
  }

  TEST_CASE("wrong use is one line and exit code 2") {
    for (const std::vector<std::string>& args :
         std::vector<std::vector<std::string>>{{},
                                               {"fly"},
                                               {"init"},
                                               {"init", "--dir"},
                                               {"init", "--dir", "x", "--validators", "0"},
                                               {"init", "--dir", "x", "--preset", "fast"},
                                               {"init", "--dir", "x", "--frobnicate"},
                                               {"check-config"}}) {
      const auto used = flamingo_run(args);
      CHECK(used.code == 2);
      CHECK_MESSAGE(one_line(used.err), used.err);
      CHECK(used.out == "");
    }
  }

  TEST_CASE("wrong use points to the help of the command that it is of") {
    CHECK(flamingo_run({"bank", "pay", "--from", "1"})
              .err.ends_with(": see flamingo bank pay --help\n"));
    CHECK(flamingo_run({"bank"}).err.ends_with(": see flamingo bank --help\n"));
    CHECK(flamingo_run({"fly"}).err.ends_with(": see flamingo --help\n"));
  }

  TEST_CASE("an option that there is not is named, with the one that may be meant") {
    CHECK(flamingo_run({"bank", "pay", "--confg", "x"}).err ==
          "flamingo: \"--confg\" is no option of it; did you mean --config?: see flamingo bank pay "
          "--help\n");
    CHECK(flamingo_run({"status", "--config", "x", "--jsn"}).err ==
          "flamingo: \"--jsn\" is no option of it; did you mean --json?: see flamingo status "
          "--help\n");
    CHECK(flamingo_run({"version", "now"}).err ==
          "flamingo: \"now\" is one word too many: see flamingo version --help\n");
  }

  TEST_CASE("a word that is no command is answered with those that there are") {
    const auto frob = flamingo_run({"frob"});
    CHECK(frob.code == 2);
    CHECK(
        frob.err ==
        "flamingo: \"frob\" is no command: expected one of init, check-config, node, client, bank, "
        "local, bench, status, executor, version: see flamingo --help\n");
    CHECK(flamingo_run({"statsu", "--json"}).err.find("did you mean status?") != std::string::npos);
    CHECK(flamingo_run({"bank", "pya"}).err ==
          "flamingo: \"pya\" is no command; did you mean pay?: expected one of balance, deposit, "
          "pay: "
          "see flamingo bank --help\n");
    CHECK(
        flamingo_run({"--frob", "status"}).err ==
        "flamingo: \"--frob\" is no option of flamingo: expected one of init, check-config, node, "
        "client, bank, local, bench, status, executor, version: see flamingo --help\n");
    CHECK(flamingo_run({}).err.starts_with("flamingo: no command: expected one of init, "));
    CHECK(one_line(flamingo_run({std::string(10'000, '\n')}).err));
  }

  TEST_CASE("help shows bounds, choices and defaults in words") {
    const auto pay = flamingo_run({"bank", "pay", "--help"}).out;
    CHECK(pay.find("--cents N (at least 1, required)") != std::string::npos);
    CHECK(pay.find("--timeout N (1 to 3600, default 10)") != std::string::npos);
    CHECK(pay.find("--config TEXT (required)") != std::string::npos);
    const auto node = flamingo_run({"node", "--help"}).out;
    CHECK(node.find("--log-format {text,json} ") != std::string::npos);
    for (const std::string command : {"init", "node", "client", "local", "status"})
      CHECK(flamingo_run({command, "--help"}).out.find(" in [") == std::string::npos);
  }

  TEST_CASE("json output is one line of json") {
    const auto version = flamingo_run({"version", "--json"});
    CHECK(version.out.starts_with("{\"version\":\""));
    CHECK(one_line(version.out));
  }

  TEST_CASE("--version is what many type for version") {
    const auto flag = flamingo_run({"--version"});
    CHECK(flag.code == 0);
    CHECK(flag.out.starts_with("flamingo "));
    CHECK(flag.out == flamingo_run({"version"}).out);
  }
}
