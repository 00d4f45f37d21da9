// Serial execution: receipts and state roots are what one interpreter gets that runs the committed
// stream, transaction after transaction, from genesis (design: execution-layer load balancing,
// "Execution", "State root").
#pragma once

#include "actors/executor/applications/application.hpp"
#include "tests/sim/checkers/history.hpp"
#include "tests/sim/checkers/violation.hpp"

namespace flamingo::sim::checkers {

/// As plainly as it can be said: a map of values and a loop.
class serial_interpreter {
public:
  explicit serial_interpreter(std::shared_ptr<const executor::application> app)
      : app_(std::move(app)) {}

  /// The result code of each transaction of a bundle.
  std::vector<byte> run(byte_span packed_operations);

  /// SHA-256 over the tree of all buckets, from the values as they are.
  digest state_root() const;

private:
  using value = std::vector<byte>;

  value& at(std::uint64_t key);
  result_code execute(const stream_operation&);

  std::shared_ptr<const executor::application> app_;
  std::map<std::uint64_t, value> values_;  // of keys that were touched
};

violations serial_execution(const history&);

}  // namespace flamingo::sim::checkers
