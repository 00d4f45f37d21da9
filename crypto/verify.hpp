// Bytes -> verified<T>: the one way for a value that somebody signed into a protocol core.
#pragma once

#include <optional>

#include "crypto/signing.hpp"
#include "messages/verified.hpp"

namespace flamingo::crypto {

/// `value`, if `sig` is `key`'s signature of `statement`.
template <class T>
std::optional<verified<T>> verify(T value, const signature_scheme& scheme, const public_key& key,
                                  byte_span statement, const signature& sig) {
  if (!scheme.verify(key, statement, sig)) return std::nullopt;
  return verified<T>::after_check(std::move(value));
}

/// `value`, if `all_valid()` says that every signature in it was checked and is right.
template <class T, class Check>
std::optional<verified<T>> verify_all(T value, Check&& all_valid) {
  if (!all_valid(value)) return std::nullopt;
  return verified<T>::after_check(std::move(value));
}

}  // namespace flamingo::crypto
