// What every link carries besides its conversation: the first frame, and how frames stand on it.
#include "actors/link/frame_parser.hpp"
#include "actors/link/frame_writer.hpp"
#include "actors/link/hello.hpp"
#include "messages/schema/link.capnp.h"
#include "tests/golden/frozen.hpp"
#include "tests/unit/codec_dag_values.hpp"

namespace flamingo::golden {

namespace {

using flamingo::testing::some_digest;

link::hello sample_hello() {
  return {link::protocol_version,      some_digest(1), some_digest(2),
          link::conversation::clients, worker_id{3},   {link::peer::kind::client, 70'000}};
}

frozen_frame first_frame() {
  return {"link_hello", shared_bytes(link::encode(sample_hello())),
          [](const shared_bytes& from) {
            return link::decode_hello({from.data(), from.data() + from.size()}) == sample_hello();
          },
          capnp::Schema::from<schema::Hello>()};
}

std::vector<std::vector<char>> sample_frames() {
  return {{'f', 'l', 'a', 'm', 'i', 'n', 'g', 'o'}, {}, std::vector<char>(300, 'x')};
}

/// A frame, a ping, and a frame whose length takes two bytes, on a plain link.
frozen_frame framing() {
  std::vector<char> stream;
  link::frame_writer writer(nullptr);
  for (const auto& x : sample_frames())
    writer.put({reinterpret_cast<const byte*>(x.data()), x.size()}, stream);
  writer.flush(stream);
  const auto reads_back = [](const shared_bytes& from) {
    std::vector<std::vector<char>> got;
    link::frame_parser parser(300);
    const bool fits = parser.push({reinterpret_cast<const char*>(from.data()), from.size()},
                                  [&](std::vector<char> frame) {
                                    got.push_back(std::move(frame));
                                    return true;
                                  });
    return fits && parser.at_boundary() && got == sample_frames();
  };
  return {"link_framing", shared_bytes(std::move(stream)), reads_back, std::nullopt};
}

}  // namespace

std::vector<frozen_frame> link_frames() {
  return {first_frame(), framing()};
}

}  // namespace flamingo::golden
