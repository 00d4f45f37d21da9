#include "apps/flamingo/config/client_file.hpp"

#include "apps/flamingo/config/file_kind.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "apps/flamingo/config/writer.hpp"

namespace flamingo::config {

namespace {

section describe(client::settings& x) {
  return {
      .key = "load",
      .meaning = "How bundles are made and waited for. What the load is, the command line says.",
      .entries =
          {
              integer("transactions_per_bundle", x.transactions_per_bundle, 1, 10'000,
                      "A bundle leaves with this many; at most "
                      "protocol.max_transactions_per_bundle. With fewer if more are larger than "
                      "protocol.max_bundle_bytes."),
              milliseconds("bundle_delay_ms", x.bundle_delay, 1, 10'000,
                           "A bundle leaves after this, full or not."),
              integer(
                  "outstanding_bundles", x.outstanding_bundles, 1, 1024,
                  "Bundles that were built and have no receipts; beyond, load waits. Fewer while "
                  "validators are busy."),
              integer("expiry_rounds", x.expiry_rounds, 10, 1'000'000'000,
                      "A bundle may be executed up to this many rounds ahead.", "rounds"),
              milliseconds("relay_timeout_ms", x.relay_timeout, 100, 600'000,
                           "A bundle without receipts goes to a further validator after this, or "
                           "after 3 times the median latency if that is longer."),
              seconds("give_up_s", x.give_up, 1, 86'400,
                      "How long receipts are waited for after the end of the load."),
              seconds("pending_warning_s", x.pending_warning, 1, 86'400,
                      "A bundle without receipts for so long is warned of."),
          },
  };
}

section describe(operator_file& x) {
  return {
      .key = {},
      .meaning = {},
      .entries = {required(path("committee", x.committee, "The committee file."))},
      .sections = {describe(x.keys, key_user::operator_), describe(x.link)},
  };
}

}  // namespace

section describe(client_file& x) {
  return {
      .key = {},
      .meaning = {},
      .entries =
          {
              required(text("client", x.client, "a client's name",
                            "Who we are: a name of the committee file.")),
              path("committee", x.committee, "The committee file."),
              optional_address("metrics", x.metrics, "none", "Where Prometheus scrapes /metrics."),
          },
      .sections = {describe(x.keys, key_user::client), describe(x.link), describe(x.load),
                   describe(x.log), describe(x.runtime)},
  };
}

client_file parse_client(const std::string& text, const std::string& name) {
  client_file x;
  read_file(text, name, file_kind::client, describe(x));
  x.source = name;
  link_settings(x.link, x.keys, name);
  if (x.client.empty())
    throw error(x.source + ": client: expected a client's name of the committee file");
  return x;
}

client_file load_client(const std::filesystem::path& file) {
  return parse_client(read_bytes(file), file.string());
}

std::string write_client(const client_file& x) {
  client_file copy = x, defaults;
  return write_changed(describe(copy), describe(defaults),
                       "A client of a Flamingo network. All keys: configs/client.toml.");
}

std::string document_client(const client_file& x) {
  client_file copy = x;
  if (copy.link.emulate_to.empty()) copy.link.emulate_to.push_back({"validator-1", {}});
  return write_documented(describe(copy),
                          "A client of a Flamingo network: every key with its default.\n"
                          "Use it with: flamingo client --config client.toml --rate 5000");
}

operator_file parse_operator(const std::string& text, const std::string& name) {
  operator_file x;
  read_file(text, name, file_kind::operator_, describe(x));
  x.source = name;
  link_settings(x.link, x.keys, name);
  return x;
}

operator_file load_operator(const std::filesystem::path& file) {
  return parse_operator(read_bytes(file), file.string());
}

std::string write_operator(const operator_file& x) {
  operator_file copy = x, defaults;
  return write_changed(describe(copy), describe(defaults),
                       "The operator of a Flamingo network. All keys: configs/operator.toml.");
}

std::string document_operator(const operator_file& x) {
  operator_file copy = x;
  if (copy.link.emulate_to.empty()) copy.link.emulate_to.push_back({"validator-1", {}});
  return write_documented(describe(copy),
                          "The operator of a Flamingo network: every key with its default.\n"
                          "Use it with: flamingo status --config operator.toml");
}

}  // namespace flamingo::config
