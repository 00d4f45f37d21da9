// Frames in words, for the traces, and their declared sizes, for the bandwidth of links.
#pragma once

#include <string>

#include "actors/interfaces.hpp"
#include "actors/link/doorway.hpp"
#include "messages/time.hpp"
#include "tests/sim/trace.hpp"

namespace flamingo::sim {

std::string name_of(link::peer x);

template <class Message>
constexpr int conversation_of();
template <>
constexpr int conversation_of<schema::PeerMessage>() {
  return 0;
}
template <>
constexpr int conversation_of<schema::WorkerMessage>() {
  return 1;
}
template <>
constexpr int conversation_of<schema::ClientMessage>() {
  return 2;
}
template <>
constexpr int conversation_of<schema::OperatorMessage>() {
  return 3;
}

std::string summary(const peer_frame& x);
std::string summary(const worker_frame& x);
std::string summary(const client_frame& x);
std::string summary(const operator_frame& x);

/// "  12.345678 v0 -> v2 header v0 r14 parents 4 payload 1"
template <class Message>
std::string describe(time_point now, link::peer from, link::peer to, const wire<Message>& x) {
  return trace::at(now) + name_of(from) + " -> " + name_of(to) + " " + summary(x);
}

/// Bytes that a frame takes on the wire.
template <class Message>
std::size_t declared_size(const wire<Message>& x) {
  return x.size();
}

}  // namespace flamingo::sim
