#include "tests/sim/recipes.hpp"

#include <stdexcept>

#include "tests/sim/scenario.hpp"

namespace flamingo::sim {

namespace {

using kind = byzantine_kind;

constexpr recipe book[] = {
    {.name = "mixed",
     .about = "every kind of fault and of attack, a few at a time",
     .crashes = 600,
     .blackout = 100,
     .partitions = 500,
     .lossy = 400,
     .slow = 400,
     .byzantine = 600,
     .skewed_clocks = 500,
     .small_values = 500,
     .gaps = 100,
     .lost_disk = 150,
     .left_behind = 150},
    {.name = "calm", .about = "no fault at all"},
    {.name = "crashes",
     .about = "validators lose power and come back",
     .crashes = 1000,
     .blackout = 200,
     .lossy = 200},
    {.name = "partitions", .about = "links go and come back", .partitions = 1000, .lossy = 300},
    {.name = "patience",
     .about = "headers die while their authors are cut off, and clients wait for these",
     .partitions = 1000,
     .small_values = 0,
     .patient = 1000},
    {.name = "lossy", .about = "frames get lost and come twice", .lossy = 1000, .slow = 300},
    {.name = "laggards",
     .about = "validators that are far away in turn",
     .lossy = 300,
     .slow = 1000},
    {.name = "gaps",
     .about = "clients far ahead of a bundle that was lost",
     .lossy = 1000,
     .gaps = 1000},
    {.name = "lost_disk",
     .about = "a validator comes back with an empty disk",
     .crashes = 300,
     .partitions = 300,
     .lossy = 300,
     .slow = 300,
     .lost_disk = 1000},
    {.name = "left_behind",
     .about = "a validator comes back when nobody keeps what it lacks",
     .crashes = 300,
     .lossy = 300,
     .slow = 300,
     .left_behind = 1000},
    {.name = "orphans",
     .about = "authors go between sealing and proposing, and peers keep little for them",
     .lossy = 500,
     .slow = 700,
     .byzantine = 300,
     .kinds = kinds_of({kind::selective, kind::withholds, kind::hides}),
     .orphans = 1000},
    {.name = "snapshots",
     .about = "snapshots at nearly every anchor, and blackouts while clients hear nobody",
     .crashes = 300,
     .lossy = 300,
     .slow = 300,
     .snapshots = 1000},
    {.name = "one_dead",
     .about = "a validator is dead for good, beside f-1 Byzantine ones",
     .crashes = 200,
     .lossy = 300,
     .slow = 300,
     .byzantine = 1000,
     .validators = 7,
     .one_dies = true},
    {.name = "local_values",
     .about = "small bounds, short delays and wrong clocks, other ones everywhere",
     .crashes = 200,
     .lossy = 300,
     .slow = 500,
     .skewed_clocks = 1000,
     .small_values = 1000},
    {.name = "executors",
     .about = "executors that join, leave and crash, and validators that crash around it",
     .crashes = 400,
     .lossy = 200,
     .slow = 300,
     .scaling = 1000},
    {.name = "silence",
     .about = "validators that say nothing",
     .crashes = 300,
     .partitions = 300,
     .slow = 300,
     .byzantine = 1000,
     .kinds = kinds_of({kind::silent})},
    {.name = "equivocation",
     .about = "two headers a round, forged and replayed votes",
     .lossy = 300,
     .slow = 300,
     .byzantine = 1000,
     .kinds = kinds_of({kind::equivocates, kind::forges, kind::replays, kind::vote_sets})},
    {.name = "bad_headers",
     .about = "bad links, and lies about time, delay, counts and capacity",
     .crashes = 300,
     .slow = 500,
     .byzantine = 1000,
     .kinds = kinds_of({kind::bad_links, kind::lies, kind::garbles})},
    {.name = "withholding",
     .about = "each message for some only",
     .crashes = 300,
     .lossy = 200,
     .slow = 300,
     .byzantine = 1000,
     .kinds = kinds_of({kind::selective, kind::withholds, kind::hides})},
    {.name = "floods",
     .about = "copied bundles, tiny batches, endless questions",
     .crashes = 300,
     .slow = 300,
     .byzantine = 1000,
     .kinds = kinds_of({kind::copies, kind::small_change, kind::asks_a_lot})},
    {.name = "attacks",
     .about = "f Byzantine validators of any kinds, and honest ones crash",
     .crashes = 500,
     .partitions = 200,
     .lossy = 200,
     .slow = 300,
     .byzantine = 1000,
     .skewed_clocks = 500},
};

}  // namespace

const recipe& find_recipe(const std::string& name) {
  for (const auto& x : book)
    if (x.name == name) return x;
  std::string names;
  for (const auto& x : book) names += (names.empty() ? "" : ", ") + std::string(x.name);
  throw std::invalid_argument("no scenario " + name + ": there are " + names);
}

std::vector<recipe_name> recipes() {
  std::vector<recipe_name> out;
  for (const auto& x : book) out.push_back({x.name, x.about});
  return out;
}

}  // namespace flamingo::sim
