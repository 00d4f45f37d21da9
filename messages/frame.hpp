// wire<T>: a Cap'n Proto message as an actor sees it: immutable, shared, word-aligned bytes, tagged
// with the schema they follow. It is the only thing that crosses actors. Copying one never copies
// bytes.
#pragma once

#include <capnp/message.h>
#include <capnp/serialize.h>

#include <cstring>
#include <optional>
#include <utility>

#include "messages/shared_bytes.hpp"

namespace flamingo {

/// Where a message came from. It lives until the message is handled, and whoever handles it may
/// tell it how it fared. Any thread.
class frame_origin {
public:
  virtual ~frame_origin() = default;
  /// Handling it was in vain, and no honest sender's would have been.
  virtual void in_vain() const = 0;
};

template <class Schema>
class wire {
public:
  using schema = Schema;

  wire() = default;

  /// Takes bytes from a socket or store as they are. Nothing is trusted until `read`.
  explicit wire(shared_bytes bytes) : bytes_(std::move(bytes)) {}

  /// The same, with something that lives as long as this message and its copies. Whoever gave the
  /// message away sees by it when it was handled; bytes that are kept do not keep it.
  wire(shared_bytes bytes, std::shared_ptr<const frame_origin> until_handled)
      : bytes_(std::move(bytes)), until_handled_(std::move(until_handled)) {}

  /// Flattens a built message: one copy.
  explicit wire(capnp::MessageBuilder& builder) {
    const auto segments = builder.getSegmentsForOutput();
    std::vector<char> flat(capnp::computeSerializedSizeInWords(segments) * sizeof(capnp::word));
    kj::ArrayOutputStream out(kj::arrayPtr(reinterpret_cast<kj::byte*>(flat.data()), flat.size()));
    capnp::writeMessage(out, segments);
    bytes_ = shared_bytes(std::move(flat));
  }

  /// Tells where it came from, if that is anywhere.
  void in_vain() const {
    if (until_handled_) until_handled_->in_vain();
  }

  const shared_bytes& bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

  /// Calls `f(Schema::Reader)` and says whether the bytes were a readable message throughout. The
  /// reader is valid during the call only. Never throws for what the bytes hold: malformed input
  /// gives false, with `f` perhaps called in part, so `f` must not publish anything before it
  /// returns.
  template <class F>
  bool read(F&& f) const {
    return read_words(
        bytes_, [&](capnp::MessageReader& message) { f(message.template getRoot<Schema>()); });
  }

  template <class Inspector>
  friend typename Inspector::result_type inspect(Inspector& inspector, wire& x) {
    std::vector<char> flat;
    if constexpr (Inspector::reads_state) {
      flat.assign(x.bytes_.data(), x.bytes_.data() + x.bytes_.size());
      return inspector(flat);
    } else {
      auto error = inspector(flat);
      x.bytes_ = shared_bytes(std::move(flat));
      return error;
    }
  }

  /// The frame boundary: the one place where malformed Cap'n Proto is caught.
  template <class F>
  static bool read_words(byte_span bytes, F&& f) {
    if (bytes.empty() || bytes.size() % sizeof(capnp::word) != 0 ||
        reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(capnp::word) != 0)
      return false;
    try {
      capnp::ReaderOptions options;
      // Each word may be visited a bounded number of times, however the pointers of a hostile frame
      // overlap.
      options.traversalLimitInWords = 8 * bytes.size() / sizeof(capnp::word) + 1024;
      options.nestingLimit = 16;
      capnp::FlatArrayMessageReader message(
          kj::arrayPtr(reinterpret_cast<const capnp::word*>(bytes.data()),
                       bytes.size() / sizeof(capnp::word)),
          options);
      f(static_cast<capnp::MessageReader&>(message));
      return true;
    } catch (const kj::Exception&) {
      return false;
    }
  }

private:
  shared_bytes bytes_;
  std::shared_ptr<const frame_origin> until_handled_;
};

}  // namespace flamingo
