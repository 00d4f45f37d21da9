// What liars say of far rounds takes the places of nothing honest that waits, whichever bound it
// reaches: max_pending_headers and max_available_batches of the primary, max_headers_of_author,
// max_fetches and max_pending_certificates of the certificate aggregator.
#include <doctest/doctest.h>

#include "tests/unit/certificate_aggregator_bench.hpp"
#include "tests/unit/primary_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t full_up_to = 4;
/// How many times the largest bound each liar sends.
constexpr unsigned garbage = 400;

local_parameters small_bounds() {
  local_parameters x;
  x.max_pending_headers = 100;
  x.max_available_batches = 64;
  x.max_headers_of_author = 8;
  x.max_fetches = 4;
  x.max_pending_certificates = 100;
  return x;
}

/// A header of a far round, or of a near one, whose links lead nowhere and whose batch nobody has.
header invented(const committee& members, unsigned liar, unsigned number) {
  const std::uint64_t round = full_up_to + 1 + number % 50;
  header x = header_at(at(liar, round), {}, {}, number / 50);
  for (unsigned p = 0; p < members.size(); ++p)
    x.parents.push_back(id_of(at(p, round - 1), 100 + number));
  if (round > full_up_to + 4)
    x.weak_links.push_back({at(1, round - 3), id_of(at(1, round - 3), 100 + number)});
  x.payload = {primary_bench::entry(1000 + number)};
  return x;
}

/// Everybody's but validator 2's, as parents of round 5.
header without_2(const committee& members, unsigned author) {
  header x = header_at(at(author, full_up_to + 1), {});
  for (unsigned p = 0; p < members.size(); ++p)
    if (p != 2) x.parents.push_back(id_of(at(p, full_up_to)));
  return x;
}

template <class Bench>
unsigned first_liar(const Bench& b) {
  return static_cast<unsigned>(b.members.size() - b.members.faulty());
}

}  // namespace

TEST_SUITE("dag far garbage") {
  TEST_CASE("far headers and batches of f liars keep no honest header from its vote") {
    for (const unsigned n : {4u, 7u, 10u}) {
      CAPTURE(n);
      primary_bench b(n);
      b.local = small_bounds();
      b.boot();
      b.full_rounds(full_up_to - 1);
      for (unsigned a = 0; a < n; ++a)
        if (a != 2) b.full_round(full_up_to, {a});
      unsigned refused = 0;
      const auto lie = [&](unsigned from) {
        for (unsigned i = from; i < from + garbage; ++i)
          for (unsigned liar = first_liar(b); liar < n; ++liar) {
            const auto rejected = b.receive(invented(b.members, liar, i)).rejected;
            refused += std::count(rejected.begin(), rejected.end(), reject::too_many_pending) > 0;
            b.available(liar, 5000 + i);
          }
      };
      b.available(1, 7);
      lie(0);
      // One waits for a header, the other one for a batch.
      auto of_1 = b.full(at(1, full_up_to + 1)), of_2 = without_2(b.members, 2);
      of_1.payload = {b.entry(7)};
      of_2.payload = {b.entry(8)};
      CHECK(b.receive(of_1).votes.empty());
      CHECK(b.receive(of_2).votes.empty());
      lie(garbage);
      CHECK(refused >= garbage);  // the bound is reached, again and again
      CHECK(b.core->deferred() <= b.local.max_pending_headers);
      const auto came = b.certify(b.full(at(2, full_up_to)));
      REQUIRE(came.votes.size() == 1);
      CHECK(came.votes[0].x.hdr.id == of_1.id);
      const auto told = b.available(2, 8);
      REQUIRE(told.votes.size() == 1);
      CHECK(told.votes[0].x.hdr.id == of_2.id);
    }
  }

  TEST_CASE("far headers of f liars keep no honest certificate from being completed") {
    for (const unsigned n : {4u, 7u, 10u}) {
      CAPTURE(n);
      aggregator_bench b(n);
      b.local = small_bounds();
      b.boot();
      b.full_rounds(full_up_to - 1);
      for (unsigned a = 0; a < n; ++a)
        if (a != 2) b.learn(b.full(at(a, full_up_to)));
      const auto lie = [&](unsigned from) {
        for (unsigned i = from; i < from + garbage; ++i)
          for (unsigned liar = first_liar(b); liar < n; ++liar)
            b.know(invented(b.members, liar, i));
      };
      lie(0);
      const auto kept = b.full(at(1, full_up_to + 1)), missing = b.full(at(2, full_up_to));
      b.know(kept);
      lie(garbage);
      // Its certificate comes: it needs no question, but for the ancestor that is missing.
      CHECK(b.certificate_for(kept).complete.empty());
      CHECK(b.core->waiting() == 1);
      std::vector<digest> asked;
      for (int i = 0; i < 10; ++i)
        for (const auto& request : b.wait(100ms).requests)
          asked.insert(asked.end(), request.what.headers.begin(), request.what.headers.end());
      CHECK(std::count(asked.begin(), asked.end(), missing.id) > 0);
      CHECK(std::count(asked.begin(), asked.end(), kept.id) == 0);
      CHECK(b.answer(1, missing).complete.size() == 2);
    }
  }
}
