#include "tests/golden/hex_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "crypto/hex.hpp"

namespace flamingo::golden {

namespace {

constexpr std::size_t digits_a_line = 64;

std::string text_of(byte_span bytes) {
  const std::string digits = crypto::to_hex(bytes);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); i += digits_a_line)
    text.append(digits, i, digits_a_line) += '\n';
  return text;
}

}  // namespace

std::optional<std::vector<char>> read_hex(const std::filesystem::path& file) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::string digits = text;
  std::erase(digits, '\n');
  std::vector<char> bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto one = crypto::from_hex<1>(std::string_view(digits).substr(i, 2));
    if (!one) return std::nullopt;
    bytes.push_back(static_cast<char>(one->front()));
  }
  const byte_span read(reinterpret_cast<const byte*>(bytes.data()), bytes.size());
  if (!in || bytes.empty() || text_of(read) != text) return std::nullopt;
  return bytes;
}

void write_hex(const std::filesystem::path& file, byte_span bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text_of(bytes);
}

std::string difference(byte_span frozen, byte_span now) {
  const auto [a, b] = std::mismatch(frozen.begin(), frozen.end(), now.begin(), now.end());
  if (a == frozen.end() && b == now.end()) return {};
  const auto at = static_cast<std::size_t>(a - frozen.begin());
  const auto from = [&](byte_span all) {
    const auto rest = all.subspan(at);
    return rest.empty() ? "the end"
                        : crypto::to_hex(rest.first(std::min<std::size_t>(8, rest.size())));
  };
  return "line " + std::to_string(at * 2 / digits_a_line + 1) + ", byte " + std::to_string(at) +
         ": frozen " + from(frozen) + ", now " + from(now) + "; sizes " +
         std::to_string(frozen.size()) + " and " + std::to_string(now.size());
}

bool writing() {
  const char* set = std::getenv("FLAMINGO_WRITE_GOLDEN");
  return set != nullptr && std::string_view(set) != "" && std::string_view(set) != "0";
}

std::filesystem::path folder() {
  return FLAMINGO_SOURCE_DIR "/tests/golden";
}

}  // namespace flamingo::golden
