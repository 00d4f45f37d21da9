#include "actors/load_monitor/load_monitor_actor.hpp"

#include <caf/all.hpp>

#include "messages/codec_validator.hpp"

namespace flamingo::load_monitor {

namespace {

using pointer = load_monitor_actor::stateful_pointer<state>;

double seconds(const std::optional<std::chrono::microseconds>& x) {
  return x ? std::chrono::duration<double>(*x).count() : 0.0;
}

void make_series(state& s) {
  auto& into = *s.env->metrics;
  for (const validator_info& v : s.env->members->validators)
    s.validators.push_back(
        {&into.gauge("flamingo_load_monitor_queue_delay_seconds",
                     "Median queue delay that a validator reported in the window, 0 if none",
                     {{"author", v.name}}),
         &into.gauge("flamingo_load_monitor_transactions_per_second",
                     "Transactions a second in a validator's headers of the window",
                     {{"author", v.name}})});
  s.median_queue_delay = &into.gauge("flamingo_load_monitor_median_queue_delay_seconds",
                                     "Median of the validators' queue delays");
  s.median_per_second = &into.gauge("flamingo_load_monitor_median_transactions_per_second",
                                    "Median of the validators' transactions a second");
  s.headers = &into.gauge("flamingo_load_monitor_window_headers", "Headers in the window");
}

void show(state& s, const window_report& x) {
  for (std::size_t v = 0; v < x.validators.size(); ++v) {
    s.validators[v].queue_delay->Set(seconds(x.validators[v].queue_delay));
    s.validators[v].per_second->Set(static_cast<double>(x.validators[v].per_second));
  }
  s.median_queue_delay->Set(seconds(x.median_queue_delay));
  s.median_per_second->Set(static_cast<double>(x.median_per_second));
  s.headers->Set(static_cast<double>(x.headers));
}

}  // namespace

load_monitor_actor::behavior_type shell(pointer self, runtime::environment_ptr env) {
  auto& s = self->state;
  s.env = std::move(env);
  s.rejected.emplace(*s.env->metrics, "load_monitor");
  make_series(s);
  s.logic.emplace(parameters::of(*s.env->members, s.env->protocol));
  if (const auto why = refusal(s.env->protocol.balancing)) {
    s.env->fail(ec::bad_configuration, *why);
    self->quit();
  }
  return {[self](const signals_frame& frame) {
    const auto signals = decode(frame);
    if (!signals) return self->state.rejected->count(reject::malformed);
    if (const auto x = self->state.logic->step(*signals).report) show(self->state, *x);
  }};
}

}  // namespace flamingo::load_monitor
