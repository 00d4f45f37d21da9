// The certified DAG's vocabulary as plain values (paper section 2; design: the certified DAG and
// Tusk). Protocol cores include this and nothing heavier.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"
#include "messages/migration.hpp"
#include "messages/signed_bytes.hpp"
#include "messages/time.hpp"

namespace flamingo {

/// A batch that a header carries.
struct payload_entry {
  digest batch;
  worker_id worker;
  std::uint32_t transactions = 0;
  digest counts_digest;      // over `counts` as they travel; voters encode their own and compare
  std::vector<byte> counts;  // delta-varint (account, transactions), ascending, no zeros

  friend bool operator==(const payload_entry&, const payload_entry&) = default;
};

/// Where a header stands in the DAG. Orders by round first.
struct dag_position {
  round_number round;
  validator_id author;
  friend auto operator<=>(const dag_position&, const dag_position&) = default;
};

/// A link to an older certified header that nothing in the linker's history links.
struct weak_link {
  dag_position position;
  digest header;
  friend bool operator==(const weak_link&, const weak_link&) = default;
};

/// A header as decoded from its signed bytes. `id`, the digest of those bytes, is its identity and
/// its certificate's (never a hash of votes).
struct header {
  digest id;
  validator_id author;
  epoch_id epoch;
  round_number round;
  time_point created_at;  // by the author's clock; bounded by no vote
  std::optional<std::chrono::microseconds> queue_delay;  // absent when nothing was sealed
  std::vector<payload_entry> payload;
  std::vector<digest> parents;
  std::vector<weak_link> weak_links;
  std::vector<control_record> control;
  std::vector<byte> coin_share;  // of wave (round - 1) / 2; empty unless the round is odd and >= 3

  dag_position position() const { return {round, author}; }
};

/// A bound on the bytes of a header beside its payload.
constexpr std::size_t header_bytes_without_payload(std::size_t validators, std::size_t records) {
  constexpr std::size_t fixed = 2048, link = 128, record = 256;
  return fixed + link * 2 * validators + record * records;
}

/// A bound on the bytes of a payload entry in a header, beside its counts.
inline constexpr std::size_t payload_entry_bytes = 128;

struct vote {
  digest header;
  validator_id author;  // of the header
  round_number round;
  validator_id voter;
  signature sig;
};

/// Any valid quorum of votes for a known header is as good as another: never hash or compare the
/// votes.
struct certificate {
  digest header;
  validator_id author;
  round_number round;
  std::vector<std::pair<validator_id, signature>> votes;  // ascending by voter
};

/// A header with the bytes that its author signed: they travel on and are stored as they came.
struct signed_header {
  header hdr;  // as decoded from `bytes.body`
  signed_bytes bytes;
};

struct certified_header {
  header hdr;  // as decoded from `bytes.body`
  signed_bytes bytes;
  certificate cert;  // of `hdr`
};

/// "Send me these headers, certified."
struct header_request {
  std::vector<digest> headers;
};

/// "Send me all certified headers of rounds first to last."
struct round_range {
  round_number first, last;  // inclusive
};

/// "I do not keep the first of these rounds any more."
struct range_gone {
  round_number first_kept;
};

/// The wave whose first round is `r`, if r is odd: wave w spans rounds 2w-1, 2w, 2w+1.
constexpr wave_number wave_led_by(round_number r) {
  return wave_number{(r.value + 1) / 2};
}
constexpr round_number leader_round(wave_number w) {
  return round_number{2 * w.value - 1};
}
constexpr round_number support_round(wave_number w) {
  return round_number{2 * w.value};
}
constexpr round_number coin_round(wave_number w) {
  return round_number{2 * w.value + 1};
}
/// Whether headers of round r carry a coin share, and of which wave.
constexpr bool carries_coin_share(round_number r) {
  return r.value % 2 == 1 && r.value >= 3;
}
constexpr wave_number coin_wave(round_number r) {
  return wave_number{(r.value - 1) / 2};
}

}  // namespace flamingo
