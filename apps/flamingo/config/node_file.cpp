#include "apps/flamingo/config/node_file.hpp"

#include <fmt/format.h>

#include "apps/flamingo/config/file_kind.hpp"
#include "apps/flamingo/config/parameters.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "apps/flamingo/config/writer.hpp"

namespace flamingo::config {

section describe(key_files& x, key_user whose) {
  section out{
      .key = "keys",
      .meaning =
          "Files of keys; relative paths start at this file's directory. Private ones must "
          "have mode 0600.",
  };
  if (whose != key_user::operator_)
    out.entries.push_back(path("signing", x.signing, "Our Ed25519 private key."));
  if (whose == key_user::validator)
    out.entries.push_back(
        path("coin", x.coin, "Our secret share of the coin that elects leaders."));
  out.entries.push_back(path("certificate", x.certificate,
                             "Our certificate for links, issued by the network's authority."));
  out.entries.push_back(path("certificate_key", x.certificate_key, "Its private key."));
  out.entries.push_back(path("authority", x.authority,
                             "The authority's certificate, against which others' are checked."));
  return out;
}

section describe(log_settings& x) {
  const std::vector<std::pair<std::string, std::string>> levels = {
      {"trace", "trace"}, {"debug", "debug"}, {"info", "info"},
      {"warn", "warn"},   {"error", "error"}, {"off", "off"}};
  return {
      .key = "log",
      .meaning = "What is logged to stderr, with UTC times.",
      .entries =
          {
              choice("level", x.level, levels, "The least important level that is shown."),
              choice("format", x.format,
                     {{"text", log_settings::style::text}, {"json", log_settings::style::json}},
                     "One line of text, or one JSON object a line."),
          },
  };
}

section describe(runtime_settings& x) {
  return {
      .key = "runtime",
      .meaning = "The actor system.",
      .entries = {integer("threads", x.threads, 1, 64,
                          "Threads that run actors, beside the network's and the store's own.")},
  };
}

namespace {

constexpr std::string_view advertised = "the committee file's";

section describe(listen_settings& x) {
  return {
      .key = "listen",
      .meaning =
          "Where to listen, if not at the addresses of the committee file (in a container, "
          "for example).",
      .entries =
          {
              optional_address("primary", x.primary, advertised, "For other primaries."),
              optional_address("operators", x.operators, advertised, "For `flamingo status`."),
          },
      .lists = {items<worker_info>(
          "workers", x.workers, "One for each worker, or none at all.",
          [](worker_info& w) {
            return section{
                .key = {},
                .meaning = {},
                .entries = {
                    optional_address("peers", w.peers, advertised, "For workers of others."),
                    optional_address("clients", w.clients, advertised, "For clients.")}};
          })},
  };
}

section describe(storage::lmdb_options& x) {
  constexpr std::int64_t mib = 1 << 20;
  return {
      .key = "store",
      .meaning = "The store on disk.",
      .entries =
          {
              choice("sync", x.sync,
                     {{"group", storage::sync_mode::group}, {"os", storage::sync_mode::os}},
                     "group: written through to the disk before anything leaves that needs it. "
                     "os: left to the operating system; survives the end of the process, not of "
                     "the machine."),
              bytes("store_bytes_max", x.store_bytes_max, 64 * mib, 16'777'216 * mib,
                    "The most that the store may hold; it stops the validator when full."),
              bytes("group_bytes_max", x.group_bytes_max, mib, 4096 * mib,
                    "Writes that are made durable together."),
              bytes("queue_bytes_max", x.queue_bytes_max, mib, 16'384 * mib,
                    "Writes that may wait before no new load is taken in."),
              bytes("preallocate_bytes", x.preallocate_bytes, 0, 16'384 * mib,
                    "Space written ahead of need; growth in the middle of load costs seconds."),
          },
  };
}

section describe(node_file& x) {
  return {
      .key = {},
      .meaning = {},
      .entries =
          {
              required(text("validator", x.validator, "a validator's name",
                            "Who we are: a name of the committee file.")),
              path("committee", x.committee, "The committee file."),
              path("data", x.data,
                   "The directory of the store. It must never be shared, copied back or lost while "
                   "the validator signs."),
              optional_address("metrics", x.metrics, "none", "Where Prometheus scrapes /metrics."),
          },
      .sections = {describe(x.keys, key_user::validator), describe(x.listen), describe(x.store),
                   describe(x.link), describe(x.internal), describe(x.log), describe(x.runtime),
                   describe_local(x.local)},
  };
}

void check(const node_file& x) {
  if (x.validator.empty())
    throw error(x.source + ": validator: expected a validator's name of the committee file");
  link_settings(x.link, x.keys, x.source);
  const auto& internal = x.internal;
  if (internal.tls && (internal.certificate.empty() || internal.certificate_key.empty() ||
                       internal.authority.empty()))
    throw error(x.source +
                ": internal.tls: expected internal.certificate, certificate_key and "
                "authority too");
  if (x.store.preallocate_bytes > x.store.store_bytes_max)
    throw error(
        fmt::format("{}: store.preallocate_bytes: expected at most store.store_bytes_max, "
                    "{}, found {}",
                    x.source, x.store.store_bytes_max, x.store.preallocate_bytes));
  if (x.store.queue_bytes_max < x.local.batch_bytes)
    throw error(x.source + ": store.queue_bytes_max: expected at least local.batch_bytes");
}

}  // namespace

node_file parse_node(const std::string& text, const std::string& name) {
  node_file x;
  read_file(text, name, file_kind::node, describe(x));
  x.source = name;
  check(x);
  return x;
}

node_file load_node(const std::filesystem::path& file) {
  return parse_node(read_bytes(file), file.string());
}

std::string write_node(const node_file& x) {
  node_file copy = x, defaults;
  return write_changed(describe(copy), describe(defaults),
                       "A validator of a Flamingo network. All keys: configs/node.toml.");
}

std::string document_node(const node_file& x) {
  node_file copy = x;
  if (copy.listen.workers.empty()) copy.listen.workers.emplace_back();
  if (copy.internal.executor_hosts.empty())
    copy.internal.executor_hosts.push_back({{"10.0.0.5", 7000}});
  if (copy.link.emulate_to.empty()) copy.link.emulate_to.push_back({"validator-1", {}});
  return write_documented(describe(copy),
                          "A validator of a Flamingo network: every key with its default.\n"
                          "Start it with: flamingo node --config node.toml");
}

}  // namespace flamingo::config
