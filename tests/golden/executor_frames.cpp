// What executors say to each other, to the workers and to the committer.
#include "messages/codec_executor.hpp"
#include "tests/golden/frozen.hpp"
#include "tests/unit/codec_dag_values.hpp"

namespace flamingo::golden {

namespace {

using flamingo::testing::some_digest;

pushed_values sample_push() {
  return {stream_position{7000},
          executor_id{3},
          commit_index{12},
          commit_index{10},
          {1, 999, 5},
          {~std::uint64_t{0}, 2, 17},
          std::vector<byte>(48, 0xab),
          commit_index{11},
          4,
          2,
          3,
          9};
}

executed_bundles sample_bundles() {
  return {commit_index{5},
          round_number{9},
          {{client_id{4}, bundle_sequence{77}, some_digest(1), validator_id{2}, 0, 3},
           {client_id{70'000}, bundle_sequence{1}, some_digest(3), validator_id{1}, 3, 2}},
          {0, 1, 2, 8, 7}};
}

}  // namespace

std::vector<frozen_frame> executor_frames() {
  const requested_values request{stream_position{7000}, executor_id{3}, {0, 3, 999}};
  const reported_results results{
      stream_position{7000},
      executor_id{1},
      {0, 3, 998},
      {result_code::applied, result_code::overdrawn, result_code::invalid_same}};
  const state_leaves leaves{executor_id{1},
                            commit_index{50},
                            {1, 7, 65535},
                            {some_digest(1), some_digest(2), some_digest(3)}};
  const execution_progress progress{executor_id{2},           commit_index{9}, 12345,
                                    commit_index{8},          some_digest(4),  commit_index{6},
                                    1'700'000'000'123'456'789};
  const snapshot_chunk chunk{executor_id{1},
                             7,
                             commit_index{700},
                             4,
                             16,
                             true,
                             true,
                             {1, 5, 9},
                             {4, 6, 10},
                             {5},
                             {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
  const snapshot_wanted wanted{executor_id{1}, 4, commit_index{700}, 4096};
  const snapshot_part part{commit_index{700}, 7, 16, 8192, {{1, 0, 3}, {5, 0, 6, 7}}};
  return {frozen("pushed", encode(sample_push()), sample_push()),
          frozen("requested", encode(request), request),
          frozen("results", encode(results), results),
          frozen("executed", encode(sample_bundles()), sample_bundles()),
          frozen("leaves", encode(leaves), leaves),
          frozen("progress", encode(progress), progress),
          frozen("snapshot_chunk", encode(chunk), chunk),
          frozen("snapshot_wanted", encode(wanted), wanted),
          frozen("snapshot_part", encode(part), part)};
}

}  // namespace flamingo::golden
