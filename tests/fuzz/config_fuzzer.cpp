// What an operator may have written: each kind of file is read, or refused in one line that names
// it. What was read survives being written.
#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/config/node_file.hpp"
#include "apps/flamingo/config/samples.hpp"
#include "tests/fuzz/start_from.hpp"

using namespace flamingo;

namespace {

enum class kind : std::uint8_t { committee, node, client, operator_ };
constexpr std::size_t kinds = 4;

std::vector<std::vector<std::uint8_t>> make_examples() {
  std::vector<std::vector<std::uint8_t>> result;
  for (const auto& [name, text] : config::samples()) {
    const auto which = name == "committee" ? kind::committee
                       : name == "node"    ? kind::node
                       : name == "client"  ? kind::client
                                           : kind::operator_;
    result.push_back(fuzz::example(static_cast<std::uint8_t>(which),
                                   {reinterpret_cast<const byte*>(text.data()), text.size()}));
  }
  return result;
}

/// Reads, writes what was read, reads that, and writes it again: the same.
template <class Parse, class Write>
void read(const std::string& text, Parse parse, Write write) {
  std::string once;
  try {
    once = write(parse(text, "some.toml"));
  } catch (const config::error& e) {
    const std::string line = e.what();
    FLAMINGO_ASSERT(line.starts_with("some.toml"));
    FLAMINGO_ASSERT(line.find('\n') == line.npos);
    return;
  }
  FLAMINGO_ASSERT(write(parse(once, "some.toml")) == once);
}

}  // namespace

FLAMINGO_FUZZ_FROM(make_examples)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string text(data + 1, data + size);
  switch (static_cast<kind>(data[0] % kinds)) {
    case kind::committee:
      read(text, config::parse_committee, [](const auto& x) { return config::write_committee(x); });
      break;
    case kind::node:
      read(text, config::parse_node, config::write_node);
      break;
    case kind::client:
      read(text, config::parse_client, config::write_client);
      break;
    case kind::operator_:
      read(text, config::parse_operator, config::write_operator);
      break;
  }
  return 0;
}
