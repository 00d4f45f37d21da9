#include "apps/flamingo/local/cluster.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <fstream>

#include "actors/link/peer.hpp"
#include "apps/flamingo/config/node_file.hpp"

namespace flamingo::local {

std::string last_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last;
}

cluster::cluster(network_layout layout, std::size_t validators)
    : layout_(std::move(layout)), nodes_(validators) {}

void cluster::start(std::size_t i) {
  nodes_[i].emplace(std::vector<std::string>{own_program().string(), "node", "--config",
                                             layout_.node(i).string()},
                    log(i));
}

void cluster::kill(std::size_t i) {
  if (!nodes_[i]) return;
  nodes_[i]->kill();
  nodes_[i].reset();  // waits
}

void cluster::pause(std::size_t i) {
  if (nodes_[i]) nodes_[i]->tell(SIGSTOP);
}

void cluster::resume(std::size_t i) {
  if (nodes_[i]) nodes_[i]->tell(SIGCONT);
}

void cluster::set_cut(std::size_t i, std::size_t other, bool cut) {
  auto file = config::load_node(layout_.node(i));
  const auto name =
      link::to_string(link::peer{link::peer::kind::validator, static_cast<std::uint32_t>(other)});
  auto& special = file.link.emulate_to;
  std::erase_if(special, [&](const auto& x) { return x.peer == name; });
  if (cut) special.push_back({name, {.cut = true}});
  // Beside it first: the validator may start at any moment.
  auto beside = layout_.node(i);
  beside += ".new";
  std::ofstream out(beside);
  out << config::write_node(file);
  out.close();
  if (!out) throw std::runtime_error(beside.string() + ": cannot be written");
  std::filesystem::rename(beside, layout_.node(i));
  if (nodes_[i]) nodes_[i]->tell(SIGHUP);
}

void cluster::check() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i]) continue;
    if (const auto code = nodes_[i]->ended())
      throw std::runtime_error(fmt::format("validator v{} ended with code {}; its log {} ends: {}",
                                           i, *code, log(i).string(), last_line(log(i))));
  }
}

std::vector<std::size_t> cluster::stop(std::chrono::milliseconds limit) {
  for (auto& node : nodes_)
    if (node) node->terminate();
  const auto until = std::chrono::steady_clock::now() + limit;
  std::vector<std::size_t> bad;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i]) continue;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    const auto code = nodes_[i]->wait_for(std::max(left, std::chrono::milliseconds(0)));
    if (code != 0) bad.push_back(i);
    nodes_[i].reset();
  }
  return bad;
}

std::filesystem::path cluster::log(std::size_t i) const {
  return layout_.node(i).parent_path() / "node.log";
}

std::filesystem::path cluster::data(std::size_t i) const {
  return layout_.node(i).parent_path() / "data" / "data.mdb";
}

}  // namespace flamingo::local
