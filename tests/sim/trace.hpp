// What happened, in order: a running hash of everything (the same seed gives the same one) and,
// when wanted, lines that a person can read.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

#include "messages/digest.hpp"
#include "messages/time.hpp"

namespace flamingo::sim {

class trace {
public:
  /// @param print gets each line; may be empty: then only the hash is kept.
  explicit trace(std::function<void(const std::string&)> print = {}) : print_(std::move(print)) {}

  /// Notes an event. `text` is called only when lines are printed.
  template <class Text>
  void note(time_point now, byte_span what, Text&& text) {
    mix(static_cast<std::uint64_t>(now.time_since_epoch().count()));
    for (std::size_t i = 0; i + 8 <= what.size(); i += 8) {
      std::uint64_t word;
      std::memcpy(&word, what.data() + i, 8);
      mix(word);
    }
    mix(what.size());
    ++events_;
    if (print_) print_(text());
  }
  template <class Text>
  void note(time_point now, Text&& text) {
    const std::string line = text();
    note(now, {reinterpret_cast<const byte*>(line.data()), line.size()},
         [&] { return at(now) + line; });
  }

  /// "   12.345678 ": seconds since the run began.
  static std::string at(time_point now) {
    char text[32];
    std::snprintf(text, sizeof text, "%12.6f ",
                  std::chrono::duration<double>(now.time_since_epoch() % day).count());
    return text;
  }

  std::uint64_t hash() const { return hash_; }
  std::uint64_t events() const { return events_; }
  bool prints() const { return static_cast<bool>(print_); }

private:
  static constexpr std::chrono::hours day{24};  // virtual time begins with one

  void mix(std::uint64_t x) {
    hash_ = (hash_ ^ x) * 0x9e3779b97f4a7c15ull;
    hash_ ^= hash_ >> 29;
  }

  std::function<void(const std::string&)> print_;
  std::uint64_t hash_ = 0x243f6a8885a308d3ull;
  std::uint64_t events_ = 0;
};

}  // namespace flamingo::sim
