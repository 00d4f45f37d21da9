#include "tests/sim/seed_runner.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace flamingo::sim {

void write_text(int to, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto n = ::write(to, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody reads any more
    at += static_cast<std::size_t>(n);
  }
}

seed_runner::child seed_runner::start(std::uint64_t seed) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  const int pid = ::fork();
  if (pid < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (pid == 0) {
    ::close(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);  // an invariant that breaks says so there
    ::alarm(seconds_);
    bool ok = false;
    try {
      ok = task_(seed, ends[1]);
    } catch (const std::exception& e) {
      write_text(ends[1], std::string(e.what()) + "\n");
    }
    ::_exit(ok ? 0 : 1);
  }
  ::close(ends[1]);
  return {seed, pid, ends[0], {}};
}

seed_result seed_runner::end(child& x) const {
  ::close(x.read_from);
  int status = 0;
  while (::waitpid(x.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    x.text += WTERMSIG(status) == SIGALRM
                  ? "took longer than " + std::to_string(seconds_) + " s and was stopped\n"
                  : std::string("ended by ") + strsignal(WTERMSIG(status)) + "\n";
  return {x.seed, WIFEXITED(status) && WEXITSTATUS(status) == 0, std::move(x.text)};
}

void seed_runner::run(std::uint64_t first, std::uint64_t last,
                      const std::function<bool(const seed_result&)>& done) {
  std::vector<child> children;
  bool go_on = true;
  for (std::uint64_t next = first; (go_on && next <= last) || !children.empty();) {
    while (go_on && next <= last && children.size() < processes_) children.push_back(start(next++));
    std::vector<pollfd> ends;
    for (const auto& x : children) ends.push_back({x.read_from, POLLIN, 0});
    if (::poll(ends.data(), ends.size(), -1) < 0) continue;
    for (std::size_t i = children.size(); i-- > 0;) {
      if (ends[i].revents == 0) continue;
      char bytes[4096];
      const auto n = ::read(children[i].read_from, bytes, sizeof bytes);
      if (n > 0) {
        children[i].text.append(bytes, static_cast<std::size_t>(n));
        continue;
      }
      const auto result = end(children[i]);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      go_on = done(result) && go_on;
    }
  }
}

}  // namespace flamingo::sim
