#include "tests/sim/network.hpp"

#include <algorithm>

#include "messages/assert.hpp"
#include "tests/sim/describe.hpp"

namespace flamingo::sim {

namespace {

using due_atom = caf::atom_constant<caf::atom("due")>;

time_point virtual_now(caf::actor_system& system) {
  return time_point(std::chrono::duration_cast<duration>(system.clock().now().time_since_epoch()));
}

std::string text_of(const network_address& x) {
  return x.host + ":" + std::to_string(x.port);
}

constexpr std::chrono::milliseconds dial_retry{200};
constexpr std::size_t frame_head = 4;  // bytes of length before each frame

}  // namespace

/// A link: two ends, each a typed actor to the role that holds it.
template <class Message>
struct network::connection : network::any_connection,
                             std::enable_shared_from_this<connection<Message>> {
  using handle = link_actor<Message>;
  struct end {
    link::peer owner;
    link::events<Message> events;
    handle actor;
    time_point last_arrival;  // links keep order
  };

  explicit connection(network& net) : net_(net) {}

  static typename handle::behavior_type behave(typename handle::pointer,
                                               std::shared_ptr<connection> self, int side) {
    return {[self, side](atom::transmit, link_priority, const wire<Message>& x) {
              self->transmit(side, x);
            },
            [self](atom::close) { self->close(); }};
  }

  void open() {
    for (int side : {0, 1})
      ends[side].actor = net_.system_.spawn(behave, this->shared_from_this(), side);
    open_ = true;
    for (int side : {0, 1}) ends[side].events.up(ends[1 - side].owner, ends[side].actor);
  }

  void transmit(int side, const wire<Message>& x) {
    if (!open_) return;
    if (auto* liar = net_.behaviour_of(hosts[side])) {
      for (const auto& y : liar->says(ends[1 - side].owner, x)) leave(side, y);
    } else {
      leave(side, x);
    }
  }

  void leave(int side, const wire<Message>& x) {
    const auto& model = net_.model_;
    if constexpr (std::is_same_v<Message, schema::WorkerMessage>)
      for (auto* listener : net_.taps_) listener->left(ends[side].owner, ends[1 - side].owner, x);
    const auto leaves =
        net_.departure(hosts[side], conversation_of<Message>(), declared_size(x) + frame_head);
    if (net_.random_.chance(model.loss_per_mille)) return;
    const int copies = net_.random_.chance(model.duplicate_per_mille) ? 2 : 1;
    for (int i = 0; i < copies; ++i) arrive_later(1 - side, leaves, x);
  }

  void arrive_later(int side, time_point leaves, const wire<Message>& x) {
    const auto& model = net_.model_;
    const auto delay = std::chrono::microseconds(
                           net_.random_.between(model.delay_min.count(), model.delay_max.count())) +
                       net_.extra_delay(hosts[0]) + net_.extra_delay(hosts[1]);
    auto& last = ends[side].last_arrival;
    last = std::max(last, leaves + delay);
    net_.after(hosts[side], last - virtual_now(net_.system_),
               [self = this->shared_from_this(), side, x] { self->arrive(side, x); });
  }

  void arrive(int side, const wire<Message>& x) {
    if (!open_) return;
    net_.trace_.note(virtual_now(net_.system_), x.bytes(), [&] {
      return describe(virtual_now(net_.system_), ends[1 - side].owner, ends[side].owner, x);
    });
    for (auto* listener : net_.taps_) listener->arrived(ends[1 - side].owner, ends[side].owner, x);
    if constexpr (std::is_same_v<Message, schema::PeerMessage> ||
                  std::is_same_v<Message, schema::WorkerMessage>)
      if (auto* liar = net_.behaviour_of(hosts[side])) liar->hears(ends[1 - side].owner, x);
    ends[side].events.frame(ends[1 - side].owner, ends[side].actor, x);
  }

  void close() override {
    if (!std::exchange(open_, false)) return;
    for (int side : {0, 1}) {
      ends[side].events.down(ends[1 - side].owner, ends[side].actor);
      caf::anon_send_exit(ends[side].actor, caf::exit_reason::user_shutdown);
      ends[side].actor = nullptr;
    }
  }
  bool is_open() const override { return open_; }

  end ends[2];

private:
  network& net_;
  bool open_ = false;
};

template <class Message>
class network::simulated_doorway : public link::doorway<Message>,
                                   public std::enable_shared_from_this<simulated_doorway<Message>> {
public:
  simulated_doorway(network& in, host_id lives_on, link::peer whose)
      : net(in), host(lives_on), owner(whose) {}

  std::uint16_t listen(const network_address& where, link::events<Message> to) override {
    auto listener = std::make_shared<link::events<Message>>(std::move(to));
    listeners.push_back({text_of(where), listener});
    net.listeners_[key(text_of(where))] = this->weak_from_this();
    return where.port;
  }

  void dial(link::peer whom, const network_address& where, link::events<Message> to) override {
    dial_again(whom, where, std::move(to), {});
  }

  void stop() override { stopped = true; }

  static std::string key(const std::string& address) {
    return std::to_string(conversation_of<Message>()) + " " + address;
  }

  network& net;
  host_id host;
  link::peer owner;
  bool stopped = false;
  std::vector<std::pair<std::string, std::shared_ptr<link::events<Message>>>> listeners;

private:
  void dial_again(link::peer whom, network_address where, link::events<Message> to, duration wait) {
    net.after(host, wait, [self = this->shared_from_this(), whom, where, to] {
      if (self->stopped || self->connected(where, to)) return;
      self->dial_again(whom, where, to, dial_retry);
    });
  }

  bool connected(const network_address& where, const link::events<Message>& to) {
    const auto found = net.listeners_.find(key(text_of(where)));
    if (found == net.listeners_.end()) return false;
    const auto there = std::static_pointer_cast<simulated_doorway>(found->second.lock());
    if (!there || there->stopped || net.is_cut(host, there->host)) return false;
    auto link = std::make_shared<connection<Message>>(net);
    link->hosts[0] = host;
    link->hosts[1] = there->host;
    link->ends[0] = {owner, redialling(where, to), {}, {}};
    for (const auto& [address, events] : there->listeners)
      if (address == text_of(where)) link->ends[1] = {there->owner, *events, {}, {}};
    net.connections_.push_back(link);
    link->open();
    return true;
  }

  /// A dialled link that goes down is dialled again.
  link::events<Message> redialling(const network_address& where, const link::events<Message>& to) {
    auto events = to;
    events.down = [weak = this->weak_from_this(), where, to](link::peer who,
                                                             link_actor<Message> handle) {
      to.down(who, handle);
      if (const auto self = weak.lock()) self->dial_again(who, where, to, dial_retry);
    };
    return events;
  }
};

network::network(caf::actor_system& system, random_source& random, trace& log, link_model model)
    : system_(system), random_(random), trace_(log), model_(model) {
  postman_ = system.spawn([this](caf::event_based_actor*) -> caf::behavior {
    return {[this](due_atom, std::uint64_t task) {
      auto node = tasks_.extract(task);
      if (!node.empty()) node.mapped()();
    }};
  });
}

network::~network() {
  stop();
}

void network::stop() {
  tasks_.clear();
  close_if([](const any_connection&) { return true; });
  listeners_.clear();
  tasks_.clear();  // what the closing of links had dialled again
  if (postman_) caf::anon_send_exit(postman_, caf::exit_reason::user_shutdown);
  postman_ = nullptr;
}

link::doorways network::doors(host_id host, link::peer owner) {
  return {std::make_shared<simulated_doorway<schema::PeerMessage>>(*this, host, owner),
          std::make_shared<simulated_doorway<schema::WorkerMessage>>(*this, host, owner),
          std::make_shared<simulated_doorway<schema::ClientMessage>>(*this, host, owner),
          std::make_shared<simulated_doorway<schema::OperatorMessage>>(*this, host, owner),
          nullptr};
}

void network::cut(host_id a, host_id b) {
  cuts_.insert(std::minmax(a, b));
  close_if([&](const any_connection& x) {
    return std::minmax(x.hosts[0], x.hosts[1]) == std::minmax(a, b);
  });
}

void network::heal(host_id a, host_id b) {
  cuts_.erase(std::minmax(a, b));
}

void network::heal_all() {
  cuts_.clear();
}

void network::crash(host_id host) {
  ++lives_[host];
  close_if([&](const any_connection& x) { return x.hosts[0] == host || x.hosts[1] == host; });
  std::erase_if(listeners_, [](const auto& entry) { return entry.second.expired(); });
}

void network::corrupt(host_id host, std::shared_ptr<byzantine::behaviour> how) {
  how->send = [this, host](validator_id to, const peer_frame& x) { say(host, to, x); };
  how->send_to_workers = [this, host](validator_id to, const worker_frame& x) { say(host, to, x); };
  corrupted_[host] = std::move(how);
}

template <class Message>
void network::say(host_id host, validator_id to, const wire<Message>& x) {
  const link::peer whom{link::peer::kind::validator, to.value};
  for (const auto& any : connections_) {
    const auto link = std::dynamic_pointer_cast<connection<Message>>(any);
    if (!link || !link->is_open()) continue;
    for (int side : {0, 1})
      if (link->hosts[side] == host && link->ends[1 - side].owner == whom) link->leave(side, x);
  }
}

void network::close_if(const std::function<bool(const any_connection&)>& which) {
  const auto all = connections_;  // closing calls events, which may open others
  for (const auto& link : all)
    if (link->is_open() && which(*link)) link->close();
  std::erase_if(connections_, [](const auto& link) { return !link->is_open(); });
}

void network::after(host_id host, duration delay, std::function<void()> what) {
  if (!postman_) return;  // stopped
  const auto task = next_task_++;
  tasks_[task] = [this, host, life = lives_[host], what = std::move(what)] {
    if (lives_[host] == life) what();
  };
  caf::delayed_anon_send(postman_, std::max(delay, duration(1)), due_atom::value, task);
}

time_point network::departure(host_id host, int conversation, std::size_t bytes) {
  auto& free_at = egress_free_at_[{host, conversation}];
  const auto takes =
      std::chrono::nanoseconds(bytes * 8 * 1'000'000'000ull / model_.bits_per_second);
  free_at = std::max(free_at, virtual_now(system_)) + takes;
  return free_at;
}

}  // namespace flamingo::sim
