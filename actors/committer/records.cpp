#include "actors/committer/records.hpp"

#include <algorithm>

namespace flamingo::committer {

namespace {

constexpr std::uint64_t format = 1;
constexpr std::size_t word = 8;

void put(std::vector<char>& into, std::uint64_t x) {
  for (std::size_t i = 0; i < word; ++i) into.push_back(static_cast<char>(x >> (8 * i)));
}

/// `from` holds at least one word.
std::uint64_t take(byte_span& from) {
  std::uint64_t x = 0;
  for (std::size_t i = 0; i < word; ++i) x |= std::uint64_t{from[i]} << (8 * i);
  from = from.subspan(word);
  return x;
}

}  // namespace

std::vector<char> encode_head(const head_record& x) {
  std::vector<char> bytes;
  for (const std::uint64_t number :
       {format, x.head.index.value, x.head.wave.value, x.head.anchor_round.value, x.totals.fresh,
        x.totals.duplicate, x.totals.out_of_window, x.totals.expired, x.totals.transactions})
    put(bytes, number);
  bytes.insert(bytes.end(), x.chain.bytes.begin(), x.chain.bytes.end());
  return bytes;
}

std::optional<head_record> decode_head(byte_span bytes) {
  if (bytes.size() != 9 * word + digest::size || take(bytes) != format) return std::nullopt;
  head_record x;
  x.head.index = commit_index{take(bytes)};
  x.head.wave = wave_number{take(bytes)};
  x.head.anchor_round = round_number{take(bytes)};
  for (std::uint64_t* total : {&x.totals.fresh, &x.totals.duplicate, &x.totals.out_of_window,
                               &x.totals.expired, &x.totals.transactions})
    *total = take(bytes);
  std::copy(bytes.begin(), bytes.end(), x.chain.bytes.begin());
  return x;
}

std::vector<char> encode_window(const client_window& x) {
  std::vector<char> bytes;
  put(bytes, format);
  put(bytes, x.low().value);
  for (const std::uint64_t bits : x.words()) put(bytes, bits);
  return bytes;
}

std::optional<client_window> decode_window(byte_span bytes) {
  if (bytes.size() < 2 * word || bytes.size() % word != 0 || take(bytes) != format)
    return std::nullopt;
  const bundle_sequence low{take(bytes)};
  std::vector<std::uint64_t> bits;
  while (!bytes.empty()) bits.push_back(take(bytes));
  return client_window::restored(low, bits);
}

}  // namespace flamingo::committer
