// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/http/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

constexpr std::array<std::string_view, 4> kOwnHeaders = {"Content-Length", "Transfer-Encoding", "Content-Encoding",
                                                         "Connection"};

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

Result<Url> parse_url(std::string_view written) {
  const std::string_view text = trimmed(written);
  const bool tls = text.starts_with("https://");
  if (!tls && !text.starts_with("http://")) {
    return Status(Code::invalid, "it must begin with http:// or https://, such as https://id.example/token.");
  }
  const std::size_t path = text.find_first_of("/?", tls ? 8 : 7);
  Result<HttpServerName> server = parse_server(text.substr(0, path), tls ? 443 : 80, tls);
  if (!server.ok()) return server.status();
  std::string uri(path == std::string_view::npos ? "" : text.substr(path));
  if (!uri.starts_with('/')) uri.insert(0, 1, '/');
  if (!is_uri(uri)) return Status(Code::invalid, "its path must be without spaces, control characters and #.");
  return Url{std::move(server).value(), std::move(uri)};
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
  if (is_own_header(name)) {
    return Status(Code::invalid, fmt::format("header {} is the http output's own; leave it out.", name));
  }
  return fmt::format("{}: {}", name, trimmed(text.substr(space)));
}

bool same_text(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_own_header(std::string_view name) {
  return std::any_of(kOwnHeaders.begin(), kOwnHeaders.end(), [name](auto own) { return same_text(name, own); });
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

void drop_repeated_headers(std::vector<std::string>& headers) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::string name = headers[i].substr(0, headers[i].find(':'));
    const bool later = std::any_of(headers.begin() + static_cast<std::ptrdiff_t>(i) + 1, headers.end(),
                                   [&name](const std::string& other) { return is_header(other, name); });
    if (later) continue;
    if (kept != i) headers[kept] = std::move(headers[i]);
    ++kept;
  }
  headers.resize(kept);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < have ? static_cast<unsigned char>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) text += i <= have ? kLetters[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::string form_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || std::string_view("-._*").find(c) != std::string_view::npos) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
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
