#include "apps/flamingo/status/status_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "crypto/hex.hpp"

namespace flamingo::status {

namespace {

/// Its own newest self-report, as validator i knows it.
std::optional<std::chrono::microseconds> queue_delay(const status_report& x, std::size_t i) {
  return i < x.queue_delays.size() ? x.queue_delays[i] : std::nullopt;
}

/// Accounts that are assigned to validator v: at present always as the committee file says.
std::uint64_t accounts_of(const committee& members, std::size_t v) {
  std::uint64_t sum = 0;
  for (const auto& client : members.clients)
    if (client.assignee.value == v)
      for (const auto& range : client.accounts) sum += range.last.value - range.first.value;
  return sum;
}

/// How many authors the validator can prove to have equivocated, and how often in all.
struct caught {
  std::uint64_t authors = 0, equivocations = 0;
};

caught caught_by(const status_report& x) {
  caught out;
  for (const auto kept : x.evidence.kept) {
    out.authors += kept > 0;
    out.equivocations += kept;
  }
  return out;
}

/// A validator's name; its number if the committee has none such.
std::string name_of(validator_id v, const committee& members) {
  return members.has(v) ? members.validators[v.value].name : std::to_string(v.value);
}

/// Roles of a validator whose process is gone: "worker 0", "executor 1".
std::vector<std::string> absent_roles(const status_report& x) {
  std::vector<std::string> out;
  for (const auto id : x.absent_workers) out.push_back(fmt::format("worker {}", id.value));
  for (const auto id : x.absent_executors) out.push_back(fmt::format("executor {}", id.value));
  return out;
}

/// What it means that validators are missing, if it means anything.
std::string quorum_line(const answers& x, const committee& members) {
  const auto there = static_cast<std::size_t>(
      std::count_if(x.begin(), x.end(), [](const auto& r) { return r.has_value(); }));
  if (there >= members.quorum()) return {};
  return fmt::format(
      "{} of {} validators answer: if the others are down nothing commits, as that "
      "takes {}\n",
      there, members.size(), members.quorum());
}

/// Who has which state root: a line for each that is told, the newest commit's first.
std::string roots_of(const answers& x, const committee& members) {
  std::map<std::pair<commit_index, std::string>, std::vector<std::string>> who;
  std::map<commit_index, std::size_t> different;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!x[i] || !x[i]->state_root) continue;
    auto& names = who[{x[i]->state_root_index, crypto::to_hex(*x[i]->state_root).substr(0, 12)}];
    if (names.empty()) ++different[x[i]->state_root_index];
    names.push_back(members.validators[i].name);
  }
  constexpr std::size_t names_max = 6;
  std::string out;
  for (auto at = who.rbegin(); at != who.rend(); ++at) {
    const auto& [index, root] = at->first;
    const auto& names = at->second;
    const std::size_t shown = std::min(names.size(), names_max);
    out += fmt::format("state root {} {} commit {}: {}", root,
                       different[index] > 1 ? "DIFFERS at" : "at", index.value,
                       fmt::join(names.begin(), names.begin() + static_cast<long>(shown), ", "));
    out += shown < names.size() ? fmt::format(" and {} more\n", names.size() - shown) : "\n";
  }
  return out;
}

}  // namespace

std::optional<double> committed_per_second(const sample& x, std::size_t i) {
  if (!x.after.at(i)) return std::nullopt;
  const auto rate = [now = x.after[i]->committed_transactions](std::uint64_t before,
                                                               std::chrono::duration<double> ago) {
    return now < before ? 0.0 : static_cast<double>(now - before) / ago.count();
  };
  if (i < x.before.size() && x.before[i] && x.between.count() > 0)
    return rate(x.before[i]->committed_transactions, x.between);
  const auto& told = x.after[i]->committed_before;
  return told ? std::optional(rate(told->count, told->ago)) : std::nullopt;
}

nlohmann::ordered_json to_evidence_json(const evidence_report& x, const committee& members) {
  auto out = nlohmann::ordered_json::array();
  for (const auto& y : x.newest)
    out.push_back({{"author", name_of(y.author, members)},
                   {"round", y.round.value},
                   {"headers", {crypto::to_hex(y.first), crypto::to_hex(y.second)}}});
  return out;
}

nlohmann::ordered_json to_json(const sample& x, const committee& members, bool with_evidence) {
  auto out = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < x.after.size(); ++i) {
    nlohmann::ordered_json one{{"validator", members.validators[i].name},
                               {"reachable", x.after[i].has_value()}};
    if (!x.after[i] && i < x.refused.size() && !x.refused[i].empty()) one["refused"] = x.refused[i];
    if (const auto& r = x.after[i]) {
      const auto rate = committed_per_second(x, i);
      const auto delay = queue_delay(*r, i);
      one["round"] = r->round.value;
      one["rounds_behind"] = r->rounds_behind;
      one["commit_index"] = r->index.value;
      one["executed_index"] = r->executed.value;
      one["committed_tps"] = rate ? nlohmann::ordered_json(*rate) : nullptr;
      one["committed_transactions"] = r->committed_transactions;
      one["executed_transactions"] = r->executed_transactions;
      one["duplicates"] = r->duplicates;
      one["queue_delay_ms"] =
          delay ? nlohmann::ordered_json(static_cast<double>(delay->count()) / 1000) : nullptr;
      one["accounts"] = accounts_of(members, i);
      one["executors"] = r->executors;
      one["state_root"] =
          r->state_root ? nlohmann::ordered_json(crypto::to_hex(*r->state_root)) : nullptr;
      one["state_root_index"] = r->state_root_index.value;
      one["chain_digest"] = crypto::to_hex(r->chain);
      one["absent_roles"] = absent_roles(*r);
      one["diverged_at"] = r->diverged_at ? nlohmann::ordered_json(r->diverged_at->value) : nullptr;
      const auto [authors, equivocations] = caught_by(*r);
      one["equivocators"] = authors;
      one["equivocations"] = equivocations;
      if (with_evidence) one["evidence"] = to_evidence_json(r->evidence, members);
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::string to_table(const sample& x, const committee& members) {
  // 79 columns, so that a terminal of 80 wraps nothing.
  constexpr auto row = "{:<10} {:>7} {:>6} {:>7} {:>8} {:>6} {:>8} {:>8} {:>4} {:>6}\n";
  auto out = fmt::format(fmt::runtime(row), "validator", "round", "behind", "commit", "executed",
                         "tps", "queue ms", "accounts", "exec", "caught");
  for (std::size_t i = 0; i < x.after.size(); ++i) {
    const auto& name = members.validators[i].name;
    if (!x.after[i] && i < x.refused.size() && !x.refused[i].empty()) {
      out += fmt::format("{:<10} refuses the link: {}\n", name, x.refused[i]);
      continue;
    }
    if (!x.after[i]) {
      out +=
          fmt::format("{:<10} not reachable at {}:{}\n", name, members.validators[i].operators.host,
                      members.validators[i].operators.port);
      continue;
    }
    const auto& r = *x.after[i];
    const auto rate = committed_per_second(x, i);
    const auto delay = queue_delay(r, i);
    const auto [authors, equivocations] = caught_by(r);
    out +=
        fmt::format(fmt::runtime(row), name, r.round.value, r.rounds_behind, r.index.value,
                    r.executed.value, rate ? fmt::format("{:.0f}", *rate) : "-",
                    delay ? fmt::format("{:.1f}", static_cast<double>(delay->count()) / 1000) : "-",
                    accounts_of(members, i), r.executors,
                    authors > 0 ? fmt::format("{}/{}", authors, equivocations) : "-");
    if (r.diverged_at)
      out += fmt::format(
          "{:<10} has diverged: another state than the others' at commit {}; it executes nothing\n",
          "", r.diverged_at->value);
    if (const auto absent = absent_roles(r); !absent.empty())
      out += fmt::format("{:<10} its process is gone: {}\n", "", fmt::join(absent, ", "));
  }
  return out + roots_of(x.after, members) + quorum_line(x.after, members);
}

std::string legend() {
  return "  behind    rounds from the newest one it knows to the newest commit: 2 to 6 in health, "
         "since\n"
         "            a commit takes that many; more and growing: it does not keep up\n"
         "  commit    commits so far; executed: those of them that its executors have executed\n"
         "  tps       transactions committed a second, in the last second\n"
         "  queue ms  from the seal of its batches until a quorum stores them, as it says itself\n"
         "  accounts  of the clients that the committee file assigns to it; 0 if none is\n"
         "  exec      executors; caught: authors/equivocations that it can prove (--evidence)\n"
         "Below: the state after a commit, the same at all validators that tell it for that "
         "commit.\n";
}

std::string to_evidence_table(const answers& x, const committee& members) {
  constexpr auto row = "{:<10} {:<10} {:>9}  {:<64}  {}\n";
  auto out =
      fmt::format(fmt::runtime(row), "held by", "author", "round", "first header", "other header");
  const auto heading = out.size();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!x[i]) continue;
    const auto& name = members.validators[i].name;
    const auto& list = x[i]->evidence.newest;
    for (const auto& y : list)
      out += fmt::format(fmt::runtime(row), name, name_of(y.author, members), y.round.value,
                         crypto::to_hex(y.first), crypto::to_hex(y.second));
    const auto kept = caught_by(*x[i]).equivocations;
    if (kept > list.size())
      out += fmt::format("{:<10} and {} more in its store\n", name, kept - list.size());
  }
  return out.size() > heading ? out : "no evidence of equivocation\n";
}

std::optional<bool> roots_agree(const answers& x) {
  std::map<commit_index, digest> first;
  bool compared = false;
  for (const auto& report : x) {
    if (!report || !report->state_root) continue;
    const auto [at, fresh] = first.emplace(report->state_root_index, *report->state_root);
    if (fresh) continue;
    if (at->second != *report->state_root) return false;
    compared = true;
  }
  return compared ? std::optional(true) : std::nullopt;
}

}  // namespace flamingo::status
