// TLS identities: what is issued is accepted, and every wrong file is one line that names it.
#include <doctest/doctest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "crypto/hex.hpp"
#include "crypto/tls_identity.hpp"

using namespace flamingo;
using namespace flamingo::crypto;
namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::days;

namespace {

const std::chrono::sys_seconds start{1'700'000'000s};
const validity ten_days{start, start + days(10)};
const validity two_days{start, start + days(2)};
const auto noon = start + 12h;  // when hand-shakes happen

struct folder {
  fs::path path;
  folder() {
    auto name = (fs::temp_directory_path() / "flamingo-tls-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~folder() { fs::remove_all(path); }
};

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

void replace(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::trunc) << text;
}

// What the operator reads. One line that names `file`, or the test fails.
std::string complaint(const fs::path& file, const std::function<void()>& action) {
  try {
    action();
  } catch (const file_error& e) {
    const std::string line = e.what();
    CHECK(line.starts_with(file.string() + ": "));
    CHECK(line.find('\n') == std::string::npos);
    return line;
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// A PEM body as bytes.
std::vector<byte> der_of(const std::string& pem) {
  std::vector<byte> out;
  std::uint32_t bits = 0;
  int count = 0;
  std::size_t at = pem.find('\n');
  for (; pem[at] != '-'; ++at) {
    const char c = pem[at];
    const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto value = alphabet.find(c);
    if (value == alphabet.npos) continue;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if ((count += 6) >= 8) out.push_back(static_cast<byte>(bits >> (count -= 8)));
  }
  return out;
}

// A certificate's last moment, as it is written.
std::string end_of(const fs::path& certificate) {
  BIO* in = BIO_new_file(certificate.c_str(), "r");
  X509* cert = PEM_read_bio_X509(in, nullptr, nullptr, nullptr);
  const auto* end = X509_get0_notAfter(cert);
  std::string out(reinterpret_cast<const char*>(ASN1_STRING_get0_data(end)),
                  static_cast<std::size_t>(ASN1_STRING_length(end)));
  X509_free(cert);
  BIO_free(in);
  return out;
}

// One end of a connection as a link sets it up.
struct end {
  SSL_CTX* context = SSL_CTX_new(TLS_method());
  SSL* ssl = nullptr;
  BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());

  end(bool server, const fs::path& authority_certificate, const identity_files& files) {
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    REQUIRE(SSL_CTX_use_certificate_file(context, files.certificate.c_str(), SSL_FILETYPE_PEM) ==
            1);
    REQUIRE(SSL_CTX_use_PrivateKey_file(context, files.private_key.c_str(), SSL_FILETYPE_PEM) == 1);
    REQUIRE(SSL_CTX_load_verify_locations(context, authority_certificate.c_str(), nullptr) == 1);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(context), noon.time_since_epoch().count());
    ssl = SSL_new(context);
    SSL_set_bio(ssl, in, out);
    server ? SSL_set_accept_state(ssl) : SSL_set_connect_state(ssl);
  }
  ~end() {
    SSL_free(ssl);
    SSL_CTX_free(context);
  }

  std::optional<std::string> peer() const {
    X509* cert = SSL_get1_peer_certificate(ssl);
    if (cert == nullptr || SSL_get_verify_result(ssl) != X509_V_OK)
      return X509_free(cert), std::nullopt;
    std::vector<byte> der(static_cast<std::size_t>(i2d_X509(cert, nullptr)));
    auto* next = der.data();
    i2d_X509(cert, &next);
    X509_free(cert);
    return name_in_der(der);
  }
};

// True when both ends finish the hand-shake. Each gets what the other wrote, a few times in turn.
bool handshake(end& a, end& b) {
  int ok_a = 0, ok_b = 0;
  for (int turn = 0; turn < 6; ++turn) {
    ok_a = SSL_do_handshake(a.ssl);
    for (auto* pair : {&a, &b}) {
      auto& to = pair == &a ? b : a;
      std::array<char, 16384> moved;
      for (int n; (n = BIO_read(pair->out, moved.data(), moved.size())) > 0;)
        BIO_write(to.in, moved.data(), n);
      if (pair == &a) ok_b = SSL_do_handshake(b.ssl);
    }
  }
  return ok_a == 1 && ok_b == 1;
}

}  // namespace

TEST_SUITE("crypto tls identity") {
  TEST_CASE("an issued identity names its holder and passes the check of its authority") {
    folder f;
    const auto ca = create_authority(f.path, ten_days);
    for (const std::string name : {"validator-0", "client-3", "operator"}) {
      const auto files = issue(ca, name, f.path, two_days);
      CHECK(name_of_certificate(files.certificate) == name);
      CHECK(name_in_pem(content(files.certificate)) == name);
      CHECK(name_in_der(der_of(content(files.certificate))) == name);
      CHECK_NOTHROW(check_identity(ca.certificate_file(), files, name, start + 1h));
    }
  }

  TEST_CASE("keys are readable by their owner alone, certificates by everyone") {
    folder f;
    const auto old_mask = ::umask(0);
    const auto files = issue(create_authority(f.path, ten_days), "validator-0", f.path, two_days);
    ::umask(old_mask);
    const auto mode = [](const fs::path& file) {
      return static_cast<unsigned>(fs::status(file).permissions());
    };
    CHECK(mode(f.path / "ca.key") == 0600);
    CHECK(mode(files.private_key) == 0600);
    CHECK(mode(files.certificate) == 0644);
  }

  TEST_CASE("an authority read back issues identities that the first copy accepts") {
    folder f;
    create_authority(f.path, ten_days);
    const auto again = load_authority(f.path);
    const auto files = issue(again, "client-0", f.path, two_days);
    CHECK_NOTHROW(check_identity(f.path / "ca.pem", files, "client-0", start + 1h));
  }

  TEST_CASE("an identity of another authority is refused although both bear the same name") {
    folder a, b;
    const auto ca = create_authority(a.path, ten_days);
    const auto files = issue(create_authority(b.path, ten_days), "validator-0", b.path, two_days);
    const auto line = complaint(files.certificate, [&] {
      check_identity(ca.certificate_file(), files, "validator-0", start + 1h);
    });
    CHECK(has(line, ca.certificate_file().string()));
  }

  TEST_CASE("an identity is no authority: what it issues is refused") {
    folder a, b;
    const auto leaf = issue(create_authority(a.path, ten_days), "validator-0", a.path, two_days);
    fs::copy(leaf.certificate, b.path / "ca.pem");
    fs::copy(leaf.private_key, b.path / "ca.key");
    CHECK(has(complaint(b.path / "ca.pem", [&] { load_authority(b.path); }), "authority"));
  }

  TEST_CASE("a certificate counts within its time only, and never outlives its authority") {
    folder f;
    const auto ca = create_authority(f.path, ten_days);
    const auto brief = issue(ca, "client-0", f.path, two_days);
    const auto greedy = issue(ca, "client-1", f.path, {start, start + days(99)});
    const auto at = [&](const identity_files& files, const char* name,
                        std::chrono::sys_seconds now) {
      return complaint(files.certificate,
                       [&] { check_identity(ca.certificate_file(), files, name, now); });
    };
    CHECK(has(at(brief, "client-0", start - 1h), "not yet valid"));
    CHECK(at(brief, "client-0", start + 1h).empty());
    CHECK(has(at(brief, "client-0", start + days(2) + 1h), "expired"));
    CHECK(at(greedy, "client-1", start + days(9)).empty());
    CHECK(has(at(greedy, "client-1", start + days(10) + 1h), "expired"));
    CHECK(end_of(greedy.certificate) == end_of(ca.certificate_file()));
    const auto usual = validity::starting_now(identity_lifetime);
    CHECK(usual.until - usual.from == identity_lifetime + 1h);
  }

  TEST_CASE("a certificate of another name, or a key of another certificate, is refused") {
    folder f;
    const auto ca = create_authority(f.path, ten_days);
    const auto zero = issue(ca, "validator-0", f.path, two_days);
    const auto one = issue(ca, "validator-1", f.path, two_days);
    const auto wrong_name = complaint(zero.certificate, [&] {
      check_identity(ca.certificate_file(), zero, "validator-1", start + 1h);
    });
    CHECK(has(wrong_name, "'validator-0'"));
    CHECK(has(wrong_name, "'validator-1'"));
    const identity_files mixed{zero.certificate, one.private_key};
    CHECK(has(
        complaint(one.private_key,
                  [&] { check_identity(ca.certificate_file(), mixed, "validator-0", start + 1h); }),
        zero.certificate.string()));
  }

  TEST_CASE("nothing is overwritten, and a refusal leaves what was there") {
    folder f;
    const auto ca = create_authority(f.path, ten_days);
    const auto files = issue(ca, "operator", f.path, two_days);
    const auto before = content(files.private_key) + content(f.path / "ca.key");
    CHECK(has(complaint(files.certificate, [&] { issue(ca, "operator", f.path, two_days); }),
              "never overwritten"));
    CHECK(has(complaint(f.path / "ca.pem", [&] { create_authority(f.path, ten_days); }),
              "never overwritten"));
    fs::remove(files.certificate);
    CHECK(has(complaint(files.private_key, [&] { issue(ca, "operator", f.path, two_days); }),
              "never overwritten"));
    CHECK_FALSE(fs::exists(files.certificate));
    CHECK(content(files.private_key) + content(f.path / "ca.key") == before);
  }

  TEST_CASE("missing, malformed, empty or exposed files are refused in one line each") {
    folder f;
    const auto ca = create_authority(f.path, ten_days);
    const auto files = issue(ca, "validator-0", f.path, two_days);
    const auto check = [&] {
      check_identity(ca.certificate_file(), files, "validator-0", start + 1h);
    };
    ::chmod(files.private_key.c_str(), 0640);
    CHECK(has(complaint(files.private_key, check), "0640"));
    ::chmod(files.private_key.c_str(), 0600);
    const auto key = content(files.private_key), cert = content(files.certificate);
    for (const auto& bad : {std::string(), std::string("garbage"), key.substr(0, key.size() / 2)}) {
      replace(files.private_key, bad);
      CHECK(has(complaint(files.private_key, check), "Ed25519 private key"));
    }
    replace(files.private_key, key);
    for (const auto& bad : {std::string(), key, cert.substr(0, cert.size() / 2)}) {
      replace(files.certificate, bad);
      CHECK(has(complaint(files.certificate, check), "not a certificate"));
      CHECK(has(complaint(files.certificate, [&] { name_of_certificate(files.certificate); }),
                "not a certificate"));
    }
    replace(files.certificate, std::string(100'000, 'x'));
    CHECK(has(complaint(files.certificate, check), "100000 bytes"));
    fs::remove(files.certificate);
    CHECK(has(complaint(files.certificate, check), "No such file"));
    const auto nowhere = f.path / "nowhere";
    CHECK(has(complaint(nowhere / "ca.key", [&] { create_authority(nowhere, ten_days); }),
              "No such file"));
  }

  TEST_CASE("an authority's key of another authority is refused") {
    folder a, b;
    create_authority(a.path, ten_days);
    create_authority(b.path, ten_days);
    fs::copy_file(b.path / "ca.key", a.path / "ca.key", fs::copy_options::overwrite_existing);
    CHECK(has(complaint(a.path / "ca.key", [&] { load_authority(a.path); }), "ca.pem"));
  }

  TEST_CASE("a name that could mean something to a shell, a path or a certificate is refused") {
    folder f;
    const auto ca = create_authority(f.path, ten_days);
    for (const std::string& bad :
         {std::string(), std::string("../x"), std::string("a,DNS:b"), std::string("a\0b", 3),
          std::string("Validator"), std::string("0a"), std::string("a b"), std::string(64, 'a')}) {
      CHECK_FALSE(is_identity_name(bad));
      CHECK_THROWS_AS(issue(ca, bad, f.path, two_days), file_error);
    }
    CHECK(is_identity_name(std::string(63, 'a')));
  }

  TEST_CASE("bytes of a peer that are no certificate name nobody") {
    folder f;
    const auto files = issue(create_authority(f.path, ten_days), "client-7", f.path, two_days);
    const auto der = der_of(content(files.certificate));
    REQUIRE(name_in_der(der) == "client-7");
    for (std::size_t size = 0; size < der.size(); ++size)
      CHECK_FALSE(name_in_der(byte_span(der).first(size)));
    auto longer = der;
    longer.push_back(0);
    CHECK_FALSE(name_in_der(longer));
    for (std::size_t i = 0; i < der.size(); ++i) {
      auto bad = der;
      bad[i] ^= 0x55;
      name_in_der(bad);  // any answer, but an answer
    }
    CHECK_FALSE(name_in_pem(""));
    CHECK_FALSE(name_in_pem(std::string(1'000'000, 'x')));
    CHECK_FALSE(name_in_pem(content(files.private_key)));
    CHECK_FALSE(name_in_pem(content(f.path / "ca.pem")));  // an authority is no peer
  }

  TEST_CASE("two identities of one network shake hands with mutual TLS 1.3 and name each other") {
    folder f;
    const auto ca = create_authority(f.path, ten_days);
    end server(true, ca.certificate_file(), issue(ca, "validator-0", f.path, two_days));
    end client(false, ca.certificate_file(), issue(ca, "client-3", f.path, two_days));
    REQUIRE(handshake(client, server));
    CHECK(server.peer() == "client-3");
    CHECK(client.peer() == "validator-0");
    CHECK(SSL_version(client.ssl) == TLS1_3_VERSION);
  }

  TEST_CASE(
      "an identity of another network, or an expired one, does not get through a hand-shake") {
    folder a, b;
    const auto ca = create_authority(a.path, ten_days), other = create_authority(b.path, ten_days);
    const auto home = issue(ca, "validator-0", a.path, two_days);
    const auto stranger = issue(other, "client-3", b.path, two_days);
    const auto late = issue(ca, "client-4", a.path, {start, noon - 1h});
    for (const auto& files : {stranger, late}) {
      end server(true, ca.certificate_file(), home);
      end client(false, ca.certificate_file(), files);
      CHECK_FALSE(handshake(client, server));
      CHECK_FALSE(server.peer());
    }
  }
}
