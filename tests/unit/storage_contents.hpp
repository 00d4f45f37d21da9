// What a store holds, as values that a check can print.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <string>

#include "storage/kv.hpp"

namespace flamingo::tests {

inline std::vector<char> text(std::string_view x) {
  return {x.begin(), x.end()};
}

inline std::string value_of(storage::kv& store, storage::table where, const storage::key& at) {
  const auto value = store.get(where, at);
  return value ? std::string(value->begin(), value->end()) : "(nothing)";
}

/// Writes and waits. The call-back owns the promise: it may still run when the waiter is gone.
inline storage::write_result write_now(storage::kv& store, storage::write_batch changes) {
  auto done = std::make_shared<std::promise<storage::write_result>>();
  auto result = done->get_future();
  store.write(std::move(changes), [done](const storage::write_result& r) { done->set_value(r); });
  return result.get();
}

/// Keys as bytes -> values, of [first, last).
inline std::map<std::string, std::string> contents(storage::kv& store, storage::table where,
                                                   const storage::key& first = {},
                                                   const storage::key& last = storage::key::end()) {
  std::map<std::string, std::string> result;
  store.scan(where, first, last, [&](byte_span at, byte_span value) {
    result.emplace(std::string(at.begin(), at.end()), std::string(value.begin(), value.end()));
    return true;
  });
  return result;
}

}  // namespace flamingo::tests
