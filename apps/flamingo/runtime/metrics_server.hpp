// Serves a process's metrics to Prometheus on /metrics.
#pragma once

#include <cstdint>
#include <memory>

#include "actors/runtime/metrics.hpp"
#include "messages/committee.hpp"

namespace prometheus {
class Exposer;
}

namespace flamingo::runtime {

class metrics_server {
public:
  /// Listens at `where` (port 0: any free one). Throws config::error, one line that names the
  /// address and the key that sets it.
  metrics_server(const network_address& where, const metrics& of);
  ~metrics_server();

  /// The port that it listens at.
  std::uint16_t port() const;

private:
  std::shared_ptr<prometheus::Collectable> process_;
  std::unique_ptr<prometheus::Exposer> exposer_;
};

}  // namespace flamingo::runtime
