// The watch over outcomes speaks of what a snapshot passes before it is kept, and of nothing else.
#include <doctest/doctest.h>

#include "storage/kv.hpp"
#include "tests/sim/outcome_watch.hpp"

namespace {

using namespace flamingo;
using namespace flamingo::sim;
using owed = std::vector<owed_outcome>;

constexpr client_id c7{7};

sequenced_sub_dag commit(std::uint64_t index, std::uint64_t sequence, verdict what) {
  sequenced_sub_dag x;
  x.index = commit_index{index};
  x.batches.push_back({{}, {}, {}, {{c7, bundle_sequence{sequence}, {}, what, 1}}});
  return x;
}

owed_outcome lacking(std::uint64_t index, std::uint64_t sequence) {
  return {commit_index{index}, c7, bundle_sequence{sequence}};
}

/// A row of a worker's, as it writes them.
void note(outcome_watch& x, std::uint64_t sequence, char kind = 'o') {
  x.noted(byte_span(
      storage::key::of(worker_id{1}, static_cast<byte>(kind), c7, bundle_sequence{sequence})));
}

TEST_SUITE("outcome watch") {
  TEST_CASE("what a snapshot passes must be kept before, and is asked for once") {
    outcome_watch x;
    x.committed(commit(1, 1, verdict::fresh));
    x.committed(commit(2, 2, verdict::expired));
    x.committed(commit(3, 3, verdict::fresh));
    note(x, 1);
    CHECK(x.passed_by(commit_index{1}).empty());
    CHECK(x.passed_by(commit_index{2}) == owed{lacking(2, 2)});
    CHECK(x.passed_by(commit_index{2}).empty());
    note(x, 3, 'w');  // a row of another kind
    CHECK(x.passed_by(commit_index{3}) == owed{lacking(3, 3)});
  }

  TEST_CASE("what was consumed before, or is not consumed, has no outcome") {
    outcome_watch x;
    x.committed(commit(1, 1, verdict::duplicate));
    x.committed(commit(2, 900, verdict::out_of_window));
    CHECK(x.passed_by(commit_index{2}).empty());
  }

  TEST_CASE("for what a checkpoint passes others answer") {
    outcome_watch x;
    x.committed(commit(1, 1, verdict::fresh));
    x.joined(commit_index{1});
    x.committed(commit(2, 2, verdict::fresh));
    CHECK(x.passed_by(commit_index{2}) == owed{lacking(2, 2)});
  }
}

}  // namespace
