# The conversation between same-index workers of two validators: batches and their acknowledgements.
@0xd3a1f1a0c0de0003;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("flamingo::schema");
using Signed = import "signed.capnp".Signed;

struct Batch @0xd3a1f1a0c0de0301 {
  author @0 :UInt16;
  worker @1 :UInt16;
  sequence @2 :UInt64;       # the author worker's own count, from 1
  bundles @3 :List(Signed);  # bodies Bundle; at most max_bundles_per_batch
}

struct WorkerMessage @0xd3a1f1a0c0de0310 {
  union {
    batch @0 :Batch;
    stored @1 :BatchStored;        # "your batch is durable here"
    request @2 :List(Data);        # digests of batches wanted; answered with `batch` for each that is here
    absent @3 :List(Data);         # digests of a request's batches that are not here
  }
}

struct BatchStored @0xd3a1f1a0c0de0311 {
  digest @0 :Data;
  sequence @1 :UInt64;
}
