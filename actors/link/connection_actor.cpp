#include "actors/link/connection_actor.hpp"

#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <caf/exit_reason.hpp>
#include <caf/io/middleman.hpp>
#include <caf/send.hpp>

#include <random>

#include "actors/link/backlog.hpp"

namespace flamingo::link {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds report_interval{1};  // of metrics
constexpr std::chrono::seconds halt_timeout{5};     // of reading
// Below that, frames wait for those that are in the mailbox already, to leave together.
constexpr std::uint64_t pump_at_once = 256 << 10;

// The most that is read at once of a peer whose frames are in vain.
constexpr std::size_t distrusted_read = 4 << 10;

template <class Message>
struct state {
  static inline const char* name = "link";

  std::shared_ptr<connection_plan<Message>> plan;
  caf::io::connection_handle handle;
  int fd = -1;
  std::optional<session> link;
  session::reading reading;  // as configured
  bool finished = false;
  std::shared_ptr<backlog> unhandled;
  std::optional<steady_clock::time_point> halted;  // reading, since then
  steady_clock::time_point quiet_until;            // while halted: not read before
  bool throttled = false;                          // while halted: for that, too
  std::uint64_t frames = 0;                        // that came and are not charged to the peer
  std::optional<steady_clock::time_point> armed;
  bool pumping = false;  // a tick is on its way for that
  double queued = 0;     // as reported
};

template <class Message>
using pointer =
    typename connection_actor<Message>::template stateful_broker_pointer<state<Message>>;

template <class Message>
void report(state<Message>& s) {
  if (!s.link->up()) return;
  const auto kind = s.link->who()->what;
  const auto t = s.link->take_traffic();
  s.plan->through->metrics.add(kind, t);
  if (t.too_large > 0)
    spdlog::error("link {}: {} frames were beyond max_frame_bytes ({}) and dropped", s.plan->with,
                  t.too_large, s.plan->rules->limits.max_frame_bytes);
  const auto queued = s.finished ? 0 : static_cast<double>(s.link->queued_bytes());
  s.plan->through->metrics.queued(kind, queued - s.queued);
  s.queued = queued;
}

void wake(const caf::actor_addr& link) {
  if (const auto alive = caf::actor_cast<caf::strong_actor_ptr>(link))
    caf::anon_send(caf::actor_cast<caf::actor>(alive), atom::tick_v);
}

std::string dismissal_line(ending why, const settings& s) {
  switch (why) {
    case ending::crowded_out:
      return fmt::format("max_strangers ({}) newer connections came", s.max_strangers);
    case ending::replaced:
      return fmt::format("max_links_of_peer ({}) newer links came", s.max_links_of_peer);
    default:
      return "stopped";
  }
}

// CAF 0.17.6 never closes a broker's mailbox: what comes later would stay there, and a message from
// itself keep it alive for ever. So it is closed here, when the broker has ended, and its own
// messages name no sender.
template <class Message>
void close_mailbox(pointer<Message> self) {
  const caf::strong_actor_ptr alive = self->ctrl();
  self->system().middleman().run_later([self, alive] {
    if (!self->mailbox().closed()) self->mailbox().close();
  });
}

// The last of a connection: its socket is closed after this.
template <class Message>
void leave(pointer<Message> self) {
  auto& s = self->state;
  const auto& how = *s.link->over();
  // What was appended (an alert) may still leave, unless the peer takes nothing.
  const bool gentle =
      is_refusal(how.why) || (how.why == ending::closed && s.link->in_flight() == 0);
  if (self->valid(s.handle)) {
    if (gentle)
      self->flush(s.handle);
    else
      ::shutdown(s.fd, SHUT_RDWR);
    self->close(s.handle);
  }
  if (s.plan->gone) s.plan->gone(s.link->up());
  s.plan->through->connections.gone(s.plan->number);
  self->quit();
  close_mailbox<Message>(self);
}

// The session is over. The socket is closed in the multiplexer's next round: CAF 0.17.6 takes an
// addition and a removal within one round for nothing and would never close it.
template <class Message>
void finish(pointer<Message> self) {
  auto& s = self->state;
  if (s.finished) return;
  s.finished = true;
  auto& door = *s.plan->through;
  const auto& how = *s.link->over();
  door.metrics.count(how.why);
  report(s);
  door.log_end(s.plan->with, how);
  if (s.link->up()) {
    const auto who = *s.link->who();
    door.metrics.went_down(who.what);
    const auto handle = caf::actor_cast<link_actor<Message>>(self);
    door.deliver([&] { s.plan->to.down(who, handle); });
  } else if (const auto whom = s.plan->rules->admit.dialled;
             whom && is_refusal(how.why) && s.plan->to.refused) {
    door.deliver([&] { s.plan->to.refused(*whom, how); });
  }
  if (!self->valid(s.handle)) return leave<Message>(self);
  self->system().middleman().run_later(
      [alive = caf::actor_cast<caf::actor>(self)] { caf::anon_send(alive, atom::close_v); });
}

template <class Message>
void arm(pointer<Message> self, steady_clock::time_point now) {
  auto& s = self->state;
  auto when = std::min(s.link->deadline(now), now + report_interval);
  if (s.halted && s.quiet_until > now) when = std::min(when, s.quiet_until);
  if (s.armed && *s.armed <= when) return;
  s.armed = when;
  caf::delayed_anon_send(caf::actor_cast<caf::actor>(self),
                         std::max(when - now, steady_clock::duration(0)), atom::tick_v);
}

// After everything that the session was told.
template <class Message>
void settle(pointer<Message> self, steady_clock::time_point now) {
  auto& s = self->state;
  if (s.link->over()) return finish<Message>(self);
  auto next = s.link->next_read();
  // Of whom much is in vain little is taken in before the role has said so.
  if (s.link->up() && s.plan->through->with_peers.distrusts(*s.link->who(), now))
    next = {false, std::min(next.bytes, distrusted_read)};
  if (next != s.reading) {
    s.reading = next;
    self->configure_read(s.handle, s.reading.exactly
                                       ? caf::io::receive_policy::exactly(s.reading.bytes)
                                       : caf::io::receive_policy::at_most(s.reading.bytes));
  }
  arm<Message>(self, now);
}

template <class Message>
void pump(pointer<Message> self) {
  auto& s = self->state;
  const auto now = steady_clock::now();
  s.link->pump(now, self->wr_buf(s.handle));
  self->flush(s.handle);
  settle<Message>(self, now);
}

// What came of the peer since, and what the role said of that.
template <class Message>
void count_vain(state<Message>& s, steady_clock::time_point now) {
  auto& patience = s.plan->through->with_peers;
  patience.charge(*s.link->who(), std::exchange(s.frames, 0), s.unhandled->take_vain(), now);
  s.quiet_until = patience.quiet_until(*s.link->who());
}

// Counted once for each time that reading stopped, whether the role has said what was in vain by
// then or only later.
template <class Message>
bool note_throttle(state<Message>& s, steady_clock::time_point now) {
  if (s.quiet_until <= now) return false;
  if (!std::exchange(s.throttled, true)) s.plan->through->metrics.throttled(s.link->who()->what);
  return true;
}

// Too much was read for the role to keep up with, or of this peer.
template <class Message>
void halt_if_behind(pointer<Message> self, steady_clock::time_point now) {
  auto& s = self->state;
  if (s.halted || s.finished || !s.link->up()) return;
  count_vain(s, now);
  auto& door = *s.plan->through;
  const auto& who = *s.link->who();
  const bool behind = s.unhandled->hold(door.with_peers.distrusts(who, now));
  const bool throttled = note_throttle(s, now);
  if (!behind && !throttled) return;
  s.halted = now;
  s.link->hold(true, now);
  if (!throttled) door.metrics.held(who.what);
  self->halt(s.handle);
}

// Reading goes on when the role has caught up; or after long, in case it waits for what is not
// read.
template <class Message>
void resume_if_due(pointer<Message> self, steady_clock::time_point now) {
  auto& s = self->state;
  if (!s.halted) return;
  count_vain(s, now);
  if (note_throttle(s, now) || (s.unhandled->held() && now < *s.halted + halt_timeout)) return;
  s.halted.reset();
  s.throttled = false;
  s.link->hold(false, now);
  // Not before the multiplexer's next round: it may not have seen the halt yet, and would forget
  // the socket for ever.
  const caf::strong_actor_ptr alive = self->ctrl();
  self->system().middleman().run_later([self, alive] {
    auto& st = self->state;
    if (self->getf(caf::abstract_actor::is_terminated_flag) || st.halted || st.finished) return;
    settle<Message>(self, steady_clock::now());
    if (!st.finished) self->trigger(st.handle);
  });
}

template <class Message>
session::observer observe(pointer<Message> self) {
  const auto up = [self](peer who) {
    auto& plan = *self->state.plan;
    spdlog::info("link up: {} link {} is with {}", to_string(plan.through->about), plan.with,
                 to_string(who));
    plan.through->metrics.went_up(who.what);
    plan.through->connections.up(plan.number, who);
    const auto handle = caf::actor_cast<link_actor<Message>>(self);
    plan.through->deliver([&] { plan.to.up(who, handle); });
  };
  const auto frame = [self](shared_bytes bytes) {
    auto& s = self->state;
    ++s.frames;
    const auto handle = caf::actor_cast<link_actor<Message>>(self);
    s.plan->through->deliver([&] {
      const auto size = bytes.size();
      s.plan->to.frame(*s.link->who(), handle,
                       wire<Message>(std::move(bytes), s.unhandled->add(size)));
    });
  };
  return {up, frame};
}

// Takes the socket over and says what is to be said first.
template <class Message>
void begin(pointer<Message> self, std::shared_ptr<connection_plan<Message>> plan) {
  auto& s = self->state;
  s.plan = std::move(plan);
  s.fd = s.plan->socket.get();
  s.handle = self->add_scribe(s.plan->socket.release());
  const auto now = steady_clock::now();
  s.link.emplace(s.plan->rules, observe<Message>(self), now, std::random_device{}());
  // Roles keep the wires, not the link: no reference to the broker here.
  s.unhandled = std::make_shared<backlog>(s.plan->rules->limits.unhandled_bytes,
                                          [address = self->address()] { wake(address); });
  self->ack_writes(s.handle, true);
  s.link->start(now, self->wr_buf(s.handle));
  self->flush(s.handle);
  // Someone else (too many connections, a stop) ends it.
  self->set_exit_handler([self](const caf::exit_msg&) {
    const auto why = self->state.plan->dismissed.load();
    self->state.link->end(why, dismissal_line(why, self->state.plan->rules->limits));
    finish<Message>(self);
  });
  settle<Message>(self, now);
}

template <class Message>
typename connection_actor<Message>::behavior_type shell(
    pointer<Message> self, std::shared_ptr<connection_plan<Message>> plan) {
  begin<Message>(self, std::move(plan));
  return {
      [self](atom::transmit, link_priority priority, const wire<Message>& frame) {
        auto& st = self->state;
        if (st.finished) return;
        st.link->transmit(priority, frame.bytes());
        if (st.link->queued_bytes() >= pump_at_once) {
          pump<Message>(self);
        } else if (!st.pumping) {
          st.pumping = true;
          caf::anon_send(caf::actor_cast<caf::actor>(self), atom::tick_v);
        }
      },
      [self](atom::close) {
        auto& st = self->state;
        if (st.finished) return leave<Message>(self);
        const auto at = steady_clock::now();
        st.link->close(at, self->wr_buf(st.handle));
        self->flush(st.handle);
        settle<Message>(self, at);
      },
      [self](caf::io::new_data_msg& m) {
        auto& st = self->state;
        if (st.finished) return;
        const auto at = steady_clock::now();
        st.link->received(m.buf, at, self->wr_buf(st.handle));
        halt_if_behind<Message>(self, at);
        settle<Message>(self, at);
      },
      [self](const caf::io::data_transferred_msg& m) {
        auto& st = self->state;
        if (st.finished) return;
        const auto at = steady_clock::now();
        st.link->drained(m.remaining, at, self->wr_buf(st.handle));
        settle<Message>(self, at);
      },
      [self](const caf::io::connection_closed_msg&) {
        self->state.link->disconnected();
        if (self->state.finished)
          leave<Message>(self);
        else
          finish<Message>(self);
      },
      [self](atom::tick) {
        auto& st = self->state;
        if (st.finished) return;
        if (std::exchange(st.pumping, false)) pump<Message>(self);
        const auto at = steady_clock::now();
        if (!st.finished) resume_if_due<Message>(self, at);
        if (st.finished || !st.armed || at < *st.armed) return;
        st.armed.reset();
        st.link->tick(at, self->wr_buf(st.handle));
        self->flush(st.handle);
        report(st);
        settle<Message>(self, at);
      },
  };
}

}  // namespace

template <class Message>
void start_connection(caf::actor_system& system, std::shared_ptr<connection_plan<Message>> plan) {
  const auto handle = system.middleman().spawn_broker(shell<Message>, plan);
  plan->through->connections.introduce(plan->number, [plan, handle](ending why) {
    plan->dismissed = why;
    caf::anon_send_exit(handle, caf::exit_reason::user_shutdown);
  });
}

#define FLAMINGO_LINK_OF(message)                    \
  template void start_connection(caf::actor_system&, \
                                 std::shared_ptr<connection_plan<schema::message>>)
FLAMINGO_LINK_OF(PeerMessage);
FLAMINGO_LINK_OF(WorkerMessage);
FLAMINGO_LINK_OF(ClientMessage);
FLAMINGO_LINK_OF(OperatorMessage);
#undef FLAMINGO_LINK_OF

}  // namespace flamingo::link
