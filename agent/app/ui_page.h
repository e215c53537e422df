// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "wire/http_server.h"

namespace logweir {

// Value, constant. The status page as built from agent/app/ui: one document, with the SHA-256 of what stands in its
// style and script elements, in hex.
struct UiPage {
  std::string_view html;
  std::string_view style_hash;
  std::string_view script_hash;
};
const UiPage& ui_page();

// The answer at /ui: the browser runs that script and no other, and asks nobody but us.
HttpAnswer ui_answer();

// Hex digits as base64, for 'sha256-...' of a policy.
std::string base64_of_hex(std::string_view hex);

}  // namespace logweir
