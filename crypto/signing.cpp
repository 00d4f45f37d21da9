#include "crypto/signing.hpp"

#include <algorithm>

namespace flamingo::crypto {

signing_input::signing_input(const tag& kind, const signing_context& context, const digest& what) {
  append(kind);
#if !FLAMINGO_MUTANT_signed_for_any_chain
  append(context.chain);
  append(little_endian(context.epoch.value));
#endif
  append(what);
}

signing_input::signing_input(const tag& kind, const digest& chain, const digest& what) {
  append(kind);
  append(chain);
  append(what);
}

void signing_input::append(byte_span part) {
  std::copy(part.begin(), part.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += part.size();
}

signing_input header_statement(const signing_context& context, const digest& header) {
  return {tags::header, context, header};
}

signing_input vote_statement(const signing_context& context, const digest& header,
                             validator_id author, round_number round) {
  const auto what = hasher(tags::vote).update(header).number(author).number(round).finish();
  return {tags::vote, context, what};
}

signing_input receipts_statement(const signing_context& context, const digest& receipts) {
  return {tags::receipts, context, receipts};
}

signing_input checkpoint_statement(const signing_context& context, const digest& checkpoint) {
  return {tags::checkpoint, context, checkpoint};
}

signing_input bundle_statement(const digest& chain, const digest& bundle) {
  return {tags::bundle, chain, bundle};
}

}  // namespace flamingo::crypto
