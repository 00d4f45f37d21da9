#include "tests/sim/byzantine/kinds.hpp"

#include "tests/sim/byzantine/bad_links.hpp"
#include "tests/sim/byzantine/copier.hpp"
#include "tests/sim/byzantine/equivocator.hpp"
#include "tests/sim/byzantine/flooder.hpp"
#include "tests/sim/byzantine/forger.hpp"
#include "tests/sim/byzantine/liar.hpp"
#include "tests/sim/byzantine/replayer.hpp"
#include "tests/sim/byzantine/selective.hpp"
#include "tests/sim/byzantine/silent.hpp"
#include "tests/sim/byzantine/two_vote_sets.hpp"
#include "tests/sim/byzantine/withholder.hpp"

namespace flamingo::sim {

const char* word(byzantine_kind x) {
  static constexpr std::array<const char*, byzantine_kinds> words{
      "equivocates", "silent", "lax",        "bad_links",    "selective",
      "withholds",   "hides",  "vote_sets",  "forges",       "lies",
      "replays",     "copies", "asks_a_lot", "small_change", "garbles"};
  return words[static_cast<std::size_t>(x)];
}

namespace byzantine {

namespace {

std::set<validator_id> half_of_the_others(const insider& who) {
  std::set<validator_id> half;
  for (const auto v : who.others())
    if (v.value % 2 == 0) half.insert(v);
  return half;
}

}  // namespace

std::shared_ptr<behaviour> make(byzantine_kind kind, const insider& who,
                                std::function<signature(validator_id, byte_span)> archive) {
  switch (kind) {
    case byzantine_kind::equivocates:
      return std::make_shared<equivocator>(who, half_of_the_others(who));
    case byzantine_kind::silent:
      return std::make_shared<silent>(true);
    case byzantine_kind::lax:
    case byzantine_kind::small_change:
      return nullptr;
    case byzantine_kind::bad_links:
      return std::make_shared<bad_links>(who);
    case byzantine_kind::selective:
      return std::make_shared<selective>(who);
    case byzantine_kind::withholds:
      return std::make_shared<withholder>(who, withholder::from::one);
    case byzantine_kind::hides:
      return std::make_shared<withholder>(who, withholder::from::all_but_one);
    case byzantine_kind::vote_sets:
      return std::make_shared<two_vote_sets>(who);
    case byzantine_kind::forges:
      return std::make_shared<forger>(who, half_of_the_others(who));
    case byzantine_kind::lies:
      return std::make_shared<liar>(who);
    case byzantine_kind::replays:
      return std::make_shared<replayer>(who, half_of_the_others(who), std::move(archive));
    case byzantine_kind::copies:
      return std::make_shared<copier>(who);
    case byzantine_kind::asks_a_lot:
      return std::make_shared<flooder>(who);
    case byzantine_kind::garbles:
      return std::make_shared<garbler>(who);
  }
  return nullptr;
}

}  // namespace byzantine

}  // namespace flamingo::sim
