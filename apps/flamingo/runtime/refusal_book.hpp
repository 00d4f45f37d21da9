// Why the validators that a command dials refuse its links, for whoever waits for them in vain.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "actors/link/ending.hpp"
#include "actors/link/peer.hpp"
#include "messages/committee.hpp"

namespace flamingo::runtime {

class refusal_book {
public:
  explicit refusal_book(std::size_t validators) : newest_(validators) {}

  // Any thread.

  /// As a doorway's event `refused`.
  void note(link::peer whom, const link::ended& how);
  /// The link is up.
  void forget(link::peer whom);

  /// Why validator i refused last, on one line; nothing if it did not, or let us in since.
  std::optional<std::string> line_of(std::size_t i) const;

  /// Whether it refused for what no time mends, such as another chain id.
  bool lasting(std::size_t i) const;

  /// One line for all that refuse; nothing if none does.
  std::optional<std::string> summary(const committee& members) const;

  /// The summary if waiting is useless: so many refuse for what no time mends, such as another
  /// chain id, that the rest are too few to agree on anything.
  std::optional<std::string> hopeless(const committee& members) const;

private:
  mutable std::mutex mutex_;
  std::vector<std::optional<link::ended>> newest_;  // by validator
};

}  // namespace flamingo::runtime
