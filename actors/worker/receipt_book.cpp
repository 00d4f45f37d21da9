#include "actors/worker/receipt_book.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace flamingo::worker {

void receipt_book::expect(client_id client, commit_index index, std::uint32_t bundles) {
  auto& of_client = expected_[client];
  of_client[index] = bundles;
  while (of_client.begin()->first + expected_span < index) of_client.erase(of_client.begin());
}

void receipt_book::add(client_id client, outcome x, time_point now, outcome_changes& out) {
  if (const auto found = expected_.find(client); found != expected_.end()) {
    const auto of_commit = found->second.find(x.index);
    if (of_commit != found->second.end() && --of_commit->second == 0)
      found->second.erase(of_commit);
  }
  recent_outcomes& recent = recent_[client];
  const auto [at, is_new] = recent.by_sequence.try_emplace(x.sequence, x);
  if (!is_new) return;  // executed again after a restart; who missed it asks
  recent.order.push_back(x.sequence);
  out.kept.emplace_back(client, x.sequence);
  while (recent.order.size() > with_.recent_max) {
    out.forgotten.emplace_back(client, recent.order.front());
    recent.by_sequence.erase(recent.order.front());
    recent.order.pop_front();
  }
  enqueue(client, std::move(x), now);
}

void receipt_book::restore(client_id client, outcome x) {
  recent_outcomes& recent = recent_[client];
  recent.order.push_back(x.sequence);
  recent.by_sequence.emplace(x.sequence, std::move(x));
}

const outcome* receipt_book::find(client_id client, bundle_sequence sequence) const {
  const auto of_client = recent_.find(client);
  if (of_client == recent_.end()) return nullptr;
  const auto found = of_client->second.by_sequence.find(sequence);
  return found == of_client->second.by_sequence.end() ? nullptr : &found->second;
}

bool receipt_book::ask(client_id client, bundle_sequence sequence, time_point now) {
  const outcome* known = find(client, sequence);
  if (!known) return false;
  for (const auto& x : pending_[client].list)
    if (x.sequence == sequence) return true;
  enqueue(client, *known, now);
  return true;
}

void receipt_book::enqueue(client_id client, outcome x, time_point now) {
  pending& p = pending_[client];
  if (p.list.empty()) p.since = now;
  p.newest = std::max(p.newest, x.index);
  p.list.push_back(std::move(x));
}

bool receipt_book::complete(client_id client, commit_index newest) const {
  const auto found = expected_.find(client);
  return found == expected_.end() || found->second.empty() || found->second.begin()->first > newest;
}

/// Into messages of bounded size.
void receipt_book::cut(client_id client, round_number anchor_round, std::vector<outcome> list,
                       std::vector<receipt_order>& out) {
  std::size_t codes = 0;
  for (outcome& x : list) {
    const bool full = out.empty() || out.back().client != client ||
                      out.back().list.size() == max_receipts_per_message ||
                      codes + x.results.size() > message_codes_max;
    if (full) {
      out.push_back({client, anchor_round, {}});
      codes = 0;
    }
    codes += x.results.size();
    out.back().list.push_back(std::move(x));
  }
}

void receipt_book::take_ready(time_point now, round_number anchor_round,
                              std::vector<receipt_order>& out) {
  for (auto at = pending_.begin(); at != pending_.end();) {
    auto& [client, p] = *at;
    const bool ready =
        !p.list.empty() && (complete(client, p.newest) || now - p.since >= with_.linger ||
                            p.list.size() >= max_receipts_per_message);
    if (ready) cut(client, anchor_round, std::move(p.list), out);
    at = ready || p.list.empty() ? pending_.erase(at) : std::next(at);
  }
}

std::optional<time_point> receipt_book::next_deadline() const {
  std::optional<time_point> first;
  for (const auto& [client, p] : pending_)
    if (!p.list.empty())
      first = std::min(first.value_or(time_point::max()), p.since + with_.linger);
  return first;
}

}  // namespace flamingo::worker
