#include "apps/flamingo/config/writer.hpp"

#include <fmt/format.h>

#include <sstream>

#include "messages/assert.hpp"

namespace flamingo::config {

namespace {

constexpr std::size_t columns = 100;

/// Comment lines of at most `columns` characters.
std::string commented(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string current = "#";
    for (std::string word; words >> word;) {
      if (current.size() > 1 && current.size() + 1 + word.size() > columns) {
        out += current + "\n";
        current.resize(1);
      }
      current += " " + word;
    }
    out += current + "\n";
  }
  return out;
}

class printer {
public:
  printer(bool documented, bool changed_only) : documented_(documented), changed_(changed_only) {}

  /// `defaults` is null where every value is to be written.
  void print(const section& x, const section* defaults, const std::string& path) {
    for (std::size_t i = 0; i < x.entries.size(); ++i)
      print(x.entries[i], defaults ? &defaults->entries.at(i) : nullptr);
    for (std::size_t i = 0; i < x.sections.size(); ++i) {
      const auto& inner = x.sections[i];
      const auto* inner_defaults = defaults ? &defaults->sections.at(i) : nullptr;
      if (changed_ && inner_defaults && !differs(inner, *inner_defaults)) continue;
      const auto where = path.empty() ? inner.key : path + "." + inner.key;
      print_head(inner.meaning, fmt::format("[{}]", where));
      print(inner, inner_defaults, where);
    }
    for (const auto& l : x.lists) print(l, path);
  }

  std::string take() { return std::move(out_); }
  void heading(const std::string& text) {
    if (!text.empty()) out_ += commented(text) + "\n";
  }

private:
  void print_head(const std::string& meaning, const std::string& bracketed) {
    if (!out_.empty() && !out_.ends_with("\n\n")) out_ += "\n";
    if (documented_ && !meaning.empty()) out_ += commented(meaning);
    out_ += bracketed + "\n";
  }

  void print(const entry& x, const entry* fallback) {
    const auto value = x.write();
    if (changed_ && fallback && !x.required && value == fallback->write()) return;
    if (documented_) out_ += commented(fmt::format("{} Expects {}.", x.meaning, x.expected));
    out_ += fmt::format("{} = {}\n", x.key, value);
  }

  /// Only the first item is documented.
  void print(const list& x, const std::string& path) {
    const auto where = path.empty() ? x.key : path + "." + x.key;
    const bool documented = documented_;
    for (std::size_t i = 0; i < x.size(); ++i) {
      print_head(x.meaning, fmt::format("[[{}]]", where));
      print(x.at(i), nullptr, where);
      documented_ = false;
    }
    documented_ = documented;
  }

  static bool differs(const section& a, const section& b) {
    FLAMINGO_ASSERT(a.entries.size() == b.entries.size() && a.sections.size() == b.sections.size());
    for (std::size_t i = 0; i < a.entries.size(); ++i)
      if (a.entries[i].required || a.entries[i].write() != b.entries[i].write()) return true;
    for (std::size_t i = 0; i < a.sections.size(); ++i)
      if (differs(a.sections[i], b.sections[i])) return true;
    for (const auto& l : a.lists)
      if (l.size() != 0) return true;
    return false;
  }

  std::string out_;
  bool documented_, changed_;
};

std::string printed(printer p, const section& from, const section* defaults,
                    const std::string& heading) {
  p.heading(heading);
  p.print(from, defaults, "");
  return p.take();
}

}  // namespace

std::string write_documented(const section& from, const std::string& heading) {
  return printed(printer(true, false), from, nullptr, heading);
}

std::string write_plain(const section& from, const std::string& heading) {
  return printed(printer(false, false), from, nullptr, heading);
}

std::string write_changed(const section& from, const section& defaults,
                          const std::string& heading) {
  return printed(printer(false, true), from, &defaults, heading);
}

}  // namespace flamingo::config
