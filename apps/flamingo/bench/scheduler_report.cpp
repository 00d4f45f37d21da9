#include "apps/flamingo/bench/scheduler_report.hpp"

#include <fmt/format.h>

#include <cmath>

namespace flamingo::bench {

namespace {

double rounded(double x, double unit) {
  return std::round(x / unit) * unit;
}

/// To as many digits as mean something.
double digits(double x, int decimals) {
  return rounded(x, std::pow(10.0, -decimals));
}

}  // namespace

std::vector<nlohmann::ordered_json> to_json(const scheduler_result& x) {
  std::vector<nlohmann::ordered_json> out;
  for (std::size_t i = 0; i < remote_read_costs.size(); ++i)
    out.push_back({{"scheduler", x.scheduler},
                   {"m", x.load.executors},
                   {"weight", to_string(x.load.transactions)},
                   {"overlap", x.load.overlap_percent},
                   {"distributed", x.load.distributed_percent},
                   {"us_per_1000", {{"p50", digits(x.us_p50, 1)}, {"p99", digits(x.us_p99, 1)}}},
                   {"remote_reads", digits(x.remote_reads, 1)},
                   {"load_max_over_mean", digits(x.load_max_over_mean, 3)},
                   {"c", remote_read_costs[i]},
                   {"speedup", digits(x.speedup[i], 3)}});
  return out;
}

std::string table_head() {
  std::string out =
      fmt::format("{:>2} {:<6} {:>7} {:>11}  {:<9} {:>16} {:>12} {:>8}", "m", "weight", "overlap",
                  "distributed", "scheduler", "us p50 / p99", "remote reads", "max/mean");
  for (const double c : remote_read_costs) out += fmt::format("  x c={:<3}", c);
  return out + "\n";
}

std::string table_line(const scheduler_result& x) {
  std::string out = fmt::format(
      "{:>2} {:<6} {:>5} % {:>9} %  {:<9} {:>7.1f}/{:>8.1f} {:>12.1f} {:>8.3f}", x.load.executors,
      to_string(x.load.transactions), x.load.overlap_percent, x.load.distributed_percent,
      x.scheduler, x.us_p50, x.us_p99, x.remote_reads, x.load_max_over_mean);
  for (const double s : x.speedup) out += fmt::format("  {:>7.2f}", s);
  return out + "\n";
}

std::string csv_head() {
  return "scheduler,m,weight,overlap,distributed,us_p50,us_p99,remote_reads,load_max_over_mean,c,"
         "speedup\n";
}

std::string csv_lines(const scheduler_result& x) {
  std::string out;
  for (std::size_t i = 0; i < remote_read_costs.size(); ++i)
    out += fmt::format("{},{},{},{},{},{:.1f},{:.1f},{:.1f},{:.3f},{},{:.3f}\n", x.scheduler,
                       x.load.executors, to_string(x.load.transactions), x.load.overlap_percent,
                       x.load.distributed_percent, x.us_p50, x.us_p99, x.remote_reads,
                       x.load_max_over_mean, remote_read_costs[i], x.speedup[i]);
  return out;
}

}  // namespace flamingo::bench
