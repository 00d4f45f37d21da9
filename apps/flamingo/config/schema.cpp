#include "apps/flamingo/config/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "crypto/hex.hpp"
#include "messages/assert.hpp"

namespace flamingo::config {

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  return out += '"';
}

namespace detail {

entry bounded(std::string key, std::int64_t low, std::int64_t high, std::string_view unit,
              std::string meaning, std::function<void(std::int64_t)> set,
              std::function<std::int64_t()> get) {
  entry x{.key = std::move(key), .meaning = std::move(meaning)};
  x.expected = fmt::format("an integer from {} to {}", low, high);
  if (!unit.empty()) x.expected += fmt::format(" ({})", unit);
  x.read = [=](const toml::node& node) {
    const auto* value = node.as_integer();
    if (value == nullptr || value->get() < low || value->get() > high) return false;
    set(value->get());
    return true;
  };
  x.write = [get] { return std::to_string(get()); };
  return x;
}

entry named(std::string key, std::vector<std::string> names, std::string meaning,
            std::function<void(std::size_t)> set, std::function<std::size_t()> get) {
  entry x{.key = std::move(key), .meaning = std::move(meaning)};
  x.expected = "one of";
  for (const auto& name : names)
    x.expected += (&name == &names.front() ? " " : ", ") + toml_string(name);
  x.read = [names, set](const toml::node& node) {
    const auto* value = node.as_string();
    if (value == nullptr) return false;
    const auto at = std::find(names.begin(), names.end(), value->get());
    if (at == names.end()) return false;
    set(static_cast<std::size_t>(at - names.begin()));
    return true;
  };
  x.write = [names, get] {
    FLAMINGO_ASSERT(get() < names.size());
    return toml_string(names[get()]);
  };
  return x;
}

namespace {
int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
}  // namespace

entry hex(std::string key, std::span<byte> into, std::string meaning) {
  entry x{.key = std::move(key), .meaning = std::move(meaning)};
  x.expected = fmt::format("{} hexadecimal digits", 2 * into.size());
  x.read = [into](const toml::node& node) {
    const auto* value = node.as_string();
    if (value == nullptr || value->get().size() != 2 * into.size()) return false;
    const auto& text = value->get();
    if (std::any_of(text.begin(), text.end(), [](char c) { return digit(c) < 0; })) return false;
    for (std::size_t i = 0; i < into.size(); ++i)
      into[i] = static_cast<byte>(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    return true;
  };
  x.write = [into] { return toml_string(crypto::to_hex(into)); };
  return x;
}

}  // namespace detail

entry milliseconds(std::string key, std::chrono::milliseconds& x, std::int64_t low,
                   std::int64_t high, std::string meaning) {
  FLAMINGO_ASSERT(key.ends_with("_ms"));
  return detail::bounded(
      std::move(key), low, high, "milliseconds", std::move(meaning),
      [&x](std::int64_t v) { x = std::chrono::milliseconds(v); }, [&x] { return x.count(); });
}

entry seconds(std::string key, std::chrono::seconds& x, std::int64_t low, std::int64_t high,
              std::string meaning) {
  FLAMINGO_ASSERT(key.ends_with("_s"));
  return detail::bounded(
      std::move(key), low, high, "seconds", std::move(meaning),
      [&x](std::int64_t v) { x = std::chrono::seconds(v); }, [&x] { return x.count(); });
}

entry microseconds(std::string key, std::chrono::microseconds& x, std::int64_t low,
                   std::int64_t high, std::string meaning) {
  FLAMINGO_ASSERT(key.ends_with("_us"));
  return detail::bounded(
      std::move(key), low, high, "microseconds", std::move(meaning),
      [&x](std::int64_t v) { x = std::chrono::microseconds(v); }, [&x] { return x.count(); });
}

entry flag(std::string key, bool& x, std::string meaning) {
  entry out{.key = std::move(key), .meaning = std::move(meaning), .expected = "true or false"};
  out.read = [&x](const toml::node& node) {
    const auto* value = node.as_boolean();
    if (value != nullptr) x = value->get();
    return value != nullptr;
  };
  out.write = [&x] { return x ? "true" : "false"; };
  return out;
}

entry text(std::string key, std::string& x, std::string_view what, std::string meaning) {
  entry out{.key = std::move(key), .meaning = std::move(meaning)};
  out.expected = fmt::format("{} as a string", what);
  out.read = [&x](const toml::node& node) {
    const auto* value = node.as_string();
    if (value != nullptr) x = value->get();
    return value != nullptr;
  };
  out.write = [&x] { return toml_string(x); };
  return out;
}

entry path(std::string key, std::string& x, std::string meaning) {
  auto out = text(std::move(key), x, "a path", std::move(meaning));
  out.read = [&x](const toml::node& node) {
    const auto* value = node.as_string();
    if (value == nullptr || value->get().empty()) return false;
    x = value->get();
    return true;
  };
  return out;
}

entry address(std::string key, network_address& x, std::uint16_t low, std::string meaning) {
  entry out{.key = std::move(key), .meaning = std::move(meaning)};
  out.expected = fmt::format("\"host:port\" with a port from {} to 65535", low);
  out.read = [&x, low](const toml::node& node) {
    const auto* value = node.as_string();
    if (value == nullptr) return false;
    const auto parsed = parse_address(value->get());
    if (!parsed || parsed->port < low) return false;
    x = *parsed;
    return true;
  };
  out.write = [&x] { return toml_string(to_string(x)); };
  return out;
}

entry optional_address(std::string key, network_address& x, std::string_view absent,
                       std::string meaning) {
  auto out = address(std::move(key), x, 1, std::move(meaning));
  out.expected += fmt::format(", or \"\" for {}", absent);
  out.read = [&x, read = out.read](const toml::node& node) {
    const auto* value = node.as_string();
    if (value == nullptr || !value->get().empty()) return read(node);
    x = {};
    return true;
  };
  out.write = [&x] { return toml_string(x.host.empty() ? std::string() : to_string(x)); };
  return out;
}

entry required(entry x) {
  x.required = true;
  return x;
}

std::string to_string(const network_address& x) {
  const bool bracket = x.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", bracket ? "[" : "", x.host, bracket ? "]" : "", x.port);
}

std::optional<network_address> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto host = text.substr(0, colon);
  const auto digits = text.substr(colon + 1);
  network_address out;
  const auto [end, status] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
  if (digits.empty() || status != std::errc{} || end != digits.data() + digits.size())
    return std::nullopt;
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos)
    return std::nullopt;
  if (host.empty() || host.find_first_of(" \t[]/") != std::string_view::npos) return std::nullopt;
  out.host = host;
  return out;
}

}  // namespace flamingo::config
