// Keeps from one validator what everybody else gets: its batches, votes, certificates, and answers
// to questions. Or the other way round: only one is told of its certificates, and nobody is
// answered.
#pragma once

#include "tests/sim/byzantine/behaviour.hpp"
#include "tests/sim/byzantine/insider.hpp"

namespace flamingo::sim::byzantine {

class withholder final : public behaviour {
public:
  enum class from : std::uint8_t { one, all_but_one };

  withholder(insider who, from whom) : whom_(whom), one_(who.some_other()) {}

  using behaviour::says;
  std::vector<peer_frame> says(link::peer to, const peer_frame& x) override {
    const bool is_one = validator_of(to) == one_;
    bool tells = true;
    x.read([&](schema::PeerMessage::Reader r) {
      using which = schema::PeerMessage;
      switch (r.which()) {
        case which::VOTE:
          tells = whom_ == from::all_but_one || !is_one;
          return;
        case which::CERTIFICATE:
          tells = (whom_ == from::one) != is_one;
          return;
        case which::CERTIFIED:
          tells = whom_ == from::one && !is_one;
          return;
        default:
          return;
      }
    });
    if (!tells) return {};
    return {x};
  }
  std::vector<worker_frame> says(link::peer to, const worker_frame& x) override {
    bool is_batch = false;
    x.read([&](schema::WorkerMessage::Reader r) { is_batch = r.isBatch(); });
    if (is_batch && whom_ == from::one && validator_of(to) == one_) return {};
    return {x};
  }

  validator_id the_one() const { return one_; }

private:
  from whom_;
  validator_id one_;
};

}  // namespace flamingo::sim::byzantine
