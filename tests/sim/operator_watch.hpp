// An operator who asks every validator for its status now and then, over the operators' doors: the
// answers tell the checkers the state roots.
#pragma once

#include "messages/codec_validator.hpp"
#include "tests/sim/world.hpp"

namespace flamingo::sim {

class operator_watch {
public:
  /// @param host a host of the network that nobody else uses
  operator_watch(world& in, host_id host)
      : doors_(in.net().doors(host, {link::peer::kind::operator_, 0})),
        links_(std::make_shared<std::map<std::uint32_t, operator_link>>()) {
    for (std::uint16_t v = 0; v < in.members().size(); ++v) {
      link::events<schema::OperatorMessage> events;
      events.up = [links = links_](link::peer who, operator_link link) {
        (*links)[who.index] = std::move(link);
      };
      events.frame = [](link::peer, const operator_link&, operator_frame) {};
      events.down = [links = links_](link::peer who, operator_link) { links->erase(who.index); };
      doors_.operators->dial({link::peer::kind::validator, v}, in.members().validators[v].operators,
                             events);
    }
  }
  ~operator_watch() { doors_.operators->stop(); }

  void ask() {
    const auto question = encode(operator_message{status_query{}});
    for (const auto& [v, link] : *links_)
      caf::anon_send(link, atom::transmit_v, link_priority::sync, question);
  }

private:
  link::doorways doors_;
  std::shared_ptr<std::map<std::uint32_t, operator_link>> links_;
};

}  // namespace flamingo::sim
