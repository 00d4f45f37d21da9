// What those have in common who sign other headers than their shells made: it changes an own header
// on its way out, signs the result, sticks to it, and has it certified with the votes that come for
// it. Which headers, and how, is the behaviour's.
#pragma once

#include <map>
#include <set>

#include "messages/dag.hpp"
#include "tests/sim/byzantine/behaviour.hpp"
#include "tests/sim/byzantine/insider.hpp"

namespace flamingo::sim::byzantine {

class rewriter : public behaviour {
public:
  /// @param deceived who gets the changed header; the others get the one that the shells made.
  rewriter(insider who, std::set<validator_id> deceived)
      : who_(std::move(who)), deceived_(std::move(deceived)) {}

  using behaviour::says;
  std::vector<peer_frame> says(link::peer to, const peer_frame& x) override;
  using behaviour::hears;
  void hears(link::peer from, const peer_frame& x) override;

  /// Changed headers that it signed.
  std::size_t twins() const { return signed_; }

protected:
  /// False: this header leaves as it is.
  virtual bool change(header& x) = 0;
  /// Whether and with which votes the changed header is to be certified, now that one more is here.
  virtual std::vector<certificate> certify(const certificate& votes_so_far);

  /// To all that get the changed headers.
  void tell(const peer_frame&) const;
  /// Everybody but itself.
  static std::set<validator_id> all_of(const insider& who);

  insider who_;

private:
  struct twin {
    bool changed = false;
    dag_position where;
    digest id;
    peer_frame frame;
    std::map<validator_id, signature> votes;
  };

  twin& twin_of(const signed_header& first);
  void voted(const vote&);

  std::set<validator_id> deceived_;
  std::map<round_number, twin> twins_;  // by the round of the header that it was made from
  std::map<digest, round_number> by_id_;
  std::size_t signed_ = 0;
};

}  // namespace flamingo::sim::byzantine
