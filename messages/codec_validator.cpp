#include "messages/codec_validator.hpp"

#include "messages/codec_fields.hpp"

namespace flamingo {

namespace {

using codec::data_of;
using codec::read_fixed;

/// Decodes with `f(reader, value)`, which says whether the message is well-formed.
template <class Value, class Schema, class F>
std::optional<Value> decode_with(const wire<Schema>& frame, F f) {
  Value result;
  bool well_formed = false;
  if (!frame.read([&](typename Schema::Reader in) { well_formed = f(in, result); }) || !well_formed)
    return std::nullopt;
  return result;
}

template <class ListReader>
bool read_digests(ListReader from, std::vector<digest>& into) {
  into.resize(from.size());
  for (unsigned i = 0; i < from.size(); ++i)
    if (!read_fixed(from[i], into[i])) return false;
  return true;
}

template <class ListBuilder>
void write_digests(const std::vector<digest>& from, ListBuilder into) {
  for (unsigned i = 0; i < from.size(); ++i) into.set(i, data_of(from[i]));
}

// -- the stream

void write(const sequenced_batch& from, schema::SequencedBatch::Builder into) {
  into.setDigest(data_of(from.id));
  into.setAuthor(from.author.value);
  into.setWorker(from.worker.value);
  auto bundles = into.initBundles(static_cast<unsigned>(from.bundles.size()));
  for (unsigned i = 0; i < from.bundles.size(); ++i) {
    const sequenced_bundle& x = from.bundles[i];
    auto out = bundles[i];
    out.setClient(x.client.value);
    out.setSequence(x.sequence.value);
    out.setVerdict(static_cast<std::uint8_t>(x.what));
    out.setTransactions(x.transactions);
    out.setDigest(data_of(x.id));
  }
}

bool read(schema::SequencedBatch::Reader from, sequenced_batch& into) {
  into.author = validator_id{from.getAuthor()};
  into.worker = worker_id{from.getWorker()};
  const auto bundles = from.getBundles();
  into.bundles.resize(bundles.size());
  for (unsigned i = 0; i < bundles.size(); ++i) {
    const auto in = bundles[i];
    sequenced_bundle& x = into.bundles[i];
    if (in.getVerdict() > static_cast<std::uint8_t>(verdict::expired)) return false;
    x.client = client_id{in.getClient()};
    x.sequence = bundle_sequence{in.getSequence()};
    x.what = static_cast<verdict>(in.getVerdict());
    x.transactions = in.getTransactions();
    if (!read_fixed(in.getDigest(), x.id)) return false;
  }
  return read_fixed(from.getDigest(), into.id);
}

// -- signers as a bitmap: bit i mod 8 of byte i / 8 is validator i

std::vector<byte> bitmap_of(const std::vector<validator_id>& members) {
  std::vector<byte> bits;
  for (const validator_id v : members) {
    if (v.value / 8u >= bits.size()) bits.resize(v.value / 8u + 1);
    bits[v.value / 8u] = static_cast<byte>(bits[v.value / 8u] | 1u << (v.value % 8u));
  }
  return bits;
}

bool read_bitmap(capnp::Data::Reader bits, std::vector<validator_id>& into) {
  if (bits.size() > 0x10000 / 8) return false;
  for (unsigned i = 0; i < 8 * bits.size(); ++i)
    if (bits[i / 8] >> (i % 8) & 1u) into.push_back(validator_id{static_cast<std::uint16_t>(i)});
  return true;
}

// -- the operator

void write(const evidence_report& from, schema::Evidence::Builder into) {
  auto kept = into.initKept(static_cast<unsigned>(from.kept.size()));
  for (unsigned i = 0; i < from.kept.size(); ++i) kept.set(i, from.kept[i]);
  auto newest = into.initNewest(static_cast<unsigned>(from.newest.size()));
  for (unsigned i = 0; i < from.newest.size(); ++i) {
    newest[i].setAuthor(from.newest[i].author.value);
    newest[i].setRound(from.newest[i].round.value);
    newest[i].setFirst(data_of(from.newest[i].first));
    newest[i].setSecond(data_of(from.newest[i].second));
  }
}

bool read(schema::Evidence::Reader from, evidence_report& into) {
  for (const std::uint32_t count : from.getKept()) into.kept.push_back(count);
  for (const auto in : from.getNewest()) {
    equivocation& x = into.newest.emplace_back();
    x.author = validator_id{in.getAuthor()};
    x.round = round_number{in.getRound()};
    if (!read_fixed(in.getFirst(), x.first) || !read_fixed(in.getSecond(), x.second)) return false;
  }
  return true;
}

constexpr std::uint64_t absent_delay = ~std::uint64_t{0};

void write(const status_report& from, schema::StatusReport::Builder into) {
  into.setValidator(from.validator.value);
  into.setRound(from.round.value);
  into.setCommitIndex(from.index.value);
  into.setAnchorRound(from.anchor_round.value);
  into.setExecutedIndex(from.executed.value);
  into.setCommittedTransactions(from.committed_transactions);
  into.setExecutedTransactions(from.executed_transactions);
  into.setDuplicates(from.duplicates);
  if (from.state_root) into.setStateRoot(data_of(*from.state_root));
  into.setStateRootIndex(from.state_root_index.value);
  into.setChain(data_of(from.chain));
  into.setExecutors(from.executors);
  auto delays = into.initQueueDelaysUs(static_cast<unsigned>(from.queue_delays.size()));
  for (unsigned i = 0; i < from.queue_delays.size(); ++i) {
    const auto& delay = from.queue_delays[i];
    delays.set(i, delay ? static_cast<std::uint64_t>(delay->count()) : absent_delay);
  }
  into.setRoundsBehind(from.rounds_behind);
  write(from.evidence, into.initEvidence());
  const auto write_ids = [](const auto& ids, auto list) {
    for (unsigned i = 0; i < ids.size(); ++i) list.set(i, ids[i].value);
  };
  const auto size = [](const auto& ids) { return static_cast<unsigned>(ids.size()); };
  into.setDivergedAt(from.diverged_at.value_or(commit_index{0}).value);
  if (from.committed_before) {
    into.setCommittedBefore(from.committed_before->count);
    into.setBeforeUs(static_cast<std::uint64_t>(from.committed_before->ago.count()));
  }
  write_ids(from.absent_workers, into.initAbsentWorkers(size(from.absent_workers)));
  write_ids(from.absent_executors, into.initAbsentExecutors(size(from.absent_executors)));
}

bool read(schema::StatusReport::Reader from, status_report& into) {
  into.validator = validator_id{from.getValidator()};
  into.round = round_number{from.getRound()};
  into.index = commit_index{from.getCommitIndex()};
  into.anchor_round = round_number{from.getAnchorRound()};
  into.executed = commit_index{from.getExecutedIndex()};
  into.committed_transactions = from.getCommittedTransactions();
  into.executed_transactions = from.getExecutedTransactions();
  into.duplicates = from.getDuplicates();
  if (from.getStateRoot().size() > 0 && !read_fixed(from.getStateRoot(), into.state_root.emplace()))
    return false;
  into.state_root_index = commit_index{from.getStateRootIndex()};
  into.executors = from.getExecutors();
  for (const std::uint64_t delay : from.getQueueDelaysUs()) {
    auto& out = into.queue_delays.emplace_back();
    if (delay != absent_delay) out = std::chrono::microseconds{static_cast<std::int64_t>(delay)};
  }
  into.rounds_behind = from.getRoundsBehind();
  for (const std::uint16_t id : from.getAbsentWorkers())
    into.absent_workers.push_back(worker_id{id});
  for (const std::uint16_t id : from.getAbsentExecutors())
    into.absent_executors.push_back(executor_id{id});
  if (const commit_index at{from.getDivergedAt()}; at.value != 0) into.diverged_at = at;
  if (const std::chrono::microseconds ago{static_cast<std::int64_t>(from.getBeforeUs())};
      ago.count() > 0)
    into.committed_before = {from.getCommittedBefore(), ago};
  if (!read(from.getEvidence(), into.evidence)) return false;
  return read_fixed(from.getChain(), into.chain);
}

std::string string_of(capnp::Text::Reader x) {
  return {x.begin(), x.size()};
}

/// Whole, whatever characters are in it.
capnp::Text::Reader text_of(const std::string& x) {
  return {x.c_str(), x.size()};
}

void write(const executors_report& from, schema::ExecutorsReport::Builder into) {
  into.setValidator(from.validator.value);
  into.setExecutors(from.executors);
  into.setVersion(from.version);
  into.setFrom(from.from.value);
  into.setRollBacks(from.roll_backs);
  into.setProblem(text_of(from.problem));
  auto list = into.initList(static_cast<unsigned>(from.list.size()));
  for (unsigned i = 0; i < from.list.size(); ++i) {
    list[i].setId(from.list[i].id.value);
    list[i].setHost(text_of(from.list[i].host));
    list[i].setExecuted(from.list[i].executed.value);
    list[i].setReady(from.list[i].ready);
  }
  auto hosts = into.initHosts(static_cast<unsigned>(from.hosts.size()));
  for (unsigned i = 0; i < from.hosts.size(); ++i) {
    hosts[i].setAddress(text_of(from.hosts[i].address));
    hosts[i].setUp(from.hosts[i].up);
  }
}

void read(schema::ExecutorsReport::Reader from, executors_report& into) {
  into.validator = validator_id{from.getValidator()};
  into.executors = from.getExecutors();
  into.version = from.getVersion();
  into.from = commit_index{from.getFrom()};
  into.roll_backs = from.getRollBacks();
  into.problem = string_of(from.getProblem());
  for (const auto x : from.getList())
    into.list.push_back({executor_id{x.getId()}, string_of(x.getHost()),
                         commit_index{x.getExecuted()}, x.getReady()});
  for (const auto x : from.getHosts()) into.hosts.push_back({string_of(x.getAddress()), x.getUp()});
}

}  // namespace

wire<schema::Sequenced> encode(const sequenced_sub_dag& x) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<schema::Sequenced>();
  out.setIndex(x.index.value);
  out.setAnchorRound(x.anchor_round.value);
  out.setAnchor(data_of(x.anchor));
  out.setFirstPosition(x.first_position.value);
  out.setSnapshot(x.snapshot);
  auto batches = out.initBatches(static_cast<unsigned>(x.batches.size()));
  for (unsigned i = 0; i < x.batches.size(); ++i) write(x.batches[i], batches[i]);
  out.setChain(data_of(x.chain));
  auto group = out.initGroup();
  group.setVersion(x.group.version);
  group.setExecutors(x.group.executors);
  group.setSlackPerMille(x.group.slack_per_mille);
  return wire<schema::Sequenced>(message);
}

std::optional<sequenced_sub_dag> decode(const wire<schema::Sequenced>& frame) {
  return decode_with<sequenced_sub_dag>(frame, [](auto in, sequenced_sub_dag& x) {
    x.index = commit_index{in.getIndex()};
    x.anchor_round = round_number{in.getAnchorRound()};
    x.first_position = stream_position{in.getFirstPosition()};
    x.snapshot = in.getSnapshot();
    const auto batches = in.getBatches();
    x.batches.resize(batches.size());
    for (unsigned i = 0; i < batches.size(); ++i)
      if (!read(batches[i], x.batches[i])) return false;
    const auto group = in.getGroup();
    x.group = {group.getVersion(), group.getExecutors(), group.getSlackPerMille()};
    if (x.group.executors < 1 || x.group.executors > max_group_executors) return false;
    return read_fixed(in.getAnchor(), x.anchor) && read_fixed(in.getChain(), x.chain);
  });
}

wire<schema::BatchWanted> encode(std::span<const wanted_batch> wanted) {
  capnp::MallocMessageBuilder message;
  auto out =
      message.initRoot<schema::BatchWanted>().initBatches(static_cast<unsigned>(wanted.size()));
  for (unsigned i = 0; i < wanted.size(); ++i) {
    out[i].setDigest(data_of(wanted[i].id));
    out[i].setAuthor(wanted[i].author.value);
    out[i].setWorker(wanted[i].worker.value);
    const auto bits = bitmap_of(wanted[i].signers);
    out[i].setSigners({bits.data(), bits.size()});
  }
  return wire<schema::BatchWanted>(message);
}

std::optional<std::vector<wanted_batch>> decode(const wire<schema::BatchWanted>& frame) {
  return decode_with<std::vector<wanted_batch>>(frame, [](auto in, auto& wanted) {
    const auto batches = in.getBatches();
    wanted.resize(batches.size());
    for (unsigned i = 0; i < batches.size(); ++i) {
      wanted[i].author = validator_id{batches[i].getAuthor()};
      wanted[i].worker = worker_id{batches[i].getWorker()};
      if (!read_fixed(batches[i].getDigest(), wanted[i].id) ||
          !read_bitmap(batches[i].getSigners(), wanted[i].signers))
        return false;
    }
    return true;
  });
}

wire<schema::Committed> encode(const commit_notice& x) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<schema::Committed>();
  out.setIndex(x.index.value);
  out.setAnchorRound(x.anchor_round.value);
  out.setFloor(x.floor.value);
  write_digests(x.output, out.initOutput(static_cast<unsigned>(x.output.size())));
  write_digests(x.dead_payload, out.initDeadPayload(static_cast<unsigned>(x.dead_payload.size())));
  return wire<schema::Committed>(message);
}

std::optional<commit_notice> decode(const wire<schema::Committed>& frame) {
  return decode_with<commit_notice>(frame, [](auto in, commit_notice& x) {
    x.index = commit_index{in.getIndex()};
    x.anchor_round = round_number{in.getAnchorRound()};
    x.floor = round_number{in.getFloor()};
    return read_digests(in.getOutput(), x.output) &&
           read_digests(in.getDeadPayload(), x.dead_payload);
  });
}

wire<schema::Signals> encode(const commit_signals& x) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<schema::Signals>();
  out.setIndex(x.index.value);
  out.setAnchorRound(x.anchor_round.value);
  auto headers = out.initHeaders(static_cast<unsigned>(x.headers.size()));
  for (unsigned i = 0; i < x.headers.size(); ++i) {
    const header_signals& from = x.headers[i];
    auto into = headers[i];
    into.setAuthor(from.author.value);
    into.setRound(from.round.value);
    into.setCreatedAt(static_cast<std::uint64_t>(from.created_at.time_since_epoch().count()));
    into.setHasQueueDelay(from.queue_delay.has_value());
    if (from.queue_delay)
      into.setQueueDelayUs(static_cast<std::uint64_t>(from.queue_delay->count()));
    into.setTransactions(from.transactions);
  }
  return wire<schema::Signals>(message);
}

std::optional<commit_signals> decode(const wire<schema::Signals>& frame) {
  return decode_with<commit_signals>(frame, [](auto in, commit_signals& x) {
    x.index = commit_index{in.getIndex()};
    x.anchor_round = round_number{in.getAnchorRound()};
    for (const auto from : in.getHeaders()) {
      header_signals& into = x.headers.emplace_back();
      into.author = validator_id{from.getAuthor()};
      into.round = round_number{from.getRound()};
      into.created_at = time_point{duration{static_cast<std::int64_t>(from.getCreatedAt())}};
      if (from.getHasQueueDelay())
        into.queue_delay =
            std::chrono::microseconds{static_cast<std::int64_t>(from.getQueueDelayUs())};
      into.transactions = from.getTransactions();
    }
    return true;
  });
}

wire<schema::Evidence> encode(const evidence_report& x) {
  capnp::MallocMessageBuilder message;
  write(x, message.initRoot<schema::Evidence>());
  return wire<schema::Evidence>(message);
}

std::optional<evidence_report> decode(const wire<schema::Evidence>& frame) {
  return decode_with<evidence_report>(frame,
                                      [](auto in, evidence_report& x) { return read(in, x); });
}

wire<schema::OperatorMessage> encode(const operator_message& x) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<schema::OperatorMessage>();
  if (const auto* report = std::get_if<status_report>(&x))
    write(*report, out.initReport());
  else if (const auto* scale = std::get_if<scale_request>(&x))
    out.setScale(scale->change);
  else if (const auto* executors = std::get_if<executors_report>(&x))
    write(*executors, out.initExecutors());
  else
    out.setStatus();
  return wire<schema::OperatorMessage>(message);
}

std::optional<operator_message> decode(const wire<schema::OperatorMessage>& frame) {
  return decode_with<operator_message>(frame, [](auto in, operator_message& x) {
    switch (in.which()) {
      case schema::OperatorMessage::STATUS:
        x = status_query{};
        return true;
      case schema::OperatorMessage::REPORT:
        return read(in.getReport(), x.template emplace<status_report>());
      case schema::OperatorMessage::SCALE:
        x = scale_request{in.getScale()};
        return in.getScale() >= -1 && in.getScale() <= 1;
      case schema::OperatorMessage::EXECUTORS:
        read(in.getExecutors(), x.template emplace<executors_report>());
        return true;
    }
    return false;  // a kind of a later version
  });
}

}  // namespace flamingo
