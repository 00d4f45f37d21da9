# What is signed: the exact bytes that travel (design: the certified DAG, "Identity, bytes, parameters").
@0xd3a1f1a0c0de0001;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("flamingo::schema");

struct Signed @0xd3a1f1a0c0de0101 {
  body @0 :Data;       # a flat single-segment message of the kind that the context says, no trailing bytes
  signature @1 :Data;  # Ed25519, 64 bytes, over the kind's statement for the body's digest
}
