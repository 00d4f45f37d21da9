#include "apps/flamingo/runtime/internal_tls.hpp"

#include "apps/flamingo/config/reader.hpp"
#include "crypto/tls_identity.hpp"

namespace flamingo::runtime {

std::shared_ptr<const link::tls_context> internal_tls_of(const config::node_file& file) {
  if (!file.internal.tls) return nullptr;
  const auto path = [&](const std::string& x) { return config::beside(file.source, x); };
  const auto certificate = path(file.internal.certificate);
  return std::make_shared<const link::tls_context>(path(file.internal.authority), certificate,
                                                   path(file.internal.certificate_key),
                                                   crypto::name_of_certificate(certificate));
}

}  // namespace flamingo::runtime
