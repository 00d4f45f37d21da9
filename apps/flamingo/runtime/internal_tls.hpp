// What the processes of one validator show each other.
#pragma once

#include <memory>

#include "actors/link/tls_engine.hpp"
#include "apps/flamingo/config/node_file.hpp"

namespace flamingo::runtime {

/// Nothing if the file does not ask for TLS between them. Throws crypto::file_error.
std::shared_ptr<const link::tls_context> internal_tls_of(const config::node_file& file);

}  // namespace flamingo::runtime
