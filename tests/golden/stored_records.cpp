// What stands in the store and is no message. The messages that are stored (signed headers,
// certified headers, batches, their availability and index, sequenced sub-DAGs) are with the other
// frames.
#include "actors/committer/records.hpp"
#include "actors/executor/snapshot.hpp"
#include "tests/golden/frozen.hpp"
#include "tests/unit/checkpoint_samples.hpp"
#include "tests/unit/codec_dag_values.hpp"

namespace flamingo::golden {

namespace {

template <class Value, class Decode>
frozen_frame record(std::string name, std::vector<char> bytes, const Value& sample, Decode decode) {
  return {std::move(name), shared_bytes(std::move(bytes)),
          [sample, decode](const shared_bytes& from) { return decode(from) == sample; },
          std::nullopt};
}

}  // namespace

std::vector<frozen_frame> stored_records() {
  const committer::head_record head{{commit_index{19}, wave_number{20}, round_number{37}},
                                    {1, 2, 3, 4, 123'456},
                                    flamingo::testing::some_digest(9)};
  const auto window = *committer::client_window::restored(
      bundle_sequence{130}, {0x0123456789abcdf0, std::uint64_t{1} << 63});
  const executor::snapshot_marker marker{7, commit_index{700}, 4, 16};
  const execution_group group{3, 4, 70};
  const auto ledger = committer::encode_ledger(tests::ledger_sample());
  return {
      record("committer_head", committer::encode_head(head), head, committer::decode_head),
      record("client_window", committer::encode_window(window), window, committer::decode_window),
      record("snapshot_marker", executor::encode(marker), marker, executor::decode_marker),
      record("execution_group", committer::encode_group(group), group, committer::decode_group),
      record("ledger", {ledger.begin(), ledger.end()}, tests::ledger_sample(),
             committer::decode_ledger)};
}

}  // namespace flamingo::golden
