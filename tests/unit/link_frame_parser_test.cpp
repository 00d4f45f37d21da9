// Frames on a byte stream, and in TLS records.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "actors/link/frame_parser.hpp"
#include "actors/link/frame_writer.hpp"

namespace flamingo::link {

namespace {

using frame = std::vector<char>;

std::vector<frame> some_frames(std::mt19937_64& random) {
  std::vector<frame> out;
  for (const std::size_t size : {0, 1, 4, 100, 70'000, 0, 3, 200'000, 65'536, 65'537}) {
    frame f(size);
    for (auto& c : f) c = static_cast<char>(random());
    out.push_back(std::move(f));
  }
  return out;
}

frame stream_of(const std::vector<frame>& frames) {
  frame out;
  frame_writer writer(nullptr);
  for (const auto& f : frames) writer.put({reinterpret_cast<const byte*>(f.data()), f.size()}, out);
  return out;
}

frame header(std::uint32_t length) {
  frame out(frame_parser::header_bytes);
  put_header(length, out.data());
  return out;
}

TEST_SUITE("link frame parser") {
  TEST_CASE("frames come out as they went in, however the stream is cut") {
    std::mt19937_64 random(1);
    const auto frames = some_frames(random);
    const auto stream = stream_of(frames);
    for (const std::size_t largest : {1, 3, 5, 1000, 300'000}) {
      CAPTURE(largest);
      frame_parser parser(1 << 20);
      std::vector<frame> got;
      for (std::size_t at = 0; at < stream.size();) {
        const auto n = std::min(stream.size() - at, 1 + random() % largest);
        CHECK(parser.push({stream.data() + at, n}, [&](frame f) {
          got.push_back(std::move(f));
          return true;
        }));
        at += n;
      }
      CHECK(got == frames);
      CHECK(parser.at_boundary());
    }
  }

  TEST_CASE("a frame of the cap is taken and one more byte is not") {
    frame_parser parser(1000);
    std::size_t got = 0;
    const auto count = [&](const frame&) { return ++got > 0; };
    auto whole = header(1000);
    whole.resize(whole.size() + 1000);
    CHECK(parser.push(whole, count));
    CHECK(got == 1);
    CHECK_FALSE(parser.push(header(1001), count));
    CHECK(parser.announced() == 1001);
    CHECK(got == 1);
  }

  TEST_CASE("a length beyond the cap is known before anything is set aside for it") {
    frame_parser parser(64 << 20);
    CHECK_FALSE(parser.push(header(0xffffffff), [](const frame&) { return true; }));
    CHECK_FALSE(parser.in_frame());
  }

  TEST_CASE("a header that announces much is given no more room than bytes came") {
    frame_parser parser(64 << 20);
    parser.push(header(64 << 20), [](const frame&) { return true; });
    std::size_t came = 0;
    for (int i = 0; i < 10; ++i) {
      const auto room = parser.room();
      CHECK(room.size() <= frame_parser::growth);
      came += room.size();
      parser.advance(room.size());
      CHECK(parser.missing() == (64u << 20) - came);
    }
  }

  TEST_CASE("a frame read into its own buffer is not copied") {
    frame_parser parser(1 << 20);
    parser.push(header(5000), [](const frame&) { return true; });
    REQUIRE(parser.at_start_of_frame());
    frame whole(5000, 'w');
    const auto* at = whole.data();
    CHECK(parser.adopt(std::move(whole)) == frame_parser::step::frame);
    CHECK(parser.take().data() == at);
    CHECK(parser.at_boundary());
  }

  TEST_CASE("what follows a frame that its reader did not want is passed over") {
    frame_parser parser(100);
    int seen = 0;
    const auto stream = stream_of({frame(10, 'a'), frame(10, 'b')});
    CHECK(parser.push(stream, [&](const frame&) {
      ++seen;
      return false;
    }));
    CHECK(seen == 1);
  }

  TEST_CASE("no bytes whatever make a frame beyond the cap") {
    std::mt19937_64 random(7);
    for (int run = 0; run < 2000; ++run) {
      frame_parser parser(300);
      for (int i = 0; i < 20; ++i) {
        frame bytes(random() % 100);
        // Small lengths often, so that frames do come.
        for (auto& c : bytes) c = static_cast<char>(random() % 4 == 0 ? random() : random() % 2);
        if (!parser.push(bytes, [](const frame& f) {
              CHECK(f.size() <= 300);
              return true;
            })) {
          CHECK(parser.announced() > 300);
          break;
        }
      }
    }
  }
}

}  // namespace

}  // namespace flamingo::link
