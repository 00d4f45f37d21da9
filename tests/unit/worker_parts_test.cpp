// The parts of a worker that stand alone: fair queue, rate limit, egress, records, fetcher.
#include <doctest/doctest.h>

#include <string>

#include "actors/worker/batch_fetcher.hpp"
#include "actors/worker/batch_records.hpp"
#include "actors/worker/egress.hpp"
#include "actors/worker/fair_queue.hpp"
#include "actors/worker/rate_limit.hpp"
#include "actors/worker/uncommitted_bound.hpp"

using namespace flamingo;
using namespace flamingo::worker;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr time_point at(milliseconds x) {
  return time_point{seconds{1000} + x};
}
constexpr validator_id v(unsigned i) {
  return validator_id{static_cast<std::uint16_t>(i)};
}
constexpr batch_sequence seq(std::uint64_t i) {
  return batch_sequence{i};
}
digest id_of(unsigned x) {
  digest out;
  out.bytes[0] = static_cast<byte>(x);
  out.bytes[1] = static_cast<byte>(x >> 8);
  return out;
}
shared_bytes frame_of(std::size_t bytes) {
  return shared_bytes(std::vector<char>(bytes));
}

egress four_validators(std::uint64_t window = 1000, std::uint64_t cache = 1'000'000) {
  return egress({v(0), 4, 3, window, cache, milliseconds{100}});
}

/// "peer:sequence" of each send, in order.
std::string sends(egress& x, time_point now) {
  std::vector<batch_send> out;
  x.pump(now, out);
  std::string text;
  for (const auto& s : out)
    text += std::to_string(s.to.value) + ":" + std::to_string(s.batch.sequence.value) + " ";
  return text;
}

void add(egress& x, unsigned i, std::uint64_t bytes = 400) {
  x.add(seq(i), id_of(i), bytes, frame_of(bytes), at(milliseconds{0}));
}

}  // namespace

TEST_SUITE("worker uncommitted bound") {
  TEST_CASE(
      "what may be without a commit is two shortest delays at the highest rate seen of late") {
    uncommitted_bound bound(1000, 100'000);
    CHECK(bound.bytes(at({})) == 1000);  // nothing was output yet
    bound.output(20'000, milliseconds{500}, at({}));
    bound.output(10'000, milliseconds{800}, at(milliseconds{900}));
    CHECK(bound.bytes(at(milliseconds{900})) == 30'000);
    bound.output(15'000, seconds{9}, at(milliseconds{1000}));  // slower, and a second of its own
    CHECK(bound.bytes(at(milliseconds{1000})) == 30'000);
    CHECK(bound.bytes(at(milliseconds{7999})) == 30'000);
    CHECK(bound.bytes(at(milliseconds{8000})) == 15'000);  // the best second is forgotten
    CHECK(bound.bytes(at(milliseconds{9000})) == 1000);
    bound.output(20'000, milliseconds{500}, at(seconds{10}));
    bound.output(20'000, milliseconds{100}, at(seconds{10}));
    CHECK(bound.bytes(at(seconds{10})) == 8000);
  }

  TEST_CASE("what may be without a commit is never less nor more than is set") {
    uncommitted_bound bound(1000, 3000);
    bound.output(1, milliseconds{1}, at({}));
    CHECK(bound.bytes(at({})) == 1000);
    bound.output(2'000'000, milliseconds{1}, at({}));
    CHECK(bound.bytes(at({})) == 3000);
    CHECK(uncommitted_bound(5000, 3000).bytes(at({})) == 3000);
  }
}

TEST_SUITE("worker fair queue") {
  TEST_CASE("flows are served in turn, however many items one of them has") {
    fair_queue<int, std::string> q(100);
    for (int i = 0; i < 50; ++i) q.push(1, "flood", 100);
    q.push(2, "a", 100);
    q.push(2, "b", 100);
    int before_b = 0;
    while (q.pop()->second != "b") ++before_b;
    CHECK(before_b <= 4);
    int left = 0;
    while (q.pop()) ++left;
    CHECK(left > 40);
  }

  TEST_CASE("flows get equal cost and not equal numbers of items") {
    fair_queue<int, int> q(100);
    for (int i = 0; i < 1000; ++i) {
      q.push(1, 0, 1000);
      q.push(2, 0, 10);
    }
    std::uint64_t served[3] = {};
    for (int i = 0; i < 500; ++i) {
      const auto x = q.pop();
      served[x->first] += x->first == 1 ? 1000 : 10;
    }
    CHECK(served[1] <= served[2] + 1100);
    CHECK(served[2] <= served[1] + 1100);
  }

  TEST_CASE("a flow that was empty saved up no credit") {
    fair_queue<int, int> q(100);
    q.push(1, 0, 1);
    q.pop();
    CHECK(q.empty());
    CHECK_FALSE(q.pop());
    q.push(1, 0, 1000);
    q.push(2, 0, 100);
    CHECK(q.pop()->first == 2);
  }
}

TEST_SUITE("worker rate limit") {
  TEST_CASE("a burst of a second passes and then the rate holds") {
    rate_limit limit(1000);
    std::uint64_t passed = 0;
    for (int ms = 0; ms < 10'000; ++ms)
      while (limit.take(10, at(milliseconds{ms}))) passed += 10;
    CHECK(passed >= 10'900);
    CHECK(passed <= 11'100);
    CHECK(limit.wait(at(milliseconds{10'000})) <= milliseconds{11});
    CHECK_FALSE(rate_limit(0).take(1, at(milliseconds{0})));
  }
}

TEST_SUITE("worker egress") {
  TEST_CASE("a batch is available once a quorum with us among it has it, and only once") {
    auto x = four_validators();
    add(x, 1);
    CHECK_FALSE(x.acknowledged(v(1), {id_of(1), seq(1)}, at(milliseconds{5})));
    CHECK_FALSE(x.acknowledged(v(1), {id_of(1), seq(1)}, at(milliseconds{6})));
    CHECK_FALSE(x.acknowledged(v(0), {id_of(1), seq(1)}, at(milliseconds{7})));
    CHECK(x.acknowledged(v(2), {id_of(1), seq(1)}, at(milliseconds{9})) == milliseconds{9});
    CHECK_FALSE(x.acknowledged(v(3), {id_of(1), seq(1)}, at(milliseconds{10})));
  }

  TEST_CASE("an acknowledgement of another batch under the sequence counts for nothing") {
    auto x = four_validators();
    add(x, 1);
    for (unsigned i = 0; i < 4; ++i) {
      CHECK_FALSE(x.acknowledged(v(i), {id_of(9), seq(1)}, at(milliseconds{5})));
      CHECK_FALSE(x.acknowledged(v(i), {id_of(1), seq(2)}, at(milliseconds{5})));
    }
  }

  TEST_CASE("a peer that acknowledges nothing stops at its window and stalls nobody else") {
    auto x = four_validators(1000);
    for (unsigned i = 1; i <= 3; ++i) x.peer_up(v(i), at(milliseconds{0}));
    std::string to_1, to_2;
    for (unsigned i = 1; i <= 6; ++i) {
      add(x, i);
      std::vector<batch_send> out;
      x.pump(at(milliseconds{1}), out);
      for (const auto& s : out) {
        if (s.to == v(1)) to_1 += std::to_string(s.batch.sequence.value);
        if (s.to == v(2)) to_2 += std::to_string(s.batch.sequence.value);
      }
      x.acknowledged(v(2), {id_of(i), seq(i)}, at(milliseconds{1}));
    }
    CHECK(to_1 == "12");
    CHECK(to_2 == "123456");
    CHECK(x.unacknowledged_bytes(v(1)) == 800);
    x.acknowledged(v(1), {id_of(1), seq(1)}, at(milliseconds{2}));
    CHECK(sends(x, at(milliseconds{2})).find("1:3 ") != std::string::npos);
  }

  TEST_CASE("a batch larger than the window still leaves when nothing else is under way") {
    auto x = four_validators(100);
    x.peer_up(v(1), at(milliseconds{0}));
    add(x, 1);
    add(x, 2);
    CHECK(sends(x, at(milliseconds{0})) == "1:1 ");
  }

  TEST_CASE("a new link gets everything unacknowledged again, in order") {
    auto x = four_validators(10'000);
    x.peer_up(v(1), at(milliseconds{0}));
    for (unsigned i = 1; i <= 3; ++i) add(x, i);
    CHECK(sends(x, at(milliseconds{0})) == "1:1 1:2 1:3 ");
    x.acknowledged(v(1), {id_of(2), seq(2)}, at(milliseconds{1}));
    x.peer_down(v(1));
    add(x, 4);
    CHECK(sends(x, at(milliseconds{1000})) == "");
    x.peer_up(v(1), at(milliseconds{2000}));
    CHECK(sends(x, at(milliseconds{2000})) == "1:1 1:3 1:4 ");
    CHECK(x.sent_again() == 2);
  }

  TEST_CASE("a silent peer gets its oldest batch again, ever more rarely") {
    auto x = four_validators(10'000);
    x.peer_up(v(1), at(milliseconds{0}));
    add(x, 1);
    add(x, 2);
    CHECK(sends(x, at(milliseconds{0})) == "1:1 1:2 ");
    CHECK(x.next_deadline() == at(milliseconds{100}));
    CHECK(sends(x, at(milliseconds{99})) == "");
    CHECK(sends(x, at(milliseconds{100})) == "1:1 ");
    CHECK(x.next_deadline() == at(milliseconds{300}));
    CHECK(sends(x, at(milliseconds{300})) == "1:1 ");
    x.acknowledged(v(1), {id_of(1), seq(1)}, at(milliseconds{310}));
    CHECK(x.next_deadline() == at(milliseconds{410}));
  }

  TEST_CASE("a committed batch is not sent to who lacks it") {
    auto x = four_validators(500);
    x.peer_up(v(1), at(milliseconds{0}));
    for (unsigned i = 1; i <= 3; ++i) add(x, i);
    CHECK(sends(x, at(milliseconds{0})) == "1:1 ");
    x.forget(seq(1));
    x.forget(seq(2));
    CHECK(sends(x, at(milliseconds{0})) == "1:3 ");
    CHECK_FALSE(x.has(seq(1)));
    CHECK(x.cached_bytes() == 400);
  }

  TEST_CASE("frames in memory are bounded and what was dropped is sent from the store") {
    auto x = four_validators(10'000, 900);
    for (unsigned i = 1; i <= 3; ++i) add(x, i);
    CHECK(x.cached_bytes() == 800);
    x.peer_up(v(1), at(milliseconds{0}));
    std::vector<batch_send> out;
    x.pump(at(milliseconds{0}), out);
    REQUIRE(out.size() == 3);
    CHECK(out[0].frame.empty());
    CHECK(out[0].batch == batch_key{v(0), seq(1), id_of(1)});
    CHECK(out[2].frame.size() == 400);
  }
}

TEST_SUITE("worker records") {
  batch_record record_of(unsigned author, std::uint64_t sequence) {
    return {v(author), seq(sequence), 100, 5, {}, true, std::nullopt};
  }

  TEST_CASE("nothing is deleted before every executor has a snapshot past its commit") {
    batch_records x({0, seconds{0}});
    x.add(id_of(1), record_of(1, 1));
    x.add(id_of(2), record_of(1, 2));
    x.add(id_of(3), record_of(1, 3));
    CHECK(x.commit(id_of(1), commit_index{10}, at(milliseconds{0})).news);
    CHECK(x.commit(id_of(2), commit_index{11}, at(milliseconds{0})).news);
    std::vector<batch_records::deletion> out;
    x.take_deletions(commit_index{9}, at(milliseconds{1}), out);
    CHECK(out.empty());
    x.take_deletions(commit_index{10}, at(milliseconds{1}), out);
    REQUIRE(out.size() == 1);
    CHECK(out[0].batch.id == id_of(1));
    CHECK(out[0].index == commit_index{10});
    x.take_deletions(commit_index{1000}, at(milliseconds{1}), out);
    CHECK(out.size() == 2);
    CHECK(x.find(id_of(3)));
    CHECK(x.uncommitted_bytes(v(1)) == 100 + batch_records::overhead);
  }

  TEST_CASE("a batch that is output again stays for the newest commit that output it") {
    batch_records x({0, seconds{0}});
    x.add(id_of(1), record_of(1, 1));
    CHECK_FALSE(x.commit(id_of(1), commit_index{10}, at(seconds{0})).outdated);
    const auto again = x.commit(id_of(1), commit_index{12}, at(seconds{0}));
    CHECK(again.news);
    CHECK(again.outdated == commit_index{10});
    CHECK_FALSE(x.commit(id_of(1), commit_index{11}, at(seconds{0})).news);
    CHECK_FALSE(x.commit(id_of(2), commit_index{11}, at(seconds{0})).news);  // it is not here
    std::vector<batch_records::deletion> out;
    x.take_deletions(commit_index{11}, at(seconds{1}), out);
    CHECK(out.empty());
    x.take_deletions(commit_index{12}, at(seconds{1}), out);
    REQUIRE(out.size() == 1);
    CHECK(out[0].index == commit_index{12});
    CHECK(x.history_bytes() == 0);
  }

  TEST_CASE("history is kept until it is too old or too large") {
    batch_records x({250 + 3 * batch_records::overhead, seconds{10}});
    for (unsigned i = 1; i <= 3; ++i) {
      x.add(id_of(i), record_of(1, i));
      x.commit(id_of(i), commit_index{i}, at(seconds{i}));
    }
    std::vector<batch_records::deletion> out;
    x.take_deletions(commit_index{9}, at(seconds{4}), out);
    REQUIRE(out.size() == 1);  // 300 bytes are too many
    x.take_deletions(commit_index{9}, at(seconds{11}), out);
    CHECK(out.size() == 1);
    x.take_deletions(commit_index{9}, at(seconds{12}), out);
    CHECK(out.size() == 2);
    CHECK(x.history_bytes() == 100 + batch_records::overhead);
  }

  TEST_CASE("a held batch is no history until it is released") {
    batch_records x({0, seconds{10}});
    for (unsigned i = 1; i <= 2; ++i) {
      x.add(id_of(i), record_of(1, i));
      x.commit(id_of(i), commit_index{i}, at(seconds{0}));
    }
    x.hold(id_of(1));
    std::vector<batch_records::deletion> out;
    x.take_deletions(commit_index{9}, at(seconds{20}), out);
    REQUIRE(out.size() == 1);
    CHECK(out[0].batch.id == id_of(2));
    CHECK(x.history_bytes() == 100 + batch_records::overhead);
    x.list_again(id_of(1));
    x.list_again(id_of(1));
    CHECK(x.history_bytes() == 0);
    CHECK(x.uncommitted_bytes(v(1)) == 100 + batch_records::overhead);
    x.release(id_of(1), at(seconds{20}));
    CHECK(x.uncommitted_bytes(v(1)) == 0);
    CHECK(x.history_bytes() == 100 + batch_records::overhead);
    x.take_deletions(commit_index{0}, at(seconds{40}), out);
    CHECK(out.size() == 1);  // no snapshot is past it
    x.take_deletions(commit_index{9}, at(seconds{40}), out);
    CHECK(out.size() == 2);
    CHECK(x.history_bytes() == 0);
  }
}

TEST_SUITE("worker fetcher") {
  batch_fetcher fetcher(std::size_t outstanding = 100) {
    return batch_fetcher({v(0), 4, outstanding, milliseconds{200}});
  }
  std::string asks(batch_fetcher & x, time_point now) {
    batch_fetcher::requests out;
    x.pump(now, out);
    std::string text;
    for (const auto& [to, request] : out) {
      text += std::to_string(to.value) + ":";
      for (const auto& id : request.batches) text += std::to_string(id.bytes[0]) + ",";
      text += " ";
    }
    return text;
  }

  TEST_CASE("signers are asked one after another, each once a turn, until it is here") {
    auto x = fetcher();
    for (unsigned i = 1; i <= 3; ++i) x.peer_up(v(i));
    x.want({id_of(4), v(3), worker_id{0}, {v(0), v(1), v(2)}});
    x.want({id_of(4), v(3), worker_id{0}, {v(1)}});  // known already
    CHECK(asks(x, at(milliseconds{0})) == "2:4, ");
    CHECK(x.asked(v(2)));
    CHECK_FALSE(x.asked(v(1)));
    CHECK(asks(x, at(milliseconds{199})) == "");
    CHECK(asks(x, at(milliseconds{200})) == "3:4, ");
    CHECK(asks(x, at(milliseconds{400})) == "1:4, ");
    CHECK(asks(x, at(milliseconds{600})) == "2:4, ");
    x.arrived(id_of(4));
    CHECK(asks(x, at(milliseconds{800})) == "");
    CHECK_FALSE(x.next_deadline());
    CHECK(x.size() == 0);
  }

  TEST_CASE("a source whose link is down is passed over, and asked when all others are too") {
    auto x = fetcher();
    x.want({id_of(4), v(3), worker_id{0}, {v(1), v(2)}});
    CHECK(asks(x, at(milliseconds{0})) == "");
    x.peer_up(v(3));
    CHECK(asks(x, at(milliseconds{1})) == "3:4, ");
    x.peer_down(v(3));
    x.peer_up(v(1));
    CHECK(asks(x, at(milliseconds{201})) == "1:4, ");
    x.absent(v(1), id_of(4));  // and nobody else is there
    CHECK(asks(x, at(milliseconds{300})) == "");
    CHECK(asks(x, at(milliseconds{401})) == "1:4, ");
  }

  TEST_CASE("who lacks a batch is passed over at once, until all do") {
    auto x = fetcher();
    for (unsigned i = 1; i <= 3; ++i) x.peer_up(v(i));
    x.want({id_of(4), v(3), worker_id{0}, {v(1), v(2)}});
    CHECK(asks(x, at(milliseconds{0})) == "2:4, ");
    x.absent(v(3), id_of(4));  // it was not asked
    x.absent(v(2), id_of(5));
    CHECK(asks(x, at(milliseconds{1})) == "");
    x.absent(v(2), id_of(4));
    CHECK(asks(x, at(milliseconds{2})) == "3:4, ");
    x.absent(v(3), id_of(4));
    CHECK(asks(x, at(milliseconds{3})) == "1:4, ");
    x.absent(v(1), id_of(4));
    CHECK(asks(x, at(milliseconds{4})) == "");
    CHECK(x.next_deadline() == at(milliseconds{203}));
    CHECK(asks(x, at(milliseconds{203})) == "2:4, ");
  }

  TEST_CASE("who did not answer is asked last from then on, and whom all wait for is asked still") {
    auto x = fetcher();
    for (unsigned i = 1; i <= 3; ++i) x.peer_up(v(i));
    for (unsigned i : {4, 7}) x.want({id_of(i), v(3), worker_id{0}, {v(1), v(2)}});
    CHECK(asks(x, at(milliseconds{0})) == "2:4,7, ");
    CHECK(asks(x, at(milliseconds{200})) == "3:4,7, ");
    x.arrived(id_of(4));
    x.arrived(id_of(7));
    for (unsigned i : {10, 13}) x.want({id_of(i), v(3), worker_id{0}, {v(1), v(2)}});
    CHECK(asks(x, at(milliseconds{300})) == "3:10,13, ");
    x.absent(v(3), id_of(10));
    CHECK(asks(x, at(milliseconds{301})) == "1:10, ");
    x.absent(v(1), id_of(10));
    CHECK(asks(x, at(milliseconds{302})) == "2:10, ");
  }

  TEST_CASE("an answer that comes after its time-out is expected still") {
    auto x = fetcher();
    for (unsigned i = 1; i <= 3; ++i) x.peer_up(v(i));
    x.want({id_of(4), v(3), worker_id{0}, {v(1), v(2)}});
    CHECK(asks(x, at(milliseconds{0})) == "2:4, ");
    CHECK(asks(x, at(milliseconds{200})) == "3:4, ");
    CHECK(x.asked(v(2)));
    CHECK(x.asked(v(3)));
    CHECK_FALSE(x.asked(v(1)));
    x.arrived(id_of(4));
    CHECK_FALSE(x.asked(v(2)));
  }

  TEST_CASE("requests are bounded in all and grouped for each peer") {
    auto x = fetcher(3);
    x.peer_up(v(1));
    for (unsigned i = 1; i <= 5; ++i) x.want({id_of(i), v(1), worker_id{0}, {v(1)}});
    CHECK(asks(x, at(milliseconds{0})) == "1:1,2,3, ");
    x.arrived(id_of(2));
    CHECK(asks(x, at(milliseconds{1})) == "1:4, ");
  }

  TEST_CASE("no request names more batches than one may") {
    auto x = fetcher(1000);
    x.peer_up(v(1));
    for (unsigned i = 0; i < 150; ++i) x.want({id_of(i), v(1), worker_id{0}, {v(1)}});
    batch_fetcher::requests out;
    x.pump(at(milliseconds{0}), out);
    std::size_t batches = 0;
    for (const auto& [to, request] : out) {
      CHECK(request.batches.size() <= max_requested_batches);
      batches += request.batches.size();
    }
    CHECK(batches == 150);
  }
}
