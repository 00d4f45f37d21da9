// flamingo bank: one real SmallBank transaction, signed; it waits for f+1 equal receipts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "actors/executor/applications/smallbank.hpp"
#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/load/client_group.hpp"
#include "apps/flamingo/number_options.hpp"
#include "apps/flamingo/runtime/logging.hpp"
#include "apps/flamingo/runtime/stop_signal.hpp"

namespace flamingo::commands {

namespace {

namespace smallbank = executor::smallbank;

struct options {
  std::string config;
  std::uint64_t account = 0, to = 0;
  std::int64_t cents = 0;
  std::int64_t timeout_seconds = 10;
  bool json = false;
};

planned_transaction plan(const options& x, smallbank::procedure what) {
  planned_transaction out;
  out.account = account_id(x.account);
  std::array<byte, smallbank::max_encoded_bytes> bytes;
  const auto encoded = smallbank::encode({what, account_id(x.to), x.cents}, bytes);
  static_assert(smallbank::max_encoded_bytes <= planned_transaction::operation_max);
  std::copy(encoded.begin(), encoded.end(), out.operation.begin());
  out.size = static_cast<std::uint8_t>(encoded.size());
  return out;
}

/// Only its owner may act on an account: say so before anything is sent.
void must_own(const load::member& m, std::uint64_t account) {
  const auto& info = m.who.committee->members.clients[m.who.self.value];
  if (info.owns(account_id(account))) return;
  std::string owned;
  for (const auto& r : info.accounts)
    owned += fmt::format("{}{} to {}", owned.empty() ? "" : ", ", r.first.value, r.last.value - 1);
  throw std::runtime_error(
      fmt::format("account {}: expected one of {}'s own, {}: use the file of "
                  "the client that owns it",
                  account, info.name, owned));
}

/// So may an account that is paid be any, but one.
void must_exist(const load::member& m, std::uint64_t account) {
  const auto accounts = m.who.committee->protocol.accounts;
  if (account < accounts) return;
  throw std::runtime_error(
      fmt::format("account {}: expected one below application.accounts of {}, {}", account,
                  m.who.committee_path.string(), accounts));
}

constexpr std::string_view no_amounts =
    "\nThe balances were read in the order of the ledger; a receipt tells that, not the amounts.";

int report(const client::ending& how, smallbank::procedure what, std::chrono::duration<double> took,
           const options& x, console to) {
  if (!how.committed && !how.refusal.empty())
    throw std::runtime_error("the validators refuse it: " + how.refusal);
  if (!how.committed)
    throw std::runtime_error(
        fmt::format("no f+1 equal receipts within {} s: is the network "
                    "running? It may still be executed; flamingo status tells "
                    "who is up",
                    x.timeout_seconds));
  const auto result = how.code ? std::string(to_string(*how.code)) : std::string("unknown");
  const bool good = how.code && succeeded(*how.code);
  const double ms = took.count() * 1000;
  if (x.json)
    to.out << nlohmann::ordered_json{{"commit_index", how.index.value},
                                     {"result", result},
                                     {"succeeded", good},
                                     {"latency_ms", ms}}
                  .dump()
           << std::endl;
  else if (good)
    to.out << fmt::format("commit {}: {} ({:.0f} ms){}", how.index.value, result, ms,
                          what == smallbank::procedure::balance ? no_amounts : "")
           << std::endl;
  if (!good)
    to.err << fmt::format("flamingo: commit {}: not applied: {} ({:.0f} ms)\n", how.index.value,
                          result, ms);
  return good ? 0 : 1;
}

int transact(const options& x, smallbank::procedure what, console to) {
  auto member = std::move(load::load_members({x.config}).front());
  must_own(member, x.account);
  must_exist(member, x.to);
  member.with.single = plan(x, what);
  member.with.give_up = std::chrono::seconds(x.timeout_seconds);
  auto log = member.file.log;
  log.level = "off";  // the one line at the end says it all
  runtime::configure_logging(log, member.file.client);
  runtime::stop_signal stop;
  const auto start = std::chrono::steady_clock::now();
  load::client_group clients({std::move(member)});
  const auto most = start + std::chrono::seconds(x.timeout_seconds + 1);
  while (!clients.wait_finished(std::chrono::milliseconds(20)) && !clients.hopeless())
    if (stop.wait_for(std::chrono::milliseconds(0)) || std::chrono::steady_clock::now() > most)
      break;
  const auto took = std::chrono::steady_clock::now() - start;
  const auto ending = clients.endings().at(0).value_or(client::ending{});
  const runtime::stop_limit limit(std::chrono::seconds(5), "bank");
  if (const auto refused = clients.refused();
      refused && !ending.committed && ending.refusal.empty())
    throw std::runtime_error(*refused);
  return report(ending, what, took, x, to);
}

CLI::App* add(CLI::App& bank, const char* name, const char* what, smallbank::procedure procedure,
              const std::shared_ptr<options>& x, action& chosen) {
  auto* command = bank.add_subcommand(name, what);
  command->add_option("--config", x->config, "The file of the client that owns the account")
      ->required();
  command->add_option("--timeout", x->timeout_seconds, "Give up after this, seconds")
      ->capture_default_str()
      ->transform(whole_number<std::int64_t>(1, 3600));
  command->add_flag("--json", x->json, "As one line of JSON");
  command->callback(
      [=, &chosen] { chosen = [=](console to) { return transact(*x, procedure, to); }; });
  return command;
}

}  // namespace

void add_bank(CLI::App& app, action& chosen) {
  auto* bank = app.add_subcommand("bank", "One SmallBank transaction, signed and waited for");
  bank->require_subcommand(1);
  bank->footer(
      "Example: flamingo bank pay --config net/c0/client.toml --from 0 --to 1 --cents 500");
  const auto x = std::make_shared<options>();
  const auto cents = whole_number<std::int64_t>(1);
  const auto account = whole_number<std::uint64_t>(0, accounts_max - 1);

  auto* balance = add(*bank, "balance",
                      "Read both balances (a receipt tells that they were read, "
                      "not what they are)",
                      smallbank::procedure::balance, x, chosen);
  balance->add_option("--account", x->account, "The account")->required()->transform(account);
  balance->footer("Example: flamingo bank balance --config net/c0/client.toml --account 0");

  auto* deposit = add(*bank, "deposit", "Add to an account's checking balance",
                      smallbank::procedure::deposit_checking, x, chosen);
  deposit->add_option("--account", x->account, "The account")->required()->transform(account);
  deposit->add_option("--cents", x->cents, "How much")->required()->transform(cents);
  deposit->footer(
      "Example: flamingo bank deposit --config net/c0/client.toml --account 0 --cents 500");

  auto* pay = add(*bank, "pay", "Pay from one account's checking balance to another's",
                  smallbank::procedure::send_payment, x, chosen);
  pay->add_option("--from", x->account, "The account that pays")->required()->transform(account);
  pay->add_option("--to", x->to, "The account that is paid")->required()->transform(account);
  pay->add_option("--cents", x->cents, "How much")->required()->transform(cents);
  pay->footer("Example: flamingo bank pay --config net/c0/client.toml --from 0 --to 1 --cents 500");
}

}  // namespace flamingo::commands
