// [internal] of a validator's file: where its own processes meet, if its roles are spread over
// several.
#pragma once

#include <string>
#include <vector>

#include "apps/flamingo/config/schema.hpp"

namespace flamingo::config {

struct executor_host_entry {
  network_address address;
};

struct internal_section {
  network_address primary, worker, executor;  // an empty host: not spread
  std::vector<executor_host_entry> executor_hosts;
  bool tls = false;
  std::string certificate, certificate_key, authority;
};

section describe(internal_section& x);

}  // namespace flamingo::config
