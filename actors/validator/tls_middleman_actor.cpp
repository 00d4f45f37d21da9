#include "actors/validator/tls_middleman_actor.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <caf/all.hpp>
#include <caf/detail/socket_guard.hpp>
#include <caf/io/all.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman_actor_impl.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/doorman_impl.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <chrono>

#include "actors/link/tls_socket.hpp"

namespace flamingo::validator {

namespace {

namespace net = caf::io::network;
using link::tls_context;
using link::tls_engine;
using link::tls_socket;
using clock = std::chrono::steady_clock;
using context_ptr = std::shared_ptr<const tls_context>;

/// Who has not shown a certificate by then makes room when somebody else knocks.
constexpr std::chrono::seconds handshake_limit{5};

/// How CAF's streams read and write.
class tls_policy {
public:
  explicit tls_policy(std::shared_ptr<tls_socket> tls) : tls_(std::move(tls)) {}

  net::rw_state read_some(std::size_t& got, net::native_socket socket, void* room,
                          std::size_t size) {
    const bool good = tls_->read(socket, {static_cast<char*>(room), size}, got,
                                 std::exchange(only_unread_, false));
    return good ? net::rw_state::success : net::rw_state::failure;
  }

  net::rw_state write_some(std::size_t& written, net::native_socket socket, const void* bytes,
                           std::size_t size) {
    written = 0;
    if (size == 0) return net::rw_state::indeterminate;  // nothing to write: no longer ask for room
    const bool good = tls_->write(socket, {static_cast<const char*>(bytes), size}, written);
    return good ? net::rw_state::success : net::rw_state::failure;
  }

  /// Asked after as many reads as one event may have. What left the socket must be read, since no
  /// event will come for it; what is still there waits for the next event.
  bool must_read_more(net::native_socket, std::size_t) { return only_unread_ = tls_->unread(); }

private:
  std::shared_ptr<tls_socket> tls_;
  bool only_unread_ = false;
};

class tls_scribe final : public caf::io::scribe {
public:
  tls_scribe(net::default_multiplexer& backend, net::native_socket socket,
             std::shared_ptr<tls_socket> tls)
      : scribe(net::conn_hdl_from_socket(socket)), stream_(backend, socket, std::move(tls)) {}

  void configure_read(caf::io::receive_policy::config how) override {
    stream_.configure_read(how);
    if (!std::exchange(launched_, true)) stream_.start(this);
  }
  void ack_writes(bool enable) override { stream_.ack_writes(enable); }
  std::vector<char>& wr_buf() override { return stream_.wr_buf(); }
  std::vector<char>& rd_buf() override { return stream_.rd_buf(); }
  void flush() override { stream_.flush(this); }
  void graceful_shutdown() override {
    stream_.graceful_shutdown();
    detach(&stream_.backend(), false);
  }
  std::string addr() const override {
    const auto found = net::remote_addr_of_fd(stream_.fd());
    return found ? *found : std::string();
  }
  std::uint16_t port() const override {
    const auto found = net::remote_port_of_fd(stream_.fd());
    return found ? *found : std::uint16_t{0};
  }
  void add_to_loop() override { stream_.activate(this); }
  void remove_from_loop() override { stream_.passivate(); }

private:
  net::stream_impl<tls_policy> stream_;
  bool launched_ = false;
};

class tls_doorman final : public net::doorman_impl {
public:
  tls_doorman(net::default_multiplexer& backend, net::native_socket socket, context_ptr context)
      : doorman_impl(backend, socket), context_(std::move(context)) {}

  bool new_connection() override {
    if (detached()) return false;
    end_silent_strangers();
    const auto socket = acceptor_.accepted_socket();
    caf::detail::socket_guard closes(socket);
    net::nonblocking(socket, true);
    auto tls = std::make_shared<tls_socket>(context_, tls_engine::side::accepts);
    strangers_.push_back({tls, socket, clock::now()});
    auto& backend = acceptor_.backend();
    auto scribe = caf::make_counted<tls_scribe>(backend, socket, std::move(tls));
    closes.release();  // the scribe's now
    const auto handle = scribe->hdl();
    parent()->add_scribe(std::move(scribe));
    return doorman::new_connection(&backend, handle);
  }

private:
  struct stranger {
    std::weak_ptr<tls_socket> tls;  // as long as its socket is open
    net::native_socket socket;
    clock::time_point since;
  };

  void end_silent_strangers() {
    const auto now = clock::now();
    std::erase_if(strangers_, [&](const stranger& x) {
      const auto tls = x.tls.lock();
      if (!tls || tls->established()) return true;
      if (now - x.since < handshake_limit) return false;
      ::shutdown(x.socket, SHUT_RDWR);  // its stream finds it ended
      return true;
    });
  }

  context_ptr context_;
  std::vector<stranger> strangers_;
};

class tls_middleman final : public caf::io::middleman_actor_impl {
public:
  tls_middleman(caf::actor_config& config, caf::actor broker, context_ptr context)
      : middleman_actor_impl(config, std::move(broker)), context_(std::move(context)) {}

  const char* name() const override { return "tls_middleman"; }

protected:
  caf::expected<caf::io::scribe_ptr> connect(const std::string& host, std::uint16_t port) override {
    const auto socket = net::new_tcp_connection(host, port);
    if (!socket) return socket.error();
    caf::detail::socket_guard closes(*socket);
    net::nonblocking(*socket, true);
    auto tls = std::make_shared<tls_socket>(context_, tls_engine::side::dials);
    if (!tls->start(*socket)) return caf::make_error(caf::sec::cannot_connect_to_node);
    closes.release();
    return caf::make_counted<tls_scribe>(backend(), *socket, std::move(tls));
  }

  caf::expected<caf::io::doorman_ptr> open(std::uint16_t port, const char* address,
                                           bool reuse) override {
    const auto socket = net::new_tcp_acceptor_impl(port, address, reuse);
    if (!socket) return socket.error();
    return caf::make_counted<tls_doorman>(backend(), *socket, context_);
  }

private:
  net::default_multiplexer& backend() {
    return dynamic_cast<net::default_multiplexer&>(system().middleman().backend());
  }

  context_ptr context_;
};

}  // namespace

caf::io::middleman_actor spawn_tls_middleman(caf::actor_system& system, context_ptr context) {
  auto broker = system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"));
  return system.spawn<tls_middleman, caf::detached>(std::move(broker), std::move(context));
}

}  // namespace flamingo::validator
