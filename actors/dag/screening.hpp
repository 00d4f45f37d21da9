// What a look at an unchecked message says, before anything costly is done with it: most of what a
// hostile or repeating peer sends ends here, without a signature being checked.
#pragma once

#include "actors/errors.hpp"

namespace flamingo::dag {

struct screening {
  enum class outcome : std::uint8_t {
    check,   // worth its signatures
    ignore,  // known already, or of no use any more: not a fault of the sender
    refuse,  // a fault: count `why`
  };
  outcome what = outcome::check;
  reject why = reject::malformed;

  static constexpr screening check() { return {}; }
  static constexpr screening ignore() { return {outcome::ignore, {}}; }
  static constexpr screening refuse(reject why) { return {outcome::refuse, why}; }

  friend bool operator==(const screening&, const screening&) = default;
};

}  // namespace flamingo::dag
