#include "actors/dag/graph.hpp"

#include <algorithm>
#include <functional>

namespace flamingo::dag {

bool graph::add(const header& x) {
  const auto where = x.position();
  if (where.round <= floor_ || contains(where)) return false;
  vertex v{x.id, author_set(validators_), {}};
  for_each_link(x.round, x.parents, x.weak_links, floor_, [&](const link& to) {
    const auto target = find(to.id);
    if (!target || !to.leads_to(*target)) return;
    if (to.is_parent())
      v.parents.add(target->author);
    else
      v.weak_links.push_back(*target);
  });
  auto& row =
      rounds_.try_emplace(where.round, round_row{author_set(validators_), {}}).first->second;
  row.authors.add(where.author);
  row.vertices.emplace(where.author, std::move(v));
  positions_.emplace(x.id, where);
  if (row.authors.count() >= quorum_) quorum_round_ = std::max(quorum_round_, where.round);
  return true;
}

const vertex* graph::at(dag_position where) const {
  const auto row = rounds_.find(where.round);
  if (row == rounds_.end()) return nullptr;
  const auto it = row->second.vertices.find(where.author);
  return it == row->second.vertices.end() ? nullptr : &it->second;
}

std::optional<dag_position> graph::find(const digest& id) const {
  const auto it = positions_.find(id);
  if (it == positions_.end()) return std::nullopt;
  return it->second;
}

const author_set& graph::authors(round_number r) const {
  static const author_set nobody;
  const auto row = rounds_.find(r);
  return row == rounds_.end() ? nobody : row->second.authors;
}

round_number graph::highest() const {
  return rounds_.empty() ? floor_ : rounds_.rbegin()->first;
}

void graph::raise_floor(round_number floor) {
  if (floor <= floor_) return;
  floor_ = floor;
  const auto end = rounds_.upper_bound(floor);
  for (auto row = rounds_.begin(); row != end; row = rounds_.erase(row))
    for (const auto& [author, v] : row->second.vertices) positions_.erase(v.id);
}

std::vector<digest> graph::ids_up_to(round_number floor) const {
  std::vector<digest> ids;
  for (auto row = rounds_.begin(); row != rounds_.upper_bound(floor); ++row)
    for (const auto& [author, v] : row->second.vertices) ids.push_back(v.id);
  return ids;
}

void history::include(const graph& dag, const std::vector<dag_position>& roots) {
  // Rounds are walked downwards once: what a round still has to visit is complete when it is
  // reached, because links go to lower rounds only.
  std::map<round_number, author_set, std::greater<>> to_visit;
  const auto visit_later = [&](dag_position where) {
    if (where.round > dag.floor())
      to_visit.try_emplace(where.round, validators_).first->second.add(where.author);
  };
  for (const auto root : roots) visit_later(root);
  while (!to_visit.empty()) {
    const auto [r, authors] = *to_visit.begin();
    to_visit.erase(to_visit.begin());
    authors.without(row(r)).for_each([&, round = r](validator_id author) {
      const vertex* v = dag.at({round, author});
      if (v == nullptr) return;
      row(round).add(author);
      if (round.value > 1 && !v->parents.empty() && round - 1 > dag.floor())
        to_visit.try_emplace(round - 1, validators_).first->second.merge(v->parents);
      for (const auto link : v->weak_links) visit_later(link);
    });
  }
}

bool history::contains(dag_position where) const {
  const auto it = rows_.find(where.round);
  return it != rows_.end() && it->second.contains(where.author);
}

std::vector<dag_position> history::positions() const {
  std::vector<dag_position> all;
  for (const auto& [r, authors] : rows_)
    authors.for_each([&, round = r](validator_id author) { all.push_back({round, author}); });
  return all;
}

void history::raise_floor(round_number floor) {
  rows_.erase(rows_.begin(), rows_.upper_bound(floor));
}

}  // namespace flamingo::dag
