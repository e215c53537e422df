// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema.h"

namespace logweir {

class Input;
class InputShared;
class Filter;
class Output;

// Value. A plugin's options, type erased; shared by its instances on all workers, immutable once read.
using OptionsPtr = std::shared_ptr<const void>;

// Values, constant data: a plugin's one visible symbol. `make_options` gives a default-constructed struct that
// `schema` fills. Construction touches nothing outside; `open` does.
struct InputEntry {
  std::string_view name;
  std::string_view summary;
  const Schema* schema;
  std::shared_ptr<void> (*make_options)();
  std::unique_ptr<Input> (*make)(OptionsPtr options, InputShared* shared);    // one per worker
  std::unique_ptr<InputShared> (*make_shared)(OptionsPtr options) = nullptr;  // one per instance, on the control loop
  bool stateful = false;  // keeps positions: needs the state directory
  // Paths below which it reads; what else it opens is refused where service.landlock is on.
  std::vector<std::string> (*reads_below)(const void* options) = nullptr;
};

struct FilterEntry {
  std::string_view name;
  std::string_view summary;
  const Schema* schema;
  std::shared_ptr<void> (*make_options)();
  std::unique_ptr<Filter> (*make)(OptionsPtr options);
};

struct OutputEntry {
  std::string_view name;
  std::string_view summary;
  const Schema* schema;
  std::shared_ptr<void> (*make_options)();
  std::unique_ptr<Output> (*make)(OptionsPtr options);
  // One object in the process, on a home worker; the others lend it their shipments. Such an output looks at nothing
  // of a shipment after `send` has returned: what it could not write by then it has copied.
  bool single = false;
  Nanos linger = 0;  // default of the lane's `linger`
  // Where it delivers to, for spools and checkpoints: "tcp:127.0.0.1:5170". Stable text.
  std::string (*destination)(const void* options) = nullptr;
  // Files it writes whose names are known beforehand: inputs keep away from them, or a line would feed itself.
  std::vector<std::string> (*writes)(const void* options) = nullptr;
  // Paths below which it makes and writes files; what else it opens is refused where service.landlock is on.
  std::vector<std::string> (*writes_below)(const void* options) = nullptr;
};

// What the agent contains; filled by plugins/builtin.cc, in name order.
struct Shelf {
  std::span<const InputEntry* const> inputs;
  std::span<const FilterEntry* const> filters;
  std::span<const OutputEntry* const> outputs;
};

template <typename T>
std::shared_ptr<void> make_options_of() {
  return std::make_shared<T>();
}

}  // namespace logweir
