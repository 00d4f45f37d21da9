#include "tests/sim/client_fleet.hpp"

#include "crypto/fake_signing.hpp"

namespace flamingo::sim {

namespace {

link::events<schema::ClientMessage> events_to(const client_actor& who) {
  const auto id_of = [](link::peer x) { return validator_id{static_cast<std::uint16_t>(x.index)}; };
  return {[=](link::peer from, client_link link) {
            caf::anon_send(who, atom::link_up_v, id_of(from), link);
          },
          [=](link::peer from, const client_link&, client_frame x) {
            caf::anon_send(who, id_of(from), std::move(x));
          },
          [=](link::peer from, client_link link) {
            caf::anon_send(who, atom::link_down_v, id_of(from), link);
          }};
}

}  // namespace

client_fleet::client_fleet(world& in, const std::vector<client::settings>& load) {
  const auto members = world::make_committee(in.options());
  for (std::uint32_t i = 0; i < members->clients.size(); ++i) {
    const client_id id{i};
    auto env = std::make_shared<client::environment>();
    env->self = id;
    env->members = members;
    env->protocol = in.options().protocol;
    env->with = load[i];
    env->signer = world::signer_of(members->clients[i].name);
    env->scheme = std::make_shared<crypto::fake_scheme>();
    env->now = [&in] { return in.now(); };
    clients_.push_back(in.system().spawn(client::shell, client::environment_ptr(env)));
    doors_.push_back(in.net().doors(in.host_of(id), {link::peer::kind::client, i}));
    for (std::uint16_t v = 0; v < members->size(); ++v) {
      const auto& workers = members->validators[v].workers;
      doors_.back().clients->dial({link::peer::kind::validator, v},
                                  workers[i % workers.size()].clients, events_to(clients_.back()));
    }
  }
}

client_fleet::~client_fleet() {
  for (const auto& door : doors_) door.clients->stop();
  for (const auto& client : clients_) caf::anon_send_exit(client, caf::exit_reason::user_shutdown);
}

void client_fleet::start() {
  for (const auto& client : clients_) caf::anon_send(client, atom::start_v);
}

void client_fleet::stop_load() {
  for (const auto& client : clients_) caf::anon_send(client, atom::close_v);
}

}  // namespace flamingo::sim
