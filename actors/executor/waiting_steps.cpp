#include "actors/executor/waiting_steps.hpp"

#include <cstring>

namespace flamingo::executor {

namespace {

template <class T>
std::uint32_t take_free(std::vector<T>& all, std::vector<std::uint32_t>& free_ones) {
  if (free_ones.empty()) {
    all.emplace_back();
    return static_cast<std::uint32_t>(all.size() - 1);
  }
  const std::uint32_t id = free_ones.back();
  free_ones.pop_back();
  return id;
}

}  // namespace

std::uint32_t waiting_steps::add(const step& x) {
  const std::uint32_t id = take_free(steps_, free_steps_);
  steps_[id] = x;
  by_position_.set(x.position().value, id);
  return id;
}

void waiting_steps::add_link(std::uint32_t step_id, link x) {
  const std::uint32_t id = take_free(links_, free_links_);
  if (inputs_.size() < links_.size() * value_bytes_) inputs_.resize(links_.size() * value_bytes_);
  step& owner = steps_[step_id];
  x.step = step_id;
  x.next_in_step = x.next_in_chain = none;
  x.awaits = x.remote;
  if (x.awaits) ++owner.missing;
  if (x.chained) {
    const std::uint32_t before = tails_.find(x.slot);
    if (before != none) {
      links_[before].next_in_chain = id;
      ++owner.missing;
    }
    tails_.set(x.slot, id);
  }
  links_[id] = x;
  if (owner.last_link == none)
    owner.first_link = id;
  else
    links_[owner.last_link].next_in_step = id;
  owner.last_link = id;
}

bool waiting_steps::deliver(std::uint32_t step_id, std::uint64_t key, const byte* value) {
  step& x = steps_[step_id];
  for (std::uint32_t i = x.first_link; i != none; i = links_[i].next_in_step) {
    if (links_[i].key != key || !links_[i].awaits) continue;
    links_[i].awaits = false;
    std::memcpy(input(i), value, value_bytes_);
    return --x.missing == 0;
  }
  return false;
}

void waiting_steps::await_request(std::uint32_t step_id) {
  steps_[step_id].unasked = true;
  ++steps_[step_id].missing;
}

bool waiting_steps::take_request(std::uint32_t step_id) {
  step& x = steps_[step_id];
  if (!x.unasked) return false;
  x.unasked = false;
  return --x.missing == 0;
}

bool waiting_steps::await_returns(std::uint32_t step_id) {
  step& x = steps_[step_id];
  FLAMINGO_ASSERT(x.what == kind::serve && x.missing == 0);
  x.what = kind::regain;
  for (std::uint32_t i = x.first_link; i != none; i = links_[i].next_in_step) {
    if (!links_[i].writes) continue;
    links_[i].remote = links_[i].awaits = true;
    ++x.missing;
  }
  return x.missing != 0;
}

void waiting_steps::finish(std::uint32_t step_id, std::vector<std::uint32_t>& ready) {
  step& x = steps_[step_id];
  FLAMINGO_ASSERT(x.missing == 0);
  by_position_.erase(x.position().value);
  for (std::uint32_t i = x.first_link; i != none;) {
    const link& done = links_[i];
    if (done.chained) {
      if (done.next_in_chain == none)
        tails_.erase(done.slot);  // the last of the chain is the one that is remembered
      else if (--steps_[links_[done.next_in_chain].step].missing == 0)
        ready.push_back(links_[done.next_in_chain].step);
    }
    free_links_.push_back(i);
    i = done.next_in_step;
  }
  free_steps_.push_back(step_id);
}

}  // namespace flamingo::executor
