#include "tests/sim/checkers/serial_execution.hpp"

#include <algorithm>
#include <array>

#include "crypto/hash.hpp"
#include "messages/stream_operations.hpp"

namespace flamingo::sim::checkers {

namespace {

constexpr const char* property = "serial execution";
constexpr std::size_t buckets = 65536;
constexpr std::size_t roots_checked = 2;  // the newest ones: a whole tree takes its time

std::uint16_t bucket_of(std::uint64_t key) {
  const auto d = crypto::hash({crypto::little_endian(key)});
  return static_cast<std::uint16_t>(d.bytes[0] << 8 | d.bytes[1]);
}

struct executed_bundle {
  std::vector<byte> codes;
  digest results;
};

/// What the whole log comes to.
struct serial_run {
  std::map<std::pair<client_id, bundle_sequence>, executed_bundle> bundles;
  std::map<commit_index, digest> roots;  // of the wanted ones
};

serial_run run_log(const history& run, const std::set<commit_index>& wanted_roots) {
  serial_run out;
  serial_interpreter interpreter(executor::make_application(run.protocol));
  for (const auto& [index, record] : run.longest().commits) {
    for (const auto& batch : record.stream.batches) {
      const auto bytes = run.batches.find(batch.id);
      if (bytes == run.batches.end()) return out;  // another checker says so
      for (std::size_t i = 0; i < batch.bundles.size() && i < bytes->second.size(); ++i) {
        const auto& bundle = batch.bundles[i];
        if (bundle.what != verdict::fresh && bundle.what != verdict::expired) continue;
        executed_bundle done;
        done.codes =
            bundle.what == verdict::fresh
                ? interpreter.run(bytes->second[i].operations)
                : std::vector<byte>(bundle.transactions, static_cast<byte>(result_code::expired));
        done.results = crypto::hash(crypto::tags::results, done.codes);
        out.bundles.try_emplace({bundle.client, bundle.sequence}, std::move(done));
      }
    }
    if (wanted_roots.contains(index)) out.roots[index] = interpreter.state_root();
  }
  return out;
}

void check_receipt(const receipt_record& x, const serial_run& serial, violations& out) {
  const auto found = serial.bundles.find({x.what.client, x.what.sequence});
  if (found == serial.bundles.end()) return;  // exactly once says so
  const auto& right = found->second;
  const std::string who = name_of(x.from) + " says of bundle " +
                          std::to_string(x.what.sequence.value) + " of " + name_of(x.what.client);
  if (x.what.results_digest != right.results) {
    out.push_back({property, who + " other results than serial execution"});
    return;
  }
  if (x.what.results.empty() || x.what.results == right.codes) return;
  out.push_back({property, who + " results that are not those of its digest"});
}

}  // namespace

serial_interpreter::value& serial_interpreter::at(std::uint64_t key) {
  const auto [found, is_new] = values_.try_emplace(key, app_->value_size());
  if (is_new && key < app_->dense_keys()) app_->genesis(key, found->second);
  return found->second;
}

result_code serial_interpreter::execute(const stream_operation& x) {
  if (x.system) return result_code::system;
  executor::access_set touched;
  app_->read_write_set(x, touched);
  if (touched.refused()) return touched.refusal();
  std::array<byte*, executor::max_accesses> values{};
  for (std::size_t i = 0; i < touched.accesses().size(); ++i)
    values[i] = at(touched.accesses()[i].key).data();
  return app_->execute(x, executor::value_view(values.data(), app_->value_size()));
}

std::vector<byte> serial_interpreter::run(byte_span packed_operations) {
  std::vector<byte> codes;
  operation_reader reader(packed_operations);
  while (const auto x = reader.next()) codes.push_back(static_cast<byte>(execute(*x)));
  return codes;
}

digest serial_interpreter::state_root() const {
  std::vector<std::vector<byte>> leaves(buckets);
  for (std::size_t b = 0; b < buckets; ++b)
    leaves[b] = {0, static_cast<byte>(b & 255), static_cast<byte>(b >> 8)};
  std::map<std::uint64_t, value> all = values_;
  for (std::uint64_t key = 0; key < app_->dense_keys(); ++key) {
    const auto [found, is_new] = all.try_emplace(key, app_->value_size());
    if (is_new) app_->genesis(key, found->second);
  }
  for (const auto& [key, bytes] : all) {
    const bool zero = std::all_of(bytes.begin(), bytes.end(), [](byte x) { return x == 0; });
    if (zero && key >= app_->dense_keys()) continue;  // does not exist
    auto& leaf = leaves[bucket_of(key)];
    const auto number = crypto::little_endian(key);
    leaf.insert(leaf.end(), number.begin(), number.end());
    leaf.insert(leaf.end(), bytes.begin(), bytes.end());
  }
  std::vector<digest> level;
  for (const auto& leaf : leaves) level.push_back(crypto::hash({leaf}));
  const byte inner[1] = {1};
  while (level.size() > 1) {
    for (std::size_t i = 0; i < level.size() / 2; ++i)
      level[i] = crypto::hash({inner, level[2 * i], level[2 * i + 1]});
    level.resize(level.size() / 2);
  }
  return level.front();
}

violations serial_execution(const history& run) {
  violations out;
  std::set<commit_index> told;
  for (const auto& x : run.of)
    if (x.honest)
      for (const auto& [index, root] : x.state_roots) told.insert(index);
  while (told.size() > roots_checked) told.erase(told.begin());
  const auto serial = run_log(run, told);
  for (const auto& [client, record] : run.clients)
    for (const auto& [sequence, receipts] : record.receipts)
      for (const auto& x : receipts)
        if (run.of[x.from.value].honest) check_receipt(x, serial, out);
  for (std::uint16_t i = 0; i < run.of.size(); ++i) {
    if (!run.of[i].honest) continue;
    for (const auto& [index, root] : run.of[i].state_roots) {
      const auto right = serial.roots.find(index);
      if (right != serial.roots.end() && right->second != root)
        out.push_back({property, name_of(validator_id{i}) + " has state root " + short_name(root) +
                                     " at commit " + std::to_string(index.value) +
                                     ", and serial execution " + short_name(right->second)});
    }
  }
  return out;
}

}  // namespace flamingo::sim::checkers
