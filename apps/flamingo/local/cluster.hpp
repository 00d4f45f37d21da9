// The validators of a network as processes of this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/flamingo/local/child_process.hpp"
#include "apps/flamingo/network_plan.hpp"

namespace flamingo::local {

class cluster {
public:
  cluster(network_layout layout, std::size_t validators);

  std::size_t size() const { return nodes_.size(); }

  /// Starts validator i, which must not run. Throws std::runtime_error.
  void start(std::size_t i);
  /// kill -9. Waits until it is gone, so that it can be started again.
  void kill(std::size_t i);
  /// SIGSTOP. Nothing if it does not run.
  void pause(std::size_t i);
  /// SIGCONT. Nothing if it does not run, or is not paused.
  void resume(std::size_t i);
  /// Cuts the links between two validators, or heals them: in the file of the first, which reads it
  /// anew if it runs. Throws std::runtime_error.
  void set_cut(std::size_t i, std::size_t other, bool cut);
  bool running(std::size_t i) const { return nodes_[i].has_value(); }
  pid_t pid(std::size_t i) const { return nodes_[i]->pid(); }

  /// Throws std::runtime_error if a validator ended by itself: one line that names it, its exit
  /// code, and the last line of its log.
  void check();

  /// SIGTERM to all; kill -9 to who has not ended after `limit`.
  /// @returns those that did not end with exit code 0.
  std::vector<std::size_t> stop(std::chrono::milliseconds limit);

  std::filesystem::path log(std::size_t i) const;
  std::filesystem::path data(std::size_t i) const;

private:
  network_layout layout_;
  std::vector<std::optional<child_process>> nodes_;
};

/// The last line of a text file that is not empty.
std::string last_line(const std::filesystem::path& file);

}  // namespace flamingo::local
