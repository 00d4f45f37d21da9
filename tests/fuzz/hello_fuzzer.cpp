// The first frame of a link, from anybody: a hello or nothing, and one that is understood is
// refused or not, in one line.
#include "actors/link/hello.hpp"
#include "tests/fuzz/start_from.hpp"

using namespace flamingo;
using namespace flamingo::link;

namespace {

hello ours() {
  hello x;
  x.chain.bytes.fill(0xc4);
  x.committee.bytes.fill(0xf1);
  x.from = {peer::kind::validator, 1};
  return x;
}

std::vector<std::vector<std::uint8_t>> make_examples() {
  const auto bytes = encode(ours());
  return {fuzz::example(0, {reinterpret_cast<const byte*>(bytes.data()), bytes.size()})};
}

}  // namespace

FLAMINGO_FUZZ_FROM(make_examples)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const auto theirs = decode_hello(std::vector<char>(data + 1, data + size));
  if (!theirs) return 0;
  FLAMINGO_ASSERT(decode_hello(encode(*theirs)) == theirs);
  const admission rule{peer::kind::validator, 4, 2, std::nullopt};
  for (const auto& certified :
       {std::optional<std::string>(), std::optional(to_string(theirs->from))})
    if (const auto no = refusal(*theirs, ours(), rule, certified))
      FLAMINGO_ASSERT(!no->line.empty() && no->line.find('\n') == no->line.npos);
  return 0;
}
