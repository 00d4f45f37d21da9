#include "tests/sim/byzantine/bad_links.hpp"

#include <algorithm>

#include "messages/codec_dag.hpp"

namespace flamingo::sim::byzantine {

namespace {

constexpr std::size_t remembered = 128;

}  // namespace

void bad_links::hears(link::peer from, const peer_frame& x) {
  rewriter::hears(from, x);
  const auto message = decode(x, who_.limits());
  const auto* header = message ? std::get_if<signed_header>(&*message) : nullptr;
  if (!header) return;
  if (heard_.size() < remembered) heard_.emplace_back();
  heard_[next_++ % remembered] = {header->hdr.position(), header->hdr.id};
}

bool bad_links::change(header& x) {
  if (x.round.value < 4 || heard_.empty() || who_.random.chance(300)) return false;
  if (who_.random.chance(350))
    spoil_parents(x);
  else
    spoil_weak_links(x);
  return true;
}

void bad_links::spoil_parents(header& x) {
  auto& random = who_.random;
  const auto& other = heard_[random.below(heard_.size())];
  auto& some = x.parents[random.below(x.parents.size())];
  switch (random.below(6)) {
    case 0:
      some = who_.some_digest();
      return;
    case 1:
      some = other.header;  // of some round or other, perhaps certified, perhaps the right one
      return;
    case 2:
      some = x.parents.front();
      return;
    case 3:
      x.parents.resize(who_.members->quorum() - 1);
      return;
    case 4:
      x.parents.push_back(other.header);
      return;
    default:
      std::reverse(x.parents.begin(), x.parents.end());  // it may
      return;
  }
}

void bad_links::spoil_weak_links(header& x) {
  auto& random = who_.random;
  const auto& other = heard_[random.below(heard_.size())];
  const validator_id author{static_cast<std::uint16_t>(random.below(who_.members->size()))};
  const round_number below = x.round - 2;
  // Where some validators' floors are above it and others' are not.
  const round_number at_the_floor =
      std::max(below - who_.protocol.gc_depth - random.below(8), round_number{1});
  switch (random.below(8)) {
    case 0:
      return add_weak_link(x, {{round_number{random.between(1, below.value)}, author}, {}});
    case 1:
      return add_weak_link(x, {{at_the_floor, author}, who_.some_digest()});
    case 2:
      return add_weak_link(x, {{at_the_floor, author}, other.header});
    case 3:  // real, but of another author
      return add_weak_link(x, {{std::min(other.position.round, below), author}, other.header});
    case 4:  // real, but of another round
      return add_weak_link(x, {{below - random.below(3), other.position.author}, other.header});
    case 5:  // right, if it is old enough; perhaps not certified
      return add_weak_link(x, other);
    case 6:
      add_weak_link(x, {{below, author}, other.header});
      add_weak_link(x, {{at_the_floor, author}, other.header});
      return std::reverse(x.weak_links.begin(), x.weak_links.end());
    default:
      x.weak_links.push_back({{round_number{random.below(2) * x.round.value}, author}, {}});
      return;
  }
}

void bad_links::add_weak_link(header& x, const weak_link& link) {
  const auto at = std::lower_bound(
      x.weak_links.begin(), x.weak_links.end(), link,
      [](const weak_link& a, const weak_link& b) { return a.position < b.position; });
  if (at != x.weak_links.end() && at->position == link.position)
    *at = link;
  else
    x.weak_links.insert(at, link);
}

}  // namespace flamingo::sim::byzantine
