// Serves a process's metrics to Prometheus on /metrics.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "actors/runtime/metrics.hpp"
#include "messages/committee.hpp"

namespace prometheus {
class Exposer;
}

namespace flamingo::runtime {

class metrics_server {
public:
  /// Listens at `where` (port 0: any free one) and serves the registry of `of`, the process's own
  /// use, and what is added. Throws config::error, one line that names the address and the key that
  /// sets it.
  metrics_server(const network_address& where, const metrics& of);
  ~metrics_server();

  void add(std::shared_ptr<prometheus::Collectable> more);

  /// The port that it listens at.
  std::uint16_t port() const;

private:
  // The exposer only looks at them.
  std::vector<std::shared_ptr<prometheus::Collectable>> served_;
  std::unique_ptr<prometheus::Exposer> exposer_;
};

}  // namespace flamingo::runtime
