#include "storage/pending_writes.hpp"

#include <algorithm>

namespace flamingo::storage {

namespace {

bool within(byte_span at, const key& first, const key& last) {
  const key k(at);
  return first <= k && k < last;
}

}  // namespace

bool pending_writes::overlay::erases(byte_span at) const {
  return std::any_of(erased.begin(), erased.end(),
                     [&](const auto& range) { return within(at, range.first, range.second); });
}

void pending_writes::add(std::uint64_t number, const shared_batch& changes) {
  for (const auto& x : changes->operations()) {
    rows& row = of(x.where);
    switch (x.what) {
      case write_batch::kind::put:
        row.keys.insert_or_assign(x.first, entry{number, state(changes, &x.value)});
        break;
      case write_batch::kind::erase:
        row.keys.insert_or_assign(x.first, entry{number, nullptr});
        break;
      case write_batch::kind::erase_range:
        if (!(x.first < x.last)) break;
        // Older pending keys in the range are gone; what is put there later is newer than the
        // erasure.
        row.keys.erase(row.keys.lower_bound(x.first), row.keys.lower_bound(x.last));
        row.erasures.push_back({number, x.first, x.last});
        break;
    }
  }
}

void pending_writes::retire(std::uint64_t number, const write_batch& changes) {
  for (const auto& x : changes.operations()) {
    rows& row = of(x.where);
    if (x.what == write_batch::kind::erase_range) {
      std::erase_if(row.erasures, [&](const erasure& e) { return e.number <= number; });
    } else if (const auto found = row.keys.find(x.first);
               found != row.keys.end() && found->second.number <= number) {
      row.keys.erase(found);
    }
  }
}

void pending_writes::clear() {
  tables_ = {};
}

bool pending_writes::empty() const {
  return std::all_of(tables_.begin(), tables_.end(),
                     [](const rows& x) { return x.keys.empty() && x.erasures.empty(); });
}

std::optional<pending_writes::state> pending_writes::find(table where, const key& at) const {
  const rows& row = of(where);
  if (const auto found = row.keys.find(at); found != row.keys.end()) return found->second.value;
  for (const erasure& e : row.erasures)
    if (within(at, e.first, e.last)) return state{};
  return std::nullopt;
}

pending_writes::overlay pending_writes::slice(table where, const key& first,
                                              const key& last) const {
  overlay result;
  const rows& row = of(where);
  for (auto it = row.keys.lower_bound(first); it != row.keys.end() && it->first < last; ++it)
    result.keys.emplace_back(it->first, it->second.value);
  for (const erasure& e : row.erasures)
    if (e.first < last && first < e.last) result.erased.emplace_back(e.first, e.last);
  return result;
}

}  // namespace flamingo::storage
