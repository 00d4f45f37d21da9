// Evidence of equivocation: what is kept, for how long, and what the operator is told of it.
#include <doctest/doctest.h>

#include "actors/primary/evidence_book.hpp"
#include "tests/unit/primary_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using flamingo::primary::evidence_book;
using flamingo::primary::kept_evidence;

namespace {

equivocation twin(unsigned author, std::uint64_t round) {
  return {v(author), r(round), id_of(at(author, round)), id_of(at(author, round), 1)};
}

/// The round numbers that a report lists of one author, in its order.
std::vector<std::uint64_t> rounds_of(const evidence_report& x, unsigned author) {
  std::vector<std::uint64_t> rounds;
  for (const auto& y : x.newest)
    if (y.author == v(author)) rounds.push_back(y.round.value);
  return rounds;
}

}  // namespace

TEST_SUITE("primary evidence") {
  TEST_CASE("when an author's places are taken its lowest round makes place") {
    evidence_book book(4, 3, {});
    CHECK(book.add(twin(1, 7)) == 0);
    CHECK(book.add(twin(1, 5)) == 1);
    CHECK(book.add(twin(2, 5)) == 0);  // each author has places of its own
    CHECK(book.add(twin(1, 9)) == 2);
    CHECK(book.add(twin(1, 11)) == 1);
    const auto x = book.report();
    CHECK(x.kept == std::vector<std::uint32_t>{0, 3, 1, 0});
    CHECK(rounds_of(x, 1) == std::vector<std::uint64_t>{11, 9, 7});
    CHECK(x.newest.front() == twin(1, 11));
  }

  TEST_CASE("a report is bounded, and one author's evidence does not hide another's") {
    evidence_book book(4, 1000, {});
    for (unsigned round = 1; round <= 1000; ++round) book.add(twin(1, round));
    for (unsigned round = 1; round <= 5; ++round) book.add(twin(3, round));
    const auto x = book.report();
    CHECK(x.kept == std::vector<std::uint32_t>{0, 1000, 0, 5});
    CHECK(x.newest.size() == evidence_book::newest_max);
    CHECK(rounds_of(x, 3) == std::vector<std::uint64_t>{5, 4, 3, 2, 1});
    CHECK(rounds_of(x, 1).size() == evidence_book::newest_max - 5);
    CHECK(rounds_of(x, 1).back() == 1000 - (evidence_book::newest_max - 5) + 1);
  }

  TEST_CASE("stored evidence is reported after a restart, and new evidence takes a free place") {
    const std::vector<kept_evidence> stored{{0, twin(1, 5)}, {2, twin(1, 6)}};
    evidence_book book(4, 3, stored);
    CHECK(book.report().kept == std::vector<std::uint32_t>{0, 2, 0, 0});
    CHECK(book.add(twin(1, 9)) == 1);
    CHECK(book.add(twin(1, 10)) == 0);
  }

  TEST_CASE("what was stored under a higher bound is still reported") {
    const std::vector<kept_evidence> stored{{0, twin(1, 5)}, {1, twin(1, 6)}, {2, twin(1, 7)}};
    evidence_book book(4, 1, stored);
    CHECK(book.add(twin(1, 9)) == 0);
    CHECK(book.report().kept[1] == 3);
  }

  TEST_CASE("an equivocation that is stored is not caught again after a restart") {
    primary_bench b;
    primary::restored stored;
    stored.votes = {{at(1, 1), id_of(at(1, 1))}};
    stored.evidence = {{0, twin(1, 1)}};
    b.boot(stored);
    CHECK(b.core->held_evidence().newest == std::vector{twin(1, 1)});
    const auto x = b.receive(b.full(at(1, 1), {}, 1));
    CHECK(x.caught.empty());
    REQUIRE(x.rejected.size() == 1);
    CHECK(x.rejected[0] == reject::equivocation);
    CHECK(b.core->held_evidence().kept[1] == 1);
  }

  TEST_CASE("a certified header other than the one that was voted for is evidence") {
    primary_bench b;
    const auto voted = b.full(at(1, 1)), twin_of_it = b.full(at(1, 1), {}, 1);
    b.receive(voted);
    const auto x = b.certify(twin_of_it);
    REQUIRE(x.caught.size() == 1);
    CHECK(x.caught[0].first == voted.id);
    CHECK(x.caught[0].second.body.size() > 0);
    CHECK(x.rejected.empty());  // a certified header is no offence of who brought it
    CHECK(b.core->held_evidence().newest == std::vector{twin(1, 1)});
    CHECK(b.core->screen(b.full(at(1, 1), {}, 2)) == dag::screening::refuse(reject::equivocation));
  }

  TEST_CASE("a certified header that was voted for, or that nobody here knew, is no evidence") {
    primary_bench b;
    const auto voted = b.full(at(1, 1));
    b.receive(voted);
    CHECK(b.certify(voted).caught.empty());
    CHECK(b.certify(b.full(at(2, 1))).caught.empty());
    CHECK(b.core->held_evidence().newest.empty());
  }
}
