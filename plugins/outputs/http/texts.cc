// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/http/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace logweir::http_out {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_token_char(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool same_text(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_host(std::string_view host) {
  return !host.empty() && host.size() <= 255 && std::none_of(host.begin(), host.end(), is_control) &&
         host.find_first_of(" /?#@\\\"<>[]%") == std::string_view::npos;
}

}  // namespace

Result<HttpServerName> parse_server(std::string_view text, int default_port, bool default_tls) {
  const std::string_view whole = trimmed(text);
  const auto wrong = [&] {
    return Status(Code::invalid,
                  fmt::format("\"{}\" is not a server; write host:port, [IPv6 address]:port or https://host:port, "
                              "with a port from 1 to 65535 and no path (that is uri).",
                              whole));
  };
  HttpServerName server{"", default_port, default_tls};
  std::string_view rest = whole;
  if (rest.starts_with("http://") || rest.starts_with("https://")) {
    server.tls = rest.starts_with("https://");
    rest.remove_prefix(server.tls ? 8 : 7);
    if (rest.ends_with('/')) rest.remove_suffix(1);
  }
  std::string_view host = rest;
  std::string_view port;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return wrong();
    host = rest.substr(1, end - 1);
    port = rest.substr(end + 1);
  } else if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    host = rest.substr(0, colon);
    port = rest.substr(colon);
  }
  if (!port.empty()) {
    const char* const last = port.data() + port.size();
    const auto [end, error] = std::from_chars(port.data() + 1, last, server.port);
    if (port.front() != ':' || error != std::errc() || end != last) return wrong();
  }
  if (!is_host(host) || server.port < 1 || server.port > 65535) return wrong();
  server.host = host;
  return server;
}

std::string bracketed_host(std::string_view host) {
  const bool bare = host.find(':') != std::string_view::npos && !host.starts_with('[');
  return bare ? fmt::format("[{}]", host) : std::string(host);
}

Result<std::string> parse_header(std::string_view written) {
  const std::string_view text = trimmed(written);
  const std::size_t space = text.find_first_of(" \t");
  const std::string_view name = text.substr(0, space);
  if (space == std::string_view::npos || !is_header_name(name)) {
    return Status(Code::invalid, fmt::format("header is \"{}\", but it must be NAME VALUE, such as \"X-Team web\".",
                                             printable(text, 80)));
  }
  if (!is_header_value(text.substr(space))) {
    return Status(Code::invalid, fmt::format("the value of header {} has a line break or another control character, "
                                             "which would end the header; leave it out.",
                                             name));
  }
  for (const std::string_view own : {"Content-Length", "Transfer-Encoding", "Content-Encoding", "Connection"}) {
    if (same_text(name, own)) {
      return Status(Code::invalid, fmt::format("header {} is the http output's own; leave it out.", own));
    }
  }
  return fmt::format("{}: {}", name, trimmed(text.substr(space)));
}

bool is_header_name(std::string_view name) {
  return !name.empty() && name.size() <= 256 && std::all_of(name.begin(), name.end(), is_token_char);
}

bool is_header_value(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) { return is_control(c) && c != '\t'; });
}

bool is_header(std::string_view header, std::string_view name) {
  return header.size() > name.size() && header[name.size()] == ':' && same_text(header.substr(0, name.size()), name);
}

bool is_uri(std::string_view uri) {
  return uri.starts_with('/') && std::none_of(uri.begin(), uri.end(), is_control) &&
         uri.find_first_of(" #\\\"<>") == std::string_view::npos;
}

std::string printable(std::string_view bytes, std::size_t most) {
  std::string text(bytes.substr(0, most));
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace logweir::http_out
