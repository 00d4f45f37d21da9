// What the committer keeps, as the store's bytes: little-endian, fixed sizes, a version first.
// Pure; which table and key a record has is the shell's business.
#pragma once

#include <optional>
#include <vector>

#include "actors/committer/committer.hpp"

namespace flamingo::committer {

/// The one record that every commit replaces.
struct head_record {
  log_head head;
  bundle_totals totals;
  digest chain;  // over all committed sub-DAGs

  friend bool operator==(const head_record&, const head_record&) = default;
};

/// Everything that the log has made but the application's state, at one commit: equal bytes at all
/// honest validators (design: the certified DAG, "Checkpoints"). Ordering balance adds its table.
struct ledger {
  head_record head;
  std::vector<ordered_header> output;  // headers output above output_floor, by position
  std::vector<std::pair<client_id, client_window>> windows;  // ascending by client

  friend bool operator==(const ledger&, const ledger&) = default;
};

std::vector<char> encode_head(const head_record&);
std::vector<char> encode_window(const client_window&);
std::vector<char> encode_group(const execution_group&);
std::vector<byte> encode_ledger(const ledger&);

/// Nothing for bytes that these functions did not write.
std::optional<head_record> decode_head(byte_span);
std::optional<client_window> decode_window(byte_span);
std::optional<execution_group> decode_group(byte_span);
std::optional<ledger> decode_ledger(byte_span);

}  // namespace flamingo::committer
