#include "apps/flamingo/load/client_group.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <map>

#include "actors/link/tcp_doorways.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "apps/flamingo/runtime/clock.hpp"
#include "messages/codec_bundle.hpp"

namespace flamingo::load {

namespace {

using committees = std::map<std::filesystem::path, std::shared_ptr<const config::committee_file>>;

member load_member(const std::string& file, committees& known) {
  member x;
  x.file = config::load_client(file);
  auto& committee = known[config::beside(file, x.file.committee)];
  x.who = config::identify(x.file, committee);
  committee = x.who.committee;
  if (const auto& speaks = x.who.committee->protocol.application; speaks != "smallbank")
    throw config::error(
        fmt::format("{}: application.name: this command speaks smallbank alone, found {}",
                    x.who.committee_path.string(), config::toml_string(speaks)));
  const auto& owned = x.who.committee->members.clients[x.who.self.value].accounts;
  if (std::all_of(owned.begin(), owned.end(),
                  [](const account_range& r) { return !(r.first < r.last); }))
    throw config::error(
        fmt::format("{}: clients: expected at least one account of {} to act on, found none",
                    x.who.committee_path.string(), x.file.client));
  x.with = x.file.load;
  if (x.file.link.settings.tls)
    config::check_link_identity(x.file.keys, file, config::certificate_name(x.who.self));
  return x;
}

/// Large transactions make small bundles: none is larger than validators take.
void bound_bundles(member& x) {
  const auto most = x.who.committee->protocol.max_bundle_bytes;
  const auto fit = transactions_that_fit(most, x.with.transaction_bytes);
  if (fit == 0)
    throw config::error(
        fmt::format("{}: transactions of {} bytes do not fit into bundles of "
                    "protocol.max_bundle_bytes of {}, {}",
                    x.file.source, x.with.transaction_bytes, x.who.committee_path.string(), most));
  if (fit < x.with.transactions_per_bundle)
    x.with.transactions_per_bundle = static_cast<std::uint32_t>(fit);
}

/// Each client has a link to each validator, and a descriptor to be woken by.
void check_open_files(const std::vector<member>& members) {
  constexpr std::size_t of_the_process = 64;
  const auto each = members.at(0).who.committee->members.size() + 1;
  const auto needed = members.size() * each + of_the_process;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  throw config::error(
      fmt::format("{} clients need {} open files, and this process may have {}: raise the limit "
                  "(ulimit -n), or run them in several processes",
                  members.size(), needed, limit.rlim_cur));
}

}  // namespace

std::vector<member> load_members(const std::vector<std::string>& files) {
  committees known;
  std::vector<member> out;
  for (const auto& file : files) out.push_back(load_member(file, known));
  return out;
}

client::summary merged(const std::vector<client::summary>& all) {
  client::summary out;
  out.finished = !all.empty();
  for (const auto& x : all) {
    out.client = x.client;
    out.offered += x.offered;
    out.sent += x.sent;
    out.admitted += x.admitted;
    out.busy += x.busy;
    out.completed += x.completed;
    out.duplicated += x.duplicated;
    out.invalid += x.invalid;
    out.waiting += x.waiting;
    out.outstanding += x.outstanding;
    out.lost += x.lost;
    out.bundles += x.bundles;
    out.receipts += x.receipts;
    out.resent += x.resent;
    out.relayed += x.relayed;
    out.redirected += x.redirected;
    out.resequenced += x.resequenced;
    out.forged += x.forged;
    for (std::size_t i = 0; i < out.results.size(); ++i) out.results[i] += x.results[i];
    out.newest_commit = std::max(out.newest_commit, x.newest_commit);
    out.newest_anchor_round = std::max(out.newest_anchor_round, x.newest_anchor_round);
    out.latency.merge(x.latency);
    out.sent_latency.merge(x.sent_latency);
    out.finished = out.finished && x.finished;
    if (out.warning.empty()) out.warning = x.warning;
  }
  return out;
}

client_group::client_group(std::vector<member> members)
    : members_(std::move(members)),
      config_(members_.at(0).file.runtime),
      system_(config_),
      metrics_(std::make_shared<runtime::metrics>(runtime::labels{
          {"client", members_.size() == 1 ? members_[0].file.client : std::string("all")}})),
      endings_(members_.size()) {
  for (member& x : members_) bound_bundles(x);
  check_open_files(members_);
  const auto& chain = members_[0].who.committee->members.chain;
  for (const auto& x : members_)
    if (x.who.committee->members.chain != chain)
      throw config::error(fmt::format("{} and {} are of different networks: one at a time",
                                      members_[0].file.source, x.file.source));
  std::map<client_id, std::string> named;
  for (const auto& x : members_)
    if (const auto [at, fresh] = named.emplace(x.who.self, x.file.source); !fresh)
      throw config::error(fmt::format(
          "{} and {} are of the same client, {}: name it once, since two of it would use "
          "the same sequence numbers",
          at->second, x.file.source, x.file.client));
  for (std::size_t i = 0; i < members_.size(); ++i) start(i);
}

client_group::~client_group() {
  for (const auto& x : actors_) caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  for (const auto& x : doors_) {
    x.clients->stop();
    x.operators->stop();
    x.workers->stop();
    x.primaries->stop();
  }
}

void client_group::start(std::size_t i) {
  const auto& x = members_[i];
  const auto& network = x.who.committee->members;
  const link::peer self{link::peer::kind::client, x.who.self.value};
  doors_.push_back(
      link::make_doorways(system_, config::link_settings(x.file.link, x.file.keys, x.file.source),
                          link::identity::of(network, self), *metrics_));
  auto env = std::make_shared<client::environment>();
  env->self = x.who.self;
  env->members = std::shared_ptr<const committee>(x.who.committee, &network);
  env->protocol = x.who.committee->protocol;
  env->with = x.with;
  env->signer = x.who.signer;
  env->scheme = std::make_shared<crypto::ed25519_scheme>();
  env->now = runtime::steady_unix_clock();
  env->finished = [this, i](const client::ending& how) {
    {
      const std::lock_guard lock(mutex_);
      endings_[i] = how;
    }
    changed_.notify_all();
  };
  actors_.push_back(system_.spawn(client::shell, client::environment_ptr(env)));
  caf::anon_send(actors_.back(), atom::start_v);
  refusals_.push_back(std::make_shared<runtime::refusal_book>(network.size()));
  dial_all(i);
}

/// Of a validator's workers, client c talks to number c modulo their number.
void client_group::dial_all(std::size_t i) {
  const auto& network = members_[i].who.committee->members;
  const auto& actor = actors_[i];
  const auto& refusals = refusals_[i];
  const auto id = [](link::peer who) {
    return validator_id(static_cast<std::uint16_t>(who.index));
  };
  for (std::size_t v = 0; v < network.size(); ++v) {
    const auto& workers = network.validators[v].workers;
    const auto worker = members_[i].who.self.value % workers.size();
    doors_[i].clients->dial(
        {link::peer::kind::validator, static_cast<std::uint32_t>(v)}, workers[worker].clients,
        {[actor, id, refusals](link::peer who, client_link link) {
           refusals->forget(who);
           caf::anon_send(actor, atom::link_up_v, id(who), std::move(link));
         },
         [actor, id](link::peer who, const client_link&, client_frame frame) {
           caf::anon_send(actor, id(who), std::move(frame));
         },
         [actor, id](link::peer who, client_link link) {
           caf::anon_send(actor, atom::link_down_v, id(who), std::move(link));
         },
         worker_id(static_cast<std::uint16_t>(worker)),
         [refusals](link::peer who, const link::ended& how) { refusals->note(who, how); }});
  }
}

std::vector<client::summary> client_group::counts(std::chrono::milliseconds timeout) {
  caf::scoped_actor self(system_);
  std::vector<client::summary> out;
  for (const auto& x : actors_)
    self->request(x, caf::timespan(timeout), atom::status_v)
        .receive(
            [&](const summary_frame& frame) {
              if (auto counts = client::decode(frame)) out.push_back(std::move(*counts));
            },
            [](const caf::error&) {});
  return out;
}

std::optional<std::string> client_group::hopeless() const {
  for (std::size_t i = 0; i < refusals_.size(); ++i)
    if (auto line = refusals_[i]->hopeless(members_[i].who.committee->members))
      return fmt::format("{}: {}", members_[i].file.source, *line);
  return std::nullopt;
}

std::optional<std::string> client_group::refused() const {
  for (std::size_t i = 0; i < refusals_.size(); ++i)
    if (auto line = refusals_[i]->summary(members_[i].who.committee->members))
      return fmt::format("{}: {}", members_[i].file.source, *line);
  return std::nullopt;
}

void client_group::stop_load() {
  for (const auto& x : actors_) caf::anon_send(x, atom::close_v);
}

bool client_group::wait_finished(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [this] {
    return std::all_of(endings_.begin(), endings_.end(),
                       [](const auto& x) { return x.has_value(); });
  });
}

std::vector<std::optional<client::ending>> client_group::endings() const {
  const std::lock_guard lock(mutex_);
  return endings_;
}

}  // namespace flamingo::load
