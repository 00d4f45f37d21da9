// Asks for everything, again and again: headers, ranges of rounds, batches, checkpoints, existing
// ones and others.
#pragma once

#include "messages/codec_checkpoint.hpp"
#include "messages/codec_dag.hpp"
#include "tests/sim/byzantine/behaviour.hpp"
#include "tests/sim/byzantine/insider.hpp"

namespace flamingo::sim::byzantine {

class flooder final : public behaviour {
public:
  explicit flooder(insider who) : who_(std::move(who)) {}

  using behaviour::hears;
  void hears(link::peer from, const peer_frame& x) override {
    const auto message = decode(x, who_.limits());
    if (message) {
      if (const auto* cert = std::get_if<certificate>(&*message)) {
        remember(headers_, cert->header);
        newest_ = std::max(newest_, cert->round);
      } else if (const auto* header = std::get_if<signed_header>(&*message)) {
        for (const auto& entry : header->hdr.payload) remember(batches_, entry.batch);
      }
    }
    if (who_.random.chance(asked_per_mille)) ask(validator_of(from));
  }

private:
  static constexpr std::size_t remembered = 64;
  static constexpr unsigned asked_per_mille = 40;  // of the frames that it hears
  static_assert(remembered <= max_requested_headers && remembered <= max_requested_batches);

  struct past {
    std::vector<digest> ids;
    std::size_t next = 0;
  };
  static void remember(past& in, const digest& id) {
    if (in.ids.size() < remembered) in.ids.emplace_back();
    in.ids[in.next++ % remembered] = id;
  }

  void ask(validator_id whom) {
    switch (who_.random.below(5)) {
      case 0:
        return send(whom, encode_peer(header_request{headers_.ids}));
      case 1:
        return send(whom,
                    encode_peer(round_range{newest_ - who_.random.below(200), newest_ + 100}));
      case 2:
        return send_to_workers(whom, encode(batch_request{batches_.ids}));
      case 3: {
        const commit_index some{who_.random.below(40) * who_.protocol.checkpoint_anchors};
        return send(whom, encode(checkpoint_message{ledger_request{some, 0}}));
      }
      default: {
        std::vector<digest> invented(remembered);
        for (auto& id : invented) id = who_.some_digest();
        return send(whom, encode_peer(header_request{std::move(invented)}));
      }
    }
  }

  insider who_;
  past headers_, batches_;
  round_number newest_;
};

}  // namespace flamingo::sim::byzantine
