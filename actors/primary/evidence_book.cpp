#include "actors/primary/evidence_book.hpp"

#include <algorithm>

namespace flamingo::primary {

namespace {

using slots = std::map<std::uint32_t, equivocation>;

std::uint32_t first_free(const slots& taken) {
  std::uint32_t slot = 0;
  while (taken.contains(slot)) ++slot;
  return slot;
}

std::uint32_t of_lowest_round(const slots& taken) {
  return std::min_element(
             taken.begin(), taken.end(),
             [](const auto& a, const auto& b) { return a.second.round < b.second.round; })
      ->first;
}

}  // namespace

evidence_book::evidence_book(std::size_t validators, std::uint32_t max_of_each,
                             const std::vector<kept_evidence>& stored)
    : max_of_each_(std::max(max_of_each, 1u)), kept_(validators) {
  for (const auto& x : stored) kept_.at(x.what.author.value).emplace(x.slot, x.what);
}

std::uint32_t evidence_book::add(const equivocation& x) {
  auto& of_author = kept_.at(x.author.value);
  const auto slot =
      of_author.size() < max_of_each_ ? first_free(of_author) : of_lowest_round(of_author);
  of_author.insert_or_assign(slot, x);
  return slot;
}

evidence_report evidence_book::report() const {
  evidence_report out;
  std::vector<std::vector<equivocation>> newest(kept_.size());
  std::size_t most = 0;
  for (std::size_t author = 0; author < kept_.size(); ++author) {
    out.kept.push_back(static_cast<std::uint32_t>(kept_[author].size()));
    auto& list = newest[author];
    for (const auto& [slot, x] : kept_[author]) list.push_back(x);
    std::sort(list.begin(), list.end(),
              [](const auto& a, const auto& b) { return a.round > b.round; });
    most = std::max(most, list.size());
  }
  for (std::size_t rank = 0; rank < most; ++rank)
    for (const auto& list : newest)
      if (rank < list.size() && out.newest.size() < newest_max) out.newest.push_back(list[rank]);
  return out;
}

}  // namespace flamingo::primary
