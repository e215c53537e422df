// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "config/tree.h"

namespace logweir {

// Strong types for option members, so that a schema knows how to read and print them.
struct Bytes {  // "512", "32k", "1.5M", "2GB": powers of 1024
  std::uint64_t value = 0;
};
struct Duration {  // "5" = 5 s, "0.5", "200ms", "1m", "2h30m", "1d"; off, none and -1 (stored as -1) where `allowed` is
                   // "off"
  Nanos value = 0;
};

// Marks of an option.
enum Mark : unsigned {
  kIdentity = 1,  // part of the instance's stable id
  kLive = 2,      // a reload may change it in place
  kSecret = 4,    // printed as ***
  kRequired = 8,
  kCommaList = 16,  // a scalar is split at commas (a YAML list is taken as it is)
  kRepeats = 32,    // may be given several times or as a list; one entry each
};

// Value, constant data. One option: how it is called, where it goes, what it means. Made by `option`.
struct Option {
  std::string_view key;
  std::string_view fallback;  // default, as a user would write it; also what `help` shows
  std::string_view help;      // one or two sentences, unit included
  unsigned marks = 0;
  // What may be given: "a|b|c" is a closed set of words (for choices and text), "1..65535" bounds a number, "off" lets
  // a duration be switched off. Else whatever the type takes.
  std::string_view allowed;
  // Sets the member of `options`; on failure the text says what is allowed ("a size such as 32k or 1M").
  Status (*set)(void* options, const Node& value, const Option& option) = nullptr;
  std::string (*show)(const void* options, const Option& option) = nullptr;  // the effective value
  std::string_view type;  // "size", "duration", "yes/no", "number", "text", "list", "choice"
};

// Value, constant data. A plugin's or section's options. `make`d objects start from the defaults.
struct Schema {
  std::span<const Option> options;
  // Keys of Fluent Bit that mean something there and are not (yet) taken here: a warning, not an error. "net.*" means
  // all keys that begin so.
  std::span<const std::string_view> known_elsewhere;
  // A last look over the whole, for what no single option can see. May be null. Problems carry the node's place.
  void (*check)(const void* options, const Node& node, Problems& problems) = nullptr;
};

// Reads `node` (a map) into `options`, a struct to which `schema` belongs: defaults first, then each key; keys listed
// in `others` belong to somebody else and are passed over. Unknown keys are errors with the nearest known one.
void read_options(const Schema& schema, const Node& node, std::span<const std::string_view> others, void* options,
                  Problems& problems);

// The reference text for a terminal: each key with type, default, marks and help.
std::string render_help(const Schema& schema);
// "key: value" a line each, effective values, secrets as ***.
std::string render_values(const Schema& schema, const void* options, int indent);
// What `identity` options say, for the instance's id; stable text.
std::string identity_of(const Schema& schema, const void* options);

// Whether a written key is one of `known`, where "net.*" stands for all that begin so.
bool is_known_key(std::string_view written, std::span<const std::string_view> known);

// Sizes and durations outside a schema; nothing when the text is none.
std::optional<std::uint64_t> parse_size(std::string_view text);
std::optional<Nanos> parse_duration(std::string_view text);

// The nearest word within a small edit distance, or "".
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);
// A written key as schemas spell keys: in lower case, camelCase as snake_case.
std::string plain_key(std::string_view written);
// Whether a written key means a schema's key: without regard to case, camelCase as snake_case.
bool same_key(std::string_view written, std::string_view key);

namespace schema_detail {
// Readers and printers per member type; defined in schema.cc.
Status read(std::string& to, const Node& value, const Option& option);
Status read(bool& to, const Node& value, const Option& option);  // on/off/yes/no/true/false/1/0, any case
Status read(std::int64_t& to, const Node& value, const Option& option);
Status read(double& to, const Node& value, const Option& option);
Status read(Bytes& to, const Node& value, const Option& option);
Status read(Duration& to, const Node& value, const Option& option);
Status read(std::vector<std::string>& to, const Node& value, const Option& option);
Status read_word(int& to, const Node& value, const Option& option);  // index into `allowed`
std::string print(const std::string& v);
std::string print(bool v);
std::string print(std::int64_t v);
std::string print(double v);
std::string print(Bytes v);
std::string print(Duration v);
std::string print(const std::vector<std::string>& v,
                  const Option& option);  // "a, b", or a YAML list where commas won't do
std::string print_word(int v, std::string_view allowed);

template <typename T>
struct MemberOf;
template <typename Class, typename T>
struct MemberOf<T Class::*> {
  using class_type = Class;
  using type = T;
};

template <typename T>
constexpr std::string_view type_word() {
  if constexpr (std::is_enum_v<T>)
    return "choice";
  else if constexpr (std::is_same_v<T, bool>)
    return "yes/no";
  else if constexpr (std::is_same_v<T, std::string>)
    return "text";
  else if constexpr (std::is_same_v<T, Bytes>)
    return "size";
  else if constexpr (std::is_same_v<T, Duration>)
    return "duration";
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return "list";
  else
    return "number";
}
}  // namespace schema_detail

// Binds a key to a member: option<&TailOptions::path>("path", "", "Files to read: ...", kIdentity | kRequired).
// Enum members take their words, in the order of the enumerators from 0, from `allowed`: "block|drop_newest".
template <auto Member>
constexpr Option option(std::string_view key, std::string_view fallback, std::string_view help, unsigned marks = 0,
                        std::string_view allowed = {}) {
  using Class = typename schema_detail::MemberOf<decltype(Member)>::class_type;
  using T = typename schema_detail::MemberOf<decltype(Member)>::type;
  Option o{key, fallback, help, marks, allowed, nullptr, nullptr, schema_detail::type_word<T>()};
  o.set = [](void* options, const Node& value, const Option& self) -> Status {
    T& to = static_cast<Class*>(options)->*Member;
    if constexpr (std::is_enum_v<T>) {
      int index = 0;
      Status status = schema_detail::read_word(index, value, self);
      if (status.ok()) to = static_cast<T>(index);
      return status;
    } else {
      return schema_detail::read(to, value, self);
    }
  };
  o.show = [](const void* options, [[maybe_unused]] const Option& self) -> std::string {
    const T& from = static_cast<const Class*>(options)->*Member;
    if constexpr (std::is_enum_v<T>) {
      return schema_detail::print_word(static_cast<int>(from), self.allowed);
    } else if constexpr (std::is_same_v<T, Duration>) {
      const bool unset = from.value < 0 && self.allowed != "off";
      return unset ? std::string() : schema_detail::print(from);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      return schema_detail::print(from, self);
    } else {
      return schema_detail::print(from);
    }
  };
  return o;
}

}  // namespace logweir
