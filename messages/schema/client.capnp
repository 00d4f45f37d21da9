# The conversation between a client and the dissemination workers: bundles, answers, receipts.
@0xd3a1f1a0c0de0002;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("flamingo::schema");
using Signed = import "signed.capnp".Signed;

struct Bundle @0xd3a1f1a0c0de0201 {
  client @0 :UInt32;
  sequence @1 :UInt64;      # the client's own count, from 1
  assignee @2 :UInt16;      # the validator that the acting accounts are assigned to, in the client's view
  expires @3 :UInt64;       # the last anchor round at which it may still be executed
  transactions @4 :List(Transaction);
}

struct Transaction @0xd3a1f1a0c0de0202 {
  account @0 :UInt64;       # the acting account: owned, counted and assigned by it
  union {
    application :group {
      operation @1 :Data;   # the procedure and its arguments, as the Application defines them
      padding @2 :Data;     # bytes that only make the transaction larger; never executed or kept
    }
    system @3 :SystemTransaction;
  }
}

struct SystemTransaction @0xd3a1f1a0c0de0203 {
  union {
    none @0 :Void;
    reportLatency @1 :List(LatencyReport);
  }
}

struct LatencyReport @0xd3a1f1a0c0de0204 {
  validator @0 :UInt16;
  roundTripUs @1 :UInt32;   # microseconds, measured by the client
}

# Everything on a link between a client and one worker, either way.
struct ClientMessage @0xd3a1f1a0c0de0210 {
  union {
    bundle @0 :Signed;                # client -> worker: body Bundle
    admission @1 :Admission;          # worker -> client: what became of a bundle at the door
    receipts @2 :Signed;              # worker -> client: body Receipts
    welcome @3 :Welcome;              # worker -> client: first on a link
    assignment @4 :AssignmentUpdate;  # worker -> client: a hint until f+1 validators said the same
    query @5 :ReceiptQuery;           # client -> worker: what became of a sequence
  }
}

struct Admission @0xd3a1f1a0c0de0211 {
  sequence @0 :UInt64;
  union {
    admitted @1 :Void;
    redirect @2 :UInt16;              # send it to this validator: the assignee by our table
    busy @3 :UInt32;                  # retry after this many milliseconds
    relayLimited @4 :UInt32;          # retry after this many milliseconds
    invalid @5 :Text;                 # names the limit or the fault
    duplicate @6 :Void;               # its sequence was consumed; ask with a query
  }
  limit @7 :Text;                     # busy, relayLimited: the setting that names the limit
}

struct Welcome @0xd3a1f1a0c0de0212 {
  validator @0 :UInt16;
  low @1 :UInt64;                     # the client's lowest sequence that is not consumed here
  anchorRound @2 :UInt64;             # of the newest commit here
}

# The body of `receipts`: signed once for all receipts of one client in one commit.
struct Receipts @0xd3a1f1a0c0de0213 {
  validator @0 :UInt16;
  anchorRound @1 :UInt64;
  receipts @2 :List(Receipt);
}

struct Receipt @0xd3a1f1a0c0de0214 {
  client @0 :UInt32;
  sequence @1 :UInt64;
  bundle @2 :Data;                    # the bundle's digest
  commitIndex @3 :UInt64;
  resultsDigest @4 :Data;             # over the result codes
  results @5 :Data;                   # a code for each transaction; from the carrier only, else empty
}

struct ReceiptQuery @0xd3a1f1a0c0de0215 { sequence @0 :UInt64; }

struct AssignmentUpdate @0xd3a1f1a0c0de0216 {
  version @0 :UInt64;
  moves @1 :List(Move);
  struct Move @0xd3a1f1a0c0de0217 { account @0 :UInt64; assignee @1 :UInt16; }
}

# A client's counts since it started, for whoever started it. In transactions unless said otherwise.
struct ClientSummary @0xd3a1f1a0c0de0218 {
  client @0 :UInt32;
  offered @1 :UInt64;            # due by the rate
  sent @2 :UInt64;               # in bundles that left
  admitted @3 :UInt64;           # in bundles that a validator took
  busy @4 :UInt64;               # in bundles answered busy or relayLimited, each time
  completed @5 :UInt64;          # in bundles with f+1 equal receipts
  duplicated @6 :UInt64;         # in bundles for which f+1 receipts said two different commits
  invalid @7 :UInt64;            # in bundles given up because f+1 validators called them invalid
  waiting @8 :UInt64;            # due, and in no bundle yet
  outstanding @9 :UInt64;        # in bundles without f+1 receipts
  lost @10 :UInt64;              # once finished: the part of them that was admitted; until then 0
  bundles @11 :UInt64;           # bundles that left
  receipts @12 :UInt64;          # bundles with f+1 equal receipts
  resent @13 :UInt64;            # bundles sent again to the same validator
  relayed @14 :UInt64;           # bundles sent to a validator that is not their assignee
  redirected @15 :UInt64;        # redirects obeyed
  resequenced @16 :UInt64;       # bundles whose sequence was taken: sent again under another
  forged @17 :UInt64;            # messages of receipts with a wrong signature or wrong results
  results @18 :List(UInt64);     # transactions by result_code, from carriers' receipts
  newestCommit @19 :UInt64;
  newestAnchorRound @20 :UInt64;
  latency @21 :LatencyHistogram;     # from the intended send time to f+1 receipts
  sentLatency @22 :LatencyHistogram; # from the first sending to f+1 receipts
  finished @23 :Bool;            # the load is over, and nothing is outstanding or worth waiting for
  warning @24 :Text;             # what a person should know, such as a bundle pending for long
}

struct LatencyHistogram @0xd3a1f1a0c0de0219 {
  # By bucket, without the empty ones at the end (actors/client/latency_histogram.hpp).
  counts @0 :List(UInt64);
  maxUs @1 :UInt64;
  sumUs @2 :UInt64;
}
