// Frozen bytes: one sample of every message kind that leaves a validator, client or operator or is
// stored, as it is encoded now, to be compared with the file of its name in tests/golden/frames.
//
// The bytes change on purpose only, with the protocol's version. Then
//   FLAMINGO_WRITE_GOLDEN=1 build/release/tests/golden-tests
// writes the files anew, and the commit shows what changed.
#pragma once

#include <capnp/schema.h>

#include <algorithm>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "messages/frame.hpp"
#include "messages/signed_bytes.hpp"

namespace flamingo::golden {

struct frozen_frame {
  std::string name;  // of its file, without .hex
  shared_bytes bytes;
  std::function<bool(const shared_bytes&)> reads_back;  // whether bytes decode to the sample
  std::optional<capnp::StructSchema> schema;            // of a Cap'n Proto message
};

std::vector<frozen_frame> peer_frames();       // primaries: headers, votes, certificates
std::vector<frozen_frame> client_frames();     // clients and workers
std::vector<frozen_frame> worker_frames();     // workers of two validators, and within one
std::vector<frozen_frame> committer_frames();  // the committer and the other roles, the operator
std::vector<frozen_frame> executor_frames();   // executors
std::vector<frozen_frame> link_frames();       // what every link carries
std::vector<frozen_frame> stored_records();    // what stands in the store and is no message

/// All of these.
std::vector<frozen_frame> all_frames();

inline bool equal(byte_span a, byte_span b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// @param same whether the frame, read from a file, decodes to the sample: bool(wire<Schema>).
template <class Schema, std::predicate<wire<Schema>> F>
frozen_frame frozen(std::string name, const wire<Schema>& frame, F same) {
  return {std::move(name), frame.bytes(),
          [same](const shared_bytes& bytes) { return same(wire<Schema>(bytes)); },
          capnp::Schema::from<Schema>()};
}

/// For a value with an equality and a `decode` of its own.
template <class Schema, class Value>
requires(!std::predicate<Value, wire<Schema>>) frozen_frame
    frozen(std::string name, const wire<Schema>& frame, const Value& sample) {
  return frozen(std::move(name), frame,
                [sample](const wire<Schema>& from) { return decode(from) == sample; });
}

/// For a body, which is a flat message.
template <class Schema, class F>
frozen_frame frozen_body(std::string name, const shared_bytes& body, F same) {
  return {std::move(name), body, same, capnp::Schema::from<Schema>()};
}

/// Whether a frame carries these signed bytes.
inline bool carries(const signed_bytes& x, const signed_bytes& sample) {
  return equal(x.body, sample.body) && x.sig == sample.sig;
}

}  // namespace flamingo::golden
