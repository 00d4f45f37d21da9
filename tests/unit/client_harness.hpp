// A client's core and no shell: a test hands in inputs and reads effects.
#pragma once

#include <map>
#include <vector>

#include "actors/client/client.hpp"
#include "tests/unit/bundle_samples.hpp"

namespace flamingo::tests {

using namespace flamingo::client;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr validator_id v(unsigned i) {
  return validator_id{static_cast<std::uint16_t>(i)};
}
inline digest id_of(std::uint64_t x) {
  digest out;
  for (unsigned i = 0; i < 8; ++i) out.bytes[i] = static_cast<byte>(x >> (8 * i));
  return out;
}

/// Client 0 of four validators; a built bundle's digest is a running number.
class client_harness {
public:
  explicit client_harness(settings with = {}) : core_(parameters_of(with)) {}

  effects step(input in) {
    effects out = core_.step(now, std::move(in));
    for (std::size_t i = 0; i < out.builds.size(); ++i) {
      const auto& order = out.builds[i];
      ids[order.sequence.value].push_back(id_of(++built));
      auto more = core_.step(now, bundle_built{order.sequence, id_of(built),
                                               shared_bytes(std::vector<char>(8 + built))});
      for (auto& x : more.builds) out.builds.push_back(std::move(x));
      for (auto& x : more.bundles) out.bundles.push_back(std::move(x));
      for (auto& x : more.queries) out.queries.push_back(std::move(x));
      out.finished |= more.finished;
    }
    return out;
  }
  effects advance(duration d) {
    now += d;
    return step(time_passed{});
  }
  /// Lets time pass as a shell would: a tick at each deadline.
  std::vector<effects> run(duration d) {
    std::vector<effects> all;
    const auto until = now + d;
    for (int ticks = 0; ticks < 100'000; ++ticks) {
      const auto next = core_.next_deadline();
      if (!next || *next > until) break;
      now = std::max(now, *next);
      all.push_back(step(time_passed{}));
    }
    now = until;
    all.push_back(step(time_passed{}));
    return all;
  }

  /// All links, and every validator's welcome.
  void begin(std::uint64_t low = 1) {
    for (unsigned i = 0; i < 4; ++i) step(link_up{v(i)});
    for (unsigned i = 0; i < 4; ++i) welcome_from(i, low);
  }
  effects welcome_from(unsigned i, std::uint64_t low, std::uint64_t round = 7) {
    return step(welcomed{v(i), {v(i), bundle_sequence{low}, round_number{round}}});
  }
  effects answer(unsigned from, std::uint64_t sequence, admission::answer what) {
    answered x{v(from), {bundle_sequence{sequence}, {}}};
    x.what.what = std::move(what);
    return step(std::move(x));
  }
  receipt receipt_of(std::uint64_t sequence, const digest& bundle, std::uint64_t index = 5,
                     std::vector<byte> results = {}) {
    return {client_id{0}, bundle_sequence{sequence}, bundle, commit_index{index},
            id_of(77),    std::move(results)};
  }
  effects receive(unsigned from, receipt x) {
    return step(receipts_checked{
        verified<receipts>::after_check({v(from), round_number{9}, {std::move(x)}})});
  }
  effects receive(unsigned from, std::uint64_t sequence) {
    return receive(from, receipt_of(sequence, ids.at(sequence).back()));
  }
  const summary& counts() { return core_.counts(now); }

  time_point now{seconds{1000}};
  std::uint64_t built = 0;
  std::map<std::uint64_t, std::vector<digest>> ids;  // of each sequence
  client::core& core() { return core_; }

private:
  static parameters parameters_of(settings with) {
    protocol_parameters protocol;
    protocol.accounts = 4000;
    return {client_id{0}, std::make_shared<const committee>(sample_committee()), protocol, with};
  }
  client::core core_;
};

}  // namespace flamingo::tests
