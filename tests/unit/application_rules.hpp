// What no application may do (docs/applications.md, "Rules"), checked on one operation after
// another. For the tests of any application.
#pragma once

#include <algorithm>
#include <string>

#include "tests/unit/executor_stream.hpp"

namespace flamingo::executor::test {

/// What one execution made of some values.
struct trial {
  result_code code = result_code::applied;
  std::vector<std::vector<byte>> values;
  bool intact = true;  // what stands around the values was left alone
};

/// Executes on copies of the values, each at an odd address or not, between bytes of `around`.
inline trial try_execute(const application& rules, const stream_operation& x,
                         const std::vector<std::vector<byte>>& values, bool odd, byte around) {
  constexpr std::size_t margin = 32;
  const std::size_t first = margin + (odd ? 1 : 0), size = rules.value_size();
  std::vector<std::vector<byte>> rooms;
  std::vector<byte*> at;
  for (const auto& value : values) {
    auto& room = rooms.emplace_back(first + size + margin, around);
    std::copy(value.begin(), value.end(), room.begin() + static_cast<std::ptrdiff_t>(first));
    at.push_back(room.data() + first);
  }
  trial out;
  out.code = rules.execute(x, value_view(at.data(), size));
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    out.values.emplace_back(at[i], at[i] + size);
    std::fill_n(at[i], size, around);
    out.intact = out.intact && std::all_of(rooms[i].begin(), rooms[i].end(),
                                           [around](byte b) { return b == around; });
  }
  return out;
}

inline bool gives(result_code x) {
  return is_result_code(static_cast<byte>(x)) && x != result_code::system &&
         x != result_code::expired;
}

/// Which rule the application breaks on the keys of this operation, or "".
inline std::string broken_by_keys(const application& rules, const stream_operation& x,
                                  access_set& set) {
  access_set again;
  rules.read_write_set(x, set);
  rules.read_write_set(x, again);
  if (!std::ranges::equal(set.accesses(), again.accesses()) || set.refusal() != again.refusal() ||
      set.cost() != again.cost())
    return "the same bytes have two read/write sets";
  if (set.refused() && !gives(set.refusal())) return "refused with a code of Flamingo's own";
  std::set<std::uint64_t> keys;
  for (const key_access& access : set.accesses())
    if (!keys.insert(access.key).second) return "a key stands in the read/write set twice";
  return "";
}

/// Which rule the application breaks on this operation and state, or "". Then the state is what the
/// operation makes of it.
inline std::string broken_rule(const application& rules, const stream_operation& x,
                               serial_execution& state) {
  access_set set;
  if (auto broken = broken_by_keys(rules, x, set); !broken.empty() || set.refused()) return broken;
  std::vector<std::vector<byte>> before;
  for (const key_access& access : set.accesses()) before.push_back(state.value(access.key));
  const trial one = try_execute(rules, x, before, false, 0xa5);
  const trial two = try_execute(rules, x, before, true, 0x5a);
  if (!one.intact || !two.intact) return "wrote beyond a value";
  if (one.code != two.code || one.values != two.values)
    return "the same operation on the same values has two outcomes";
  if (!gives(one.code)) return "ended with a code of Flamingo's own";
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (one.values[i] == before[i]) continue;
    if (!succeeded(one.code)) return "changed a value and did not succeed";
    if (set.accesses()[i].mode == access_mode::read) return "changed a value that it only reads";
  }
  state.run(x);
  return "";
}

/// Which rule the application's keys at genesis break, or "".
inline std::string broken_genesis(const application& rules) {
  const std::size_t size = rules.value_size();
  if (size == 0 || size > max_value_bytes) return "values have 1 to 256 bytes";
  if (rules.dense_keys() > accounts_max) return "there are at most 2^31 dense keys";
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(1000, rules.dense_keys()); ++i) {
    // The first ones and the last ones.
    const std::uint64_t key = i % 2 == 0 ? i / 2 : rules.dense_keys() - 1 - i / 2;
    std::vector<byte> one(size + 64), two(size + 64);
    rules.genesis(key, std::span(one).first(size));
    rules.genesis(key, std::span(two).first(size));
    if (one != two) return "a key has two values at genesis";
    if (std::any_of(one.end() - 64, one.end(), [](byte b) { return b != 0; }))
      return "wrote beyond a value at genesis";
  }
  return "";
}

}  // namespace flamingo::executor::test
