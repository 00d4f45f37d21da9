#include "apps/flamingo/config/parameters.hpp"

namespace flamingo::config {

namespace {
constexpr std::int64_t kib = 1024, mib = 1024 * kib;
constexpr std::int64_t money_max = 1'000'000'000'000'000;  // cents an account starts with

section all_required(section x) {
  for (auto& e : x.entries) e.required = true;
  return x;
}
}  // namespace

section describe_protocol(protocol_parameters& x) {
  return all_required({
      .key = "protocol",
      .meaning = "Protocol parameters: equal at all validators, since they change votes, orders or "
                 "states.",
      .entries =
          {
              integer("gc_depth", x.gc_depth, 10, 10'000,
                      "Rounds of the DAG kept behind an anchor.", "rounds"),
              integer("round_limit", x.round_limit, 1, 100,
                      "A header this many rounds above the current one still gets a vote.",
                      "rounds"),
              integer("checkpoint_anchors", x.checkpoint_anchors, 1, 100'000,
                      "Commits between two checkpoints, at which executors take snapshots.",
                      "anchors"),
              bytes("max_header_bytes", x.max_header_bytes, kib, 16 * mib,
                    "The largest header that gets a vote."),
              integer("max_payload_entries", x.max_payload_entries, 1, 4096,
                      "The most batches in a header."),
              integer("max_control_records", x.max_control_records, 1, 1024,
                      "The most control records in a header."),
              choice(
                  "leader_election", x.election,
                  {{"coin", leader_election::coin}, {"round-robin", leader_election::round_robin}},
                  "How each wave's leader is found. Use coin: round-robin is for comparison, and "
                  "an adversary can foresee its leaders."),
              integer("workers", x.workers, 1, 16, "Dissemination workers of each validator."),
              bytes("max_batch_bytes", x.max_batch_bytes, 64 * kib, 64 * mib,
                    "The largest batch that is acknowledged."),
              integer("max_bundles_per_batch", x.max_bundles_per_batch, 1, 4096,
                      "The most bundles in a batch; each costs a signature check."),
              bytes("max_bundle_bytes", x.max_bundle_bytes, 4 * kib, 16 * mib,
                    "The largest bundle that is admitted."),
              integer("max_transactions_per_bundle", x.max_transactions_per_bundle, 1, 10'000,
                      "The most transactions in a bundle."),
              integer("bundle_window", x.bundle_window, 64, 1 << 20,
                      "Sequence numbers above its lowest unused one that a client may use."),
              integer("execution_batch", x.execution_batch, 1, 100'000,
                      "Transactions that executors schedule together."),
              choice("balancing", x.balancing,
                     {{"none", balancing_rule::none},
                      {"flamingo", balancing_rule::flamingo},
                      {"proxy", balancing_rule::proxy}},
                     "How ordering load is balanced."),
              integer("decision_rounds", x.decision_rounds, 10, 10'000,
                      "Rounds between two balancing decisions. No effect yet: nothing is decided.",
                      "rounds"),
              integer("decision_window", x.decision_window, 5, 1000,
                      "Rounds whose signals a decision reads.", "rounds"),
              integer("stability_rounds", x.stability_rounds, 0, 1000,
                      "Newest rounds that a decision leaves out.", "rounds"),
              integer("migration_cap", x.migration_cap, 1, 64,
                      "Validators' worth of load that f liars can move at one decision. No effect "
                      "yet."),
              milliseconds(
                  "min_queue_delay_ms", x.min_queue_delay, 0, 60'000,
                  "A validator with a shorter queue never gives load away. No effect yet."),
              integer("activation_rounds", x.activation_rounds, 1, 1000,
                      "Rounds from an accepted migration until it is active. No effect yet.",
                      "rounds"),
              integer("expiry_rounds", x.expiry_rounds, 1, 10'000,
                      "Rounds after which an undecided or unaccepted migration is void.", "rounds"),
              integer("period_rounds", x.period_rounds, 10, 1'000'000,
                      "Rounds of a balance period, in which declared capacities are constant.",
                      "rounds"),
          },
  });
}

section describe_application(protocol_parameters& x) {
  return all_required({
      .key = "application",
      .meaning = "The application and the state that it starts with.",
      .entries =
          {
              choice("name", x.application,
                     {{"smallbank", std::string("smallbank")}, {"keyset", std::string("keyset")}},
                     "What transactions mean."),
              integer("accounts", x.accounts, 1, accounts_max, "Accounts 0, 1, 2, ..."),
              integer("genesis_savings_cents", x.genesis_savings_cents, 0, money_max,
                      "Savings of each account at the start.", "cents"),
              integer("genesis_checking_cents", x.genesis_checking_cents, 0, money_max,
                      "Checking balance of each account at the start.", "cents"),
          },
  });
}

namespace {

std::vector<entry> of_worker(local_parameters& x) {
  return {
      bytes("batch_bytes", x.batch_bytes, 1000, 4'000'000,
            "The worker seals a batch at this size."),
      milliseconds("max_batch_delay_ms", x.max_batch_delay, 1, 200,
                   "The worker seals a smaller batch after this."),
      bytes("peer_window_bytes", x.peer_window_bytes, mib, 1024 * mib,
            "Batches sent to one peer and not yet acknowledged."),
      bytes("client_window_bytes", x.client_window_bytes, mib, 1024 * mib,
            "Bundles of one client that stand in the worker."),
      bytes("ingress_bytes", x.ingress_bytes, mib, 16'384 * mib,
            "Bundles of all clients that stand in the worker."),
      milliseconds(
          "max_admission_delay_ms", x.max_admission_delay, 10, 600'000,
          "A client whose bundle has waited to be taken in for longer than this is told to "
          "come later with more."),
      bytes("batch_cache_bytes", x.batch_cache_bytes, mib, 16'384 * mib,
            "Batches kept in memory until they are executed."),
      bytes("min_uncommitted_bytes", x.min_uncommitted_bytes, mib, 16'384 * mib,
            "So much of own batches may always be without a commit, and more where commits take "
            "long: what is output in twice the shortest time that one took."),
      bytes("max_uncommitted_bytes", x.max_uncommitted_bytes, mib, 16'384 * mib,
            "The most of own batches without a commit; beyond, bundles wait to be taken in. Of "
            "each peer's such batches twice that are stored."),
      bytes("history_bytes", x.history_bytes, 0, 1'048'576 * mib,
            "Executed batches kept for peers that lack them."),
      seconds("history_retention_s", x.history_retention, 1, 86'400,
              "And for how long. A validator that joins fetches a checkpoint in that time, twice."),
      integer("relay_per_mille", x.relay_per_mille, 0, 1000,
              "The share of ingress that relayed bundles may take.", "per mille"),
      integer("recent_receipts", x.recent_receipts, 100, 1'000'000,
              "Receipts of each client kept for queries."),
      milliseconds("batch_resend_ms", x.batch_resend, 10, 60'000,
                   "A batch that a peer has not acknowledged is sent again after this."),
  };
}

std::vector<entry> of_primary(local_parameters& x) {
  return {
      milliseconds("max_header_delay_ms", x.max_header_delay, 1, 200,
                   "The primary proposes a header after this, however little it holds."),
      milliseconds("parent_grace_ms", x.parent_grace, 0, 200,
                   "The longest wait for parents beyond a quorum."),
      milliseconds("paced_header_delay_ms", x.paced_header_delay, 1, 60'000,
                   "The same while nothing commits."),
      integer("header_payload_target", x.header_payload_target, 1, 256,
              "A header with this many batches leaves at once."),
      integer("max_pending_headers", x.max_pending_headers, 100, 100'000,
              "Headers, of all authors, that wait for what they refer to."),
      integer("max_available_batches", x.max_available_batches, 64, 1'000'000,
              "Batches of one author that are known and not committed."),
      integer("max_evidence", x.max_evidence, 1, 1000,
              "Equivocations of one author that are kept with their bytes."),
  };
}

std::vector<entry> of_aggregator(local_parameters& x) {
  return {
      milliseconds("header_resend_ms", x.header_resend, 10, 60'000,
                   "A header without a certificate is sent again after this, then "
                   "after longer."),
      integer("max_headers_of_author", x.max_headers_of_author, 8, 1000,
              "Headers of one author without a certificate that are kept."),
      integer("max_pending_certificates", x.max_pending_certificates, 100, 1'000'000,
              "Certificates that wait for their ancestors."),
      milliseconds("fetch_delay_ms", x.fetch_delay, 0, 60'000,
                   "What is missing is asked for after this: it may be on its way."),
      milliseconds("fetch_retry_ms", x.fetch_retry, 10, 60'000,
                   "Another validator is asked for what is missing after this."),
      integer("max_fetches", x.max_fetches, 1, 10'000,
              "Requests for missing objects outstanding at once."),
      integer("range_rounds", x.range_rounds, 2, 100,
              "Rounds asked for at once by who is far behind.", "rounds"),
      integer("served_per_second", x.served_per_second, 10, 1'000'000,
              "Certified headers that one peer may fetch.", "a second"),
      integer("history_rounds", x.history_rounds, 0, 10'000'000,
              "Rounds kept below the floor for who is behind, and before others' batches that no "
              "commit "
              "outputs are given up.",
              "rounds"),
      integer("checkpoint_bytes_per_second", x.checkpoint_bytes_per_second, 64 << 10, 1 << 30,
              "Of a checkpoint that one peer may fetch.", "bytes a second"),
  };
}

std::vector<entry> of_committer(local_parameters& x) {
  return {
      integer("stream_window", x.stream_window, 1, 1000,
              "Commits sent to executors ahead of the slowest of them.", "commits"),
      integer("commit_retention", x.commit_retention, 1, 1'000'000,
              "Newest commits that are always kept.", "commits"),
      integer("index_cache_bundles", x.index_cache_bundles, 1000, 10'000'000,
              "Bundles known of batches that are not committed yet."),
  };
}

entry scheduler_choice(std::string& x) {
  auto out = choice("scheduler", x,
                    {{"static", std::string("static")},
                     {"pilotfish", std::string("pilotfish")},
                     {"flamingo", std::string("flamingo")},
                     {"flamingo-paper", std::string("flamingo-paper")}},
                    "Which executor runs what. static: by key, fixed. pilotfish: spread over all, "
                    "values are fetched and returned. flamingo: balanced, keys follow their use. "
                    "flamingo-paper: the same without its look back, for comparison.");
  out.expected += " (hermes changes the committed order: only flamingo bench scheduler has it)";
  return out;
}

std::vector<entry> of_executor(local_parameters& x) {
  return {
      integer("executors", x.executors, 1, 10,
              "Workers of the executor group at first. Afterwards the store knows their number, "
              "and `flamingo executor add` or `remove` changes it."),
      integer("slack_per_mille", x.slack_per_mille, 0, 1000,
              "How far above the mean the load of one executor in a batch may be, if keys move: so "
              "much "
              "with eight executors or more, less with fewer, in proportion."),
      scheduler_choice(x.scheduler),
      integer("max_lag", x.max_lag, 10, 10'000,
              "Commits that executors may be behind before new bundles are refused.", "commits"),
      milliseconds("max_execution_delay_ms", x.max_execution_delay, 10, 600'000,
                   "Bundles wait to be taken in while a commit has waited for the executors for "
                   "longer than this."),
      integer("max_lead", x.max_lead, 1, 1000,
              "Commits that an executor may be ahead of the slowest one.", "commits"),
      integer("max_waiting_steps", x.max_waiting_steps, 1000, 10'000'000,
              "Transactions that wait for values of other executors."),
      integer("max_waiting_sub_dags", x.max_waiting_sub_dags, 16, 10'000,
              "Commits of the stream that wait to be executed."),
      bytes("max_waiting_bytes", x.max_waiting_bytes, mib, 4096 * mib, "Their operations."),
      milliseconds("stream_retry_ms", x.stream_retry, 10, 60'000,
                   "A gap in the stream is asked for after this."),
      integer("snapshot_chunk", x.snapshot_chunk, 64, 65'536,
              "Buckets of the state that are hashed and written at once."),
  };
}

}  // namespace

section describe_local(local_parameters& x) {
  section out{
      .key = "local",
      .meaning = "Local parameters: delays, caches and rates. They may differ at every validator.",
  };
  for (const auto& part :
       {of_worker(x), of_primary(x), of_aggregator(x), of_committer(x), of_executor(x)})
    out.entries.insert(out.entries.end(), part.begin(), part.end());
  return out;
}

}  // namespace flamingo::config
