// Says again what was said before: frames of the past, its own and others'; and votes that the
// others cast on another chain and in another epoch, where the same keys served. It equivocates
// here, and certifies with those.
#pragma once

#include "tests/sim/byzantine/rewriter.hpp"

namespace flamingo::sim::byzantine {

class replayer final : public rewriter {
public:
  /// What a validator once signed elsewhere.
  using archive = std::function<signature(validator_id, byte_span statement)>;

  replayer(const insider& who, std::set<validator_id> deceived, archive signed_elsewhere)
      : rewriter(who, std::move(deceived)), signed_elsewhere_(std::move(signed_elsewhere)) {}

  using rewriter::says;
  std::vector<peer_frame> says(link::peer to, const peer_frame& x) override;
  using rewriter::hears;
  void hears(link::peer from, const peer_frame& x) override;
  void hears(link::peer from, const worker_frame& x) override;

private:
  template <class Frame>
  struct past {
    std::vector<Frame> frames;
    std::uint64_t seen = 0;
  };
  template <class Frame>
  void remember(past<Frame>& in, const Frame& x);

  bool change(header& x) override;
  std::vector<certificate> certify(const certificate& votes_so_far) override;
  certificate with_votes_of(const crypto::signing_context& elsewhere, certificate x) const;

  archive signed_elsewhere_;
  past<peer_frame> peer_;
  past<worker_frame> worker_;
  std::vector<control_record> records_;  // of others
};

}  // namespace flamingo::sim::byzantine
