#include "apps/flamingo/config/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "apps/flamingo/config/nearest.hpp"
#include "apps/flamingo/config/toml_text.hpp"
#include "crypto/secret_file.hpp"

namespace flamingo::config {

namespace {

constexpr std::size_t file_bytes_max = 64 << 20;  // of any kind
constexpr std::size_t key_shown_max = 64;         // and no known key is longer

std::vector<std::string> keys_of(const section& x) {
  std::vector<std::string> keys;
  for (const auto& e : x.entries) keys.push_back(e.key);
  for (const auto& s : x.sections) keys.push_back(s.key);
  for (const auto& l : x.lists) keys.push_back(l.key);
  return keys;
}

/// A value as the operator wrote it, shortened.
std::string shown(const toml::node& node) {
  constexpr std::size_t longest = 60;
  std::string text;
  if (const auto* value = node.as_string()) {
    text = toml_string(value->get());
  } else {
    std::ostringstream out;
    node.visit([&](const auto& x) { out << x; });
    text = out.str();
    std::replace(text.begin(), text.end(), '\n', ' ');
  }
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

class walker {
public:
  explicit walker(const std::string& name) : name_(name) {}

  void read(const toml::table& from, const section& into, const std::string& path) const {
    refuse_unknown(from, into, path);
    for (const auto& e : into.entries) read(from, e, path);
    for (const auto& s : into.sections) read_section(from, s, path);
    for (const auto& l : into.lists) read_list(from, l, path);
  }

private:
  static std::string joined(const std::string& path, std::string_view key) {
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
  }

  [[noreturn]] void fail(const toml::node& at, const std::string& key,
                         const std::string& complaint) const {
    throw error(fmt::format("{}:{}: {}: {}", name_, at.source().begin.line, key, complaint));
  }

  void refuse_unknown(const toml::table& from, const section& into, const std::string& path) const {
    const auto known = keys_of(into);
    for (const auto& [key, node] : from) {
      const std::string_view name = key.str();
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      if (name.size() > key_shown_max)
        throw error(fmt::format("{}:{}: {}...: no such key: remove it", name_,
                                key.source().begin.line,
                                joined(path, name.substr(0, key_shown_max))));
      const auto meant = nearest(known, name);
      throw error(fmt::format("{}:{}: {}: no such key{}: remove it", name_, key.source().begin.line,
                              joined(path, name),
                              meant ? fmt::format("; did you mean {}? If not", *meant) : ""));
    }
  }

  void read(const toml::table& from, const entry& into, const std::string& path) const {
    const auto* node = from.get(into.key);
    if (node == nullptr) {
      if (into.required)
        fail(from, joined(path, into.key), fmt::format("missing: expected {}", into.expected));
      return;
    }
    if (!into.read(*node))
      fail(*node, joined(path, into.key),
           fmt::format("expected {}, found {}", into.expected, shown(*node)));
  }

  void read_section(const toml::table& from, const section& into, const std::string& path) const {
    const auto* node = from.get(into.key);
    const auto where = joined(path, into.key);
    static const toml::table nothing;
    if (node == nullptr) {
      const bool needed = std::any_of(into.entries.begin(), into.entries.end(),
                                      [](const auto& e) { return e.required; });
      if (needed) fail(from, where, fmt::format("missing: expected a table [{}]", where));
      return;
    }
    if (!node->is_table()) fail(*node, where, fmt::format("expected a table [{}]", where));
    read(*node->as_table(), into, where);
  }

  void read_list(const toml::table& from, const list& into, const std::string& path) const {
    const auto* node = from.get(into.key);
    const auto where = joined(path, into.key);
    if (node == nullptr) {
      if (into.required)
        fail(from, where, fmt::format("missing: expected at least one [[{}]]", where));
      return;
    }
    const auto* array = node->as_array();
    if (array == nullptr || (!array->empty() && !array->is_homogeneous<toml::table>()))
      fail(*node, where, fmt::format("expected tables [[{}]]", where));
    if (into.required && array->empty())
      fail(*node, where, fmt::format("expected at least one [[{}]]", where));
    for (std::size_t i = 0; i < array->size(); ++i)
      read(*array->get(i)->as_table(), into.at(i), fmt::format("{}[{}]", where, i));
  }

  const std::string& name_;
};

}  // namespace

void read_toml(std::string_view text, const std::string& name, const section& into) {
  if (text.size() > into.bytes_max)
    throw error(fmt::format("{}: is {} bytes long, expected at most {}: is it the right file?",
                            name, text.size(), into.bytes_max));
  const auto table = parse_toml(text, name);
  walker(name).read(table, into, "");
}

std::vector<std::string> all_keys(const section& of) {
  std::vector<std::string> keys;
  const auto add = [&keys](const std::string& table, const section& inner) {
    for (const auto& key : all_keys(inner)) keys.push_back(table + "." + key);
  };
  for (const auto& e : of.entries) keys.push_back(e.key);
  for (const auto& s : of.sections) add(s.key, s);
  for (const auto& l : of.lists) add(l.key, l.at(l.size()));
  return keys;
}

std::string read_bytes(const std::filesystem::path& file) {
  std::error_code failed;
  if (std::filesystem::is_directory(file, failed))
    throw error(file.string() + ": is a directory: name the file in it");
  if (!std::filesystem::exists(file, failed) && !failed)
    throw error(file.string() + ": does not exist: flamingo init makes such files");
  try {
    return crypto::read_file(file, file_bytes_max);
  } catch (const crypto::file_error& e) {
    throw error(e.what());
  }
}

std::filesystem::path beside(const std::filesystem::path& file, const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path given(path);
  if (given.is_absolute()) return given;
  const auto plain = (file.parent_path() / given).lexically_normal();
  // The short way to say it, unless a symbolic link on the way leads elsewhere.
  std::error_code failed;
  const auto real = fs::canonical(file, failed);
  if (failed) return plain;
  auto meant = (real.parent_path() / given).lexically_normal();
  const auto said = fs::weakly_canonical(fs::absolute(plain, failed), failed);
  return !failed && said == fs::weakly_canonical(meant, failed) && !failed ? plain : meant;
}

}  // namespace flamingo::config
