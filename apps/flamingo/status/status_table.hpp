// What validators said, as a table for people and as JSON for programs.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/flamingo/status/status_reader.hpp"

namespace flamingo::status {

/// What was answered, and the time since it was asked before, if it was.
struct sample {
  answers before, after;
  std::chrono::duration<double> between{};
  std::vector<std::string> refused{};  // why a validator refuses the link, by validator; or empty
};

/// Fresh transactions a second that validator i committed: between its two answers, or as it tells
/// of its last second. Nothing if neither is known.
std::optional<double> committed_per_second(const sample& x, std::size_t i);

/// One object for each validator. @param with_evidence lists each equivocation too.
nlohmann::ordered_json to_json(const sample& x, const committee& members,
                               bool with_evidence = false);

/// A heading, a line for each validator, and one for each state root that is told; each with a
/// newline. Fits into 80 columns as long as names and numbers are of ordinary length.
std::string to_table(const sample& x, const committee& members);

/// What the columns of the table mean.
std::string legend();

/// What each validator can prove of others, a line an equivocation, with the digests of both signed
/// headers in full; or one line that says that there is none.
std::string to_evidence_table(const answers& x, const committee& members);
nlohmann::ordered_json to_evidence_json(const evidence_report& x, const committee& members);

/// Whether no two validators that told their state roots for the same commit differ; nothing if no
/// two did.
std::optional<bool> roots_agree(const answers& x);

}  // namespace flamingo::status
