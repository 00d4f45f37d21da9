// Clients of one process: an actor each, with links to the workers of all validators.
#pragma once

#include <caf/actor_system.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "actors/client/client_actor.hpp"
#include "actors/link/doorway.hpp"
#include "actors/runtime/metrics.hpp"
#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/identity.hpp"
#include "apps/flamingo/runtime/actor_system_settings.hpp"
#include "apps/flamingo/runtime/refusal_book.hpp"

namespace flamingo::load {

/// A client and what it does.
struct member {
  config::client_file file;
  config::client_identity who;
  client::settings with;
};

/// Reads clients' files and all that they name, for `with` to be filled in. A committee file is
/// read once, however many name it. Throws config::error or crypto::file_error.
std::vector<member> load_members(const std::vector<std::string>& files);

/// All clients' counts as one; `finished` if all are, the first warning.
client::summary merged(const std::vector<client::summary>& all);

class client_group {
public:
  /// Starts all clients. They must be of one network, and their links within this process's limit
  /// of open files. Throws std::runtime_error, one line.
  explicit client_group(std::vector<member> members);
  /// Closes the links and ends the actors.
  ~client_group();
  client_group(const client_group&) = delete;
  client_group& operator=(const client_group&) = delete;

  /// Each client's counts so far; fewer than clients if one did not answer within `timeout`.
  std::vector<client::summary> counts(std::chrono::milliseconds timeout);

  /// No new load: what is outstanding is waited for.
  void stop_load();

  /// Waits until all have finished.
  bool wait_finished(std::chrono::milliseconds timeout);
  /// How each ended; nothing for one that has not.
  std::vector<std::optional<client::ending>> endings() const;

  /// Why waiting is useless, or why nothing came so far: validators refuse a client's links.
  std::optional<std::string> hopeless() const;
  std::optional<std::string> refused() const;

  const std::shared_ptr<runtime::metrics>& metrics() const { return metrics_; }
  const std::vector<member>& members() const { return members_; }

private:
  void start(std::size_t i);
  void dial_all(std::size_t i);

  std::vector<member> members_;
  runtime::actor_system_settings config_;
  caf::actor_system system_;
  std::shared_ptr<runtime::metrics> metrics_;
  std::vector<link::doorways> doors_;
  std::vector<client_actor> actors_;
  std::vector<std::shared_ptr<runtime::refusal_book>> refusals_;  // by client

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<client::ending>> endings_;
};

}  // namespace flamingo::load
