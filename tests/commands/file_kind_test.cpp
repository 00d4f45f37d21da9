// A file of another kind than a command reads: what it is and what is expected.
#include <doctest/doctest.h>

#include <array>

#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/config/file_kind.hpp"
#include "apps/flamingo/config/samples.hpp"
#include "apps/flamingo/network_plan.hpp"
#include "tests/commands/temporary_directory.hpp"

using namespace flamingo;
using config::file_kind;

namespace {

constexpr std::array kinds{file_kind::committee, file_kind::node, file_kind::client,
                           file_kind::operator_};

void read_as(file_kind kind, const std::string& text) {
  switch (kind) {
    case file_kind::committee:
      config::parse_committee(text, "x.toml");
      break;
    case file_kind::node:
      config::parse_node(text, "x.toml");
      break;
    case file_kind::client:
      config::parse_client(text, "x.toml");
      break;
    case file_kind::operator_:
      config::parse_operator(text, "x.toml");
  }
}

std::string complaint(file_kind kind, const std::string& text) {
  try {
    read_as(kind, text);
  } catch (const config::error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_SUITE("file kind") {
  TEST_CASE("a file of another kind is refused as what it is, whatever it holds") {
    testing::temporary_directory dir;
    network_plan plan;
    plan.directory = dir.path() / "net";
    plan.validators = plan.clients = 1;
    const auto net = make_network(plan);
    const std::array files{net.committee(), net.node(0), net.client(0), net.operator_()};
    for (std::size_t is = 0; is < kinds.size(); ++is)
      for (std::size_t wanted = 0; wanted < kinds.size(); ++wanted) {
        const auto text = testing::content_of(files[is]);
        CHECK(config::kind_of(text) == kinds[is]);
        const std::string found =
            kinds[is] == file_kind::operator_ ? "names no validator and no client, as " : "is ";
        const std::string refused = "x.toml: " + found + std::string(to_string(kinds[is])) +
                                    ": expected " + std::string(to_string(kinds[wanted]));
        const auto expected = is == wanted ? std::string() : refused;
        CHECK(complaint(kinds[wanted], text) == expected);
      }
  }

  TEST_CASE("each documented sample is of its kind") {
    for (const auto& x : config::samples()) {
      const auto kind = config::kind_of(x.text);
      REQUIRE(kind);
      CHECK(to_string(*kind).find(x.kind) != std::string::npos);
    }
  }

  TEST_CASE("a wrong key in a file of the right kind is still that") {
    CHECK(complaint(file_kind::client, "client = \"c0\"\nsomething_else = 1\n") ==
          "x.toml:2: something_else: no such key: remove it");
    CHECK(complaint(file_kind::client, "metrics = \"\"\n").find("client: missing") !=
          std::string::npos);
    CHECK_FALSE(config::kind_of("= nonsense"));
    CHECK_FALSE(config::kind_of("metrics = \"\"\n"));
  }
}
