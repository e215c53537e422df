// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "wire/http_client.h"

namespace logweir::http_out {

// "a:1", "a" (with `default_port`), "[::1]:1", "https://a:1"; without a scheme it is `default_tls`.
Result<HttpServerName> parse_server(std::string_view text, int default_port, bool default_tls);
// "https://a:1/path?query"; the path may be missing.
struct Url {
  HttpServerName server;
  std::string uri;
};
Result<Url> parse_url(std::string_view text);
// The host as `parse_server` takes it: IPv6 addresses in brackets.
std::string bracketed_host(std::string_view host);

// "NAME VALUE" as it is sent, "NAME: VALUE". Refused: what would end the line, and what tells the body's length.
Result<std::string> parse_header(std::string_view written);
bool is_header_name(std::string_view name);
bool is_header_value(std::string_view value);
bool is_header(std::string_view header, std::string_view name);  // whatever the case
bool is_uri(std::string_view uri);
// Whether the output, not the user, says it: what frames the body.
bool is_own_header(std::string_view name);
bool same_text(std::string_view a, std::string_view b);  // whatever the case
// Of headers with the same name only the last stays, in its place.
void drop_repeated_headers(std::vector<std::string>& headers);

std::string base64(std::string_view bytes);
std::string form_encoded(std::string_view text);  // application/x-www-form-urlencoded

// Bytes of a peer for our own log: short, one line, plain ASCII.
std::string printable(std::string_view bytes, std::size_t most = 512);

}  // namespace logweir::http_out
