#include "actors/executor/state_source_actor.hpp"

#include <caf/all.hpp>

#include "crypto/hash.hpp"
#include "messages/codec_checkpoint.hpp"

namespace flamingo::executor {

namespace {

using pointer = state_source::stateful_pointer<source_state>;

digest sha256(byte_span bytes) {
  return crypto::hash({bytes});
}

state_tree& tree_over(pointer self, const snapshot_marker& marker) {
  auto& s = self->state;
  if (s.tree && s.tree_of == marker.index) return *s.tree;
  s.tree.emplace(&sha256);
  s.tree_of = marker.index;
  std::size_t next = 0;
  const auto up_to = [&](std::size_t bucket) {
    for (; next < bucket; ++next) {
      const auto empty = static_cast<std::uint16_t>(next);
      s.tree->set_leaf(empty, empty_leaf(empty));
    }
  };
  scan_snapshot(*s.env->store, marker, [&](std::uint16_t bucket, byte_span bytes) {
    up_to(bucket);
    s.tree->set_leaf(bucket, leaf_of(bytes));
    next = bucket + 1u;
    return true;
  });
  up_to(bucket_count);
  s.tree->root();
  return *s.tree;
}

/// The buckets that were asked for, halved until they fit.
std::vector<std::vector<byte>> buckets_of(storage::kv& store, const snapshot_marker& marker,
                                          const state_request& x) {
  std::vector<std::vector<byte>> buckets(x.count);
  scan_snapshot(
      store, marker,
      [&](std::uint16_t bucket, byte_span bytes) {
        buckets[bucket - x.first].assign(bytes.begin(), bytes.end());
        return true;
      },
      x.first, x.first + x.count);
  std::size_t count = x.count, bytes = 0;
  for (const auto& bucket : buckets) bytes += bucket.size();
  while (count > 1 && bytes > checkpoint_part_bytes) {
    count /= 2;
    for (std::size_t i = count; i < 2 * count; ++i) bytes -= buckets[i].size();
  }
  buckets.resize(count);
  return buckets;
}

state_part answer_to(pointer self, const state_request& x) {
  storage::kv& store = *self->state.env->store;
  state_part out{x.index, x.first, {}, {}};
  const auto marker = find_snapshot(store, x.index);
  if (!marker) return out;
  const state_tree& tree = tree_over(self, *marker);
  out.buckets = buckets_of(store, *marker, x);
  out.path = tree.path(x.first, static_cast<std::uint32_t>(out.buckets.size()));
  // What takes this snapshot's place erases the marker before anything else.
  if (find_snapshot(store, x.index)) return out;
  self->state.tree.reset();
  return {x.index, x.first, {}, {}};
}

}  // namespace

state_source::behavior_type source_shell(pointer self, runtime::environment_ptr env) {
  self->state.env = std::move(env);
  return {[self](const peer_link& link, const peer_frame& frame) {
    const auto message = decode_checkpoint(frame, self->state.env->members->size());
    const auto* request = message ? std::get_if<state_request>(&*message) : nullptr;
    if (request == nullptr) return;  // the checkpointer hands on nothing else
    try {
      self->send(link, atom::transmit_v, link_priority::sync, encode(answer_to(self, *request)));
    } catch (const storage::error& error) {
      self->state.env->fail(ec::store_failed, error.what());
      self->quit();
    }
  }};
}

}  // namespace flamingo::executor
