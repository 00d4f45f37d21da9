// What operators ask and validators answer them: whatever the bytes, the codec gives a value or
// nothing, and a value survives the trip.
#include "messages/codec_validator.hpp"
#include "tests/fuzz/start_from.hpp"

using namespace flamingo;

namespace {

std::vector<std::vector<std::uint8_t>> make_examples() {
  status_report report;
  report.queue_delays = {std::chrono::microseconds(1500), std::nullopt};
  report.state_root = digest{};
  report.evidence = {{0, 1}, {{validator_id{1}, round_number{7}, {}, {}}}};
  executors_report executors;
  executors.problem = "no host is there";
  executors.list = {{executor_id{1}, "10.0.0.5:7000", commit_index{17}, true}};
  executors.hosts = {{"10.0.0.5:7000", true}};
  return {fuzz::example(0, encode(operator_message{status_query{}}).bytes()),
          fuzz::example(0, encode(operator_message{scale_request{1}}).bytes()),
          fuzz::example(0, encode(operator_message{executors}).bytes()),
          fuzz::example(0, encode(operator_message{report}).bytes())};
}

}  // namespace

FLAMINGO_FUZZ_FROM(make_examples)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto value = decode(wire<schema::OperatorMessage>(fuzz::frame_of(data, size)));
  if (value) FLAMINGO_ASSERT(decode(encode(*value)).has_value());
  return 0;
}
