// A set of validators: one bit each. Who has a header in a round, who is whose parent.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "messages/assert.hpp"
#include "messages/identifiers.hpp"

namespace flamingo::dag {

class author_set {
public:
  author_set() = default;
  explicit author_set(std::size_t validators) : words_((validators + 63) / 64) {}

  /// Whether `v` is new to the set. `v` must be one of the validators.
  bool add(validator_id v) {
    FLAMINGO_ASSERT(v.value / 64u < words_.size());
    auto& word = words_[v.value / 64u];
    const auto bit = std::uint64_t{1} << v.value % 64u;
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  void remove(validator_id v) {
    if (v.value / 64u < words_.size())
      words_[v.value / 64u] &= ~(std::uint64_t{1} << v.value % 64u);
  }
  bool contains(validator_id v) const {
    return v.value / 64u < words_.size() && (words_[v.value / 64u] >> v.value % 64u & 1) != 0;
  }

  void merge(const author_set& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }
  /// What is in this set and not in `other`.
  author_set without(const author_set& other) const {
    author_set result = *this;
    for (std::size_t i = 0; i < words_.size() && i < other.words_.size(); ++i)
      result.words_[i] &= ~other.words_[i];
    return result;
  }

  std::size_t count() const {
    std::size_t n = 0;
    for (const auto word : words_) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }
  bool empty() const { return count() == 0; }

  /// Calls `f(validator_id)` for each member, ascending.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (auto word = words_[i]; word != 0; word &= word - 1)
        f(validator_id{
            static_cast<std::uint16_t>(64 * i + static_cast<unsigned>(std::countr_zero(word)))});
  }
  std::vector<validator_id> members() const {
    std::vector<validator_id> all;
    for_each([&](validator_id v) { all.push_back(v); });
    return all;
  }

private:
  std::vector<std::uint64_t> words_;
};

}  // namespace flamingo::dag
