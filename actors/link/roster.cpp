#include "actors/link/roster.hpp"

#include <algorithm>
#include <vector>

namespace flamingo::link {

// What to call, without the lock, to end a member; empty if it was asked already.
roster::dismissal roster::ask(std::map<id, member>::iterator at, ending why) {
  auto& m = at->second;
  if (!m.how) {
    if (!m.pending) m.pending = why;
    return {};
  }
  return std::exchange(m.how, {});
}

void roster::forget_stranger(id which) {
  leaving_.erase(which);
  if (std::erase(strangers_, which) > 0) on_strangers_(strangers_.size());
}

std::optional<roster::id> roster::begin(bool accepted) {
  dismissal oldest;
  id made = 0;
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || (accepted && leaving_.size() >= most_leaving)) return std::nullopt;
    made = next_++;
    members_[made].accepted = accepted;
    if (accepted) {
      strangers_.push_back(made);
      if (strangers_.size() > max_strangers_) {
        oldest = ask(members_.find(strangers_.front()), ending::crowded_out);
        leaving_.insert(strangers_.front());
        strangers_.pop_front();
      }
      on_strangers_(strangers_.size());
    }
  }
  if (oldest) oldest(ending::crowded_out);
  return made;
}

void roster::introduce(id which, dismissal how) {
  std::optional<ending> pending;
  {
    const std::lock_guard lock(mutex_);
    const auto at = members_.find(which);
    if (at == members_.end()) return;
    pending = at->second.pending;
    if (!pending) at->second.how = std::move(how);
  }
  if (pending) how(*pending);
}

void roster::up(id which, const peer& who) {
  dismissal oldest;
  {
    const std::lock_guard lock(mutex_);
    const auto at = members_.find(which);
    if (at == members_.end()) return;
    at->second.who = who;
    if (!at->second.accepted) return;
    forget_stranger(which);
    auto& links = links_of_[who];
    links.push_back(which);
    if (links.size() > max_links_of_peer_) {
      oldest = ask(members_.find(links.front()), ending::replaced);
      links.pop_front();
    }
  }
  if (oldest) oldest(ending::replaced);
}

void roster::gone(id which) {
  const std::lock_guard lock(mutex_);
  const auto at = members_.find(which);
  if (at == members_.end()) return;
  forget_stranger(which);
  if (at->second.who) {
    const auto links = links_of_.find(*at->second.who);
    if (links != links_of_.end()) {
      std::erase(links->second, which);
      if (links->second.empty()) links_of_.erase(links);
    }
  }
  members_.erase(at);
  changed_.notify_all();
}

void roster::dismiss_all() {
  std::vector<dismissal> all;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (auto at = members_.begin(); at != members_.end(); ++at)
      if (auto how = ask(at, ending::stopped)) all.push_back(std::move(how));
  }
  for (const auto& how : all) how(ending::stopped);
}

bool roster::wait_until_empty(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return members_.empty(); });
}

}  // namespace flamingo::link
