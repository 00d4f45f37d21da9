#include "apps/flamingo/runtime/link_process.hpp"

namespace flamingo::runtime {

link_process::link_process(const config::runtime_settings& threads, const link::settings& links,
                           const link::identity& who, const labels& common)
    : config_(threads),
      system(config_),
      metrics(std::make_shared<runtime::metrics>(common)),
      doors(link::make_doorways(system, links, who, *metrics)) {}

link_process::~link_process() {
  close();
}

void link_process::close() {
  if (doors.clients) doors.clients->stop();
  if (doors.operators) doors.operators->stop();
  if (doors.workers) doors.workers->stop();
  if (doors.primaries) doors.primaries->stop();
}

}  // namespace flamingo::runtime
