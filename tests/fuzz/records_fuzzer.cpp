// What a committer keeps, and what a joiner fetches from others: whatever the bytes, a record or
// nothing; and each record has one form, so what was read is what would be written.
#include <algorithm>

#include "actors/committer/records.hpp"
#include "tests/fuzz/start_from.hpp"
#include "tests/unit/checkpoint_samples.hpp"

using namespace flamingo;

namespace {

byte_span bytes_of(const std::vector<char>& x) {
  return {reinterpret_cast<const byte*>(x.data()), x.size()};
}

std::vector<std::vector<std::uint8_t>> make_examples() {
  const auto ledger = tests::ledger_sample();
  return {fuzz::example(0, bytes_of(committer::encode_head(ledger.head))),
          fuzz::example(1, bytes_of(committer::encode_window(ledger.windows.at(0).second))),
          fuzz::example(2, committer::encode_ledger(ledger))};
}

template <class Bytes>
void is(byte_span read, const Bytes& written) {
  FLAMINGO_ASSERT(std::equal(read.begin(), read.end(), written.begin(), written.end(),
                             [](auto a, auto b) { return a == static_cast<byte>(b); }));
}

}  // namespace

FLAMINGO_FUZZ_FROM(make_examples)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const byte_span bytes(reinterpret_cast<const byte*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      if (const auto x = committer::decode_head(bytes)) is(bytes, committer::encode_head(*x));
      break;
    case 1:
      if (const auto x = committer::decode_window(bytes)) is(bytes, committer::encode_window(*x));
      break;
    case 2:
      if (const auto x = committer::decode_ledger(bytes)) is(bytes, committer::encode_ledger(*x));
      break;
  }
  return 0;
}
