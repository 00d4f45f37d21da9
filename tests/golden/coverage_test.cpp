// No message, field or union member without golden bytes: reads the schemas and what the frozen
// frames set of them.
#include <capnp/dynamic.h>
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "tests/golden/frozen.hpp"
#include "tests/golden/hex_file.hpp"

namespace flamingo::golden {

namespace {

// Not frozen, and why.
const std::map<std::string, std::string> left_out{
    {"ControlRecord.none", "never valid"},
    {"SystemTransaction.none", "never valid"},
    {"ClientSummary", "stays in the client's process"},
    {"LatencyHistogram", "stays in the client's process"},
};

/// The schemas' structs that frames reached, with their fields, and those of them that some frame
/// sets to something but the default.
struct coverage {
  std::set<std::string> structs, fields, set;

  void visit(const capnp::DynamicStruct::Reader& x) {
    const auto schema = x.getSchema();
    const std::string name = schema.getShortDisplayName().cStr();
    structs.insert(name);
    const auto chosen = x.which();
    for (const auto field : schema.getFields()) {
      const std::string what = name + "." + field.getProto().getName().cStr();
      fields.insert(what);
      bool present = x.has(field, capnp::HasMode::NON_DEFAULT);
      KJ_IF_MAYBE (active, chosen) present = present || *active == field;
      if (!present) continue;
      const auto value = x.get(field);
      if (visit(value)) set.insert(what);
    }
  }

  /// False for what is empty.
  bool visit(const capnp::DynamicValue::Reader& x) {
    switch (x.getType()) {
      case capnp::DynamicValue::STRUCT:
        visit(x.as<capnp::DynamicStruct>());
        return true;
      case capnp::DynamicValue::LIST: {
        const auto list = x.as<capnp::DynamicList>();
        for (const auto& element : list) visit(element);
        return list.size() > 0;
      }
      case capnp::DynamicValue::DATA:
        return x.as<capnp::Data>().size() > 0;
      case capnp::DynamicValue::TEXT:
        return x.as<capnp::Text>().size() > 0;
      default:
        return true;
    }
  }
};

coverage covered() {
  coverage found;
  for (const frozen_frame& x : all_frames()) {
    if (!x.schema) continue;
    CHECK_MESSAGE(wire<capnp::DynamicStruct>::read_words(
                      x.bytes,
                      [&](capnp::MessageReader& message) {
                        found.visit(message.getRoot<capnp::DynamicStruct>(*x.schema));
                      }),
                  x.name);
  }
  return found;
}

std::set<std::string> structs_in_schemas() {
  const std::regex declared("^ *struct (\\w+) @0x");
  std::set<std::string> names;
  const auto schemas = folder().parent_path().parent_path() / "messages/schema";
  for (const auto& entry : std::filesystem::directory_iterator(schemas)) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      if (std::smatch m; std::regex_search(line, m, declared)) names.insert(m[1]);
  }
  return names;
}

}  // namespace

TEST_SUITE("golden frames") {
  TEST_CASE("every struct of the schemas is in some frozen frame") {
    const auto found = covered();
    const auto names = structs_in_schemas();
    CHECK(names.size() > 40);
    for (const std::string& name : names)
      CHECK_MESSAGE(found.structs.contains(name) != left_out.contains(name), name);
  }

  TEST_CASE("every field and union member of the schemas is set in some frozen frame") {
    const auto found = covered();
    CHECK(found.fields.size() > 150);
    for (const std::string& field : found.fields)
      CHECK_MESSAGE(found.set.contains(field) != left_out.contains(field), field);
  }
}

}  // namespace flamingo::golden
