#include "tests/sim/checkers/no_double_commit.hpp"

namespace flamingo::sim::checkers {

namespace {

void one_certificate_each(const history& run, violations& out) {
  std::map<dag_position, digest> by_position;
  for (const auto& [id, x] : run.certified) {
    const auto [known, is_new] = by_position.try_emplace(x.hdr.position(), id);
    if (!is_new && known->second != id)
      out.push_back({"no double commit", "two headers of " + name_of(x.hdr.author) + " in round " +
                                             std::to_string(x.hdr.round.value) +
                                             " are certified: " + short_name(known->second) +
                                             " and " + short_name(id)});
  }
}

void fresh_once(validator_id who, const validator_record& log, violations& out) {
  std::map<std::pair<client_id, bundle_sequence>, commit_index> fresh;
  std::set<digest> anchors;
  for (const auto& [index, record] : log.commits) {
    if (!anchors.insert(record.stream.anchor).second)
      out.push_back({"no double commit", name_of(who) + ", commit " + std::to_string(index.value) +
                                             ": its anchor " + short_name(record.stream.anchor) +
                                             " was committed before"});
    for (const auto& batch : record.stream.batches)
      for (const auto& bundle : batch.bundles) {
        if (bundle.what != verdict::fresh) continue;
        const auto [known, is_new] = fresh.try_emplace({bundle.client, bundle.sequence}, index);
        if (!is_new)
          out.push_back({"no double commit",
                         name_of(who) + ", commit " + std::to_string(index.value) + ": bundle " +
                             std::to_string(bundle.sequence.value) + " of " +
                             name_of(bundle.client) + " is fresh again after commit " +
                             std::to_string(known->second.value)});
      }
  }
}

}  // namespace

violations no_double_commit(const history& run) {
  violations out;
  one_certificate_each(run, out);
  for (std::uint16_t i = 0; i < run.of.size(); ++i)
    if (run.of[i].honest) fresh_once(validator_id{i}, run.of[i], out);
  return out;
}

}  // namespace flamingo::sim::checkers
