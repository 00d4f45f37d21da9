#include "tests/sim/checkers/deletion.hpp"

namespace flamingo::sim::checkers {

namespace {

/// Why a header that was voted for may still bring the batch; nothing: none may.
std::optional<std::string> needed_for_vote(validator_id who, const deleted_batch& x,
                                           std::uint64_t gc_depth) {
  if (x.author == who || x.voted == round_number{} || x.voted + gc_depth <= x.anchor)
    return std::nullopt;
  return "is listed by a header of round " + std::to_string(x.voted.value) +
         " that it voted for and that is not dead at anchor round " +
         std::to_string(x.anchor.value);
}

/// Why a batch that the log output must not go yet; nothing: it may.
std::optional<std::string> needed_when_committed(validator_id who, const deleted_batch& x,
                                                 std::uint64_t gc_depth) {
  if (!x.committed) return "no commit has output";
  const std::string committed = "was output by commit " + std::to_string(x.committed->value);
  if (x.snapshot < *x.committed)
    return committed + ", and its newest snapshot is of " + std::to_string(x.snapshot.value);
  if (x.committed_since < x.history)
    return committed + " " + std::to_string(x.committed_since / std::chrono::milliseconds(1)) +
           " ms ago, and history is kept for " +
           std::to_string(x.history / std::chrono::milliseconds(1)) + " ms";
  return needed_for_vote(who, x, gc_depth);
}

/// The same of an orphan. Its worker may not have heard yet of all that is committed, but must know
/// that nothing of it is needed.
std::optional<std::string> needed_by_others(validator_id who, const deleted_batch& x,
                                            std::uint64_t gc_depth) {
  if (x.author == who) return "is its own, and was not output";
  if (x.committed && x.snapshot < *x.committed)
    return "was output by commit " + std::to_string(x.committed->value) +
           ", and its newest snapshot is of " + std::to_string(x.snapshot.value);
  if (const auto why = needed_for_vote(who, x, gc_depth)) return why;
  if (x.acknowledged && *x.acknowledged + gc_depth > x.anchor)
    return "was acknowledged at anchor round " + std::to_string(x.acknowledged->value) +
           ", and it is " + std::to_string(x.anchor.value);
  return std::nullopt;
}

}  // namespace

violations deletion(validator_id who, const deleted_batch& x, std::uint64_t gc_depth) {
  const auto why =
      x.as_orphan ? needed_by_others(who, x, gc_depth) : needed_when_committed(who, x, gc_depth);
  if (!why) return {};
  return {{"deletion", name_of(who) + " deleted batch " + short_name(x.id) + " of " +
                           name_of(x.author) + ", which " + *why}};
}

}  // namespace flamingo::sim::checkers
