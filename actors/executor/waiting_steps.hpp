// Waiting steps: an executor's part in those transactions that it cannot deal with at once, because
// a value has not come yet or an earlier step here still needs one of the same keys.
//
// Steps that touch the same held key form a chain in the order of the stream; a step may go when
// all its predecessors are done and all values that it awaits are there. Independent steps do not
// wait for each other (design: execution-layer load balancing, "Execution"). Memory is kept and
// reused.
#pragma once

#include <vector>

#include "actors/executor/flat_index.hpp"
#include "messages/execution.hpp"

namespace flamingo::executor {

class waiting_steps {
public:
  static constexpr std::uint32_t none = flat_index::none;

  enum class kind : std::uint8_t {
    run,     // this executor is the master: it runs the transaction
    serve,   // it holds values that the master needs, and pushes them
    regain,  // it has pushed them; those that the master may have changed come back
  };

  struct step {
    stream_position batch;
    std::uint32_t transaction = 0;  // within the batch
    std::uint32_t bundle = 0;       // within the sub-DAG
    commit_index sub_dag;
    stream_operation operation;
    kind what = kind::run;
    std::uint8_t master = 0;
    bool unasked = false;       // a serve step that waits for its master to ask
    std::uint32_t missing = 0;  // predecessors that are not done, and messages that have not come
    std::uint32_t first_link = none, last_link = none;

    stream_position position() const { return batch + transaction; }
  };

  /// One key of a step, in the order of the transaction's access set.
  struct link {
    std::uint64_t key = 0;
    std::uint32_t step = none;
    std::uint32_t slot = 0;
    std::uint32_t next_in_step = none;
    std::uint32_t next_in_chain = none;
    std::uint8_t holder = 0;  // just before the transaction
    bool writes = false;
    bool chained = false;  // it touches the value held here
    bool awaits = false;   // a value that has not come
    bool remote = false;   // the value came, or comes, from elsewhere: it is in input()
  };

  explicit waiting_steps(std::size_t value_bytes) : value_bytes_(value_bytes) {}

  std::size_t size() const { return steps_.size() - free_steps_.size(); }
  bool blocked(std::uint32_t slot) const { return tails_.size() != 0 && tails_.find(slot) != none; }

  /// Registers a step; its links follow at once.
  std::uint32_t add(const step&);
  /// @param x key, slot, holder, writes, chained and remote are set; a remote one awaits its value.
  void add_link(std::uint32_t step_id, link x);

  std::uint32_t find(stream_position position) const { return by_position_.find(position.value); }
  step& at(std::uint32_t id) { return steps_[id]; }
  link& link_at(std::uint32_t id) { return links_[id]; }
  /// The value that came for a link: stable until the next add_link.
  byte* input(std::uint32_t link_id) { return inputs_.data() + link_id * value_bytes_; }

  /// A value came. True if its step may go now; false also if no link awaits it.
  bool deliver(std::uint32_t step_id, std::uint64_t key, const byte* value);

  /// A serve step may not go before its master asked.
  void await_request(std::uint32_t step_id);
  /// The master asked. True if the step may go now; false also if it does not wait for that.
  bool take_request(std::uint32_t step_id);

  /// A serve step has pushed its values: those that the master may change are awaited. False if
  /// there are none: the step is done.
  bool await_returns(std::uint32_t step_id);

  /// The step is done: forgets it, and appends to `ready` what may go now.
  void finish(std::uint32_t step_id, std::vector<std::uint32_t>& ready);

private:
  std::size_t value_bytes_;
  std::vector<step> steps_;
  std::vector<link> links_;
  std::vector<byte> inputs_;  // by link
  std::vector<std::uint32_t> free_steps_, free_links_;
  flat_index by_position_;
  flat_index tails_;  // slot -> the last link of its chain
};

}  // namespace flamingo::executor
