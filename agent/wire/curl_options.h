// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <string_view>

#include "base/check.h"
#include "wire/http_client.h"

namespace logweir {

template <typename T>
void set_curl_option(CURL* easy, CURLoption option, T value) {
  LW_CHECK(curl_easy_setopt(easy, option, value) == CURLE_OK);
}

// What a client's options say to each of its handles. The options outlive the handle.
void apply_curl_options(CURL* easy, const HttpClientOptions& options);
long curl_addresses(HttpAddresses kind);

}  // namespace logweir
