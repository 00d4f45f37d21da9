#include "actors/migration_coordinator/migration_coordinator.hpp"

namespace flamingo::migration_coordinator {

namespace {

/// What a record is about. Two records of one kind and author about the same are one.
std::uint64_t subject_of(const control_record& record) {
  struct {
    std::uint64_t operator()(const migration_decision& x) const { return x.anchor.value; }
    std::uint64_t operator()(const migration_acceptance& x) const { return x.anchor.value; }
    std::uint64_t operator()(const capacity_declaration& x) const { return x.period; }
    std::uint64_t operator()(const checkpoint& x) const { return x.index.value; }
    std::uint64_t operator()(const halt&) const { return 0; }
  } subject;
  return std::visit(subject, record);
}

}  // namespace

assignment_table::assignment_table(const committee& members) {
  for (const client_info& client : members.clients)
    for (const account_range& x : client.accounts)
      ranges_.emplace(x.first, range{x.last, client.assignee});
}

std::optional<validator_id> assignment_table::assignee(account_id x) const {
  auto after = ranges_.upper_bound(x);
  if (after == ranges_.begin()) return std::nullopt;
  const range& found = std::prev(after)->second;
  if (x >= found.last) return std::nullopt;
  return found.assignee;
}

parameters parameters::of(const protocol_parameters& protocol) {
  return {protocol.checkpoint_anchors, protocol.expiry_rounds, protocol.period_rounds};
}

effects core::step(const input& in) {
  effects out;
  std::visit([&](const auto& x) { on(x, out); }, in);
  return out;
}

void core::on(const started&, effects& out) const {
  out.assignment = table_.update();
}

void core::on(const committed& in, effects& out) {
  for (const authored_record& x : in.records) {
    if (!valid(x.record, in)) {
      out.rejected.push_back(reject::bad_control_record);
      continue;
    }
    const identity id{x.record.index(), x.author, subject_of(x.record)};
    const auto [at, first] = seen_.insert_or_assign(id, in.anchor_round);
    if (first)
      out.counted.push_back(x.record);
    else
      ++out.repeated;
  }
  std::erase_if(
      seen_, [&](const auto& x) { return x.second + parameters_.expiry_rounds < in.anchor_round; });
}

/// What every validator can tell from the log alone. That a digest is right, each author vouches
/// for itself.
bool core::valid(const control_record& record, const committed& in) const {
  if (const auto* x = std::get_if<migration_decision>(&record))
    return x->anchor > commit_index{0} && x->anchor < in.index;
  if (const auto* x = std::get_if<migration_acceptance>(&record))
    return x->anchor > commit_index{0} && x->anchor < in.index;
  if (const auto* x = std::get_if<checkpoint>(&record))
    return x->index > commit_index{0} && x->index < in.index &&
           x->index.value % parameters_.checkpoint_anchors == 0;
  if (const auto* x = std::get_if<capacity_declaration>(&record))
    return x->period > in.anchor_round.value / parameters_.period_rounds;
  return true;
}

}  // namespace flamingo::migration_coordinator
