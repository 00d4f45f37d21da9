// Deficit round robin (Shreedhar and Varghese, SIGCOMM 1995): flows take turns, and each gets the
// same cost served over time, however large its items and however many of them wait. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace flamingo::worker {

template <class Flow, class Item>
class fair_queue {
public:
  /// @param quantum cost that a flow may have served in one turn; at least 1.
  explicit fair_queue(std::uint64_t quantum) : quantum_(quantum) {}

  void push(Flow of, Item item, std::uint64_t cost) {
    flow& f = flows_[of];
    if (f.items.empty()) turns_.push_back(of);
    f.items.emplace_back(std::move(item), cost);
  }

  /// The item whose turn it is.
  std::optional<std::pair<Flow, Item>> pop() {
    while (!turns_.empty()) {
      const Flow who = turns_.front();
      flow& f = flows_[who];
      auto& [item, cost] = f.items.front();
      if (f.deficit < cost) {
        f.deficit += quantum_;
        turns_.pop_front();
        turns_.push_back(who);
        continue;
      }
      std::pair<Flow, Item> out{who, std::move(item)};
      f.deficit -= cost;
      f.items.pop_front();
      if (f.items.empty()) {
        f.deficit = 0;
        turns_.pop_front();
      }
      return out;
    }
    return std::nullopt;
  }

  bool empty() const { return turns_.empty(); }

  /// A flow's first item, if any waits.
  const Item* front(Flow of) const {
    const auto found = flows_.find(of);
    return found == flows_.end() || found->second.items.empty()
               ? nullptr
               : &found->second.items.front().first;
  }

private:
  struct flow {
    std::deque<std::pair<Item, std::uint64_t>> items;
    std::uint64_t deficit = 0;
  };

  std::uint64_t quantum_;
  std::map<Flow, flow> flows_;
  std::deque<Flow> turns_;  // Invariant: the flows with items, each once
};

}  // namespace flamingo::worker
