#include "apps/flamingo/runtime/actor_system_settings.hpp"

#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>

#include "actors/interfaces.hpp"

namespace flamingo::runtime {

actor_system_settings::actor_system_settings(const config::runtime_settings& x,
                                             const std::optional<internal_tls>& inner) {
  add_message_types<caf::id_block::flamingo>();
  load<caf::io::middleman>();
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", static_cast<std::size_t>(x.threads));
  if (!inner) return;
  load<caf::openssl::manager>();
  openssl_certificate = inner->certificate;
  openssl_key = inner->key;
  openssl_cafile = inner->authority;
}

}  // namespace flamingo::runtime
