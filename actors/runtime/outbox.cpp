#include "actors/runtime/outbox.hpp"

#include "messages/assert.hpp"

namespace flamingo::runtime {

void outbox::perform(storage::write_batch writes, task sends) {
  if (!writes.empty()) {
    const auto ticket = ++submitted_;
    store_.write(std::move(writes),
                 [ticket, notify = notify_, fail = fail_](const storage::write_result& result) {
                   if (result.ok())
                     notify(ticket);
                   else
                     fail(result.message);
                 });
  }
  if (!sends) return;
  if (durable_ == submitted_ && waiting_.empty())
    sends();
  else
    waiting_.push_back({submitted_, std::move(sends)});
}

void outbox::durable(std::uint64_t ticket) {
  FLAMINGO_ASSERT(ticket == durable_ + 1);  // the store calls back in the order of the writes
  durable_ = ticket;
  while (!waiting_.empty() && waiting_.front().ticket <= durable_) {
    const task sends = std::move(waiting_.front().sends);
    waiting_.pop_front();
    sends();
  }
}

}  // namespace flamingo::runtime
