#include "tests/sim/network.hpp"

#include <doctest/doctest.h>
#include <caf/scheduler/test_coordinator.hpp>

#include "messages/codec_worker.hpp"

namespace {

using namespace flamingo;
using namespace std::chrono_literals;
using link::peer;

struct config : caf::actor_system_config {
  config() {
    add_message_types<caf::id_block::flamingo>();
    set("scheduler.policy", caf::atom("testing"));
  }
};

worker_frame numbered(std::uint64_t i) {
  return encode(batch_stored{{}, batch_sequence{i}});
}

std::uint64_t number_of(const worker_frame& x) {
  std::uint64_t result = 0;
  x.read([&](schema::WorkerMessage::Reader r) { result = r.getStored().getSequence(); });
  return result;
}

/// Two hosts with a link between their workers, from which what happened is noted.
struct two_hosts {
  explicit two_hosts(sim::link_model model = {}, std::uint64_t seed = 1)
      : random(seed), system(settings), net(system, random, log, model) {
    listen();
    dialling.workers->dial(zero(), {"v0", 10}, noting(1));
  }
  ~two_hosts() {
    listening.workers->stop();
    dialling.workers->stop();
    for (auto& link : links) link = nullptr;
    net.stop();
    scheduler().run();
  }

  static peer zero() { return {peer::kind::validator, 0}; }
  static peer one() { return {peer::kind::validator, 1}; }

  void listen() { listening.workers->listen({"v0", 10}, noting(0)); }

  link::events<schema::WorkerMessage> noting(int host) {
    return {[this, host](peer, worker_link x) { links[host] = x; },
            [this, host](peer, const worker_link&, worker_frame x) {
              heard[host].push_back(number_of(x));
              heard_at = scheduler().clock().now();
            },
            [this, host](peer, worker_link) { links[host] = nullptr; }};
  }
  caf::scheduler::test_coordinator& scheduler() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  }
  void run_for(duration time) {
    const auto until = scheduler().clock().current_time + time;
    for (;;) {
      if (scheduler().has_job())
        scheduler().run_once();
      else if (scheduler().has_pending_timeout() &&
               scheduler().clock().schedule().begin()->first <= until)
        scheduler().trigger_timeout();
      else
        break;
    }
    scheduler().clock().current_time = until;
  }
  void send(int from, std::uint64_t i) {
    caf::anon_send(links[from], atom::transmit_v, link_priority::batches, numbered(i));
  }

  sim::random_source random;
  sim::trace log;
  config settings;
  caf::actor_system system;
  sim::network net;
  link::doorways listening = net.doors(0, zero()), dialling = net.doors(1, one());
  worker_link links[2];
  std::vector<std::uint64_t> heard[2];
  caf::actor_clock::time_point heard_at;
};

std::vector<std::uint64_t> up_to(std::uint64_t n) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 1; i <= n; ++i) all.push_back(i);
  return all;
}

TEST_CASE("a simulated link carries frames both ways in their order") {
  two_hosts w;
  w.run_for(1s);
  REQUIRE(w.links[0]);
  REQUIRE(w.links[1]);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    w.send(0, i);
    w.send(1, i);
  }
  w.run_for(1s);
  CHECK(w.heard[0] == up_to(100));
  CHECK(w.heard[1] == up_to(100));
}

TEST_CASE("a frame takes the time of its bytes and the delay of the link") {
  sim::link_model model;
  model.delay_min = model.delay_max = 10ms;
  two_hosts w(model);
  w.run_for(1s);
  w.net.model().bits_per_second = 8 * (numbered(1).size() + 4) * 100;  // 100 frames a second
  const auto began = w.scheduler().clock().now();
  for (std::uint64_t i = 1; i <= 50; ++i) w.send(1, i);
  w.run_for(2s);
  REQUIRE(w.heard[0].size() == 50);
  CHECK(w.heard_at - began == 510ms);
}

TEST_CASE("what goes to or from a slow host takes longer") {
  sim::link_model model;
  model.delay_min = model.delay_max = 10ms;
  two_hosts w(model);
  w.run_for(1s);
  w.net.slow(0, 100ms);
  const auto took = [&](int from) {
    const auto began = w.scheduler().clock().now();
    w.send(from, 1);
    w.run_for(1s);
    return w.heard_at - began;
  };
  CHECK(took(0) > 110ms);
  CHECK(took(1) > 110ms);
  w.net.nobody_slow();
  CHECK(took(1) < 11ms);
}

TEST_CASE("a lossy link loses some frames and a duplicating one repeats some") {
  sim::link_model lossy;
  lossy.loss_per_mille = 300;
  two_hosts a(lossy);
  a.run_for(1s);
  for (std::uint64_t i = 1; i <= 1000; ++i) a.send(1, i);
  a.run_for(1s);
  CHECK(a.heard[0].size() > 600);
  CHECK(a.heard[0].size() < 800);

  sim::link_model twice;
  twice.duplicate_per_mille = 300;
  two_hosts b(twice);
  b.run_for(1s);
  for (std::uint64_t i = 1; i <= 1000; ++i) b.send(1, i);
  b.run_for(1s);
  CHECK(b.heard[0].size() > 1200);
  CHECK(b.heard[0].size() < 1400);
}

TEST_CASE("a cut closes the link and a heal brings it back") {
  two_hosts w;
  w.run_for(1s);
  w.send(1, 1);
  w.net.cut(0, 1);
  w.run_for(1s);
  CHECK_FALSE(w.links[0]);
  CHECK_FALSE(w.links[1]);
  CHECK(w.heard[0].empty());  // it was in flight
  w.net.heal(0, 1);
  w.run_for(1s);
  REQUIRE(w.links[1]);
  w.send(1, 2);
  w.run_for(1s);
  CHECK(w.heard[0] == std::vector<std::uint64_t>{2});
}

TEST_CASE("a crashed host hears nothing and its peer dials until it is back") {
  two_hosts w;
  w.run_for(1s);
  w.send(1, 1);
  w.listening.workers->stop();
  w.net.crash(0);
  w.listening = {};
  w.run_for(1s);
  CHECK_FALSE(w.links[1]);
  CHECK(w.heard[0].empty());
  w.listening = w.net.doors(0, w.zero());
  w.listen();
  w.run_for(1s);
  REQUIRE(w.links[1]);
  w.send(1, 2);
  w.run_for(1s);
  CHECK(w.heard[0] == std::vector<std::uint64_t>{2});
}

TEST_CASE("a behaviour decides what leaves its host and nothing else") {
  struct mute final : sim::byzantine::behaviour {
    std::vector<worker_frame> says(peer, const worker_frame& x) override {
      return number_of(x) == 2 ? std::vector<worker_frame>{}
                               : std::vector<worker_frame>{x, numbered(7)};
    }
  };
  two_hosts w;
  w.net.corrupt(1, std::make_shared<mute>());
  w.run_for(1s);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    w.send(0, i);
    w.send(1, i);
  }
  w.run_for(1s);
  CHECK(w.heard[1] == up_to(3));
  CHECK(w.heard[0] == std::vector<std::uint64_t>{1, 7, 3, 7});
}

TEST_CASE("a tap hears what arrives and not what was lost") {
  struct counting final : sim::tap {
    void arrived(peer from, peer to, const worker_frame&) override {
      if (from == two_hosts::one() && to == two_hosts::zero()) ++frames;
    }
    using tap::arrived;
    std::size_t frames = 0;
  } count;
  sim::link_model lossy;
  lossy.loss_per_mille = 300;
  two_hosts w(lossy);
  w.net.listen_in(count);
  w.run_for(1s);
  for (std::uint64_t i = 1; i <= 100; ++i) w.send(1, i);
  w.run_for(1s);
  CHECK(count.frames > 0);
  CHECK(count.frames == w.heard[0].size());
}

TEST_CASE("the same seed gives the same trace and another seed another") {
  const auto trace_of = [](std::uint64_t seed) {
    sim::link_model model;
    model.loss_per_mille = model.duplicate_per_mille = 100;
    two_hosts w(model, seed);
    w.run_for(1s);
    for (std::uint64_t i = 1; i <= 100; ++i) {
      w.send(0, i);
      w.send(1, i);
      w.run_for(1ms);
    }
    w.run_for(1s);
    return w.log.hash();
  };
  CHECK(trace_of(5) == trace_of(5));
  CHECK(trace_of(5) != trace_of(6));
}

}  // namespace
