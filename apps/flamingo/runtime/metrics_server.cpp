#include "apps/flamingo/runtime/metrics_server.hpp"

#include <fmt/format.h>
#include <prometheus/exposer.h>

#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/config/schema.hpp"
#include "apps/flamingo/runtime/process_metrics.hpp"

namespace flamingo::runtime {

metrics_server::metrics_server(const network_address& where, const metrics& of) {
  try {
    exposer_ = std::make_unique<prometheus::Exposer>(config::to_string(where), 2);
  } catch (const std::exception&) {
    throw config::error(
        fmt::format("metrics: cannot listen at {}: is the port taken? Choose "
                    "another, or \"\" for no metrics",
                    config::to_string(where)));
  }
  add(of.registry());
  add(std::make_shared<process_metrics>());
}

void metrics_server::add(std::shared_ptr<prometheus::Collectable> more) {
  exposer_->RegisterCollectable(more);
  served_.push_back(std::move(more));
}

metrics_server::~metrics_server() = default;

std::uint16_t metrics_server::port() const {
  return static_cast<std::uint16_t>(exposer_->GetListeningPorts().at(0));
}

}  // namespace flamingo::runtime
