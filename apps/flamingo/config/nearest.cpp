#include "apps/flamingo/config/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace flamingo::config {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(const std::vector<std::string>& known, std::string_view name,
                                   std::size_t edits) {
  std::optional<std::string> out;
  std::size_t least = edits + 1;
  for (const auto& x : known) {
    const auto distance = edit_distance(x, name);
    if (distance < least) out = x;
    least = std::min(least, distance);
  }
  return out;
}

}  // namespace flamingo::config
