#include "messages/codec_migration.hpp"

#include "messages/codec_fields.hpp"

namespace flamingo {

namespace {

using codec::data_of;
using codec::read_fixed;

bool read(schema::MigrationDecision::Reader in, migration_decision& x) {
  x.anchor = commit_index{in.getAnchor()};
  return read_fixed(in.getDecision(), x.decision);
}

bool read(schema::MigrationAcceptance::Reader in, migration_acceptance& x) {
  x.anchor = commit_index{in.getAnchor()};
  x.accepted = in.getAccepted();
  return read_fixed(in.getDecision(), x.decision);
}

bool read(schema::CapacityDeclaration::Reader in, capacity_declaration& x) {
  x.period = in.getPeriod();
  x.transactions_per_second = in.getTransactionsPerSecond();
  return true;
}

bool read(schema::Checkpoint::Reader in, checkpoint& x) {
  x.index = commit_index{in.getIndex()};
  return read_fixed(in.getState(), x.state) && read_fixed(in.getSignature(), x.sig);
}

bool read(schema::Halt::Reader in, halt& x) {
  return read_fixed(in.getNextCommittee(), x.next_committee);
}

struct writer {
  schema::ControlRecord::Builder into;

  void operator()(const migration_decision& x) {
    auto out = into.initMigrationDecision();
    out.setAnchor(x.anchor.value);
    out.setDecision(data_of(x.decision));
  }
  void operator()(const migration_acceptance& x) {
    auto out = into.initMigrationAcceptance();
    out.setAnchor(x.anchor.value);
    out.setDecision(data_of(x.decision));
    out.setAccepted(x.accepted);
  }
  void operator()(const capacity_declaration& x) {
    auto out = into.initCapacityDeclaration();
    out.setPeriod(x.period);
    out.setTransactionsPerSecond(x.transactions_per_second);
  }
  void operator()(const checkpoint& x) {
    auto out = into.initCheckpoint();
    out.setIndex(x.index.value);
    out.setState(data_of(x.state));
    out.setSignature(data_of(x.sig));
  }
  void operator()(const halt& x) { into.initHalt().setNextCommittee(data_of(x.next_committee)); }
};

template <class Record, class Reader>
std::optional<control_record> read_as(Reader in) {
  Record x;
  if (!read(in, x)) return std::nullopt;
  return x;
}

}  // namespace

std::optional<control_record> decode(schema::ControlRecord::Reader in) {
  switch (in.which()) {
    case schema::ControlRecord::NONE:
      return std::nullopt;
    case schema::ControlRecord::MIGRATION_DECISION:
      return read_as<migration_decision>(in.getMigrationDecision());
    case schema::ControlRecord::MIGRATION_ACCEPTANCE:
      return read_as<migration_acceptance>(in.getMigrationAcceptance());
    case schema::ControlRecord::CAPACITY_DECLARATION:
      return read_as<capacity_declaration>(in.getCapacityDeclaration());
    case schema::ControlRecord::CHECKPOINT:
      return read_as<checkpoint>(in.getCheckpoint());
    case schema::ControlRecord::HALT:
      return read_as<halt>(in.getHalt());
  }
  return std::nullopt;  // a kind of a later version
}

std::optional<control_record> decode(const wire<schema::ControlRecord>& frame) {
  std::optional<control_record> result;
  if (!frame.read([&](schema::ControlRecord::Reader in) { result = decode(in); }))
    return std::nullopt;
  return result;
}

void write(const control_record& from, schema::ControlRecord::Builder into) {
  std::visit(writer{into}, from);
}

wire<schema::ControlRecord> encode(const control_record& x) {
  capnp::MallocMessageBuilder message;
  write(x, message.initRoot<schema::ControlRecord>());
  return wire<schema::ControlRecord>(message);
}

wire<schema::CommittedControl> encode(const commit_control& x) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<schema::CommittedControl>();
  out.setIndex(x.index.value);
  out.setAnchorRound(x.anchor_round.value);
  auto records = out.initRecords(static_cast<unsigned>(x.records.size()));
  for (unsigned i = 0; i < x.records.size(); ++i) {
    records[i].setAuthor(x.records[i].author.value);
    write(x.records[i].record, records[i].initRecord());
  }
  return wire<schema::CommittedControl>(message);
}

std::optional<commit_control> decode(const wire<schema::CommittedControl>& frame) {
  commit_control result;
  bool well_formed = true;
  const auto read = [&](schema::CommittedControl::Reader in) {
    result.index = commit_index{in.getIndex()};
    result.anchor_round = round_number{in.getAnchorRound()};
    for (const auto entry : in.getRecords()) {
      auto record = decode(entry.getRecord());
      if (!record) return void(well_formed = false);
      result.records.push_back({validator_id{entry.getAuthor()}, std::move(*record)});
    }
  };
  if (!frame.read(read) || !well_formed) return std::nullopt;
  return result;
}

}  // namespace flamingo
