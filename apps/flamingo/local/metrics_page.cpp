#include "apps/flamingo/local/metrics_page.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace flamingo::local {

namespace {

using clock = std::chrono::steady_clock;

class connection {
public:
  ~connection() {
    if (socket_ >= 0) ::close(socket_);
  }

  bool open(const network_address& to, clock::time_point until) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (::getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints, &found) != 0)
      return false;
    socket_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool begun =
        socket_ >= 0 &&
        (::connect(socket_, found->ai_addr, found->ai_addrlen) == 0 || errno == EINPROGRESS);
    ::freeaddrinfo(found);
    if (!begun || !ready(POLLOUT, until)) return false;
    int failure = 0;
    socklen_t size = sizeof failure;
    return ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0;
  }

  bool send(const std::string& text) {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }

  /// All that comes until the other end closes.
  std::optional<std::string> receive(clock::time_point until) {
    constexpr std::size_t most = 16 << 20;
    std::string out;
    char block[16384];
    while (out.size() < most && ready(POLLIN, until)) {
      const auto got = ::recv(socket_, block, sizeof block, 0);
      if (got == 0) return out;
      if (got > 0)
        out.append(block, static_cast<std::size_t>(got));
      else if (errno != EAGAIN && errno != EINTR)
        break;
    }
    return std::nullopt;
  }

private:
  bool ready(short what, clock::time_point until) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - clock::now()).count();
    pollfd watched{socket_, what, 0};
    return left > 0 && ::poll(&watched, 1, static_cast<int>(left)) > 0;
  }

  int socket_ = -1;
};

/// One series: name{labels} value.
struct series {
  std::string_view name, labels;
  double value = 0;
};

template <class F>
void each_series(std::string_view page, F use) {
  while (!page.empty()) {
    const auto end = std::min(page.find('\n'), page.size());
    const auto line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    if (line.empty() || line.front() == '#') continue;
    const auto space = line.rfind(' ');
    if (space == std::string_view::npos) continue;
    series x;
    const auto brace = line.find('{');
    x.name = line.substr(0, std::min(brace, space));
    if (brace != std::string_view::npos) x.labels = line.substr(brace, space - brace);
    x.value = std::strtod(std::string(line.substr(space + 1)).c_str(), nullptr);
    use(x);
  }
}

std::optional<double> bound_of(std::string_view labels) {
  constexpr std::string_view key = "le=\"";
  const auto at = labels.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string text(labels.substr(at + key.size()));
  return text.starts_with("+Inf") ? std::numeric_limits<double>::infinity()
                                  : std::strtod(text.c_str(), nullptr);
}

}  // namespace

std::optional<std::string> fetch_metrics(const network_address& from,
                                         std::chrono::milliseconds timeout) {
  const auto until = clock::now() + timeout;
  connection to;
  if (!to.open(from, until) ||
      !to.send(fmt::format("GET /metrics HTTP/1.0\r\nHost: {}\r\nAccept: text/plain\r\n\r\n",
                           from.host)))
    return std::nullopt;
  const auto answer = to.receive(until);
  if (!answer || answer->find(" 200 ") > answer->find('\n')) return std::nullopt;
  const auto body = answer->find("\r\n\r\n");
  return body == std::string::npos ? std::nullopt : std::optional(answer->substr(body + 4));
}

bool histogram::merge(const histogram& other) {
  if (other.le.empty()) return true;
  if (le.empty()) {
    *this = other;
    return true;
  }
  if (le != other.le) return false;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  return true;
}

histogram histogram::since(const histogram& earlier) const {
  auto out = *this;
  if (le == earlier.le)
    for (std::size_t i = 0; i < counts.size(); ++i)
      out.counts[i] = std::max(0.0, counts[i] - earlier.counts[i]);
  return out;
}

std::optional<double> histogram::quantile(double q) const {
  if (counts.empty() || counts.back() <= 0) return std::nullopt;
  const double rank = q * counts.back();
  const auto at = std::lower_bound(counts.begin(), counts.end(), rank);
  const auto i = static_cast<std::size_t>(at - counts.begin());
  const double below = i == 0 ? 0 : counts[i - 1], low = i == 0 ? 0 : le[i - 1];
  if (std::isinf(le[i])) return low;  // beyond the last bound: at least that
  const double in_bucket = counts[i] - below;
  return in_bucket <= 0 ? le[i] : low + (le[i] - low) * (rank - below) / in_bucket;
}

std::optional<double> sum_of(std::string_view page, const std::string& name) {
  std::optional<double> sum;
  each_series(page, [&](const series& x) {
    if (x.name == name) sum = sum.value_or(0) + x.value;
  });
  return sum;
}

histogram histogram_of(std::string_view page, const std::string& name) {
  std::map<double, double> buckets;
  each_series(page, [&](const series& x) {
    if (x.name != name + "_bucket") return;
    if (const auto bound = bound_of(x.labels)) buckets[*bound] += x.value;
  });
  histogram out;
  for (const auto& [bound, count] : buckets) {
    out.le.push_back(bound);
    out.counts.push_back(count);
  }
  return out;
}

}  // namespace flamingo::local
