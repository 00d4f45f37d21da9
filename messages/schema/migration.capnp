# Control records: what headers carry so that the committed log decides it (design: ordering-layer balancing).
@0xd3a1f1a0c0de0004;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("flamingo::schema");

struct ControlRecord @0xd3a1f1a0c0de0401 {
  union {
    none @0 :Void;      # what an empty record reads as; never valid
    migrationDecision @1 :MigrationDecision;
    migrationAcceptance @2 :MigrationAcceptance;
    capacityDeclaration @3 :CapacityDeclaration;
    checkpoint @4 :Checkpoint;
    halt @5 :Halt;
  }
}

struct MigrationDecision @0xd3a1f1a0c0de0402 {
  anchor @0 :UInt64;    # commit index of the decision anchor
  decision @1 :Data;    # digest of the decision's body, as the header's author computed it
}

struct MigrationAcceptance @0xd3a1f1a0c0de0403 {
  anchor @0 :UInt64;
  decision @1 :Data;
  accepted @2 :Bool;    # false: the receiver declines its own part
}

struct CapacityDeclaration @0xd3a1f1a0c0de0404 {
  period @0 :UInt64;                # balance period
  transactionsPerSecond @1 :UInt64;
}

struct Checkpoint @0xd3a1f1a0c0de0405 {
  index @0 :UInt64;     # commit index
  state @1 :Data;       # the checkpoint's digest
  signature @2 :Data;   # the header author's, over the digest, so that it can be shown to a joiner alone
}

struct Halt @0xd3a1f1a0c0de0406 {
  nextCommittee @0 :Data;  # digest of the next committee file
}
