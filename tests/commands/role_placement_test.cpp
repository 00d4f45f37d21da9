// Roles of one validator in several processes: who listens where, and with which store.
#include <doctest/doctest.h>

#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/runtime/role_placement.hpp"
#include "tests/commands/temporary_directory.hpp"

using namespace flamingo;

namespace {

config::node_file spread(const std::filesystem::path& dir) {
  config::node_file x;
  x.source = (dir / "node.toml").string();
  x.internal.primary = {"10.0.0.1", 1};
  x.internal.worker = x.internal.executor = {"10.0.0.2", 2};
  return x;
}

std::string complaint(const config::node_file& file, const std::vector<std::string>& roles) {
  try {
    runtime::place_roles(file, roles);
  } catch (const config::error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_SUITE("role placement") {
  TEST_CASE("one process runs all roles and needs no address") {
    testing::temporary_directory dir;
    config::node_file file;
    file.source = (dir.path() / "node.toml").string();
    const auto x = runtime::place_roles(file, {"primary", "worker", "executor"});
    CHECK((x.here.primary && x.here.worker && x.here.executor));
    CHECK_FALSE(x.network);
    CHECK(x.data == dir.path() / "data");
  }

  TEST_CASE("processes that share a validator listen at their roles' address and know the others") {
    testing::temporary_directory dir;
    const auto file = spread(dir.path());
    const auto a = runtime::place_roles(file, {"primary"});
    CHECK(a.network->listen == network_address{"10.0.0.1", 1});
    CHECK(a.network->colleagues == std::vector<network_address>{{"10.0.0.2", 2}});
    CHECK(a.data == dir.path() / "data/primary");
    CHECK_FALSE(a.here.worker);
    const auto b = runtime::place_roles(file, {"executor", "worker"});
    CHECK(b.network->listen == network_address{"10.0.0.2", 2});
    CHECK(b.network->colleagues == std::vector<network_address>{{"10.0.0.1", 1}});
    CHECK(b.data == dir.path() / "data/worker");
  }

  TEST_CASE("a missing or contradicting address is named") {
    testing::temporary_directory dir;
    auto file = spread(dir.path());
    CHECK(complaint(file, {"worker"}).find("internal.executor: expected another") !=
          std::string::npos);
    CHECK(complaint(file, {"primary", "worker"}).find("internal.worker: expected ") !=
          std::string::npos);
    file.internal.worker = {};
    CHECK(complaint(file, {"primary"}).find("internal.worker: missing") != std::string::npos);
  }

  TEST_CASE("roles placed otherwise than before are refused") {
    testing::temporary_directory dir;
    const auto file = spread(dir.path());
    std::filesystem::create_directories(dir.path() / "data/primary");
    testing::overwrite(dir.path() / "data/primary/data.mdb", "x");
    CHECK(complaint(file, {"primary"}) == "");
    CHECK(complaint(file, {"primary", "worker", "executor"}).find("data/primary: holds") !=
          std::string::npos);
    testing::overwrite(dir.path() / "data/data.mdb", "x");
    CHECK(complaint(file, {"worker", "executor"}).find("data: holds this validator's store") !=
          std::string::npos);
  }
}
