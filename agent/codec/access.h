// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "record/batch.h"

namespace logweir {

// Value. A way to one field: `key`, `$key`, `$a['b'][0]`. Read once from the conf.
class Accessor {
 public:
  static Result<Accessor> parse(std::string_view text);
  // The field's value: strings unescaped (into `scratch` when they had escapes), numbers and containers as their JSON
  // text (Value::Kind::json) or typed. Nothing when the record has no such field. Looks up that key alone: a JSON body
  // is not walked further than needed. What it returns looks into the batch, the origin or `scratch`.
  [[nodiscard]] std::optional<Value> find(const Batch& batch, const Record& record, std::string& scratch) const;
  // The value as text for a regex or comparison: strings as they are, numbers as written, booleans true/false. Nothing
  // for null.
  [[nodiscard]] std::optional<std::string_view> text(const Batch& batch, const Record& record,
                                                     std::string& scratch) const;

 private:
  // One step down: a key of an object, or an index into an array.
  struct Step {
    std::string key;
    std::size_t index = 0;
    bool is_index = false;
  };
  static Result<Step> read_step(std::string_view text, std::string_view& rest);
  [[nodiscard]] std::optional<std::string_view> walk(std::string_view json) const;

  std::vector<Step> steps_;  // never empty; the first is a key
  std::uint64_t bits_ = 0;   // key_bits of the first
};

}  // namespace logweir
