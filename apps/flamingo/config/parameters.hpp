// The keys of the parameters: every field of protocol_parameters and local_parameters.
#pragma once

#include "actors/local_parameters.hpp"
#include "actors/protocol_parameters.hpp"
#include "apps/flamingo/config/schema.hpp"

namespace flamingo::config {

/// [protocol] of a committee file. Every key is required: a default that changed with the program
/// would split the network.
section describe_protocol(protocol_parameters& x);

/// [application] of a committee file: the application and the state that it starts with.
section describe_application(protocol_parameters& x);

/// [local] of a validator's file.
section describe_local(local_parameters& x);

}  // namespace flamingo::config
