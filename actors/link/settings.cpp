#include "actors/link/settings.hpp"

#include <fmt/format.h>

namespace flamingo::link {

namespace {

constexpr std::uint64_t kib = 1 << 10, mib = 1 << 20, gib = 1 << 30;

struct bound {
  const char* name;
  std::uint64_t value, least, most;
  const char* unit;
};

std::optional<std::string> violated(const bound& b) {
  if (b.least <= b.value && b.value <= b.most) return std::nullopt;
  return fmt::format("link setting {} is {}{}, expected {} to {}{}", b.name, b.value, b.unit,
                     b.least, b.most, b.unit);
}

std::optional<std::string> out_of_bounds(const std::string& where, const emulation& e) {
  const auto delay = static_cast<std::uint64_t>(e.delay.count());
  const std::string names[] = {where + ".delay", where + ".jitter", where + ".loss"};
  const bound bounds[] = {
      {names[0].c_str(), delay, 0, 10'000'000, " us"},
      {names[1].c_str(), static_cast<std::uint64_t>(e.jitter.count()), 0, delay, " us"},
      {names[2].c_str(), e.loss_per_mille, 0, 1000, " per mille"},
  };
  for (const auto& b : bounds)
    if (auto line = violated(b)) return line;
  return std::nullopt;
}

std::optional<std::string> out_of_bounds(const emulations& all) {
  if (auto line = out_of_bounds("emulation", all.all)) return line;
  for (const auto& [to, e] : all.to)
    if (auto line = out_of_bounds("emulation." + to_string(to), e)) return line;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> out_of_bounds(const settings& s) {
  const auto ms = [](std::chrono::milliseconds x) { return static_cast<std::uint64_t>(x.count()); };
  const bound bounds[] = {
      {"max_frame_bytes", s.max_frame_bytes, 64 * kib, 256 * mib, ""},
      {"queue_bytes", s.queue_bytes, mib, 4 * gib, ""},
      {"in_flight_bytes", s.in_flight_bytes, 64 * kib, 64 * mib, ""},
      {"read_bytes", s.read_bytes, 4 * kib, 4 * mib, ""},
      {"unhandled_bytes", s.unhandled_bytes, mib, 4 * gib, ""},
      {"emulated_bytes", s.emulated_bytes, mib, 4 * gib, ""},
      {"max_strangers", s.max_strangers, 8, 1024, ""},
      {"max_links_of_peer", s.max_links_of_peer, 1, 1024, ""},
      {"frames_per_second", s.frames_per_second, 100, 10'000'000, ""},
      {"vain_frames_per_second", s.vain_frames_per_second, 1, 1'000'000, ""},
      {"connect_timeout", ms(s.connect_timeout), 10, 300'000, " ms"},
      {"handshake_timeout", ms(s.handshake_timeout), 10, 300'000, " ms"},
      {"ping_interval", ms(s.ping_interval), 10, 300'000, " ms"},
      {"idle_timeout", ms(s.idle_timeout), ms(s.ping_interval) + 1, 600'000, " ms"},
      {"close_timeout", ms(s.close_timeout), 10, 300'000, " ms"},
      {"retry_min", ms(s.retry_min), 1, 60'000, " ms"},
      {"retry_max", ms(s.retry_max), ms(s.retry_min), 600'000, " ms"},
  };
  for (const auto& b : bounds)
    if (auto line = violated(b)) return line;
  return out_of_bounds(s.emulate);
}

}  // namespace flamingo::link
