#include "actors/joiner/joiner_actor.hpp"

#include <spdlog/spdlog.h>

#include <caf/all.hpp>

#include "actors/executor/snapshots_actor.hpp"
#include "actors/executor/state_tree.hpp"
#include "crypto/checkpoint_checks.hpp"
#include "messages/codec_checkpoint.hpp"

namespace flamingo::joiner {

namespace {

using pointer = joiner_actor::stateful_pointer<state>;
using storage::key;
using storage::table;

key key_of_standing() {
  return key(crypto::as_bytes("joiner/standing"));
}

digest sha256(byte_span bytes) {
  return crypto::hash({bytes});
}

/// What a snapshot stores of a bucket begins with its number.
bool names(byte_span bytes, std::uint16_t bucket) {
  const auto number = crypto::little_endian(bucket);
  return bytes.size() >= number.size() && std::equal(number.begin(), number.end(), bytes.begin());
}

state_received::outcome judge(const state_part& x, const digest& root) {
  using outcome = state_received::outcome;
  if (x.buckets.empty()) return outcome::gone;
  std::vector<digest> leaves;
  for (std::size_t i = 0; i < x.buckets.size(); ++i) {
    const auto bucket = static_cast<std::uint16_t>(x.first + i);
    const auto& bytes = x.buckets[i];
    if (!bytes.empty() && !names(bytes, bucket)) return outcome::wrong;
    leaves.push_back(bytes.empty() ? executor::empty_leaf(bucket) : executor::leaf_of(bytes));
  }
  return executor::root_over(std::move(leaves), x.first, x.path, &sha256) == root ? outcome::right
                                                                                  : outcome::wrong;
}

storage::write_batch writes_of(const effects& x, const standing& stands, const state_part* part) {
  storage::write_batch writes;
  if (x.begin) {
    put_standing(writes, {stands.lost, true});
    executor::erase_snapshots(writes);
  }
  if (x.keep)
    for (std::size_t i = 0; i < part->buckets.size(); ++i)
      if (!part->buckets[i].empty())
        executor::install_bucket(writes, static_cast<std::uint16_t>(part->first + i),
                                 part->buckets[i]);
  return writes;
}

void fail(pointer self, ec why, const std::string& what) {
  self->state.env->fail(why, what);
  self->quit();
}

void conclude(pointer self, const finish& x) {
  auto& s = self->state;
  storage::write_batch writes;
  put_standing(writes, {});
  if (!s.with->install(writes, x, s.logic->ledger()))
    return fail(self, ec::bad_configuration,
                "the checkpoint at commit " + std::to_string(x.checkpoint->index.value) +
                    " is of another version of this program: start the version that the other "
                    "validators run");
  if (x.checkpoint) spdlog::info("joined at commit {} of a checkpoint", x.checkpoint->index.value);
  if (x.bar) spdlog::info("neither votes nor proposes up to round {}", x.bar->value);
  s.out->perform(std::move(writes), [self] { self->state.with->done(); });
}

void show(pointer self) {
  auto& s = self->state;
  s.counted->answers.Set(static_cast<double>(s.logic->answers()));
  s.counted->buckets.Set(static_cast<double>(s.logic->buckets_kept()));
  const auto& target = s.logic->target();
  s.counted->target.Set(target ? static_cast<double>(target->index.value) : 0);
}

void run(pointer self, input in, const state_part* part = nullptr) {
  auto& s = self->state;
  const time_point now = s.env->now();
  effects x = s.logic->step(now, std::move(in));
  if (x.begin) spdlog::info("fetching the checkpoint at commit {}", s.logic->target()->index.value);
  s.out->perform(writes_of(x, s.with->stands, part), [self, questions = std::move(x.questions)] {
    for (const auto& [peer, what] : questions)
      if (const auto it = self->state.links.find(peer); it != self->state.links.end())
        self->send(it->second, atom::transmit_v, link_priority::sync, encode(what));
  });
  show(self);
  if (x.check)
    return run(self, ledger_checked{crypto::ledger_digest(s.logic->ledger()) ==
                                    s.logic->target()->ledger});
  if (x.done) return conclude(self, *x.done);
  if (const auto wait = s.timer.arm(now, s.logic->next_deadline()))
    self->delayed_send(self, *wait, atom::tick_v);
}

struct receiver {
  pointer self;
  validator_id from;

  void count(reject why) const { self->state.counted->rejected.count(why); }

  void operator()(checkpoint_answer& x) const {
    const auto& env = *self->state.env;
    answer_received in{from, {}, {}};
    if (x.newest) {
      const auto checked = crypto::check_certificate(*env.scheme, *env.members,
                                                     std::move(*x.newest), env.members->quorum());
      if (!checked) return count(reject::bad_signature);
      in.newest = (*checked)->round;
    }
    if (x.checkpoint) {
      in.checkpoint = crypto::check_proof(*env.scheme, *env.members, std::move(*x.checkpoint));
      if (!in.checkpoint) return count(reject::bad_signature);
    }
    run(self, std::move(in));
  }
  void operator()(ledger_part& x) const { run(self, ledger_received{from, std::move(x)}); }
  void operator()(state_part& x) const {
    const auto& target = self->state.logic->target();
    if (!target || target->index != x.index) return count(reject::not_requested);
    const auto what = judge(x, target->state_root);
    if (what == state_received::outcome::wrong) count(reject::malformed);
    const auto count_of = static_cast<std::uint32_t>(x.buckets.size());
    run(self, state_received{from, x.index, x.first, count_of, what}, &x);
  }
  // There is nothing here to give.
  void operator()(checkpoint_query) const {}
  void operator()(const ledger_request&) const {}
  void operator()(const state_request&) const {}
};

void on_frame(pointer self, validator_id from, const peer_frame& frame) {
  if (!is_checkpoint(frame)) return;  // peers know no better: it is sent again later
  auto message = decode_checkpoint(frame, self->state.env->members->size());
  if (message)
    std::visit(receiver{self, from}, *message);
  else
    self->state.counted->rejected.count(reject::malformed);
}

parameters parameters_of(const runtime::environment& env, const plan& with) {
  auto x = parameters::of(env.self, *env.members, env.protocol, env.local);
  x.lost = with.stands.lost;
  x.begun = with.stands.begun;
  x.have = with.have;
  return x;
}

}  // namespace

standing read_standing(storage::kv& store) {
  const auto row = store.get(table::meta, key_of_standing());
  if (!row || row->size() != 2) return {};
  return {(*row)[0] != 0, (*row)[1] != 0};
}

void put_standing(storage::write_batch& into, const standing& x) {
  if (x.joins())
    into.put(table::meta, key_of_standing(), std::vector<char>{x.lost, x.begun});
  else
    into.erase(table::meta, key_of_standing());
}

counters::counters(runtime::metrics& into)
    : rejected(into, "joiner"),
      answers(into.gauge("flamingo_joiner_answers",
                         "Validators that have said where they are, while this one joins")),
      target(into.gauge("flamingo_joiner_checkpoint_index",
                        "Commit index of the checkpoint that is being fetched, 0 if none")),
      buckets(into.gauge("flamingo_joiner_buckets",
                         "Buckets of the state, of 65536, that were fetched")) {}

joiner_actor::behavior_type shell(pointer self, runtime::environment_ptr env, plan with) {
  auto& s = self->state;
  s.env = env;
  s.counted.emplace(*env->metrics);
  s.logic.emplace(parameters_of(*env, with));
  s.with.emplace(std::move(with));
  s.out.emplace(
      *env->store,
      [weak = caf::actor_cast<caf::weak_actor_ptr>(self)](std::uint64_t ticket) {
        if (auto strong = caf::actor_cast<joiner_actor>(weak.lock()))
          caf::anon_send(strong, atom::durable_v, ticket);
      },
      [env](const std::string& what) { env->fail(ec::store_failed, what); });
  return {[self](atom::start) { run(self, started{}); },
          [self](atom::link_up, validator_id peer, const peer_link& link) {
            self->state.links[peer] = link;
            run(self, link_restored{peer});
          },
          [self](atom::link_down, validator_id peer, const peer_link& link) {
            // A newer link may have come up before this one's end was noticed.
            const auto it = self->state.links.find(peer);
            if (it == self->state.links.end() || it->second != link) return;
            self->state.links.erase(it);
            run(self, link_lost{peer});
          },
          [self](validator_id from, const peer_frame& x) { on_frame(self, from, x); },
          [self](atom::durable, std::uint64_t ticket) { self->state.out->durable(ticket); },
          [self](atom::tick) {
            self->state.timer.fired(self->state.env->now());
            run(self, ticked{});
          }};
}

}  // namespace flamingo::joiner
