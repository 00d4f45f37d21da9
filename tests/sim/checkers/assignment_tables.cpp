#include "tests/sim/checkers/assignment_tables.hpp"

namespace flamingo::sim::checkers {

violations assignment_tables(const history& run) {
  violations out;
  std::map<commit_index, std::pair<validator_id, digest>> first;
  for (std::uint16_t i = 0; i < run.of.size(); ++i) {
    if (!run.of[i].honest) continue;
    for (const auto& [index, table] : run.of[i].tables) {
      const auto [known, is_new] = first.try_emplace(index, validator_id{i}, table);
      if (is_new || known->second.second == table) continue;
      out.push_back({"assignment tables", "after commit " + std::to_string(index.value) + " " +
                                              name_of(known->second.first) + " and " +
                                              name_of(validator_id{i}) +
                                              " have different assignment tables"});
      break;
    }
  }
  return out;
}

}  // namespace flamingo::sim::checkers
