// What the committer tells the other roles of its validator and its operator.
#include "messages/codec_checkpoint.hpp"
#include "messages/codec_migration.hpp"
#include "messages/codec_validator.hpp"
#include "tests/golden/frozen.hpp"
#include "tests/unit/codec_dag_values.hpp"

namespace flamingo::golden {

namespace {

using namespace flamingo::testing;
using namespace std::chrono_literals;

sequenced_sub_dag sample_sub_dag() {
  sequenced_sub_dag x{
      commit_index{7}, round_number{13}, some_digest(1), stream_position{2500}, true, {},
      some_digest(2),  {3, 4, 70}};
  x.batches.push_back({some_digest(3), validator_id{2}, worker_id{1}, {}});
  x.batches.push_back({some_digest(4), validator_id{1}, worker_id{0}, {}});
  x.batches[0].bundles = {
      {client_id{5}, bundle_sequence{9}, some_digest(5), verdict::fresh, 500},
      {client_id{6}, bundle_sequence{1}, some_digest(6), verdict::duplicate, 2},
      {client_id{6}, bundle_sequence{90'000}, some_digest(7), verdict::out_of_window, 3},
      {client_id{0xffffffff}, bundle_sequence{4}, some_digest(8), verdict::expired, 1}};
  return x;
}

bool same(const sequenced_bundle& x, const sequenced_bundle& sample) {
  return x.client == sample.client && x.sequence == sample.sequence && x.id == sample.id &&
         x.what == sample.what && x.transactions == sample.transactions;
}
bool same_batch(const sequenced_batch& x, const sequenced_batch& sample) {
  return x.id == sample.id && x.author == sample.author && x.worker == sample.worker &&
         std::equal(x.bundles.begin(), x.bundles.end(), sample.bundles.begin(),
                    sample.bundles.end(), same);
}
bool is_sample(const wire<schema::Sequenced>& from) {
  const auto x = decode(from);
  const auto sample = sample_sub_dag();
  return x && x->index == sample.index && x->anchor_round == sample.anchor_round &&
         x->anchor == sample.anchor && x->first_position == sample.first_position &&
         x->snapshot == sample.snapshot && x->chain == sample.chain && x->group == sample.group &&
         std::equal(x->batches.begin(), x->batches.end(), sample.batches.begin(),
                    sample.batches.end(), same_batch);
}

status_report sample_report() {
  status_report x;
  x.validator = validator_id{3};
  x.round = round_number{40};
  x.index = commit_index{19};
  x.anchor_round = round_number{37};
  x.executed = commit_index{18};
  x.committed_transactions = 123'456;
  x.executed_transactions = 120'000;
  x.duplicates = 4;
  x.state_root = some_digest(8);
  x.state_root_index = commit_index{10};
  x.chain = some_digest(9);
  x.executors = 2;
  x.queue_delays = {1500us, std::nullopt, 0us};
  x.rounds_behind = 1;
  x.evidence = {{0, 2},
                {{validator_id{1}, round_number{39}, some_digest(10), some_digest(11)},
                 {validator_id{1}, round_number{12}, some_digest(12), some_digest(13)}}};
  x.absent_workers = {worker_id{1}};
  x.diverged_at = commit_index{50};
  x.committed_before = {123'000, 1s};
  x.absent_executors = {executor_id{0}, executor_id{2}};
  return x;
}

executors_report sample_executors() {
  executors_report x;
  x.validator = validator_id{3};
  x.executors = 2;
  x.version = 5;
  x.from = commit_index{18};
  x.roll_backs = 1;
  x.problem = "no";
  x.list = {{executor_id{1}, "10.0.0.5:7000", commit_index{17}, true}};
  x.hosts = {{"10.0.0.5:7000", true}};
  return x;
}

commit_signals sample_signals() {
  return {commit_index{3},
          round_number{5},
          {{validator_id{1}, round_number{4}, time_point{12'345'678'901ns}, 250us, 500},
           {validator_id{2}, round_number{5}, time_point{12'345'678'902ns}, std::nullopt, 0}}};
}

commit_control sample_control() {
  commit_control x{commit_index{3}, round_number{5}, {}};
  std::uint16_t author = 1;
  for (const auto& record : full_header().control)
    x.records.push_back({validator_id{author++}, record});
  return x;
}

}  // namespace

std::vector<frozen_frame> committer_frames() {
  const std::vector<wanted_batch> wanted{{some_digest(1),
                                          validator_id{4},
                                          worker_id{2},
                                          {validator_id{0}, validator_id{7}, validator_id{8}}},
                                         {some_digest(2), validator_id{9}, worker_id{0}, {}}};
  const commit_notice notice{commit_index{3},
                             round_number{5},
                             round_number{1},
                             {some_digest(1), some_digest(2)},
                             {some_digest(3)}};
  const ledger_made made{commit_index{700}, {1, 2, 3}};
  return {frozen("batch_wanted", encode(wanted), wanted),
          frozen("sequenced", encode(sample_sub_dag()), &is_sample),
          frozen("committed", encode(notice), notice),
          frozen("signals", encode(sample_signals()), sample_signals()),
          frozen("committed_control", encode(sample_control()), sample_control()),
          frozen("evidence", encode(sample_report().evidence), sample_report().evidence),
          frozen("ledger_made", encode(made), made),
          frozen("operator_status", encode(operator_message{status_query{}}),
                 operator_message{status_query{}}),
          frozen("operator_report", encode(operator_message{sample_report()}),
                 operator_message{sample_report()}),
          frozen("operator_scale", encode(operator_message{scale_request{-1}}),
                 operator_message{scale_request{-1}}),
          frozen("operator_executors", encode(operator_message{sample_executors()}),
                 operator_message{sample_executors()})};
}

}  // namespace flamingo::golden
