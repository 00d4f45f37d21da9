#include "messages/codec_bundle.hpp"

#include <algorithm>

#include "messages/codec_signed.hpp"
#include "messages/flat_frame.hpp"
#include "messages/stream_operations.hpp"

namespace flamingo {

namespace {

bundle_fault read_system(schema::SystemTransaction::Reader in, const committee& members) {
  const bool latency = in.which() == schema::SystemTransaction::REPORT_LATENCY;
  return latency && in.getReportLatency().size() <= members.size() ? bundle_fault::none
                                                                   : bundle_fault::malformed;
}

bundle_fault read_transactions(capnp::List<schema::Transaction>::Reader in,
                               const client_info& owner, const committee& members,
                               bundle_head& head, operation_writer& operations) {
  for (const auto transaction : in) {
    const account_id account{transaction.getAccount()};
    if (!owner.owns(account)) return bundle_fault::foreign_account;
    switch (transaction.which()) {
      case schema::Transaction::APPLICATION: {
        const auto operation = transaction.getApplication().getOperation();
        if (operation.size() > max_operation_bytes) return bundle_fault::operation_too_large;
        operations.application(account, {operation.begin(), operation.size()});
        break;
      }
      case schema::Transaction::SYSTEM: {
        head.system = true;
        if (const auto fault = read_system(transaction.getSystem(), members);
            fault != bundle_fault::none)
          return fault;
        operations.system(account);
        break;
      }
      default:
        return bundle_fault::malformed;  // a kind of a later version
    }
  }
  return bundle_fault::none;
}

bundle_fault read_bundle(schema::Bundle::Reader in, const bundle_limits& limits,
                         const committee& members, bundle_head& head,
                         std::vector<byte>& operations) {
  head.client = client_id{in.getClient()};
  head.sequence = bundle_sequence{in.getSequence()};
  head.assignee = validator_id{in.getAssignee()};
  head.expires = round_number{in.getExpires()};
  head.system = false;
  const client_info* owner = members.find(head.client);
  if (!owner) return bundle_fault::unknown_client;
  if (!members.has(head.assignee)) return bundle_fault::unknown_assignee;
  if (head.sequence.value == 0) return bundle_fault::malformed;
  const auto transactions = in.getTransactions();
  if (transactions.size() > limits.max_transactions) return bundle_fault::too_many_transactions;
  head.transactions = transactions.size();
  operation_writer into(operations);
  return read_transactions(transactions, *owner, members, head, into);
}

std::size_t padding_of(const planned_transaction& x, std::size_t transaction_bytes) {
  return transaction_bytes > x.size ? transaction_bytes - x.size : 0;
}

/// Of a body, besides its transactions.
constexpr std::size_t empty_body_words() {
  return 1 + struct_words<schema::Bundle>() + 1;
}

std::size_t body_words(const bundle_plan& plan, std::span<const planned_transaction> transactions) {
  std::size_t words = empty_body_words();
  for (const auto& x : transactions)
    words += struct_words<schema::Transaction>() + data_words(x.size) +
             data_words(padding_of(x, plan.transaction_bytes));
  return words;
}

void write_body(char* at, std::size_t words, const bundle_plan& plan,
                std::span<const planned_transaction> transactions) {
  flat_message<schema::Bundle> message(at, words);
  auto bundle = message.root();
  bundle.setClient(plan.client.value);
  bundle.setSequence(plan.sequence.value);
  bundle.setAssignee(plan.assignee.value);
  bundle.setExpires(plan.expires.value);
  auto out = bundle.initTransactions(static_cast<unsigned>(transactions.size()));
  for (unsigned i = 0; i < transactions.size(); ++i) {
    const planned_transaction& x = transactions[i];
    auto into = out[i];
    into.setAccount(x.account.value);
    auto application = into.initApplication();
    application.setOperation({x.operation.data(), x.size});
    if (const auto padding = padding_of(x, plan.transaction_bytes); padding > 0)
      application.initPadding(static_cast<unsigned>(padding));
  }
  message.check_filled();
}

}  // namespace

std::size_t transactions_that_fit(std::size_t body_bytes, std::size_t transaction_bytes) {
  // An operation and its padding: together the larger of both, each rounded up.
  const std::size_t largest = std::max(transaction_bytes, planned_transaction::operation_max);
  const std::size_t each = struct_words<schema::Transaction>() + data_words(largest) + 1;
  const std::size_t words = body_bytes / sizeof(capnp::word);
  return words > empty_body_words() ? (words - empty_body_words()) / each : 0;
}

std::string_view to_string(bundle_fault x) {
  switch (x) {
    case bundle_fault::none:
      return "none";
    case bundle_fault::malformed:
      return "not a well-formed bundle";
    case bundle_fault::too_large:
      return "larger than max_bundle_bytes";
    case bundle_fault::too_many_transactions:
      return "more transactions than max_transactions_per_bundle";
    case bundle_fault::too_many_accounts:
      return "transactions of more accounts than a header has room for";
    case bundle_fault::operation_too_large:
      return "an operation is larger than 4096 bytes";
    case bundle_fault::unknown_client:
      return "the client is not in the committee file";
    case bundle_fault::unknown_assignee:
      return "the assignee is no validator";
    case bundle_fault::foreign_account:
      return "acts on an account that the client does not own";
    case bundle_fault::bad_signature:
      return "the signature is wrong";
  }
  return "unknown";
}

bundle_fault read_bundle(byte_span body, const bundle_limits& limits, const committee& members,
                         bundle_head& head, std::vector<byte>& operations) {
  if (body.size() > limits.max_bundle_bytes) return bundle_fault::too_large;
  const std::size_t before = operations.size();
  auto fault = bundle_fault::malformed;
  const bool readable = read_body<schema::Bundle>(body, [&](schema::Bundle::Reader in) {
    fault = read_bundle(in, limits, members, head, operations);
  });
  if (!readable) return bundle_fault::malformed;
  // Pointers of a hostile body may share bytes: it must not grow on its way to the executors.
  if (fault == bundle_fault::none && operations.size() - before > body.size())
    return bundle_fault::malformed;
  return fault;
}

bundle_sequence claimed_sequence(byte_span body) {
  bundle_sequence out;
  const bool readable = read_body<schema::Bundle>(
      body, [&](schema::Bundle::Reader in) { out = bundle_sequence{in.getSequence()}; });
  return readable ? out : bundle_sequence{};
}

unsigned_bundle build_bundle(const bundle_plan& plan,
                             std::span<const planned_transaction> transactions) {
  const std::size_t inner = body_words(plan, transactions);
  const std::size_t body_size = segment_table_bytes + inner * sizeof(capnp::word);
  const std::size_t words = 1 + struct_words<schema::ClientMessage>() +
                            struct_words<schema::Signed>() + data_words(body_size) +
                            data_words(signature::size);
  std::vector<char> frame(segment_table_bytes + words * sizeof(capnp::word));
  const auto offset = [&](capnp::Data::Builder x) {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(x.begin()) - frame.data());
  };
  flat_message<schema::ClientMessage> message(frame.data(), words);
  auto parts = message.root().initBundle();
  const auto body_at = offset(parts.initBody(static_cast<unsigned>(body_size)));
  const auto signature_at = offset(parts.initSignature(signature::size));
  message.check_filled();
  write_body(frame.data() + body_at, inner, plan, transactions);
  return {std::move(frame), body_at, body_size, signature_at};
}

}  // namespace flamingo
