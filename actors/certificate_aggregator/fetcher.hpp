// Which certified headers are missing, whom to ask for each and when (design: the certified DAG,
// "Missing ancestors are fetched from the author of the header that references them, then from the
// signers"). Part of the certificate aggregator's core: pure.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "actors/dag/author_set.hpp"
#include "actors/dag/punctuality.hpp"
#include "actors/local_parameters.hpp"
#include "messages/dag.hpp"
#include "messages/time.hpp"

namespace flamingo::certificate_aggregator {

struct request_to {
  validator_id peer;
  header_request what;
};
struct range_request_to {
  validator_id peer;
  round_range what;
};

/// What a certified header links to exists, and its signers had it. What an uncertified one names,
/// a hint, may be invented: it is asked of that header's author alone, ever more rarely, as long as
/// the header is kept, because if a certificate was lost on its way here nobody else may mention
/// it.
///
/// One object at a time from one peer at a time. Invariants: no more than `max_fetches` questions
/// for the first kind wait for answers, and of as many for hints each author has an equal share, so
/// that invented ones keep nobody else's waiting. What was asked for in vain least often goes
/// first, then the lowest rounds, because all others wait for them.
class fetcher {
public:
  fetcher(validator_id self, std::size_t validators, const local_parameters& local)
      : self_(self), validators_(validators), local_(local) {}

  /// A certified header links to `id`, of round `round`; `sources` may have it, the most likely
  /// first. It is asked for `delay` from now (it may be on its way). Wanting it again adds sources,
  /// and asks no later.
  void want(round_number round, const digest& id, const std::vector<validator_id>& sources,
            time_point now, duration delay);
  /// The uncertified header at `by` does, and is kept.
  void hint(round_number round, const digest& id, dag_position by, time_point now, duration delay);
  /// It is kept no more.
  void withdraw(round_number round, const digest& id, dag_position by);
  bool wants(const digest& id) const { return rounds_of_.contains(id); }
  void arrived(const digest& id);
  void raise_floor(round_number floor);
  /// A link came up: who could not be asked may be now.
  void source_up() { changed_ = true; }

  /// Questions that are due, for objects of rounds up to `last`, which never falls. Peers whose
  /// link is down are passed over.
  std::vector<request_to> ask(time_point now, round_number last, const dag::author_set& up);
  /// When `ask` has something to do again, if nothing changes.
  std::optional<time_point> next_deadline() const { return wake_; }
  std::size_t size() const { return wants_.size(); }

private:
  using object = std::pair<round_number, digest>;
  struct missing {
    bool exists = false;               // a certified header links to it
    std::set<dag_position> hinted_by;  // uncertified headers that are kept
    std::vector<validator_id> sources;
    std::size_t next = 0;  // whom to ask next, modulo sources
    unsigned asked = 0;
    validator_id whom;     // was asked last
    time_point answer_by;  // until then the question takes a place
    time_point due;
    /// How often all sources were asked in vain.
    std::size_t turns() const { return sources.empty() ? 0 : asked / sources.size(); }
  };
  using want_entry = std::map<object, missing>::value_type;
  /// Places taken by questions that wait for their answers.
  struct places {
    std::size_t certain = 0;
    std::vector<std::size_t> hints;  // by whom was asked
    std::size_t& of(const missing& x, validator_id whom) {
      return x.exists ? certain : hints[whom.value];
    }
  };

  std::pair<std::map<object, missing>::iterator, bool> entry(round_number, const digest&,
                                                             time_point due);
  void erase(std::map<object, missing>::iterator);
  void wake_at(time_point t) { wake_ = wake_ ? std::min(*wake_, t) : t; }
  /// What is due, in the order in which to ask; counts the places taken, and sets the alarm.
  std::vector<want_entry*> due(time_point now, round_number last, places& taken);
  std::optional<validator_id> next_source(const missing&, const dag::author_set& up) const;
  std::size_t most(const missing& x) const;

  validator_id self_;
  std::size_t validators_;
  local_parameters local_;
  std::map<object, missing> wants_;
  bool changed_ = false;  // something may be asked sooner than the alarm says
  std::optional<time_point> wake_;
  std::optional<time_point> place_free_;  // when the first question is given up
  round_number last_;
  // Looked up, never walked. Of several rounds if liars say so.
  std::unordered_map<digest, std::set<round_number>> rounds_of_;
};

/// Catching up by ranges of rounds, when single questions would take a round trip a round. What is
/// believed of others' progress comes from verified certificates alone.
class range_sync {
public:
  range_sync(validator_id self, std::size_t validators, const local_parameters& local)
      : self_(self), local_(local), punctual_(validators) {}

  /// Rounds that one may be behind before ranges are asked for.
  static constexpr std::uint64_t far = 4;

  /// A verified certificate: its signers have its history.
  void seen(const certificate& x);
  round_number highest_seen() const { return highest_seen_; }
  /// @param frontier the highest round that is complete enough here.
  bool behind(round_number frontier) const { return highest_seen_ > frontier + far; }

  /// The next chunk, if one is to be asked for now: after the last one has come, or from another
  /// peer after a time-out.
  std::optional<range_request_to> ask(time_point now, round_number frontier,
                                      const dag::author_set& up);
  /// Whether `peer` was asked for a range with this round, be it a while ago.
  bool expects(validator_id peer, round_number round) const;
  /// `peer` has not kept rounds before `first_kept`: another one is asked. @returns whether it was
  /// asked for such a round.
  bool gone(validator_id peer, round_number first_kept, time_point now);
  /// Something of the range came: it is not given up yet.
  void progress(time_point now);
  std::optional<time_point> next_deadline() const;

private:
  validator_id self_;
  local_parameters local_;
  round_number highest_seen_;
  std::vector<validator_id> sources_;  // signers of the highest certificate
  dag::punctuality punctual_;
  std::optional<range_request_to> asked_;
  std::map<validator_id, round_range> all_asked_;  // the newest range of each: it may answer late
  time_point due_;
};

}  // namespace flamingo::certificate_aggregator
