#include "apps/flamingo/config/internal_section.hpp"

namespace flamingo::config {

section describe(internal_section& x) {
  constexpr std::string_view absent = "roles that are not spread";
  return {
      .key = "internal",
      .meaning =
          "Where the processes of this validator meet, if `flamingo node --roles` spreads its "
          "roles over several: a private network or, with tls, any; without it, whoever reaches "
          "these addresses is the validator. Roles that share a process have the same address.",
      .entries =
          {
              optional_address("primary", x.primary, absent,
                               "Where the process with the primary answers the others."),
              optional_address("worker", x.worker, absent,
                               "Where the process with the workers answers the others."),
              optional_address("executor", x.executor, absent,
                               "Where the process with the executors answers the others."),
              flag("tls", x.tls, "Mutual TLS 1.3 between these processes."),
              text("certificate", x.certificate, "a path",
                   "The certificate of this process, if tls is on: Ed25519, as those for links. "
                   "Its authority must be one of this validator's own: whom it issued a "
                   "certificate may connect."),
              text("certificate_key", x.certificate_key, "a path", "Its private key."),
              text("authority", x.authority, "a path", "The authority's certificate."),
          },
  };
}

}  // namespace flamingo::config
