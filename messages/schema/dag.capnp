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
  }
}

struct RoundRange @0xd3a1f1a0c0de0511 {
  first @0 :UInt64;
  last @1 :UInt64;                  # inclusive
}
