// What a configuration file may hold: each key once, with its meaning, its bounds, and the value
// that it sets. The reader, the writer and the samples in configs/ all follow this one description,
// so that no key can be read but not documented (design: operations, "Config").
#pragma once

#include <toml++/toml.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/committee.hpp"
#include "messages/digest.hpp"

namespace flamingo::config {

/// One key and the value that it sets.
struct entry {
  std::string key;
  std::string meaning;     // sentences, for samples
  std::string expected{};  // "an integer from 1 to 200 (milliseconds)", for errors
  /// Takes the value; false if it is not what is expected.
  std::function<bool(const toml::node&)> read{};
  /// The value as TOML text.
  std::function<std::string()> write{};
  bool required = false;
};

struct section;

/// An array of tables, such as [[validators]].
struct list {
  std::string key;
  std::string meaning;
  std::function<std::size_t()> size{};
  /// Describes the item at an index below size(), or at size(): then it is appended first.
  std::function<section(std::size_t)> at{};
  bool required = false;
};

/// A table. Its entries are written before its sections, and those before its lists.
struct section {
  std::string key;  // empty for the file itself
  std::string meaning;
  std::vector<entry> entries{};
  std::vector<section> sections{};
  std::vector<list> lists{};
  std::size_t bytes_max = 1 << 20;  // of the text of a whole file
};

/// Text as a TOML string.
std::string toml_string(std::string_view text);

// -- kinds of entry: each binds a key to a variable that outlives the description ---------------

namespace detail {
entry bounded(std::string key, std::int64_t low, std::int64_t high, std::string_view unit,
              std::string meaning, std::function<void(std::int64_t)> set,
              std::function<std::int64_t()> get);
entry named(std::string key, std::vector<std::string> names, std::string meaning,
            std::function<void(std::size_t)> set, std::function<std::size_t()> get);
entry hex(std::string key, std::span<byte> into, std::string meaning);
}  // namespace detail

template <std::integral T>
entry integer(std::string key, T& x, std::int64_t low, std::int64_t high, std::string meaning,
              std::string_view unit = {}) {
  return detail::bounded(
      std::move(key), low, high, unit, std::move(meaning),
      [&x](std::int64_t v) { x = static_cast<T>(v); },
      [&x] { return static_cast<std::int64_t>(x); });
}

/// A number of bytes.
template <std::integral T>
entry bytes(std::string key, T& x, std::int64_t low, std::int64_t high, std::string meaning) {
  return integer(std::move(key), x, low, high, std::move(meaning), "bytes");
}

/// The key ends in _ms.
entry milliseconds(std::string key, std::chrono::milliseconds& x, std::int64_t low,
                   std::int64_t high, std::string meaning);

/// The key ends in _s.
entry seconds(std::string key, std::chrono::seconds& x, std::int64_t low, std::int64_t high,
              std::string meaning);
/// The key ends in _us.
entry microseconds(std::string key, std::chrono::microseconds& x, std::int64_t low,
                   std::int64_t high, std::string meaning);

entry flag(std::string key, bool& x, std::string meaning);

/// Any text; `what` says which, such as "a path".
entry text(std::string key, std::string& x, std::string_view what, std::string meaning);

/// A path, which is not empty.
entry path(std::string key, std::string& x, std::string meaning);

/// host:port; [host]:port where the host holds colons. `low` is the lowest port allowed.
entry address(std::string key, network_address& x, std::uint16_t low, std::string meaning);
/// The same, or "", which gives an empty host and means what `absent` says.
entry optional_address(std::string key, network_address& x, std::string_view absent,
                       std::string meaning);

/// Hexadecimal digits, two a byte.
template <class Tag, std::size_t N>
entry hex(std::string key, fixed_bytes<Tag, N>& x, std::string meaning) {
  return detail::hex(std::move(key), x.bytes, std::move(meaning));
}

/// One of some names.
template <class E>
entry choice(std::string key, E& x, std::vector<std::pair<std::string, E>> options,
             std::string meaning) {
  std::vector<std::string> names;
  for (const auto& option : options) names.push_back(option.first);
  return detail::named(
      std::move(key), std::move(names), std::move(meaning),
      [&x, options](std::size_t i) { x = options[i].second; },
      [&x, options] {
        std::size_t i = 0;
        while (i < options.size() && options[i].second != x) ++i;
        return i;
      });
}

/// The key must be in the file.
entry required(entry x);

/// A list whose items live in `items`.
template <class T>
list items(std::string key, std::vector<T>& of, std::string meaning,
           std::function<section(T&)> describe) {
  return {std::move(key), std::move(meaning), [&of] { return of.size(); },
          [&of, describe](std::size_t i) {
            if (i == of.size()) of.emplace_back();
            return describe(of[i]);
          }};
}

std::string to_string(const network_address& x);
/// host:port, or nothing if `text` is not that.
std::optional<network_address> parse_address(std::string_view text);

}  // namespace flamingo::config
