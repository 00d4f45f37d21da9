#include "tests/sim/checkers/exactly_once.hpp"

namespace flamingo::sim::checkers {

namespace {

constexpr const char* property = "exactly once";

std::string name_of(client_id c, bundle_sequence s) {
  return "bundle " + std::to_string(s.value) + " of " + checkers::name_of(c);
}

const char* word(verdict x) {
  switch (x) {
    case verdict::fresh:
      return "fresh";
    case verdict::duplicate:
      return "duplicate";
    case verdict::out_of_window:
      return "out of window";
    case verdict::expired:
      return "expired";
  }
  return "unknown";
}

/// The sequencer, as plainly as it can be said.
class plain_sequencer {
public:
  explicit plain_sequencer(std::uint64_t window) : window_(window) {}

  verdict take(client_id client, bundle_sequence sequence, round_number expires,
               round_number anchor) {
    auto& consumed = consumed_[client];
    auto& low = low_.try_emplace(client, 1).first->second;
    if (sequence.value < low || consumed.contains(sequence.value)) return verdict::duplicate;
    if (sequence.value >= low + window_) return verdict::out_of_window;
    consumed.insert(sequence.value);
    while (consumed.contains(low)) ++low;
    return anchor > expires ? verdict::expired : verdict::fresh;
  }

private:
  std::uint64_t window_;
  std::map<client_id, std::set<std::uint64_t>> consumed_;
  std::map<client_id, std::uint64_t> low_;
};

void check_batch(const history& run, const commit_record& commit, const sequenced_batch& batch,
                 plain_sequencer& plain, violations& out) {
  const auto bytes = run.batches.find(batch.id);
  const auto complain = [&](const std::string& what) {
    out.push_back({property, "commit " + std::to_string(commit.stream.index.value) + ": " + what});
  };
  if (bytes == run.batches.end())
    return complain("no honest validator has batch " + short_name(batch.id));
  if (bytes->second.size() != batch.bundles.size())
    return complain("batch " + short_name(batch.id) + " has " +
                    std::to_string(bytes->second.size()) + " bundles, and its record " +
                    std::to_string(batch.bundles.size()));
  for (std::size_t i = 0; i < batch.bundles.size(); ++i) {
    const auto& said = batch.bundles[i];
    const auto& head = bytes->second[i].head;
    if (said.client != head.client || said.sequence != head.sequence || said.id != head.id)
      return complain("batch " + short_name(batch.id) + " holds other bundles than its record");
    const auto right =
        plain.take(head.client, head.sequence, head.expires, commit.stream.anchor_round);
    if (said.what != right)
      complain(name_of(head.client, head.sequence) + " is " + word(said.what) + ", and should be " +
               word(right));
  }
}

using place = std::pair<commit_index, const sequenced_bundle*>;

/// Where each bundle was consumed.
std::map<std::pair<client_id, bundle_sequence>, place> consumed_in(const validator_record& log) {
  std::map<std::pair<client_id, bundle_sequence>, place> out;
  for (const auto& [index, record] : log.commits)
    for (const auto& batch : record.stream.batches)
      for (const auto& bundle : batch.bundles)
        if (bundle.what == verdict::fresh || bundle.what == verdict::expired)
          out.try_emplace({bundle.client, bundle.sequence}, index, &bundle);
  return out;
}

/// Whether f+1 distinct validators said what `x` says.
bool vouched_for(const std::vector<receipt_record>& all, const receipt& x, std::size_t validity) {
  std::set<validator_id> from;
  for (const auto& y : all)
    if (y.what.bundle == x.bundle && y.what.index == x.index &&
        y.what.results_digest == x.results_digest)
      from.insert(y.from);
  return from.size() >= validity;
}

}  // namespace

violations exactly_once(const history& run) {
  violations out;
  const auto& log = run.longest();
  plain_sequencer plain(run.protocol.bundle_window);
  for (const auto& [index, record] : log.commits)
    for (const auto& batch : record.stream.batches) check_batch(run, record, batch, plain, out);

  const auto consumed = consumed_in(log);
  for (const auto& [client, told] : run.clients)
    for (const auto& [sequence, receipts] : told.receipts)
      for (const auto& x : receipts) {
        const bool honest = run.of[x.from.value].honest;
        if (!honest && !vouched_for(receipts, x.what, run.validity())) continue;
        const auto found = consumed.find({client, sequence});
        const std::string who = honest ? checkers::name_of(x.from) : "f+1 validators";
        if (found == consumed.end())
          out.push_back({property, who + " gave a receipt for " + name_of(client, sequence) +
                                       ", which is not in the log"});
        else if (found->second.second->id != x.what.bundle || found->second.first != x.what.index)
          out.push_back({property, who + " gave a receipt for " + name_of(client, sequence) +
                                       " that names another bundle or commit than " +
                                       std::to_string(found->second.first.value)});
      }
  return out;
}

violations admitted_are_committed(const history& run) {
  violations out;
  const auto consumed = consumed_in(run.longest());
  for (const auto& [client, told] : run.clients)
    for (const auto& [sequence, bundle] : told.admitted)
      if (!consumed.contains({client, sequence}))
        out.push_back(
            {property, name_of(client, sequence) + " was admitted and is not in the log"});
  return out;
}

}  // namespace flamingo::sim::checkers
