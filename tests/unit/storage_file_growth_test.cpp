// storage/file_growth: zeros ahead of what a file uses.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "storage/file_growth.hpp"
#include "storage/kv.hpp"
#include "tests/unit/temporary_directory.hpp"

using namespace flamingo::storage;
using flamingo::tests::temporary_directory;

TEST_SUITE("storage file growth") {
  TEST_CASE("zeros are added in steps up to the wanted distance and never over what is there") {
    temporary_directory here;
    const auto file = here.path() / "data";
    std::ofstream(file) << std::string(10'000, 'x');
    file_growth growth(file, 50'000, 1'000'000);
    CHECK(growth.wanted(10'000));
    growth.advance(10'000, 30'000);
    CHECK(growth.file_bytes() == 40'000);
    growth.advance(10'000, 30'000);
    CHECK(std::filesystem::file_size(file) == 60'000);
    CHECK_FALSE(growth.wanted(10'000));
    CHECK(growth.wanted(10'001));
    std::ifstream in(file);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    CHECK(bytes == std::string(10'000, 'x') + std::string(50'000, '\0'));
  }

  TEST_CASE("a file that outgrew its zeros is not overwritten") {
    temporary_directory here;
    const auto file = here.path() / "data";
    std::ofstream(file) << "x";
    file_growth growth(file, 1'000, 1'000'000);
    std::ofstream(file) << std::string(5'000, 'y');
    growth.advance(5'000, 10'000);
    std::ifstream in(file);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    CHECK(bytes == std::string(5'000, 'y') + std::string(1'000, '\0'));
  }

  TEST_CASE("a file is never grown past its limit, and not at all when nothing is to be ahead") {
    temporary_directory here;
    const auto file = here.path() / "data";
    std::ofstream(file) << "x";
    file_growth limited(file, 50'000, 20'000);
    limited.advance(1, 100'000);
    CHECK(std::filesystem::file_size(file) == 20'000);
    CHECK_FALSE(limited.wanted(20'000));
    file_growth none(file, 0, 1'000'000);
    CHECK_FALSE(none.wanted(20'000));
  }

  TEST_CASE("a missing file is refused in one line that names it") {
    CHECK_THROWS_WITH_AS(file_growth("/nowhere/data", 1, 1), doctest::Contains("/nowhere/data"),
                         error);
  }
}
