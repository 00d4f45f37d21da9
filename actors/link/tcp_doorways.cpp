#include "actors/link/tcp_doorways.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <caf/actor_system.hpp>

#include <bit>
#include <stdexcept>

#include "actors/link/connection_actor.hpp"

namespace flamingo::link {

namespace {

template <class Message>
inline constexpr conversation conversation_of = conversation::primaries;
template <>
inline constexpr conversation conversation_of<schema::WorkerMessage> = conversation::workers;
template <>
inline constexpr conversation conversation_of<schema::ClientMessage> = conversation::clients;
template <>
inline constexpr conversation conversation_of<schema::OperatorMessage> = conversation::operators;

// How long `stop` waits for CAF's middleman thread to close what is open.
constexpr std::chrono::seconds stop_timeout{2};

// What the doorways of a node have in common.
struct node {
  caf::actor_system& system;
  settings limits;
  identity who;
  std::shared_ptr<const tls_context> tls;
  std::shared_ptr<connector> sockets;
  std::shared_ptr<emulation_switch> emulation;
};

template <class Message>
class tcp_doorway final : public doorway<Message> {
public:
  tcp_doorway(std::shared_ptr<const node> n, runtime::metrics& into)
      : node_(std::move(n)),
        door_(std::make_shared<door>(conversation_of<Message>, node_->limits, into)) {}

  ~tcp_doorway() override { stop(); }

  std::uint16_t listen(const network_address& where, events<Message> to) override {
    auto listener = listen_on(where);
    const auto port = local_port(listener);
    const auto rules = rules_for(to.worker, std::nullopt);
    const auto accept = [n = node_, d = door_, rules, to = std::move(to)](connector::id,
                                                                          socket_handle socket) {
      const auto with = "from " + remote_of(socket);
      start(n, d, rules, to, std::move(socket), with, true, {});
    };
    remember(node_->sockets->accept(std::move(listener), accept));
    spdlog::info("listening for {} links on {}", to_string(door_->about),
                 to_string(network_address{where.host, port}));
    return port;
  }

  void dial(peer whom, const network_address& where, events<Message> to) override {
    const auto rules = rules_for(to.worker, whom);
    const auto with = fmt::format("to {} at {}", to_string(whom), to_string(where));
    const auto connected = [n = node_, d = door_, rules, to = std::move(to), with](
                               connector::id call, socket_handle socket) {
      const auto gone = [n, call](bool was_up) { n->sockets->lost(call, was_up); };
      start(n, d, rules, to, std::move(socket), with, false, gone);
    };
    const auto failed = [d = door_, with](const std::string& reason, std::uint32_t attempts) {
      d->metrics.dial_failed();
      if (std::has_single_bit(attempts))  // ever more rarely
        spdlog::warn("cannot connect the {} link {}: {} ({}, trying on)", to_string(d->about), with,
                     reason, attempts == 1 ? "once" : fmt::format("{} times in a row", attempts));
    };
    remember(node_->sockets->dial(where, connected, failed));
  }

  void stop() override {
    door_->shut();
    std::vector<connector::id> ids;
    {
      const std::lock_guard lock(mutex_);
      ids.swap(ids_);
    }
    for (const auto id : ids) node_->sockets->forget(id);
    door_->connections.dismiss_all();
    if (!door_->connections.wait_until_empty(std::chrono::steady_clock::now() + stop_timeout))
      spdlog::error("{} links are still open {} s after they were stopped", to_string(door_->about),
                    stop_timeout.count());
  }

private:
  static void start(const std::shared_ptr<const node>& n, const std::shared_ptr<door>& d,
                    std::shared_ptr<const session_rules> rules, const events<Message>& to,
                    socket_handle socket, std::string with, bool accepted,
                    std::function<void(bool)> gone) {
    const auto number = d->connections.begin(accepted);
    if (!number) {  // or the door is shut, and nobody reads any more what is counted
      if (accepted) d->metrics.count(ending::crowded_out);
      return;
    }
    auto plan = std::make_shared<connection_plan<Message>>();
    plan->through = d;
    plan->rules = std::move(rules);
    plan->to = to;
    plan->number = *number;
    plan->socket = std::move(socket);
    plan->with = std::move(with);
    plan->gone = std::move(gone);
    start_connection(n->system, std::move(plan));
  }

  std::shared_ptr<const session_rules> rules_for(worker_id worker,
                                                 std::optional<peer> dialled) const {
    const auto about = conversation_of<Message>;
    const auto& who = node_->who;
    session_rules out;
    out.limits = node_->limits;
    out.tls = node_->tls;
    out.ours = {protocol_version, who.chain, who.committee, about, worker, who.self};
    out.admit = {dialled ? accepting_kind : dialling_kind(about), who.validators, who.clients,
                 dialled};
    out.emulated = node_->emulation;
    return std::make_shared<const session_rules>(std::move(out));
  }

  void remember(connector::id id) {
    const std::lock_guard lock(mutex_);
    ids_.push_back(id);
  }

  std::shared_ptr<const node> node_;
  std::shared_ptr<door> door_;
  std::mutex mutex_;
  std::vector<connector::id> ids_;
};

}  // namespace

doorways make_doorways(caf::actor_system& system, const settings& s, const identity& who,
                       runtime::metrics& into) {
  if (const auto line = out_of_bounds(s)) throw std::runtime_error(*line);
  FLAMINGO_ASSERT(system.has_middleman());
  std::shared_ptr<const tls_context> tls;
  if (s.tls)
    tls = std::make_shared<const tls_context>(s.authority, s.certificate, s.private_key,
                                              to_string(who.self));
  const auto sockets =
      std::make_shared<connector>(connector::timing{s.connect_timeout, s.retry_min, s.retry_max});
  const auto shared = std::make_shared<const node>(
      node{system, s, who, tls, sockets, std::make_shared<emulation_switch>(s.emulate)});
  doorways out;
  out.emulation = shared->emulation;
  out.primaries = std::make_shared<tcp_doorway<schema::PeerMessage>>(shared, into);
  out.workers = std::make_shared<tcp_doorway<schema::WorkerMessage>>(shared, into);
  out.clients = std::make_shared<tcp_doorway<schema::ClientMessage>>(shared, into);
  out.operators = std::make_shared<tcp_doorway<schema::OperatorMessage>>(shared, into);
  return out;
}

}  // namespace flamingo::link
