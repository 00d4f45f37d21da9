#include "tests/sim/checkers/durability.hpp"

namespace flamingo::sim::checkers {

violations durability(validator_id who, const promises& made, const kept& disk) {
  violations out;
  const auto complain = [&](const std::string& what) {
    out.push_back({"durability", name_of(who) + " " + what});
  };
  for (const auto& what : made.contradictions) complain(what);
  for (const auto& [place, header] : made.votes) {
    if (place.round <= disk.floor) continue;
    const auto found = disk.votes.find(place);
    const std::string vote = "voted for " + short_name(header) + " of " + name_of(place.author) +
                             ", round " + std::to_string(place.round.value);
    if (found == disk.votes.end())
      complain(vote + ", and its disk does not know");
    else if (found->second != header)
      complain(vote + ", and its disk says " + short_name(found->second));
  }
  for (const auto& [round, header] : made.headers) {
    if (round <= disk.floor) continue;
    const auto found = disk.headers.find(round);
    const std::string said =
        "sent its header " + short_name(header) + " of round " + std::to_string(round.value);
    if (found == disk.headers.end())
      complain(said + ", and its disk does not have it");
    else if (found->second != header)
      complain(said + ", and its disk has " + short_name(found->second));
  }
  for (const auto& [batch, author] : made.batches)
    if (!disk.batches.contains(batch) && !disk.dead_batches.contains(batch))
      complain("acknowledged batch " + short_name(batch) + " of " + name_of(author) +
               ", and its disk does not have it");
  for (const auto index : made.receipts)
    if (index > disk.last_commit)
      complain("gave a receipt of commit " + std::to_string(index.value) +
               ", and its log ends at " + std::to_string(disk.last_commit.value));
  return out;
}

}  // namespace flamingo::sim::checkers
