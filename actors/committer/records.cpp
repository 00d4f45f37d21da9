#include "actors/committer/records.hpp"

#include <algorithm>
#include <limits>

namespace flamingo::committer {

namespace {

constexpr std::uint64_t format = 1;
constexpr std::size_t word = 8;

template <class Byte>
void put(std::vector<Byte>& into, std::uint64_t x) {
  for (std::size_t i = 0; i < word; ++i) into.push_back(static_cast<Byte>(x >> (8 * i)));
}

/// Bytes behind their number.
template <class Bytes>
void put_sized(std::vector<byte>& into, const Bytes& x) {
  put(into, x.size());
  into.insert(into.end(), x.begin(), x.end());
}

/// `from` holds at least one word.
std::uint64_t take(byte_span& from) {
  std::uint64_t x = 0;
  for (std::size_t i = 0; i < word; ++i) x |= std::uint64_t{from[i]} << (8 * i);
  from = from.subspan(word);
  return x;
}

/// Reads numbers, digests and sized bytes, and remembers whether one was missing.
class reader {
public:
  explicit reader(byte_span from) : left_(from) {}

  std::uint64_t number() { return has(word) ? take(left_) : 0; }
  /// A number that a narrower one was written from.
  template <class Number>
  Number narrow() {
    const std::uint64_t x = number();
    good_ = good_ && x <= std::numeric_limits<Number>::max();
    return static_cast<Number>(x);
  }
  digest id() {
    digest x;
    if (!has(digest::size)) return x;
    std::copy_n(left_.begin(), digest::size, x.bytes.begin());
    left_ = left_.subspan(digest::size);
    return x;
  }
  byte_span sized() {
    const std::uint64_t size = number();
    if (!has(size)) return {};
    const byte_span x = left_.first(size);
    left_ = left_.subspan(size);
    return x;
  }
  bool good() const { return good_; }
  bool done() const { return good_ && left_.empty(); }

private:
  bool has(std::uint64_t bytes) { return good_ = good_ && bytes <= left_.size(); }

  byte_span left_;
  bool good_ = true;
};

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

std::vector<char> encode_group(const execution_group& x) {
  std::vector<char> bytes;
  for (const std::uint64_t number :
       {format, x.version, std::uint64_t{x.executors}, std::uint64_t{x.slack_per_mille}})
    put(bytes, number);
  return bytes;
}

std::optional<execution_group> decode_group(byte_span bytes) {
  reader in(bytes);
  if (in.number() != format) return std::nullopt;
  execution_group x;
  x.version = in.number();
  x.executors = in.narrow<std::uint16_t>();
  x.slack_per_mille = in.narrow<std::uint32_t>();
  if (!in.done() || x.executors < 1 || x.executors > max_group_executors) return std::nullopt;
  return x;
}

std::vector<byte> encode_ledger(const ledger& x) {
  std::vector<byte> bytes;
  put(bytes, format);
  put_sized(bytes, encode_head(x.head));
  put(bytes, x.output.size());
  for (const ordered_header& y : x.output) {
    put(bytes, y.position.round.value);
    put(bytes, y.position.author.value);
    bytes.insert(bytes.end(), y.id.bytes.begin(), y.id.bytes.end());
  }
  put(bytes, x.windows.size());
  for (const auto& [client, window] : x.windows) {
    put(bytes, client.value);
    put_sized(bytes, encode_window(window));
  }
  return bytes;
}

std::optional<ledger> decode_ledger(byte_span bytes) {
  reader in(bytes);
  if (in.number() != format) return std::nullopt;
  ledger x;
  const auto head = decode_head(in.sized());
  if (!head) return std::nullopt;
  x.head = *head;
  for (std::uint64_t count = in.number(); in.good() && count > 0; --count) {
    const round_number round{in.number()};
    const validator_id author{in.narrow<std::uint16_t>()};
    x.output.push_back({{round, author}, in.id()});
  }
  for (std::uint64_t count = in.number(); in.good() && count > 0; --count) {
    const client_id client{in.narrow<std::uint32_t>()};
    auto window = decode_window(in.sized());
    if (!window) return std::nullopt;
    x.windows.emplace_back(client, std::move(*window));
  }
  if (!in.done()) return std::nullopt;
  return x;
}

}  // namespace flamingo::committer
