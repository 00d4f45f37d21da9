#include "tests/sim/recorder.hpp"

#include "actors/committer/records.hpp"
#include "actors/dag/limits.hpp"
#include "crypto/hash.hpp"
#include "messages/codec_bundle.hpp"
#include "messages/codec_client.hpp"
#include "messages/codec_dag.hpp"
#include "messages/codec_validator.hpp"
#include "messages/codec_worker.hpp"
#include "storage/flatten.hpp"

namespace flamingo::sim {

namespace {

using checkers::name_of;
using checkers::short_name;
using storage::number_at;
using storage::table;

constexpr std::uint8_t own_header = 0;  // prefix of own headers in table `headers`
constexpr std::string_view primary_progress = "primary/progress";

validator_id validator_of(link::peer x) {
  return validator_id{static_cast<std::uint16_t>(x.index)};
}

shared_bytes value_of(const storage::write_batch::operation& x) {
  return x.value.size() == 1 ? x.value.front() : shared_bytes(storage::flatten(x.value));
}

/// A part of a value, aligned anew.
shared_bytes tail(byte_span value, std::size_t from) {
  return shared_bytes(std::vector<char>(value.begin() + from, value.end()));
}

dag_position position_at(byte_span key) {
  return {round_number{number_at<std::uint64_t>(key, 0)},
          validator_id{number_at<std::uint16_t>(key, 8)}};
}

digest digest_at(byte_span bytes, std::size_t at) {
  digest x;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), digest::size, x.bytes.begin());
  return x;
}

/// The identity of a header as it is stored or sent: the digest of its signed body.
digest id_of(schema::Signed::Reader x) {
  return header_id({x.getBody().begin(), x.getBody().size()});
}

/// Where a header's links lead.
std::vector<std::pair<round_number, digest>> links_of(schema::Header::Reader h) {
  std::vector<std::pair<round_number, digest>> all;
  const auto add = [&](round_number round, capnp::Data::Reader id) {
    if (id.size() == digest::size) all.emplace_back(round, digest_at({id.begin(), id.size()}, 0));
  };
  for (const auto parent : h.getParents()) add(round_number{h.getRound()} - 1, parent);
  for (const auto x : h.getWeakLinks()) add(round_number{x.getRound()}, x.getHeader());
  return all;
}

/// The batches that a header's body lists.
std::vector<digest> payload_of(byte_span body) {
  std::vector<digest> all;
  read_body<schema::Header>(body, [&](schema::Header::Reader h) {
    for (const auto entry : h.getPayload())
      if (entry.getBatch().size() == digest::size)
        all.push_back(digest_at({entry.getBatch().begin(), entry.getBatch().size()}, 0));
  });
  return all;
}

/// The batch that this acknowledges, if it is an acknowledgement.
std::optional<digest> stored_batch(const worker_frame& x) {
  std::optional<digest> id;
  x.read([&](schema::WorkerMessage::Reader r) {
    if (r.isStored() && r.getStored().getDigest().size() == digest::size)
      id = digest_at({r.getStored().getDigest().begin(), digest::size}, 0);
  });
  return id;
}

digest id_of(const shared_bytes& signed_header_frame) {
  digest id;
  wire<schema::Signed>(signed_header_frame).read([&](schema::Signed::Reader r) { id = id_of(r); });
  return id;
}

}  // namespace

recorder::recorder(std::shared_ptr<const committee> members, const protocol_parameters& protocol,
                   const std::set<validator_id>& byzantine)
    : members_(std::move(members)), limits_(dag::limits_of(*members_, protocol)), recent_(64) {
  facts_.validators = members_->size();
  facts_.faulty = members_->faulty();
  facts_.protocol = protocol;
  facts_.of.resize(members_->size());
  for (const auto v : byzantine) facts_.of[v.value].honest = false;
  promises_.resize(members_->size());
  earlier_.resize(members_->size());
  certified_.resize(members_->size());
  disks_.resize(members_->size());
}

void recorder::early(validator_id v, const std::string& what) {
  seen_.push_back({"durability", name_of(v) + " " + what + " before that was durable"});
}

// -- the disks

void recorder::durable(validator_id v, const storage::write_batch& changes) {
  if (!honest(v)) return;
  note_joined(v, changes);
  judge_deletions(v, changes);
  bool of_snapshots = false;
  for (const auto& x : changes.operations()) {
    of_snapshots = of_snapshots || x.where == table::executor;
    switch (x.what) {
      case storage::write_batch::kind::put:
        put(v, x.where, x.first, value_of(x));
        break;
      case storage::write_batch::kind::erase:
        if (x.where == table::batches) disks_[v.value].outcomes.noted(x.first);
        if (x.where == table::batches && x.first.size() >= digest::size)
          disks_[v.value].erased_batches.insert(digest_at(x.first, x.first.size() - digest::size));
        if (x.where == table::executor) disks_[v.value].owed.erase_executor_row(x.first);
        break;
      case storage::write_batch::kind::erase_range:
        if (x.where == table::executor) disks_[v.value].owed.erase_executor_rows(x.first);
        break;
    }
  }
  if (of_snapshots) judge_snapshot(v);
}

/// A committer's head without a commit: a checkpoint was put in place.
void recorder::note_joined(validator_id v, const storage::write_batch& changes) {
  constexpr byte head_key = 'h';
  std::optional<commit_index> head;
  for (const auto& x : changes.operations()) {
    if (x.what != storage::write_batch::kind::put) continue;
    if (x.where == table::commits) return;
    if (x.where != table::state || x.first.size() != 1 || x.first.data()[0] != head_key) continue;
    if (const auto record = committer::decode_head(value_of(x))) head = record->head.index;
  }
  if (!head) return;
  facts_.of[v.value].joined.insert(*head);
  disks_[v.value].outcomes.joined(*head);
}

void recorder::put(validator_id v, table where, byte_span key, const shared_bytes& value) {
  auto& disk = disks_[v.value];
  switch (where) {
    case table::commits:
      return put_commit(v, commit_index{number_at<std::uint64_t>(key, 0)}, value);
    case table::certificates:
      return put_certified(v, tail(value, digest::size));
    case table::batches:
      disk.outcomes.noted(key);
      return put_batch(v, value);
    case table::votes:
      return put_vote(v, key, value);
    case table::headers:
      if (key[0] == own_header)
        disk.headers[round_number{number_at<std::uint64_t>(key, 1)}] = id_of(value);
      return;
    case table::meta:
      if (key.size() == primary_progress.size() &&
          std::equal(key.begin(), key.end(), primary_progress.begin()))
        disk.floor = round_number{number_at<std::uint64_t>(value, 0)};
      return;
    case table::executor:
      return disk.owed.put_executor_row(key, value);
    default:
      return;
  }
}

/// A vote: its signature, the header's digest, the header as it was signed.
void recorder::put_vote(validator_id v, byte_span key, const shared_bytes& row) {
  auto& disk = disks_[v.value];
  const auto place = position_at(key);
  if (place.round <= disk.floor)
    seen_.push_back({"floors", name_of(v) + " voted for a header of " + name_of(place.author) +
                                   ", round " + std::to_string(place.round.value) +
                                   ", and its floor is " + std::to_string(disk.floor.value)});
  const auto header = disk.votes[place] = digest_at(row, signature::size);
  std::vector<digest> payload;
  const shared_bytes signed_header = tail(row, signature::size + digest::size);
  wire<schema::Signed>(signed_header).read([&](schema::Signed::Reader r) {
    payload = payload_of({r.getBody().begin(), r.getBody().size()});
  });
  for (const auto& id : payload)
    if (!disk.batches.contains(id))
      early(v, "voted for " + short_name(header) + " of " + name_of(place.author) + ", round " +
                   std::to_string(place.round.value) + ", which lists batch " + short_name(id) +
                   ",");
  disk.owed.voted(place.round, payload);
}

void recorder::judge_deletions(validator_id v, const storage::write_batch& changes) {
  for (const auto& gone : disks_[v.value].owed.deleted(changes, now_(), history_(v)))
    for (auto& x : checkers::deletion(v, gone, facts_.protocol.gc_depth))
      seen_.push_back(std::move(x));
}

/// Nothing that a snapshot is past is executed again, at whatever crash.
void recorder::judge_snapshot(validator_id v) {
  auto& disk = disks_[v.value];
  const auto snapshot = disk.owed.snapshot();
  for (const auto& x : disk.outcomes.passed_by(snapshot))
    seen_.push_back(
        {"durability", name_of(v) + " has a snapshot of commit " + std::to_string(snapshot.value) +
                           ", and its store does not say what became of bundle " +
                           std::to_string(x.sequence.value) + " of " + name_of(x.client) +
                           ", commit " + std::to_string(x.by.value)});
}

void recorder::put_commit(validator_id v, commit_index index, const shared_bytes& bytes) {
  auto stream = decode(sequenced_frame(bytes));
  auto& mine = facts_.of[v.value];
  if (!stream) {
    mine.rewritten.push_back("the record of commit " + std::to_string(index.value) +
                             " is not readable");
    return;
  }
  disks_[v.value].owed.committed(*stream, now_());
  disks_[v.value].outcomes.committed(*stream);
  // Who executes it is each validator's own business.
  const execution_group group = std::exchange(stream->group, {});
  const shared_bytes common = encode(*stream).bytes();
  stream->group = group;
  const auto [known, is_new] = mine.commits.try_emplace(index);
  if (is_new) {
    known->second = {std::move(*stream), common};
    return;
  }
  const byte_span before = known->second.bytes, now = common;
  if (!std::equal(before.begin(), before.end(), now.begin(), now.end()))
    mine.rewritten.push_back("commit " + std::to_string(index.value) +
                             " was durable and was made again with other bytes");
}

void recorder::put_certified(validator_id v, const shared_bytes& bytes) {
  auto x = decode(certified_frame(bytes), limits_);
  if (!x) return;
  const digest id = x->hdr.id;
  if (certified_[v.value].insert(id).second) facts_.of[v.value].certified.push_back(id);
  facts_.certified.try_emplace(id, std::move(*x));
}

void recorder::put_batch(validator_id v, const shared_bytes& bytes) {
  const batch_limits limits{facts_.protocol.max_batch_bytes, facts_.protocol.max_bundles_per_batch,
                            facts_.protocol.max_bundle_bytes};
  const auto message = decode(worker_frame(bytes), limits);
  const auto* batch = message ? std::get_if<batch_view>(&*message) : nullptr;
  if (!batch) return;
  std::vector<checkers::bundle_record> bundles;
  std::vector<digest> ids;
  for (const auto& x : batch->bundles) {
    auto& bundle = bundles.emplace_back();
    read_bundle(x.body,
                {facts_.protocol.max_bundle_bytes, facts_.protocol.max_transactions_per_bundle},
                *members_, bundle.head, bundle.operations);
    bundle.head.id = crypto::hash(crypto::tags::bundle, x.body);
    ids.push_back(bundle.head.id);
  }
  const auto id = crypto::batch_digest(batch->author, batch->worker, batch->sequence, ids);
  disks_[v.value].batches.insert(id);
  disks_[v.value].erased_batches.erase(id);
  facts_.batches.try_emplace(id, std::move(bundles));
}

void recorder::crashed(validator_id v, storage::memory_kv& platter) {
  if (!honest(v)) return;
  using storage::key;
  checkers::kept disk;
  disk.dead_batches = disks_[v.value].erased_batches;
  platter.scan(table::votes, key(), key::end(), [&](byte_span at, byte_span value) {
    disk.votes[position_at(at)] = digest_at(value, signature::size);
    return true;
  });
  platter.scan(table::headers, key::of(own_header), key::of(own_header).prefix_end(),
               [&](byte_span at, byte_span value) {
                 disk.headers[round_number{number_at<std::uint64_t>(at, 1)}] =
                     id_of(tail(value, 0));
                 return true;
               });
  platter.scan(table::commits, key(), key::end(), [&](byte_span at, byte_span) {
    disk.last_commit = commit_index{number_at<std::uint64_t>(at, 0)};
    return true;
  });
  platter.scan(table::batches, key(), key::end(), [&](byte_span at, byte_span) {
    if (at.size() >= digest::size) disk.batches.insert(digest_at(at, at.size() - digest::size));
    return true;
  });
  const byte_span name(reinterpret_cast<const byte*>(primary_progress.data()),
                       primary_progress.size());
  if (const auto row = platter.get(table::meta, key(name)))
    disk.floor = round_number{
        number_at<std::uint64_t>({reinterpret_cast<const byte*>(row->data()), row->size()}, 0)};
  for (auto& x : checkers::durability(v, promises_[v.value], disk)) seen_.push_back(std::move(x));
}

void recorder::wiped(validator_id v) {
  auto& made = promises_[v.value];
  auto& earlier = earlier_[v.value];
  earlier.votes.merge(made.votes);
  earlier.headers.merge(made.headers);
  made = {};
  disks_[v.value] = {};
}

// -- the links

void recorder::arrived(link::peer from, link::peer, const peer_frame& x) {
  const auto v = validator_of(from);
  for (const auto& y : recent_)
    if (!y.bytes().empty() && y.bytes().data() == x.bytes().data()) return;
  x.read([&](schema::PeerMessage::Reader r) {
    if (r.isVote() && honest(v)) {
      const auto cast = r.getVote();
      if (cast.getVoter() != v.value) return;
      vote y;
      y.author = validator_id{cast.getAuthor()};
      y.round = round_number{cast.getRound()};
      y.header = digest_at({cast.getHeader().begin(), cast.getHeader().size()}, 0);
      voted(v, y);
    } else if (r.isHeader()) {
      recent_[next_recent_++ % recent_.size()] = x;
      const auto body = r.getHeader().getBody();
      const byte_span bytes(body.begin(), body.size());
      read_body<schema::Header>(bytes, [&](schema::Header::Reader h) {
        const auto id = header_id(bytes);
        links_.try_emplace(id, links_of(h));
        if (honest(v) && h.getAuthor() == v.value) sent_header(v, id, round_number{h.getRound()});
      });
    }
  });
}

/// What a header that is voted for or sent builds on must be durable before.
void recorder::expect_links(validator_id v, const digest& header, const std::string& text) {
  const auto found = links_.find(header);
  if (found == links_.end()) return;
  for (const auto& [round, id] : found->second)
    if (round > disks_[v.value].floor && round > round_number{} &&
        !certified_[v.value].contains(id))
      early(v, text + ", which links " + short_name(id) + " of round " +
                   std::to_string(round.value) + ",");
}

void recorder::voted(validator_id v, const vote& x) {
  const dag_position place{x.round, x.author};
  const std::string text = "voted for " + short_name(x.header) + " of " + name_of(x.author) +
                           ", round " + std::to_string(x.round.value);
  auto& made = promises_[v.value];
  const auto& earlier = earlier_[v.value].votes;
  if (const auto lost = earlier.find(place); lost != earlier.end() && lost->second != x.header)
    seen_.push_back({"lost store", name_of(v) + " " + text + ", after it voted for " +
                                       short_name(lost->second) + " before its disk was lost"});
  const auto [known, is_new] = made.votes.try_emplace(place, x.header);
  if (known->second != x.header)
    seen_.push_back({"durability", name_of(v) + " " + text + ", after it voted for " +
                                       short_name(known->second)});
  const auto& disk = disks_[v.value];
  if (!is_new || place.round <= disk.floor) return;
  const auto found = disk.votes.find(place);
  if (found == disk.votes.end() || found->second != x.header) early(v, text);
  expect_links(v, x.header, text);
}

void recorder::sent_header(validator_id v, const digest& id, round_number round) {
  const std::string text =
      "sent its header " + short_name(id) + " of round " + std::to_string(round.value);
  const auto& earlier = earlier_[v.value].headers;
  if (const auto lost = earlier.find(round); lost != earlier.end() && lost->second != id)
    seen_.push_back({"lost store", name_of(v) + " " + text + ", after it sent " +
                                       short_name(lost->second) + " before its disk was lost"});
  const auto [known, is_new] = promises_[v.value].headers.try_emplace(round, id);
  if (known->second != id)
    seen_.push_back(
        {"durability", name_of(v) + " " + text + ", after it sent " + short_name(known->second)});
  if (!is_new) return;
  const auto& disk = disks_[v.value];
  const auto found = disk.headers.find(round);
  if (found == disk.headers.end() || found->second != id) early(v, text);
  expect_links(v, id, text);
}

void recorder::left(link::peer from, link::peer, const worker_frame& x) {
  const auto v = validator_of(from);
  if (!honest(v)) return;
  if (const auto id = stored_batch(x)) disks_[v.value].owed.acknowledged(*id, now_());
}

void recorder::arrived(link::peer from, link::peer to, const worker_frame& x) {
  const auto v = validator_of(from);
  if (!honest(v)) return;
  const auto id = stored_batch(x);
  if (id && promises_[v.value].batches.try_emplace(*id, validator_of(to)).second &&
      !disks_[v.value].batches.contains(*id))
    early(v, "acknowledged batch " + short_name(*id));
}

void recorder::arrived(link::peer from, link::peer to, const client_frame& x) {
  const auto message = decode(x, facts_.protocol.max_bundle_bytes);
  if (!message) return;
  if (const auto* bundle = std::get_if<signed_bundle>(&*message)) {
    checkers::bundle_record record;
    read_bundle(bundle->parts.body,
                {facts_.protocol.max_bundle_bytes, facts_.protocol.max_transactions_per_bundle},
                *members_, record.head, record.operations);
    const client_id c{from.index};
    offered_[{c, record.head.sequence}] = crypto::hash(crypto::tags::bundle, bundle->parts.body);
    facts_.clients[c].offered.try_emplace(record.head.sequence, now_());
    return;
  }
  const client_id c{to.index};
  const auto v = validator_of(from);
  if (const auto* answer = std::get_if<admission_answer>(&*message)) {
    if (honest(v) && std::holds_alternative<admission::admitted>(answer->what))
      facts_.clients[c].admitted[answer->sequence] = offered_[{c, answer->sequence}];
  } else if (const auto* given = std::get_if<signed_receipts>(&*message)) {
    if (const auto list = decode_receipts(given->parts.body)) told(c, v, *list);
  }
}

void recorder::told(client_id c, validator_id from, const receipts& x) {
  for (const auto& y : x.list) {
    if (y.client != c) continue;
    promises_[from.value].receipts.insert(y.index);
    auto& newest = facts_.of[from.value].receipted;
    newest = std::max(newest, y.index);
    auto& all = facts_.clients[c].receipts[y.sequence];
    const bool known = std::any_of(all.begin(), all.end(), [&](const auto& z) {
      return z.from == from && z.what.bundle == y.bundle && z.what.index == y.index &&
             z.what.results_digest == y.results_digest;
    });
    if (!known) all.push_back({from, y});
  }
}

void recorder::arrived(link::peer from, link::peer, const operator_frame& x) {
  const auto message = decode(x);
  const auto* report = message ? std::get_if<status_report>(&*message) : nullptr;
  if (!report) return;
  auto& of = facts_.of[validator_of(from).value];
  of.told = report->index;
  of.executed = report->executed;
  if (report->state_root && report->state_root_index.value > 0)
    of.state_roots[report->state_root_index] = *report->state_root;
}

}  // namespace flamingo::sim
