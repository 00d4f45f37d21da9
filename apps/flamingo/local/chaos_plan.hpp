// Which faults strike whom, when, and for how long: drawn from a seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace flamingo::local {

/// How many faults of each kind.
struct chaos {
  std::size_t kills = 0;   // kill -9 of a validator, which starts again 0.2 to 2 s later
  std::size_t cuts = 0;    // all links between two validators, for 20 s
  std::size_t pauses = 0;  // SIGSTOP of a validator, for 60 s

  std::size_t faults() const { return kills + cuts + pauses; }
  friend bool operator==(const chaos&, const chaos&) = default;
};

/// "kill=50,cut=10,pause=5": each kind once at most, 1 to 1000 of it. Nothing if it is not that.
std::optional<chaos> parse_chaos(std::string_view text);

struct fault_event {
  enum class kind : std::uint8_t { kill, cut, pause };
  std::chrono::milliseconds at;  // from the start of the load
  kind what;
  std::size_t validator;
  std::size_t other;                // of a cut; else the same
  std::chrono::milliseconds lasts;  // then it is started again, healed or resumed

  friend bool operator==(const fault_event&, const fault_event&) = default;
};

/// The faults in the middle eight tenths of `length`, by `at`. Those of a kind come one after
/// another, and shorter than they should be where there is no time; those of different kinds
/// overlap as they will, also at one validator. All are over before the load is. The same arguments
/// give the same plan. @param validators at least 2 if there are cuts.
std::vector<fault_event> plan_chaos(const chaos& wanted, std::size_t validators,
                                    std::chrono::milliseconds length, std::uint64_t seed);

}  // namespace flamingo::local
