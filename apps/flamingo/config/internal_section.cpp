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
      .lists = {items<executor_host_entry>(
          "executor_hosts", x.executor_hosts,
          "Processes that only run executors: `flamingo node --roles executor-host`. What "
          "`executor "
          "add` adds runs on the one with the fewest.",
          [](executor_host_entry& host) {
            return section{
                .key = {},
                .meaning = {},
                .entries = {required(address("address", host.address, 1,
                                             "Where it answers the process with the executors."))}};
          })},
  };
}

}  // namespace flamingo::config
