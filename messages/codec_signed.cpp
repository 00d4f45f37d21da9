#include "messages/codec_signed.hpp"

#include <cstring>

#include "messages/assert.hpp"
#include "messages/codec_fields.hpp"

namespace flamingo {

bool is_flat_message(byte_span body) {
  // Cap'n Proto's framing: u32 segments - 1, u32 words of the first segment, both little-endian.
  constexpr std::size_t table = 8;
  if (body.size() < table + sizeof(capnp::word)) return false;
  const auto u32 = [&](std::size_t at) {
    return std::uint64_t{body[at]} | std::uint64_t{body[at + 1]} << 8 |
           std::uint64_t{body[at + 2]} << 16 | std::uint64_t{body[at + 3]} << 24;
  };
  return u32(0) == 0 && table + u32(4) * sizeof(capnp::word) == body.size();
}

std::optional<signed_bytes> decode(const shared_bytes& frame, schema::Signed::Reader in,
                                   std::size_t body_max) {
  const auto body = in.getBody();
  signed_bytes result;
  if (body.size() > body_max || !is_flat_message({body.begin(), body.size()}) ||
      !codec::read_fixed(in.getSignature(), result.sig))
    return std::nullopt;
  result.body = shared_bytes(frame, {body.begin(), body.size()});
  return result;
}

std::optional<signed_bytes> decode(const wire<schema::Signed>& frame, std::size_t body_max) {
  std::optional<signed_bytes> result;
  if (!frame.read([&](auto in) { result = decode(frame.bytes(), in, body_max); }))
    return std::nullopt;
  return result;
}

void write(const signed_bytes& from, schema::Signed::Builder into) {
  into.setBody({from.body.data(), from.body.size()});
  into.setSignature(codec::data_of(from.sig));
}

wire<schema::Signed> encode(const signed_bytes& x) {
  capnp::MallocMessageBuilder message(static_cast<kj::uint>(x.body.size() / 8 + 32));
  write(x, message.initRoot<schema::Signed>());
  return wire<schema::Signed>(message);
}

}  // namespace flamingo
