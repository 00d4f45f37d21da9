#include "tests/sim/byzantine/liar.hpp"

namespace flamingo::sim::byzantine {

namespace {

constexpr std::size_t listed_max = 100;

}  // namespace

bool liar::change(header& x) {
  auto& random = who_.random;
  for (const payload_entry& entry : x.payload) {
    if (listed_.size() < listed_max) listed_.push_back(entry);
    listed_[next_++ % listed_max] = entry;
  }
  switch (random.below(7)) {
    case 0:
      return false;
    case 1:
    case 2:
      about_time(x);
      return true;
    case 3:
      about_payload(x);
      return true;
    case 4:
      x.control.push_back(about_itself());
      if (random.chance(200)) x.control.push_back(x.control.front());
      return true;
    case 5:
      if (x.coin_share.empty() || random.chance(300))
        x.coin_share.assign(64, static_cast<byte>(random.below(256)));
      else
        x.coin_share[random.below(x.coin_share.size())] ^= byte{1};
      return true;
    default:
      if (random.chance(500))
        x.epoch = epoch_id{x.epoch.value + 1};
      else
        x.round = x.round + random.between(1, 1000);
      return true;
  }
}

void liar::about_time(header& x) {
  using std::chrono::hours;
  auto& random = who_.random;
  switch (random.below(6)) {
    case 0:
      x.created_at = time_point{};
      return;
    case 1:
      x.created_at = time_point::max();
      return;
    case 2:
      x.created_at += hours(random.between(1, 10'000));
      return;
    case 3:
      x.created_at -= hours(random.between(1, 10'000));
      return;
    case 4:
      x.queue_delay = std::chrono::microseconds(random.next() >> 1);
      return;
    default:
      x.queue_delay = std::chrono::microseconds(0);
      return;
  }
}

void liar::about_payload(header& x) {
  auto& random = who_.random;
  if (x.payload.empty()) {
    x.payload.push_back({who_.some_digest(), worker_id{}, 7, {}, {}});
    return;
  }
  payload_entry& entry = x.payload[random.below(x.payload.size())];
  switch (random.below(7)) {
    case 0:
      entry.transactions += 1 + static_cast<std::uint32_t>(random.below(1'000'000));
      return;
    case 1:
      entry.counts.push_back(static_cast<byte>(random.below(256)));
      return;
    case 2:
      entry.counts.clear();
      return;
    case 3:
      entry.worker = worker_id{static_cast<std::uint16_t>(entry.worker.value + 1)};
      return;
    case 4:
      x.payload.push_back(payload_entry(entry));
      return;
    case 5:
      x.payload.push_back(listed_[random.below(listed_.size())]);
      return;
    default:
      x.payload.push_back({who_.some_digest(), entry.worker, 7, {}, entry.counts});
      return;
  }
}

control_record liar::about_itself() {
  auto& random = who_.random;
  switch (random.below(4)) {
    case 0:
      return capacity_declaration{random.below(3), random.next()};
    case 1: {
      checkpoint x{commit_index{random.below(200)}, who_.some_digest(), {}};
      x.sig = who_.key->sign(crypto::checkpoint_statement(who_.context(), x.state));
      return x;
    }
    case 2:
      return migration_decision{commit_index{random.below(200)}, who_.some_digest()};
    default:
      return halt{who_.some_digest()};
  }
}

}  // namespace flamingo::sim::byzantine
