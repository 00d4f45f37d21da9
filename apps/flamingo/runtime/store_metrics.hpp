// What the store did, read from it whenever Prometheus asks.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/kv.hpp"

namespace flamingo::runtime {

class store_metrics final : public prometheus::Collectable {
public:
  store_metrics(std::shared_ptr<const storage::kv> store, std::string validator)
      : store_(std::move(store)), validator_(std::move(validator)) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

private:
  std::shared_ptr<const storage::kv> store_;
  std::string validator_;
};

}  // namespace flamingo::runtime
