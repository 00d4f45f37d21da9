#include "apps/flamingo/runtime/network_module.hpp"

#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/ref_counted.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <mutex>
#include <thread>
#include <vector>

namespace flamingo::runtime {

namespace {

using caf::resumable;
using caf::io::network::default_multiplexer;

class multiplexer final : public default_multiplexer {
public:
  explicit multiplexer(caf::actor_system* system)
      : default_multiplexer(system), delivery_(caf::make_counted<delivery>(*this)) {}
  ~multiplexer() override {
    for (resumable* x : waiting_) caf::scheduler::abstract_coordinator::cleanup_and_release(x);
  }

  /// Any thread. Of what others hand over the first is announced, the rest goes along with it.
  void exec_later(resumable* x) override {
    const bool ours =
        x->subtype() == resumable::io_actor || x->subtype() == resumable::function_object;
    if (!ours || std::this_thread::get_id() == thread_id())
      return default_multiplexer::exec_later(x);
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(x);
      if (waiting_.size() > 1) return;
    }
    delivery_->ref();
    default_multiplexer::exec_later(delivery_.get());
  }

private:
  /// What CAF carries to the thread.
  class delivery final : public resumable, public caf::ref_counted {
  public:
    explicit delivery(multiplexer& to) : to_(to) {}
    subtype_t subtype() const override { return function_object; }
    resume_result resume(caf::execution_unit*, std::size_t) override {
      to_.take_over();
      return done;
    }
    void intrusive_ptr_add_ref_impl() override { ref(); }
    void intrusive_ptr_release_impl() override { deref(); }
    friend void intrusive_ptr_add_ref(const delivery* x) { x->ref(); }
    friend void intrusive_ptr_release(const delivery* x) { x->deref(); }

  private:
    multiplexer& to_;
  };

  void take_over() {
    std::vector<resumable*> all;
    {
      const std::lock_guard lock(mutex_);
      all.swap(waiting_);
    }
    for (resumable* x : all) default_multiplexer::exec_later(x);
  }

  std::mutex mutex_;
  std::vector<resumable*> waiting_;
  caf::intrusive_ptr<delivery> delivery_;
};

class network final : public caf::io::middleman {
public:
  explicit network(caf::actor_system& system) : middleman(system), multiplexer_(&system) {}
  caf::io::network::multiplexer& backend() override { return multiplexer_; }

private:
  multiplexer multiplexer_;
};

}  // namespace

caf::actor_system::module* network_module::make(caf::actor_system& system,
                                                caf::detail::type_list<>) {
  return new network(system);
}

}  // namespace flamingo::runtime
