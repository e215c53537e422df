// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/access.h"
#include "plugins/outputs/http/options.h"

namespace logweir::http_out {

// Value. The body and headers that a record brings itself (body_key, headers_key).
class OwnBody {
 public:
  // The keys have passed the schema's check.
  explicit OwnBody(const HttpOutputOptions& options);

  [[nodiscard]] bool wanted() const { return body_.has_value(); }
  // The text, valid until the next call or the record's end; nothing when the record has no such text.
  std::optional<std::string_view> body(const Batch& batch, const Record& record);
  // Adds a "Name: value" for each text in the record's object; those that can't be headers, or are the output's own,
  // are passed over. Returns how many were.
  std::size_t headers(const Batch& batch, const Record& record, std::vector<std::string>& to);

 private:
  std::optional<Accessor> body_;
  std::optional<Accessor> headers_;
  std::string scratch_;
};

}  // namespace logweir::http_out
