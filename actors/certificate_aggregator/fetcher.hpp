// Which certified headers are missing, whom to ask for each and when (design: the certified DAG,
// "Missing ancestors are fetched from the author of the header that references them, then from the
// signers"). Part of the certificate aggregator's core: pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "actors/dag/author_set.hpp"
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

/// One object at a time from one peer at a time. Invariant: at most `max_fetches` are asked for
/// between two answers or retries; the lowest rounds go first, because all others wait for them.
class fetcher {
public:
  fetcher(validator_id self, const local_parameters& local) : self_(self), local_(local) {}

  /// `id`, of round `round`, is missing; `sources` may have it, the most likely first. It is asked
  /// for `delay` from now (it may be on its way). Wanting it again adds sources, and asks no later.
  /// @param attempts after this many questions it is given up, if not 0.
  void want(round_number round, const digest& id, const std::vector<validator_id>& sources,
            time_point now, duration delay, unsigned attempts = 0);
  bool wants(const digest& id) const { return rounds_of_.contains(id); }
  void arrived(const digest& id);
  void raise_floor(round_number floor);

  /// Questions that are due, for objects of rounds up to `last`. Peers whose link is down are
  /// passed over.
  std::vector<request_to> ask(time_point now, round_number last, const dag::author_set& up);
  /// When `ask` has something to do again, with the same `last`.
  std::optional<time_point> next_deadline(round_number last) const;
  std::size_t size() const { return wants_.size(); }

private:
  using object = std::pair<round_number, digest>;
  struct missing {
    std::vector<validator_id> sources;
    std::size_t next = 0;  // whom to ask next, modulo sources
    unsigned asked = 0;
    unsigned attempts = 0;
    time_point due;
  };

  std::optional<validator_id> next_source(missing&, const dag::author_set& up) const;

  validator_id self_;
  local_parameters local_;
  std::map<object, missing> wants_;
  // Looked up, never walked. Of several rounds if liars say so.
  std::unordered_map<digest, std::set<round_number>> rounds_of_;
};

/// Catching up by ranges of rounds, when single questions would take a round trip a round. What is
/// believed of others' progress comes from verified certificates alone.
class range_sync {
public:
  range_sync(validator_id self, const local_parameters& local) : self_(self), local_(local) {}

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
  std::size_t next_ = 0;
  std::optional<range_request_to> asked_;
  std::map<validator_id, round_range> all_asked_;  // the newest range of each: it may answer late
  time_point due_;
};

}  // namespace flamingo::certificate_aggregator
