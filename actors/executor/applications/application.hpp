// Application: what transactions mean. The author of an application implements this interface; its
// accounts, operations and rules stand behind it, and nothing else of Flamingo knows them (paper
// section 5; design: execution-layer load balancing, "Execution"). docs/applications.md is the
// guide.
//
// Everything here is a function of its arguments alone: the same at every validator, whatever its
// number of executors. So: integers only, no clock, no randomness, no state between calls.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "actors/protocol_parameters.hpp"
#include "messages/assert.hpp"
#include "messages/execution.hpp"

namespace flamingo::executor {

inline constexpr std::size_t max_accesses = 32;      // keys of one transaction
inline constexpr std::size_t max_value_bytes = 256;  // of one key's value

enum class access_mode : std::uint8_t {
  read,   // the value travels to the transaction as a copy
  write,  // it may be read, and may be changed
};

struct key_access {
  std::uint64_t key = 0;
  access_mode mode = access_mode::read;
  friend bool operator==(const key_access&, const key_access&) = default;
};

/// The keys that a transaction touches, each once, and what it costs.
class access_set {
public:
  void clear() {
    size_ = 0;
    refusal_ = result_code::applied;
    cost_ = 1;
  }

  /// A key that the transaction touches; not one that is in the set already. False, and the
  /// transaction is refused as an invalid operation, if the set is full; false if it is refused.
  bool add(std::uint64_t key, access_mode mode) {
    if (refused()) return false;
    if (size_ == max_accesses) {
      refuse(result_code::invalid_operation);
      return false;
    }
    accesses_[size_++] = {key, mode};
    return true;
  }

  /// The transaction touches nothing, costs 1, and its result is `why`: known from its bytes alone,
  /// and final.
  void refuse(result_code why) {
    FLAMINGO_ASSERT(!succeeded(why));
    if (!refused()) refusal_ = why;
    size_ = 0;
    cost_ = 1;
  }

  /// What the scheduler counts it as, at least 1; 1 unless set. No effect once it is refused.
  void set_cost(std::uint16_t cost) {
    if (!refused()) cost_ = cost == 0 ? std::uint16_t{1} : cost;
  }

  std::span<const key_access> accesses() const { return {accesses_.data(), size_}; }
  bool refused() const { return refusal_ != result_code::applied; }
  result_code refusal() const { return refusal_; }
  std::uint16_t cost() const { return cost_; }

private:
  std::uint8_t size_ = 0;
  result_code refusal_ = result_code::applied;
  std::uint16_t cost_ = 1;
  std::array<key_access, max_accesses> accesses_;
};

/// The values of a transaction's keys, in the order of its access set, each value_size() bytes.
class value_view {
public:
  value_view(byte* const* at, std::size_t value_bytes) : at_(at), value_bytes_(value_bytes) {}

  std::span<const byte> read(std::size_t i) const { return {at_[i], value_bytes_}; }
  /// Only of a key that the access set names for writing.
  std::span<byte> write(std::size_t i) const { return {at_[i], value_bytes_}; }

private:
  byte* const* at_;
  std::size_t value_bytes_;
};

class application {
public:
  virtual ~application() = default;

  /// As in the committee file.
  virtual std::string_view name() const = 0;

  /// Bytes of every key's value, 1..max_value_bytes. A value that needs less is padded.
  virtual std::size_t value_size() const = 0;

  /// Keys 0 .. dense_keys() - 1 exist from genesis on and are kept in an array; at most 2^31. All
  /// other keys are kept in a table: each exists while its value is not all zeros, and costs more.
  virtual std::uint64_t dense_keys() const = 0;

  /// The value of a dense key at genesis. `into` is value_size() zeros.
  virtual void genesis(std::uint64_t key, std::span<byte> into) const = 0;

  /// The keys that a transaction reads and writes, from its bytes alone, so that no client can lie
  /// about them; or why it is refused. `into` comes cleared. The bytes are a client's: anything.
  virtual void read_write_set(const stream_operation&, access_set& into) const = 0;

  /// Runs a transaction that was not refused. Must change no value unless the result succeeded.
  virtual result_code execute(const stream_operation&, const value_view&) const = 0;
};

/// The application that the committee file names, or nothing if there is none of that name.
std::shared_ptr<const application> make_application(const protocol_parameters&);

}  // namespace flamingo::executor
