# What both ends of a link say first, before anything else travels on it (design: operations, "Network").
@0xd3a1f1a0c0de0007;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("flamingo::schema");

# The first frame in each direction, on plain and on TLS links. The ends compare; where they differ, there is
# no link.
struct Hello @0xd3a1f1a0c0de0701 {
  version @0 :UInt32;         # of the protocol; readable in every version
  chain @1 :Data;             # 32 bytes: SHA-256 of the genesis committee file
  committee @2 :Data;         # 32 bytes: SHA-256 of the committee file in force
  conversation @3 :Conversation;
  worker @4 :UInt16;          # index within its validator; 0 where workers take no part
  from @5 :PeerKind;          # who says this; on TLS links the certificate names the same
  index @6 :UInt32;           # which validator or client; 0 for an operator
}

enum Conversation @0xd3a1f1a0c0de0702 {
  primaries @0;
  workers @1;
  clients @2;
  operators @3;
}

enum PeerKind @0xd3a1f1a0c0de0703 {
  validator @0;
  client @1;
  operator @2;
}
