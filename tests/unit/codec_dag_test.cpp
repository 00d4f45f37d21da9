// The DAG's conversation survives the trip, its bytes are frozen, and no damaged frame is taken for
// a good one or crashes.
#include "messages/codec_dag.hpp"

#include <doctest/doctest.h>

#include <string>

#include "crypto/hex.hpp"
#include "messages/codec_migration.hpp"
#include "tests/unit/codec_dag_values.hpp"

using namespace flamingo;
using namespace flamingo::testing;

namespace {

constexpr dag_limits limits = seven_validators;

void check_equal(const header& a, const header& b) {
  CHECK(a.id == b.id);
  CHECK(a.author == b.author);
  CHECK(a.epoch == b.epoch);
  CHECK(a.round == b.round);
  CHECK(a.created_at == b.created_at);
  CHECK(a.queue_delay == b.queue_delay);
  CHECK(a.payload == b.payload);
  CHECK(a.parents == b.parents);
  CHECK(a.weak_links == b.weak_links);
  CHECK(a.control == b.control);
  CHECK(a.coin_share == b.coin_share);
}

void check_equal(const certificate& a, const certificate& b) {
  CHECK(a.header == b.header);
  CHECK(a.author == b.author);
  CHECK(a.round == b.round);
  CHECK(a.votes == b.votes);
}

template <class T>
T through(const wire<schema::PeerMessage>& frame) {
  auto message = decode(frame, limits);
  REQUIRE(message);
  REQUIRE(std::holds_alternative<T>(*message));
  return std::get<T>(std::move(*message));
}

shared_bytes copy_with(byte_span bytes, std::size_t size) {
  std::vector<char> copy(bytes.begin(), bytes.end());
  copy.resize(size);
  return shared_bytes(std::move(copy));
}

/// A header's body built by hand.
template <class F>
shared_bytes body_with(F&& build) {
  return encode_body<schema::Header>(4096, [&](schema::Header::Builder out) { build(out); });
}

}  // namespace

TEST_SUITE("codec dag") {
  TEST_CASE("a header with every field set survives the trip, and its identity is its bytes'") {
    const header x = full_header();
    const auto body = encode_header(x);
    const auto back = decode_header(body, limits);
    REQUIRE(back);
    check_equal(*back, x);
    CHECK(back->id == crypto::hash(crypto::tags::header, body));
    CHECK(back->payload[0].counts_digest ==
          crypto::hash(crypto::tags::counts, x.payload[0].counts));
  }

  TEST_CASE("an absent queue delay is not a delay of zero") {
    header x = full_header();
    x.queue_delay.reset();
    CHECK(!decode_header(encode_header(x), limits)->queue_delay);
    x.queue_delay = std::chrono::microseconds{0};
    CHECK(decode_header(encode_header(x), limits)->queue_delay == std::chrono::microseconds{0});
  }

  TEST_CASE("everything primaries say to each other survives the trip") {
    const header x = full_header();
    const auto sent = through<signed_header>(encode_peer(signed_header_of(x).bytes));
    check_equal(sent.hdr, x);
    CHECK(sent.bytes.sig == some_signature(20));

    const vote v{x.id, x.author, x.round, validator_id{5}, some_signature(1)};
    const auto got = through<vote>(encode_peer(v));
    CHECK(got.header == v.header);
    CHECK(got.author == v.author);
    CHECK(got.round == v.round);
    CHECK(got.voter == v.voter);
    CHECK(got.sig == v.sig);

    const auto cert = certificate_of(x, {0, 2, 3, 5, 6});
    check_equal(through<certificate>(encode_peer(cert)), cert);

    const certified_header both{x, signed_header_of(x).bytes, cert};
    const auto certified = through<certified_header>(encode_peer(both));
    check_equal(certified.hdr, x);
    check_equal(certified.cert, cert);
    CHECK(through<header_request>(encode_peer(header_request{x.parents})).headers == x.parents);
    const auto range =
        through<round_range>(encode_peer(round_range{round_number{4}, round_number{9}}));
    CHECK(range.first == round_number{4});
    CHECK(range.last == round_number{9});
  }

  TEST_CASE("a stored certified header becomes an answer without being decoded") {
    const header x = full_header();
    const certified_header both{x, signed_header_of(x).bytes, certificate_of(x, {1, 2, 4, 5, 6})};
    const auto stored = encode(both);
    const auto back = decode(stored, limits);
    REQUIRE(back);
    check_equal(back->hdr, x);
    const auto answer = encode_peer(stored);
    REQUIRE(answer);
    check_equal(through<certified_header>(*answer).cert, both.cert);
    CHECK(!encode_peer(wire<schema::CertifiedHeader>(shared_bytes(std::vector<char>(11)))));
  }

  TEST_CASE("a certificate is not paired with another header") {
    const header x = full_header();
    certified_header both{x, signed_header_of(x).bytes, certificate_of(x, {1, 2, 4, 5, 6})};
    both.cert.header = some_digest(99);
    CHECK(!decode(encode(both), limits));
    both.cert = certificate_of(x, {1, 2, 4, 5, 6});
    both.cert.round = round_number{8};
    CHECK(!decode(encode(both), limits));
    both.cert = certificate_of(x, {1, 2, 4, 5, 6});
    both.cert.author = validator_id{2};
    CHECK(!decode(encode(both), limits));
  }

  TEST_CASE("a body with a byte more, a byte less or two segments is refused") {
    const auto body = encode_header(full_header());
    REQUIRE(decode_header(body, limits));
    CHECK(!decode_header(copy_with(body, body.size() + 8), limits));
    CHECK(!decode_header(copy_with(body, body.size() - 8), limits));
    CHECK(!decode_header(copy_with(body, body.size() + 1), limits));
    CHECK(!decode_header({}, limits));

    capnp::MallocMessageBuilder small(8, capnp::AllocationStrategy::FIXED_SIZE);
    small.initRoot<schema::Header>().initCoinShare(100);
    REQUIRE(small.getSegmentsForOutput().size() > 1);
    CHECK(!decode_header(wire<schema::Header>(small).bytes(), limits));
  }

  TEST_CASE("every list and field beyond its bound is refused") {
    const auto refused = [](auto build) { return !decode_header(body_with(build), limits); };
    const auto one_payload = [](schema::Header::Builder x, unsigned n) {
      auto list = x.initPayload(n);
      for (auto entry : list) entry.initBatch(32);
    };
    CHECK(!refused([&](auto x) { one_payload(x, 256); }));
    CHECK(refused([&](auto x) { one_payload(x, 257); }));
    CHECK(!refused([](auto x) {
      for (auto parents = x.initParents(7); unsigned i : {0, 1, 2, 3, 4, 5, 6}) parents.init(i, 32);
    }));
    CHECK(refused([](auto x) {
      for (auto parents = x.initParents(8); unsigned i : {0, 1, 2, 3, 4, 5, 6, 7})
        parents.init(i, 32);
    }));
    CHECK(refused([](auto x) { x.initParents(1).init(0, 31); }));
    CHECK(refused([](auto x) { x.initWeakLinks(8); }));
    CHECK(refused([](auto x) { x.initWeakLinks(1)[0].initHeader(33); }));
    CHECK(refused([](auto x) { x.initPayload(1)[0].initBatch(0); }));
    CHECK(refused([](auto x) { x.initControl(65); }));
    CHECK(refused([](auto x) { x.initControl(1); }));  // a record of no kind
    CHECK(refused([](auto x) { x.initControl(1)[0].initHalt().initNextCommittee(31); }));
    CHECK(refused([](auto x) { x.initCoinShare(1025); }));
    CHECK(refused([](auto x) { x.setCreatedAt(std::uint64_t{1} << 63); }));
    CHECK(refused([](auto x) { x.setQueueDelayUs(std::uint64_t{1} << 62); }));
  }

  TEST_CASE("a header above the size cap is refused") {
    const auto body = encode_header(full_header());
    dag_limits tight = limits;
    tight.max_header_bytes = static_cast<std::uint32_t>(body.size());
    CHECK(decode_header(body, tight));
    --tight.max_header_bytes;
    CHECK(!decode_header(body, tight));
  }

  TEST_CASE("counts that overlap in a small body are not copied again and again") {
    const auto body = body_with([](auto x) {
      auto list = x.initPayload(64);
      list[0].initBatch(32);
      list[0].initCounts(8000);
      for (unsigned i = 1; i < 64; ++i) list[i].initBatch(32);
    });
    // Every entry's counts pointer is made a copy of the first one's, with its offset corrected.
    auto bytes = copy_with(body, body.size());
    auto* words = reinterpret_cast<std::uint64_t*>(const_cast<byte*>(bytes.data()));
    std::size_t first = 0;
    for (std::size_t i = 1; i < body.size() / 8 && first == 0; ++i)
      if ((words[i] & 3) == 1 && words[i] >> 35 == 8000) first = i;
    REQUIRE(first > 0);
    const std::size_t stride = 3;  // words of a PayloadEntry: one of data, two pointers
    for (std::size_t i = 1; i < 64; ++i)
      words[first + i * stride] = words[first] - (i * stride << 2);
    unsigned entries = 0;
    CHECK(read_body<schema::Header>(bytes, [&](schema::Header::Reader in) {
      for (unsigned i = 0; i < 4; ++i) entries += in.getPayload()[i].getCounts().size() == 8000;
    }));
    CHECK(entries == 4);  // the fraud is readable
    CHECK(!decode_header(bytes, limits));
  }

  TEST_CASE("a certificate's bits and signatures must match and name members") {
    const header x = full_header();
    const auto frame_with = [&](auto build) {
      capnp::MallocMessageBuilder message;
      auto out = message.initRoot<schema::PeerMessage>().initCertificate();
      out.initHeader(32);
      build(out);
      return wire<schema::PeerMessage>(message);
    };
    const auto taken = [&](byte bits, unsigned signatures) {
      return decode(frame_with([&](auto out) {
                      out.initSigners(1)[0] = bits;
                      out.initSignatures(signatures);
                    }),
                    limits)
          .has_value();
    };
    CHECK(taken(0b0111'0000, 3 * 64));
    CHECK(!taken(0b0111'0000, 3 * 64 - 1));
    CHECK(!taken(0b0111'0000, 3 * 64 + 1));
    CHECK(!taken(0b0111'0000, 2 * 64));
    CHECK(!taken(0b0111'0000, 4 * 64));
    CHECK(!taken(0b1000'0000, 64));  // the eighth of seven validators
    CHECK(!decode(frame_with([](auto out) { out.initSigners(2); }), limits));
  }

  TEST_CASE("requests and ranges are bounded") {
    CHECK(decode(encode_peer(header_request{std::vector<digest>(max_requested_headers)}), limits));
    CHECK(!decode(encode_peer(header_request{std::vector<digest>(max_requested_headers + 1)}),
                  limits));
    CHECK(!decode(encode_peer(round_range{round_number{5}, round_number{4}}), limits));
  }

  TEST_CASE("genesis headers differ by chain and validator") {
    const auto a = genesis_header(some_digest(1), validator_id{0});
    CHECK(a != genesis_header(some_digest(1), validator_id{1}));
    CHECK(a != genesis_header(some_digest(2), validator_id{0}));
    const auto chain = some_digest(1);
    std::vector<byte> bytes(chain.bytes.begin(), chain.bytes.end());
    bytes.insert(bytes.end(), {0x02, 0x01});
    CHECK(genesis_header(some_digest(1), validator_id{0x0102}) == header_id(bytes));
  }

  TEST_CASE("the bytes of a header and of a certificate are frozen") {
    // A change here is a change of the protocol: every digest and every stored header changes.
    const auto hex = [](const digest& x) { return crypto::to_hex(x); };
    CHECK(hex(full_header().id) ==
          "b81973d26eedec05b45c203b8d4222900b29bbd2dd951f6209f05b36c3dc24dd");
    const auto cert = encode_peer(certificate_of(full_header(), {0, 1, 2, 4, 6}));
    CHECK(hex(crypto::hash({cert.bytes()})) ==
          "33eb9342910433c9bc5ca9040b4d2788656500e20bb2cc5050fc94aae1df5ad1");
  }

  TEST_CASE("damaged frames are refused or decode, without a crash or a wrong identity") {
    const header x = full_header();
    const std::vector<wire<schema::PeerMessage>> good{
        encode_peer(signed_header_of(x).bytes),
        encode_peer(vote{x.id, x.author, x.round, validator_id{5}, some_signature(1)}),
        encode_peer(certificate_of(x, {0, 1, 2, 3, 4})),
        encode_peer(
            certified_header{x, signed_header_of(x).bytes, certificate_of(x, {0, 1, 2, 3, 4})}),
        encode_peer(header_request{x.parents}),
        encode_peer(round_range{round_number{4}, round_number{9}})};
    for (unsigned seed = 0; seed < 6000; ++seed) {
      CAPTURE(seed);
      std::mt19937 rng(seed);
      const auto& frame = good[seed % good.size()];
      std::vector<char> bytes(frame.bytes().data(), frame.bytes().data() + frame.size());
      const auto changes = 1 + rng() % 4;
      for (unsigned i = 0; i < changes; ++i)
        bytes[rng() % bytes.size()] ^= static_cast<char>(1u << rng() % 8);
      if (rng() % 4 == 0) bytes.resize(rng() % bytes.size());
      const auto message =
          decode(wire<schema::PeerMessage>(shared_bytes(std::move(bytes))), limits);
      if (!message) continue;
      if (const auto* h = std::get_if<signed_header>(&*message)) {
        CHECK(h->hdr.id == header_id(h->bytes.body));
        CHECK(h->hdr.parents.size() <= limits.validators);
      }
      if (const auto* c = std::get_if<certified_header>(&*message))
        CHECK(c->cert.header == c->hdr.id);
    }
  }
}

TEST_SUITE("codec migration") {
  TEST_CASE("every kind of control record survives the trip") {
    for (const auto& record : full_header().control) CHECK(decode(encode(record)) == record);
  }

  TEST_CASE("a record of no kind is refused") {
    capnp::MallocMessageBuilder message;
    message.initRoot<schema::ControlRecord>().setNone();
    CHECK(!decode(wire<schema::ControlRecord>(message)));
  }

  TEST_CASE("committed control records survive the trip with their authors") {
    commit_control x{commit_index{7}, round_number{13}, {}};
    for (const auto& record : full_header().control)
      x.records.push_back({validator_id{static_cast<std::uint16_t>(x.records.size())}, record});
    CHECK(decode(encode(x)) == x);
  }
}
