# What the roles of one validator say to each other, and to its operator.
@0xd3a1f1a0c0de0006;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("flamingo::schema");
using ControlRecord = import "migration.capnp".ControlRecord;

# Worker -> primary: a batch is durable here; an own one: at a quorum.
struct BatchAvailable @0xd3a1f1a0c0de0601 {
  digest @0 :Data;
  author @1 :UInt16;
  worker @2 :UInt16;
  transactions @3 :UInt32;
  countsDigest @4 :Data;            # over the encoded counts
  counts @5 :Data;                  # own batches only: what the header will carry
  waitUs @6 :UInt64;                # own batches only: sealed until a quorum acknowledged, microseconds
  bytes @7 :UInt64;                 # size of the batch, bytes
}

# Primary -> worker: batches of which the primary has to know; the worker answers with a BatchAvailable
# for each that is durable here (for an own one: unless it is committed, or no quorum has it yet).
struct AvailabilityQuestion @0xd3a1f1a0c0de0641 {
  batches @0 :List(Data);           # digests
  late @1 :Bool;                    # what is not here is to be asked of the author
  author @2 :UInt16;                # means something if late
}

# Worker -> primary, committer: batches of others that the log has not output for long, or has output. From
# now on they are not there for votes, nor are their indexes to be used.
struct BatchWithdrawal @0xd3a1f1a0c0de0642 {
  number @0 :UInt64;                # ascending, of this worker
  worker @1 :UInt16;
  batches @2 :List(Data);           # digests
}

# Primary, committer -> worker: the answer to a BatchWithdrawal.
struct WithdrawalNoted @0xd3a1f1a0c0de0643 {
  number @0 :UInt64;                # of the withdrawal
  until @1 :UInt64;                 # the highest round of a header that the primary has voted for, or the
                                    # anchor round of the newest commit that the committer has sequenced
  kept @2 :List(Data);              # digests of those that a header, or a commit, waits for: not withdrawn
  committer @3 :Bool;               # whose answer it is
}

# Worker -> committer: the bundles of a batch that is durable here.
struct BatchIndex @0xd3a1f1a0c0de0602 {
  digest @0 :Data;
  author @1 :UInt16;
  worker @2 :UInt16;
  bundles @3 :List(BundleIndex);
}

struct BundleIndex @0xd3a1f1a0c0de0603 {
  client @0 :UInt32;
  sequence @1 :UInt64;
  assignee @2 :UInt16;
  expires @3 :UInt64;
  transactions @4 :UInt32;
  digest @5 :Data;
  system @6 :Bool;                  # holds system transactions
}

# Committer -> worker: batches of a committed sub-DAG whose index is not known; the worker answers with a
# BatchIndex for each, and first fetches what it does not have from the signers.
struct BatchWanted @0xd3a1f1a0c0de0604 {
  batches @0 :List(Wanted);
  struct Wanted @0xd3a1f1a0c0de0605 {
    digest @0 :Data;
    author @1 :UInt16;
    worker @2 :UInt16;
    signers @3 :Data;               # bitmap of the certificate's signers
  }
}

# Committer -> workers, executors: one committed sub-DAG as sequenced.
struct Sequenced @0xd3a1f1a0c0de0606 {
  index @0 :UInt64;                 # commit index, from 1
  anchorRound @1 :UInt64;
  anchor @2 :Data;                  # the anchor's header digest
  firstPosition @3 :UInt64;         # stream position of its first fresh transaction
  snapshot @4 :Bool;                # executors take a snapshot at its end
  batches @5 :List(SequencedBatch); # in committed order
  chain @6 :Data;                   # sub-DAG chain digest up to here: equal at all validators
  group @7 :ExecutionGroup;         # which executors of this validator execute it: its own business
}

# The executors that execute a sub-DAG.
struct ExecutionGroup @0xd3a1f1a0c0de0647 {
  version @0 :UInt64;               # changes since the validator began
  executors @1 :UInt16;             # ids 0 to executors - 1
  slackPerMille @2 :UInt32;         # how far above the mean the load of one may be
}

struct SequencedBatch @0xd3a1f1a0c0de0607 {
  digest @0 :Data;
  author @1 :UInt16;
  worker @2 :UInt16;
  bundles @3 :List(SequencedBundle);
}

struct SequencedBundle @0xd3a1f1a0c0de0608 {
  client @0 :UInt32;
  sequence @1 :UInt64;
  verdict @2 :UInt8;                # enum verdict of messages/execution.hpp
  transactions @3 :UInt32;
  digest @4 :Data;
}

# Worker -> executors: the operations of one committed batch, without padding.
struct Payload @0xd3a1f1a0c0de0609 {
  index @0 :UInt64;                 # commit index
  digest @1 :Data;                  # batch
  bundles @2 :List(Data);           # packed operations of each bundle of the batch (messages/execution.hpp);
                                    # empty unless the bundle is fresh
}

# Executor -> executor: values pushed from their owner to the master that needs them, or returned by a
# master to their owner. Sent without values too, to say how far the sender is.
struct Pushed @0xd3a1f1a0c0de060b {
  batch @0 :UInt64;                 # stream position of the first transaction of the execution batch
  from @1 :UInt16;
  executed @2 :UInt64;              # every sub-DAG up to this commit index is executed at the sender
  snapshot @3 :UInt64;              # commit index of the sender's newest durable snapshot
  transactions @4 :List(UInt32);    # for each value: index within the batch of the transaction it is for
  keys @5 :List(UInt64);            # for each value
  values @6 :Data;                  # one after another, each of the application's value size
  snapshotAt @7 :UInt64;            # not 0: what changed of the receiver's home keys up to the snapshot at
                                    # this commit index; batch and transactions mean nothing then
  handover @8 :UInt64;              # not 0: keys whose home the receiver becomes with this version of the
                                    # group; batch and transactions mean nothing then
  part @9 :UInt32;                  # of a hand-over: which of how many parts
  parts @10 :UInt32;
  snapshots @11 :UInt64;            # of a hand-over: the number of the newest snapshot
}

# Executor -> executor: the master of some transactions asks an owner for the values of those of their keys
# that it owns; one for each execution batch. Only under a scheduler whose masters pull.
struct Requested @0xd3a1f1a0c0de0670 {
  batch @0 :UInt64;                 # stream position of the first transaction of the execution batch
  from @1 :UInt16;
  transactions @2 :List(UInt32);    # index within the execution batch
}

# Executor -> executor: result codes of transactions, for the first master of their bundle.
struct Results @0xd3a1f1a0c0de060d {
  batch @0 :UInt64;                 # stream position of the first transaction of the execution batch
  from @1 :UInt16;
  transactions @2 :List(UInt32);    # index within the execution batch
  codes @3 :Data;                   # one for each: enum result_code of messages/execution.hpp
}

# Executor -> worker: bundles whose results are complete.
struct Executed @0xd3a1f1a0c0de060e {
  index @0 :UInt64;
  anchorRound @1 :UInt64;
  bundles @2 :List(Bundle);
  struct Bundle @0xd3a1f1a0c0de060f {
    client @0 :UInt32;
    sequence @1 :UInt64;
    digest @2 :Data;
    author @3 :UInt16;              # of the batch: the carrier
    results @4 :Data;               # a code for each transaction
  }
}

# Executor -> executor 0: leaves of the state tree that changed, at a snapshot; one from each executor,
# be it empty.
struct Leaves @0xd3a1f1a0c0de0612 {
  executor @0 :UInt16;
  index @1 :UInt64;                 # commit index of the snapshot
  buckets @2 :List(UInt16);
  hashes @3 :Data;                  # 32 bytes for each bucket
}

# Executor -> committer and worker: how far it is.
struct Progress @0xd3a1f1a0c0de0610 {
  executor @0 :UInt16;
  index @1 :UInt64;                 # every sub-DAG up to this one is executed here
  executed @2 :UInt64;              # transactions that it was the master of since it started
  snapshot @3 :UInt64;              # commit index of its newest durable snapshot
  stateRoot @4 :Data;               # from executor 0, else empty: root at stateRootIndex
  stateRootIndex @5 :UInt64;
  life @6 :UInt64;                  # of the group that it belongs to: a roll-back begins another one
}

# Executor -> snapshot keeper: some buckets of its part of a snapshot. The keeper answers when they are
# durable.
struct SnapshotChunk @0xd3a1f1a0c0de0644 {
  executor @0 :UInt16;
  number @1 :UInt64;                # of the snapshot
  index @2 :UInt64;                 # its commit index
  executors @3 :UInt16;             # of the group that makes it
  valueBytes @4 :UInt32;
  first @5 :Bool;                   # of this part
  last @6 :Bool;
  buckets @7 :List(UInt16);         # ascending
  ends @8 :List(UInt32);            # where the bytes of each end
  bytes @9 :Data;                   # those of a bucket in which no key exists are not stored
  empty @10 :List(UInt16);          # these
}

# Executor -> snapshot keeper: the stored buckets of a snapshot from `first` on that are at home there.
struct SnapshotWanted @0xd3a1f1a0c0de0645 {
  executor @0 :UInt16;
  executors @1 :UInt16;             # of the group that it belongs to
  index @2 :UInt64;                 # commit index of the snapshot
  first @3 :UInt32;
}

# The answer.
struct SnapshotPart @0xd3a1f1a0c0de0646 {
  index @0 :UInt64;
  number @1 :UInt64;                # of the snapshot; 0: it is not there
  valueBytes @2 :UInt32;
  next @3 :UInt32;                  # the first bucket that is not in it; 65536: that is all
  buckets @4 :List(Data);           # as stored: each begins with its number
}

# Committer -> primary, aggregator, coordinator: what a commit changes for them.
struct Committed @0xd3a1f1a0c0de0611 {
  index @0 :UInt64;
  anchorRound @1 :UInt64;
  floor @2 :UInt64;                 # headers at or below it are dead
  output @3 :List(Data);            # digests of the headers that were output, in order
  deadPayload @4 :List(Data);       # own batches of own headers that died: to be proposed again
}

# Committer -> load monitor: the signals of the headers that an anchor output (design: ordering balance).
struct Signals @0xd3a1f1a0c0de0613 {
  index @0 :UInt64;
  anchorRound @1 :UInt64;
  headers @2 :List(HeaderSignals);
  struct HeaderSignals @0xd3a1f1a0c0de0614 {
    author @0 :UInt16;
    round @1 :UInt64;
    createdAt @2 :UInt64;           # nanoseconds since the Unix epoch, by the author's clock
    hasQueueDelay @3 :Bool;
    queueDelayUs @4 :UInt64;
    transactions @5 :UInt64;        # in its payload
  }
}

# Committer -> migration coordinator: the control records that an anchor output, in log order.
struct CommittedControl @0xd3a1f1a0c0de0615 {
  index @0 :UInt64;
  anchorRound @1 :UInt64;
  records @2 :List(AuthoredRecord);
  struct AuthoredRecord @0xd3a1f1a0c0de0616 {
    author @0 :UInt16;
    record @1 :ControlRecord;
  }
}

# Committer -> checkpointer: a checkpoint's commit is durable, and this is what the log had made by then of
# everything but the application's state.
struct LedgerMade @0xd3a1f1a0c0de0617 {
  index @0 :UInt64;
  ledger @1 :Data;                  # actors/committer/records.hpp
}

# The conversation between an operator's command and a node.
struct OperatorMessage @0xd3a1f1a0c0de0620 {
  union {
    status @0 :Void;
    report @1 :StatusReport;
    scale @2 :Int8;                 # one executor more (1) or less (-1), or only the report (0)
    executors @3 :ExecutorsReport;
  }
}

# The answer to `scale`: once the change stands in the validator's stream, or at once with a problem.
struct ExecutorsReport @0xd3a1f1a0c0de0648 {
  validator @0 :UInt16;
  executors @1 :UInt16;             # in the newest group
  version @2 :UInt64;               # of the newest group
  from @3 :UInt64;                  # commit index from which on it executes
  rollBacks @4 :UInt64;             # since the process started
  problem @5 :Text;                 # why nothing was changed: one line; empty: none
  list @6 :List(Executor);
  hosts @7 :List(Host);
  struct Executor @0xd3a1f1a0c0de0649 {
    id @0 :UInt16;
    host @1 :Text;                  # address of its executor host; empty: the validator's own process
    executed @2 :UInt64;            # commit index
    ready @3 :Bool;                 # it has restored its snapshot
  }
  struct Host @0xd3a1f1a0c0de064a {
    address @0 :Text;
    up @1 :Bool;
  }
}

struct StatusReport @0xd3a1f1a0c0de0621 {
  validator @0 :UInt16;
  round @1 :UInt64;
  commitIndex @2 :UInt64;
  anchorRound @3 :UInt64;
  executedIndex @4 :UInt64;
  committedTransactions @5 :UInt64; # fresh ones, since genesis
  executedTransactions @6 :UInt64;  # since genesis, up to executedIndex
  duplicates @7 :UInt64;            # bundles that committed again and were passed over
  stateRoot @8 :Data;               # 32 bytes, at stateRootIndex
  stateRootIndex @9 :UInt64;
  chain @10 :Data;                  # sub-DAG chain digest at commitIndex
  executors @11 :UInt16;
  queueDelaysUs @12 :List(UInt64);  # newest committed self-report of each validator; all ones: absent
  roundsBehind @13 :UInt64;         # behind the highest certified round that it knows of
  evidence @14 :Evidence;           # of others' equivocation
  absentWorkers @15 :List(UInt16);  # roles of it whose process is gone
  absentExecutors @16 :List(UInt16);
  divergedAt @17 :UInt64;           # first checkpoint at which its state was not the others'; 0: none
  committedBefore @18 :UInt64;      # committedTransactions a second ago, or when it started
  beforeUs @19 :UInt64;             # how long ago that was; 0: not told
}

# Primary -> operator desk, and in a report: whom this validator can prove to have signed two headers for
# one round.
struct Evidence @0xd3a1f1a0c0de0622 {
  kept @0 :List(UInt32);            # by author: equivocations whose two signed headers are in the store
  newest @1 :List(Equivocation);    # of them: a bounded number, each author's newest first
}

struct Equivocation @0xd3a1f1a0c0de0623 {
  author @0 :UInt16;
  round @1 :UInt64;
  first @2 :Data;                   # digest of the header that was known first here
  second @3 :Data;                  # and of the other one
}
