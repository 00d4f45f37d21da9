#include "actors/checkpointer/checkpointer_actor.hpp"

#include <spdlog/spdlog.h>
#include <caf/all.hpp>

#include "actors/dag/limits.hpp"
#include "actors/runtime/neighbours.hpp"
#include "crypto/checkpoint_checks.hpp"
#include "crypto/hex.hpp"
#include "messages/codec_checkpoint.hpp"
#include "messages/codec_dag.hpp"
#include "messages/codec_executor.hpp"
#include "messages/codec_migration.hpp"

namespace flamingo::checkpointer {

namespace {

using pointer = checkpointer_actor::stateful_pointer<state>;
using storage::key;
using storage::table;

// -- the store, table meta: the newest proof as the answer that carries it, what diverged, and the
// -- ledgers of the newest checkpoints, as many as there are snapshots of the state

constexpr std::uint64_t ledgers_kept = 2;

key key_of(std::string_view name) {
  return key(crypto::as_bytes(name));
}
key key_of_proof() {
  return key_of("checkpointer/proof");
}
key key_of_divergence() {
  return key_of("checkpointer/diverged");
}
key key_of_ledger(commit_index index) {
  static constexpr std::string_view name = "checkpointer/ledger/";
  std::array<byte, name.size() + 8> bytes;
  std::copy(name.begin(), name.end(), bytes.begin());
  const key number = key::of(index);
  std::copy_n(number.data(), 8, bytes.begin() + name.size());
  return key(bytes);
}

std::vector<char> row_of(const divergence& x) {
  const key index = key::of(x.index);
  std::vector<char> row(index.data(), index.data() + index.size());
  row.insert(row.end(), x.own.bytes.begin(), x.own.bytes.end());
  row.insert(row.end(), x.theirs.bytes.begin(), x.theirs.bytes.end());
  return row;
}

divergence divergence_of(const std::vector<char>& row) {
  divergence x;
  const byte_span bytes(reinterpret_cast<const byte*>(row.data()), row.size());
  x.index = commit_index{storage::number_at<std::uint64_t>(bytes, 0)};
  std::copy_n(bytes.begin() + 8, digest::size, x.own.bytes.begin());
  std::copy_n(bytes.begin() + 8 + digest::size, digest::size, x.theirs.bytes.begin());
  return x;
}

recovered recover(storage::kv& store, std::size_t validators) {
  recovered x;
  const auto good = [](bool condition) {
    if (!condition)
      throw storage::error(
          "table meta of the store is damaged: restore the validator's data directory, or let it "
          "join anew");
  };
  if (auto row = store.get(table::meta, key_of_proof())) {
    auto message = decode_checkpoint(peer_frame{shared_bytes(std::move(*row))}, validators);
    const auto* answer = message ? std::get_if<checkpoint_answer>(&*message) : nullptr;
    good(answer != nullptr && answer->checkpoint);
    x.proven = answer->checkpoint;
  }
  if (const auto row = store.get(table::meta, key_of_divergence())) {
    good(row->size() == 8 + 2 * digest::size);
    x.diverged = divergence_of(*row);
  }
  return x;
}

storage::write_batch writes_of(const effects& x) {
  storage::write_batch writes;
  if (x.proven)
    writes.put(table::meta, key_of_proof(), encode(checkpoint_answer{{}, x.proven}).bytes());
  if (x.diverged) writes.put(table::meta, key_of_divergence(), row_of(*x.diverged));
  return writes;
}

// -- steps

void count(pointer self, reject why) {
  self->state.counted->rejected.count(why);
}

void stop_dependents(pointer self, const divergence& x) {
  spdlog::error(
      "the state differs from that of f+1 others at the checkpoint of commit {} (ours {}, theirs "
      "{}): "
      "this validator goes on voting, but executes, admits and receipts nothing any more",
      x.index.value, crypto::to_hex(x.own), crypto::to_hex(x.theirs));
  for (const auto& committer : self->state.committers)
    self->send(committer, atom::diverged_v, x.index);
  for (const auto& [id, worker] : self->state.workers)
    self->send(worker, atom::diverged_v, x.index);
}

/// Who is met only now has not heard.
void tell_if_diverged(pointer self, const divergence_sink& who) {
  if (const auto& diverged = self->state.logic->diverged())
    self->send(who, atom::diverged_v, diverged->index);
}

void run(pointer self, const input& in) {
  auto& s = self->state;
  const effects x = s.logic->step(s.env->now(), in);
  for (const reject why : x.rejected) count(self, why);
  s.out->perform(writes_of(x), [self, diverged = x.diverged, offer = x.offer] {
    if (diverged) stop_dependents(self, *diverged);
    if (!offer) return;
    const auto record = encode(control_record{*offer});
    for (const auto& primary : self->state.primaries) self->send(primary, record);
  });
  s.counted->diverged.Set(s.logic->diverged() ? 1 : 0);
  if (const auto& proven = s.logic->proven())
    s.counted->proven.Set(static_cast<double>(proven->what.index.value));
  if (!x.sign) return;
  const auto& env = *s.env;
  const digest what = crypto::checkpoint_digest(*x.sign);
  const auto statement = crypto::checkpoint_statement(crypto::context_of(*env.members), what);
  run(self, summary_signed{*x.sign, {x.sign->index, what, env.signer->sign(statement)}});
}

void on_ledger(pointer self, const ledger_made& x) {
  auto& s = self->state;
  storage::write_batch writes;
  writes.put(table::meta, key_of_ledger(x.index), byte_span(x.ledger));
  const std::uint64_t back = ledgers_kept * s.env->protocol.checkpoint_anchors;
  writes.erase_range(table::meta, key_of_ledger({}), key_of_ledger(x.index - back + 1));
  s.out->perform(std::move(writes), [] {});
  run(self, ledger_written{x.index, crypto::ledger_digest(x.ledger), x.ledger.size()});
}

void on_control(pointer self, const commit_control& x) {
  const auto& env = *self->state.env;
  for (const auto& [author, record] : x.records) {
    const auto* said = std::get_if<checkpoint>(&record);
    if (said == nullptr) continue;
    if (auto checked = crypto::check_checkpoint(*env.scheme, *env.members, author, *said))
      run(self, record_committed{x.index, author, std::move(*checked)});
    else
      count(self, reject::bad_signature);
  }
}

void on_certified(pointer self, const certified_frame& x) {
  auto& s = self->state;
  round_number round;
  x.read([&](schema::CertifiedHeader::Reader in) {
    round = round_number{in.getCertificate().getRound()};
  });
  if (round <= s.newest_round) return;
  s.newest_round = round;
  s.newest = x;
}

// -- answers

struct answerer {
  pointer self;
  validator_id from;
  const peer_link& link;
  const peer_frame& frame;

  void say(const checkpoint_message& x) const {
    self->send(link, atom::transmit_v, link_priority::sync, encode(x));
  }
  /// Whether the peer may have about `bytes` now.
  bool may_have(std::uint64_t bytes) const {
    auto& s = self->state;
    const effects x = s.logic->step(s.env->now(), part_asked{from, bytes});
    for (const reject why : x.rejected) count(self, why);
    if (x.serve) s.counted->served_bytes.Increment(static_cast<double>(bytes));
    return x.serve;
  }

  void operator()(checkpoint_query) const {
    constexpr std::uint64_t about = 1024;
    if (!may_have(about)) return;
    const auto& s = self->state;
    checkpoint_answer x{{}, s.logic->proven()};
    if (s.newest_round > round_number{})
      if (auto certified = decode(s.newest, dag::limits_of(*s.env->members, s.env->protocol)))
        x.newest = std::move(certified->cert);
    say(x);
  }
  void operator()(const ledger_request& x) const {
    if (!may_have(checkpoint_part_bytes)) return;
    ledger_part part{x.index, x.offset, {}};
    const auto ledger = self->state.env->store->get(table::meta, key_of_ledger(x.index));
    if (ledger && x.offset < ledger->size()) {
      const auto first = ledger->begin() + static_cast<std::ptrdiff_t>(x.offset);
      const auto bytes = std::min<std::uint64_t>(checkpoint_part_bytes, ledger->size() - x.offset);
      part.bytes.assign(first, first + static_cast<std::ptrdiff_t>(bytes));
    }
    say(part);
  }
  void operator()(const state_request&) const {
    if (self->state.states && may_have(checkpoint_part_bytes))
      self->send(self->state.states, link, frame);
  }
  // Answers are for a joiner. One that has just become a validator again ignores late ones.
  void operator()(const checkpoint_answer&) const {}
  void operator()(const ledger_part&) const {}
  void operator()(const state_part&) const {}
};

void on_question(pointer self, validator_id from, const peer_link& link, const peer_frame& frame) {
  const auto message = decode_checkpoint(frame, self->state.env->members->size());
  if (!message) return count(self, reject::malformed);
  try {
    std::visit(answerer{self, from, link, frame}, *message);
  } catch (const storage::error& error) {
    self->state.env->fail(ec::store_failed, error.what());
    self->quit();
  }
}

void start(pointer self, runtime::environment_ptr env) {
  auto& s = self->state;
  s.env = env;
  s.counted.emplace(*env->metrics);
  s.out.emplace(
      *env->store,
      [weak = caf::actor_cast<caf::weak_actor_ptr>(self)](std::uint64_t ticket) {
        if (auto strong = caf::actor_cast<checkpointer_actor>(weak.lock()))
          caf::anon_send(strong, atom::durable_v, ticket);
      },
      [env](const std::string& what) { env->fail(ec::store_failed, what); });
  s.logic.emplace(parameters::of(*env->members, env->protocol, env->local),
                  recover(*env->store, env->members->size()));
}

}  // namespace

counters::counters(runtime::metrics& into)
    : rejected(into, "checkpointer"),
      proven(into.gauge("flamingo_checkpointer_proven_index",
                        "Commit index of the newest checkpoint that f+1 validators signed alike")),
      diverged(into.gauge("flamingo_checkpointer_diverged",
                          "1 if this validator's state was not the others' at a checkpoint")),
      served_bytes(into.counter("flamingo_checkpointer_served_bytes_total",
                                "Bytes of checkpoints that peers asked for and may have")) {}

checkpointer_actor::behavior_type shell(pointer self, runtime::environment_ptr env) {
  try {
    start(self, env);
  } catch (const storage::error& error) {
    env->fail(ec::store_failed, error.what());
    self->quit();
    return checkpointer_actor::behavior_type::make_empty_behavior();
  }
  return {[self](atom::meet, const record_sink& x) { runtime::meet(self->state.primaries, x); },
          [self](atom::meet, const divergence_sink& x) {
            runtime::meet(self->state.committers, x);
            tell_if_diverged(self, x);
          },
          [self](atom::meet, worker_id id, const divergence_sink& x) {
            self->state.workers[id] = x;
            tell_if_diverged(self, x);
          },
          [self](atom::meet, const state_source& x) { self->state.states = x; },
          [self](atom::start) { run(self, started{}); },
          [self](const certified_frame& x) { on_certified(self, x); },
          [self](const ledger_frame& x) {
            if (const auto ledger = decode(x))
              on_ledger(self, *ledger);
            else
              count(self, reject::malformed);
          },
          [self](const committed_control_frame& x) {
            if (const auto control = decode(x))
              on_control(self, *control);
            else
              count(self, reject::malformed);
          },
          [self](const progress_frame& x) {
            const auto progress = decode(x);
            if (!progress) return count(self, reject::malformed);
            if (progress->state_root)
              run(self, root_known{progress->state_root_index, *progress->state_root});
          },
          [self](validator_id from, const peer_link& link, const peer_frame& frame) {
            self->state.counted->rejected.judge(frame,
                                                [&] { on_question(self, from, link, frame); });
          },
          [self](atom::durable, std::uint64_t ticket) { self->state.out->durable(ticket); }};
}

}  // namespace flamingo::checkpointer
