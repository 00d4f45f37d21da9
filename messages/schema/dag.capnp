# The conversation between primaries: headers, votes, certificates, and fetching what is missing.
@0xd3a1f1a0c0de0005;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("flamingo::schema");
using Signed = import "signed.capnp".Signed;
using ControlRecord = import "migration.capnp".ControlRecord;

struct Header @0xd3a1f1a0c0de0501 {
  author @0 :UInt16;
  epoch @1 :UInt64;
  round @2 :UInt64;
  createdAt @3 :UInt64;             # nanoseconds since the Unix epoch, by the author's clock
  hasQueueDelay @4 :Bool;
  queueDelayUs @5 :UInt64;          # mean wait of sealed batches since the last header, microseconds
  payload @6 :List(PayloadEntry);
  parents @7 :List(Data);           # digests of headers of round - 1
  weakLinks @8 :List(WeakLink);     # strictly ascending by (round, author)
  control @9 :List(ControlRecord);
  coinShare @10 :Data;              # present iff the round is odd and at least 3
}

struct PayloadEntry @0xd3a1f1a0c0de0502 {
  batch @0 :Data;
  worker @1 :UInt16;
  transactions @2 :UInt32;
  counts @3 :Data;                  # delta-varint (account, transactions), ascending, no zeros
}

struct WeakLink @0xd3a1f1a0c0de0503 {
  round @0 :UInt64;
  author @1 :UInt16;
  header @2 :Data;
}

struct Vote @0xd3a1f1a0c0de0504 {
  header @0 :Data;
  author @1 :UInt16;                # of the header
  round @2 :UInt64;
  voter @3 :UInt16;                 # not part of what is signed: all voters sign the same statement
  signature @4 :Data;
}

struct Certificate @0xd3a1f1a0c0de0505 {
  header @0 :Data;
  author @1 :UInt16;
  round @2 :UInt64;
  signers @3 :Data;                 # bitmap, bit i mod 8 of byte i / 8: validator i
  signatures @4 :Data;              # 64 bytes a signer, in ascending order
}

struct CertifiedHeader @0xd3a1f1a0c0de0506 {
  header @0 :Signed;
  certificate @1 :Certificate;
}

struct PeerMessage @0xd3a1f1a0c0de0510 {
  union {
    header @0 :Signed;              # body Header
    vote @1 :Vote;
    certificate @2 :Certificate;
    certified @3 :CertifiedHeader;  # answers `request` and `range`
    request @4 :List(Data);         # digests of headers wanted, certified
    range @5 :RoundRange;           # all certified headers of these rounds wanted
    checkpoint @6 :CheckpointMessage;
    rangeGone @7 :RangeGone;        # answers `range`: its first rounds are not kept any more
  }
}

struct RangeGone @0xd3a1f1a0c0de0512 {
  firstKept @0 :UInt64;             # round
}

struct RoundRange @0xd3a1f1a0c0de0511 {
  first @0 :UInt64;
  last @1 :UInt64;                  # inclusive
}

# How a validator that is too far behind, or lost its store, comes back: it asks its peers for the newest
# checkpoint and fetches what the checkpoint vouches for (design: the certified DAG, "Recovery, history,
# checkpoints").

struct CheckpointMessage @0xd3a1f1a0c0de0801 {
  union {
    query @0 :Void;                   # "where are you, and which checkpoint can you prove?"
    answer @1 :CheckpointAnswer;
    ledgerRequest @2 :LedgerRequest;
    ledgerPart @3 :LedgerPart;
    stateRequest @4 :StateRequest;
    statePart @5 :StatePart;
  }
}

# What a checkpoint says. Its digest, SHA-256 over the tag and these fields, is what a Checkpoint record
# carries.
struct CheckpointSummary @0xd3a1f1a0c0de0802 {
  index @0 :UInt64;                   # commit index
  stateRoot @1 :Data;                 # of the application's state after that commit
  ledger @2 :Data;                    # digest of everything else that the log made
  ledgerBytes @3 :UInt64;             # its size
}

struct CheckpointAnswer @0xd3a1f1a0c0de0803 {
  hasNewest @0 :Bool;                 # false: no header was ever certified, as far as the sender knows
  newest @1 :Certificate;             # of the highest round that is complete at the sender
  hasCheckpoint @2 :Bool;
  checkpoint @3 :CheckpointSummary;   # the newest one that f+1 validators signed
  signers @4 :Data;                   # bitmap, bit i mod 8 of byte i / 8: validator i
  signatures @5 :Data;                # 64 bytes a signer, in ascending order
}

struct LedgerRequest @0xd3a1f1a0c0de0804 {
  index @0 :UInt64;
  offset @1 :UInt64;
}

struct LedgerPart @0xd3a1f1a0c0de0805 {
  index @0 :UInt64;
  offset @1 :UInt64;
  bytes @2 :Data;                     # empty: it is not kept any more
}

struct StateRequest @0xd3a1f1a0c0de0806 {
  index @0 :UInt64;
  first @1 :UInt32;                   # bucket
  count @2 :UInt32;                   # buckets: a power of two that divides `first`
}

struct StatePart @0xd3a1f1a0c0de0807 {
  index @0 :UInt64;
  first @1 :UInt32;
  buckets @2 :List(Data);             # as many as fit, a power of two; an empty one: no key exists in it.
                                      # None at all: the snapshot is not kept any more
  path @3 :List(Data);                # from their subtree's root to the state root: the other child,
                                      # bottom up
}
