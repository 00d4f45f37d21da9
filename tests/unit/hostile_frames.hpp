// Every way to damage a frame that is worth trying at each byte: a decoder must refuse or read it,
// never crash, hang or allocate past its caps.
#pragma once

#include "messages/frame.hpp"

namespace flamingo::tests {

template <class Schema, class F>
void for_each_damaged(const wire<Schema>& frame, F&& decode) {
  const std::vector<char> whole(frame.bytes().data(), frame.bytes().data() + frame.size());
  for (std::size_t size = 0; size < whole.size(); ++size)
    decode(wire<Schema>(shared_bytes(
        std::vector<char>(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)))));
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      auto damaged = whole;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ flip);
      decode(wire<Schema>(shared_bytes(std::move(damaged))));
    }
}

}  // namespace flamingo::tests
