// Runs seeds, each in a process of its own, so that one that aborts or hangs is a failed seed and
// nothing else; several at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace flamingo::sim {

struct seed_result {
  std::uint64_t seed = 0;
  bool ok = false;
  std::string text;  // what the run wrote
};

class seed_runner {
public:
  /// Runs one seed in the child: writes what it has to say and returns whether all was well.
  using task = std::function<bool(std::uint64_t seed, int write_to)>;

  /// @param processes at a time; @param seconds that one seed may take
  seed_runner(task what, unsigned processes, unsigned seconds)
      : task_(std::move(what)), processes_(processes), seconds_(seconds) {}

  /// Runs seeds first to last; `done` is called for each, in the order in which they end.
  /// Stops starting new ones when `done` returns false.
  void run(std::uint64_t first, std::uint64_t last,
           const std::function<bool(const seed_result&)>& done);

private:
  struct child {
    std::uint64_t seed;
    int pid, read_from;
    std::string text;
  };

  child start(std::uint64_t seed);
  seed_result end(child&) const;

  task task_;
  unsigned processes_, seconds_;
};

/// Writes all of `text`.
void write_text(int to, const std::string& text);

}  // namespace flamingo::sim
