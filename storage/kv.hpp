// The store as the roles see it: ordered tables of byte strings, batched writes, and a call-back
// when they are durable ("durable before it leaves"). lmdb_kv keeps it on a disk, memory_kv in the
// simulator.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "messages/assert.hpp"
#include "messages/shared_bytes.hpp"

namespace flamingo::storage {

/// One name space of keys each. The store's file keeps them by name.
enum class table : std::uint8_t {
  batches,       // worker: batches, own and received; clients' windows as far as it knows
  votes,         // primary: (round, author) -> its vote, and the header as signed
  headers,       // primary: own headers, which of them were output, evidence of equivocation
  certificates,  // certificate aggregator: complete certified headers
  commits,       // committer: the committed stream, a record for each sub-DAG
  state,         // committer: head, output set, clients' windows, dead batches
  executor,      // executors: snapshots of application state
  meta,          // owner; how far primary and aggregator were; checkpoints; whether it joins
};
inline constexpr std::size_t table_count = 8;
const char* name(table);

/// A key: at most 64 bytes, ordered as bytes are. Built from parts so that the order of keys is the
/// order of the numbers in them: unsigned numbers (or strong identifiers) big-endian at their own
/// width, digests as they are. `key::of(round, author)` sorts by round, then author.
class key {
public:
  static constexpr std::size_t size_max = 64;

  key() = default;

  template <class... Parts>
  static key of(const Parts&... parts) {
    static_assert((std::size_t{0} + ... + part_size<Parts>()) <= size_max, "key too long");
    key result;
    (result.append(parts), ...);
    return result;
  }

  /// Bytes as they are, at most `size_max` of them.
  explicit key(byte_span bytes) {
    FLAMINGO_ASSERT(bytes.size() <= size_max);
    append_bytes(bytes);
  }

  /// Above every key that a table holds: the end of a range that has no other.
  static key end();

  /// The smallest key above every key that starts with this one: the end of a range by prefix.
  key prefix_end() const;

  const byte* data() const { return bytes_.data(); }
  std::size_t size() const { return size_; }
  operator byte_span() const { return {bytes_.data(), size_}; }

  friend bool operator==(const key& a, const key& b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const key& a, const key& b);

private:
  template <class Part>
  static constexpr std::size_t part_size() {
    if constexpr (std::unsigned_integral<Part>)
      return sizeof(Part);
    else if constexpr (requires { typename Part::rep; })
      return sizeof(typename Part::rep);
    else
      return Part::size;
  }
  template <class Part>
  void append(const Part& part) {
    if constexpr (std::unsigned_integral<Part>) {
      for (int shift = 8 * static_cast<int>(sizeof(Part)) - 8; shift >= 0; shift -= 8)
        bytes_[size_++] = static_cast<byte>(part >> shift);
    } else if constexpr (requires { typename Part::rep; }) {
      append(part.value);
    } else {
      append_bytes(part);
    }
  }
  void append_bytes(byte_span bytes);

  std::array<byte, size_max> bytes_;  // the first size_ of them
  std::uint8_t size_ = 0;
};

/// Reads back a number that `key::of` wrote at `offset`. The key (or its span) must hold it there.
template <std::unsigned_integral T>
T number_at(byte_span key_bytes, std::size_t offset) {
  FLAMINGO_ASSERT(offset + sizeof(T) <= key_bytes.size());
  T result = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    result = static_cast<T>(result << 8 | key_bytes[offset + i]);
  return result;
}

/// A value as parts that are written one after another: a batch is stored from its shared bundles
/// without being flattened first.
using value_parts = std::vector<shared_bytes>;

/// Changes that become durable together or not at all, applied in the order of the calls.
class write_batch {
public:
  enum class kind : std::uint8_t { put, erase, erase_range };
  struct operation {
    kind what;
    table where;
    key first;          // the key; of a range, its first
    key last;           // of a range only: past its end
    value_parts value;  // of a put only
  };

  write_batch& put(table where, const key& at, shared_bytes value) {
    return put(where, at, value_parts{std::move(value)});
  }
  write_batch& put(table where, const key& at, std::vector<char> value) {
    return put(where, at, shared_bytes(std::move(value)));
  }
  /// Copies `value`.
  write_batch& put(table where, const key& at, byte_span value) {
    return put(where, at, std::vector<char>(value.begin(), value.end()));
  }
  /// Stores the parts' bytes one after another. They are shared, not copied, until they are
  /// written.
  write_batch& put(table where, const key& at, value_parts value);
  /// Erasing what is not there is no error.
  write_batch& erase(table where, const key& at);
  /// Erases [first, last). A large range costs the writer time for each key in it.
  write_batch& erase_range(table where, const key& first, const key& last);

  bool empty() const { return operations_.empty(); }
  /// Bytes of keys and values in it.
  std::uint64_t bytes() const { return bytes_; }
  const std::vector<operation>& operations() const { return operations_; }

private:
  std::vector<operation> operations_;
  std::uint64_t bytes_ = 0;
};

/// Why the environment refused: the process must stop, because nothing more will become durable.
enum class failure : std::uint8_t {
  none,
  map_full,   // the configured largest size of the store is reached
  disk_full,  // the file system has no space
  io,         // the device or the store's file failed
  stopped,    // write() after stop()
};

struct write_result {
  failure why = failure::none;
  std::string message;  // one line for the operator: the path and what to do

  bool ok() const { return why == failure::none; }
};

/// What open, get and scan throw when the store cannot be used: one line for the operator.
class error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a store did since it was opened, for metrics.
struct statistics {
  std::uint64_t writes = 0;          // write() calls made durable
  std::uint64_t bytes = 0;           // of keys and values in them
  std::uint64_t syncs = 0;           // groups of writes committed together
  std::int64_t last_sync_ns = 0;     // time the last group took, from its first change to durable
  std::uint64_t queued_bytes = 0;    // submitted, not durable yet
  std::uint64_t used_bytes = 0;      // what the tables hold, in whole pages
  std::uint64_t file_bytes = 0;      // the file's size on disk, growth written ahead included
  std::uint64_t capacity_bytes = 0;  // used_bytes cannot pass this: failure::map_full
};

/// May be empty: nobody needs to know.
using durable_callback = std::function<void(const write_result&)>;
/// Returns false to end the scan. The spans live during the call only; copy a value before Cap'n
/// Proto reads it (no alignment is promised).
using visitor = std::function<bool(byte_span key, byte_span value)>;

/// Contract:
/// - Writes become durable in the order of the calls; `on_durable` is called once for each, in that
/// order,
///   after that write and all earlier ones are durable. It may be called on another thread
///   (lmdb_kv: the writer's) or from the owner's sync() (memory_kv). It may call write, get and
///   scan, never stop().
/// - get and scan see every write submitted in this process before the call, durable or not, and a
/// scan sees
///   one consistent state however long it takes.
/// - After a failure every later write fails with the same result, in order; nothing after the
/// failure is
///   reported durable, and get and scan show only what had become durable.
/// - write() never blocks. A caller stops taking in new load while queued_bytes() is above
/// queue_bytes_max().
class kv {
public:
  virtual ~kv() = default;

  virtual void write(write_batch changes, durable_callback on_durable) = 0;

  /// The value, or nothing. @throws error if the store's file cannot be read.
  virtual std::optional<std::vector<char>> get(table where, const key& at) = 0;

  /// Visits [first, last) in the order of keys. A long scan on disk keeps the space that later
  /// erasures free from being used again until it ends. @throws error as get.
  virtual void scan(table where, const key& first, const key& last, const visitor& visit) = 0;

  virtual statistics stats() const = 0;
  virtual std::uint64_t queued_bytes() const = 0;
  virtual std::uint64_t queue_bytes_max() const = 0;

  /// Makes what was submitted durable, calls its call-backs, and ends. Later writes fail as
  /// `stopped`, later reads throw `error`. Idempotent. Never from a call-back.
  virtual void stop() = 0;
};

}  // namespace flamingo::storage
