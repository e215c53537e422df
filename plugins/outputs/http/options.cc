// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/http/options.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "codec/access.h"
#include "plugins/outputs/http/texts.h"

namespace logweir::http_out {

namespace {

using O = HttpOutputOptions;

constexpr std::array kOptions = {
    option<&O::host>("host", "127.0.0.1", "Name or address of the server.", kIdentity),
    option<&O::port>("port", "80", "Port of the server.", kIdentity, "1..65535"),
    option<&O::endpoints>("endpoints", "",
                          "Servers in order of preference, each host:port or http(s)://host:port, instead of host and "
                          "port. When one fails the next gets the same request; the first is tried again later.",
                          kIdentity | kCommaList),
    option<&O::uri>("uri", "/", "Path of the requests.", kIdentity),
    option<&O::method>("http_method", "POST", "Method of the requests.", 0, "POST|PUT"),
    option<&O::format>("format", "json",
                       "json: an array of objects. json_lines: an object per line. json_stream: objects with nothing "
                       "in between. msgpack: Fluent Bit's events, [[time, {}], record], with nothing in between.",
                       0, "json|json_lines|json_stream|msgpack"),
    kJsonDateKey,
    kJsonDateFormat,
    option<&O::record_id_key>("record_id_key", "",
                              "Name of a field to add with the record's id, the same each time the record is sent; a "
                              "field of this name that the record has itself is replaced. Empty: none."),
    option<&O::compress>("compress", "none", "Compress the bodies.", 0, "none|gzip|zstd"),
    option<&O::headers>("header", "", "NAME VALUE: a header of every request. May be given several times.", kRepeats),
    option<&O::header_tag>("header_tag", "",
                           "Name of a header with the records' tag; a request then has records of one tag."),
    option<&O::repeated_headers>("allow_duplicated_headers", "on",
                                 "off: of headers with the same name, whoever gave them, only the last one is sent."),
    option<&O::body_key>("body_key", "",
                         "Field whose text is the whole body ($body, $a['b']); each record is then a request of its "
                         "own, and one without this field is rejected."),
    option<&O::headers_key>("headers_key", "",
                            "Field with an object of more headers for such a request, its content type for one."),
    option<&O::log_answers>("log_response_payload", "on",
                            "Log what a server says to requests that it does not take; with log_level debug also to "
                            "those that it takes."),
    option<&O::user>("http_user", "", "User name for basic authentication."),
    option<&O::password>("http_passwd", "", "Password for basic authentication.", kSecret),
    option<&O::bearer>("http_bearer_token", "", "Token for bearer authentication.", kSecret),
    option<&O::proxy>("proxy", "", "Proxy to go through, http://host:port. Default: http_proxy and its like, if set.",
                      kSecret),
    option<&O::ignore_proxy_env>("net.proxy_env_ignore", "off", "Pass over http_proxy and its like."),
    option<&O::concurrency>("concurrency", "1", "Requests under way at a time. One keeps the order of the records.", 0,
                            "1..64"),
    option<&O::connect_timeout>("net.connect_timeout", "10s", "How long a connection may take, TLS included."),
    option<&O::response_timeout>("http.response_timeout", "60s", "How long a request may take in all; 0: no limit."),
    option<&O::read_idle_timeout>("http.read_idle_timeout", "0",
                                  "Give a request up when nothing has moved for so long; 0: never."),
    option<&O::io_timeout>("net.io_timeout", "0", "The same, where http.read_idle_timeout is 0; 0: never."),
    option<&O::prefer_ipv4>("net.dns.prefer_ipv4", "off", "Try a name's IPv4 addresses first."),
    option<&O::prefer_ipv6>("net.dns.prefer_ipv6", "off", "Try a name's IPv6 addresses first."),
    option<&O::source_address>("net.source_address", "", "Address of this machine to connect from."),
    option<&O::tcp_keepalive>("net.tcp_keepalive", "on",
                              "Let the kernel probe idle connections, so that a dead peer is noticed."),
    option<&O::tcp_keepalive_time>("net.tcp_keepalive_time", "-1", "Seconds of silence before a probe; -1: 60.", 0,
                                   "-1..32767"),
    option<&O::tcp_keepalive_interval>("net.tcp_keepalive_interval", "-1", "Seconds between probes; -1: 60.", 0,
                                       "-1..32767"),
    option<&O::tcp_keepalive_probes>("net.tcp_keepalive_probes", "-1",
                                     "Probes without an answer that break a connection; -1: the system's.", 0,
                                     "-1..127"),
    option<&O::keepalive>("net.keepalive", "on", "Use connections again."),
    option<&O::keepalive_idle>("net.keepalive_idle_timeout", "30s",
                               "A connection that was idle for longer is not used again."),
    option<&O::tls>("tls", "off", "Encrypt."),
    option<&O::verify>("tls.verify", "on", "Refuse a server whose certificate no known authority has signed."),
    option<&O::verify_hostname>("tls.verify_hostname", "on", "Refuse a server whose certificate names another."),
    option<&O::ca_file>("tls.ca_file", "", "Certificates of the authorities to trust; default: the system's."),
    option<&O::ca_path>("tls.ca_path", "", "The same, a folder."),
    option<&O::cert_file>("tls.crt_file", "", "Our own certificate, for servers that ask."),
    option<&O::key_file>("tls.key_file", "", "Its private key."),
    option<&O::key_password>("tls.key_passwd", "", "Password of that key.", kSecret),
    option<&O::vhost>("tls.vhost", "", "Name of the server for SNI, the certificate's check and the Host header."),
    option<&O::min_tls>("tls.min_version", "", "Oldest version of TLS to speak: TLSv1.1, TLSv1.2 or TLSv1.3."),
    option<&O::max_tls>("tls.max_version", "", "Newest version of TLS to speak."),
    option<&O::ciphers>("tls.ciphers", "", "Ciphers for TLS up to 1.2, as OpenSSL writes them, with colons."),
    option<&O::oauth>("oauth2.enable", "off", "Get a token by OAuth 2.0 client credentials and send it as bearer."),
    option<&O::token_url>("oauth2.token_url", "", "Where tokens are given out, https://host/path."),
    option<&O::client_id>("oauth2.client_id", "", "Our name there."),
    option<&O::client_secret>("oauth2.client_secret", "", "Our secret there.", kSecret),
    option<&O::scope>("oauth2.scope", "", "The scope to ask for."),
    option<&O::audience>("oauth2.audience", "", "The audience to ask for."),
    option<&O::resource>("oauth2.resource", "", "The resource to ask for."),
    option<&O::oauth_method>("oauth2.auth_method", "basic",
                             "Send name and secret as basic authentication, or in the body (post).", 0, "basic|post"),
    option<&O::token_user_agent>("oauth2.user_agent", "", "User-Agent of requests for a token; default: logweir."),
    option<&O::token_timeout>("oauth2.timeout", "0", "How long such a request may take; 0: as http.response_timeout."),
    option<&O::token_connect_timeout>("oauth2.connect_timeout", "0",
                                      "How long its connection may take; 0: as net.connect_timeout."),
    option<&O::refresh_skew>("oauth2.refresh_skew_seconds", "60", "So many seconds before its end a token is replaced.",
                             0, "0..86400"),
};

constexpr std::array<std::string_view, 23> kKnown = {
    "aws_auth",
    "aws_service",
    "aws_region",
    "aws_sts_endpoint",
    "aws_role_arn",
    "aws_external_id",
    "aws_profile",
    "gelf_*",
    "oauth2.jwt_key_file",
    "oauth2.jwt_cert_file",
    "oauth2.jwt_aud",
    "oauth2.jwt_header",
    "oauth2.jwt_ttl_seconds",
    "net.dns.mode",
    "net.dns.resolver",
    "net.keepalive_max_recycle",
    "net.connect_timeout_log_error",
    "net.max_worker_connections",
    "tls.debug",
    "tls.proxy.*",
    "tls.windows.*",
    "upstream",
    "retain_metadata_in_forward_mode",
};

std::string_view media_type(HttpFormat format) {
  if (format == HttpFormat::msgpack) return "msgpack";
  return format == HttpFormat::json_lines ? "x-ndjson" : "json";
}

bool has_tls(const O& options) {
  if (options.tls) return true;
  const auto servers = servers_of(options);
  if (!servers.ok()) return true;
  for (const HttpServerName& server : servers.value()) {
    if (server.tls) return true;
  }
  return false;
}

void check_access(const O& o, const Node& node, Problems& problems) {
  if (o.user.empty() && !o.password.empty()) {
    problems.error(place_of(node, "http_passwd"), "http_passwd is given without http_user.");
  }
  if (!o.user.empty() && !o.bearer.empty()) {
    problems.error(
        place_of(node, "http_bearer_token"),
        "http_user and http_bearer_token are both given, but a request has one authorization; leave one out.");
  }
  if (o.user.find(':') != std::string::npos) {
    problems.error(place_of(node, "http_user"), "http_user has a colon, which basic authentication can't carry.");
  }
  if (o.cert_file.empty() != o.key_file.empty()) {
    problems.error(place_of(node, o.cert_file.empty() ? "tls.key_file" : "tls.crt_file"),
                   "tls.crt_file and tls.key_file need each other; give both or neither.");
  }
  const bool tls_keys = !o.ca_file.empty() || !o.ca_path.empty() || !o.cert_file.empty() || !o.vhost.empty();
  if (tls_keys && !has_tls(o)) {
    problems.warning(node.place, "there are tls.* keys, but tls is off: nothing is encrypted.");
  }
}

void check_oauth(const O& o, const Node& node, Problems& problems) {
  if (!o.oauth) return;
  if (const auto url = parse_url(o.token_url); !url.ok()) {
    problems.error(place_of(node, "oauth2.token_url"),
                   fmt::format("oauth2.token_url can't be used: {}", url.status().message()));
  } else if (!url.value().server.tls) {
    problems.warning(place_of(node, "oauth2.token_url"),
                     "oauth2.token_url is not https: name and secret go over the network in the clear.");
  }
  if (o.client_id.empty() || o.client_secret.empty()) {
    problems.error(place_of(node, "oauth2.enable"),
                   "oauth2.enable is on, but oauth2.client_id or oauth2.client_secret is missing; give both.");
  }
  if (!is_header_value(o.token_user_agent)) {
    problems.error(place_of(node, "oauth2.user_agent"), "oauth2.user_agent must be one line.");
  }
  if (!o.user.empty() || !o.bearer.empty()) {
    problems.error(place_of(node, "oauth2.enable"),
                   "oauth2.enable is on, and http_user or http_bearer_token is given too, but a request has one "
                   "authorization; leave one out.");
  }
}

// 1.0 to 1.3 as 0 to 3, nothing for an empty text; -1: no version.
std::optional<int> tls_rank(std::string_view word) {
  if (word.empty()) return std::nullopt;
  constexpr std::array<std::string_view, 4> kWords = {"TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"};
  if (word == "TLSv1") return 0;
  const auto found = std::find(kWords.begin(), kWords.end(), word);
  return found == kWords.end() ? -1 : static_cast<int>(found - kWords.begin());
}

void check_network(const O& o, const Node& node, Problems& problems) {
  const auto least = tls_rank(o.min_tls);
  const auto most = tls_rank(o.max_tls);
  for (const auto& [key, rank] : {std::pair{"tls.min_version", least}, {"tls.max_version", most}}) {
    if (rank != -1) continue;
    problems.error(place_of(node, key), fmt::format("{} must be TLSv1, TLSv1.1, TLSv1.2 or TLSv1.3.", key));
  }
  if (least && most && *least > *most && *most >= 0) {
    problems.error(place_of(node, "tls.max_version"), "tls.max_version is older than tls.min_version.");
  }
  if (o.prefer_ipv4 && o.prefer_ipv6) {
    problems.error(place_of(node, "net.dns.prefer_ipv6"),
                   "net.dns.prefer_ipv4 and net.dns.prefer_ipv6 are both on, but only one can come first.");
  }
  std::array<unsigned char, 16> address{};
  if (!o.source_address.empty() && ::inet_pton(AF_INET, o.source_address.c_str(), address.data()) != 1 &&
      ::inet_pton(AF_INET6, o.source_address.c_str(), address.data()) != 1) {
    problems.error(place_of(node, "net.source_address"), "net.source_address must be an IPv4 or IPv6 address.");
  }
  if (o.connect_timeout.value <= 0) {
    problems.error(place_of(node, "net.connect_timeout"), "net.connect_timeout must be more than 0.");
  }
}

void check_fields(const O& o, const Node& node, Problems& problems) {
  for (const auto& [key, text] :
       {std::pair<std::string_view, const std::string&>{"body_key", o.body_key}, {"headers_key", o.headers_key}}) {
    if (text.empty()) continue;
    if (const auto accessor = Accessor::parse(text); !accessor.ok()) {
      problems.error(place_of(node, key), fmt::format("{}: {}", key, accessor.status().message()));
    }
  }
  if (o.body_key.empty() != o.headers_key.empty()) {
    problems.error(place_of(node, o.body_key.empty() ? "headers_key" : "body_key"),
                   "body_key and headers_key need each other; give both or neither.");
  }
  if (!o.record_id_key.empty() && o.record_id_key == o.json_date_key) {
    problems.error(place_of(node, "record_id_key"), "record_id_key and json_date_key name the same field.");
  }
}

void check(const void* options, const Node& node, Problems& problems) {
  const auto& o = *static_cast<const O*>(options);
  check_encode_keys(o, node, problems);
  check_access(o, node, problems);
  check_oauth(o, node, problems);
  check_network(o, node, problems);
  check_fields(o, node, problems);
  if (const auto servers = servers_of(o); !servers.ok()) {
    problems.error(place_of(node, o.endpoints.empty() ? "host" : "endpoints"), servers.status().message());
  }
  if (!o.endpoints.empty() && (has_key(node, "host") || has_key(node, "port"))) {
    problems.warning(place_of(node, "endpoints"),
                     "endpoints is given, so that host is not used; port is the default port of those without one.");
  }
  if (const auto headers = headers_of(o); !headers.ok()) {
    problems.error(place_of(node, "header"), headers.status().message());
  }
  if (!is_uri(uri_of(o))) {
    problems.error(place_of(node, "uri"), "uri must be a path without spaces, control characters and #.");
  }
  if (!o.proxy.empty() && !o.proxy.starts_with("http://") && !o.proxy.starts_with("https://")) {
    problems.error(place_of(node, "proxy"), "proxy must be http://host:port or https://host:port.");
  }
}

constexpr Schema kSchema = {kOptions, kKnown, check};

}  // namespace

const Schema& http_output_schema() { return kSchema; }

std::string uri_of(const O& options) { return options.uri.starts_with('/') ? options.uri : "/" + options.uri; }

Result<std::vector<HttpServerName>> servers_of(const O& options) {
  std::vector<HttpServerName> list;
  if (options.endpoints.empty()) {
    Result<HttpServerName> one =
        parse_server(bracketed_host(options.host), static_cast<int>(options.port), options.tls);
    if (!one.ok()) return one.status();
    list.push_back(std::move(one).value());
    return list;
  }
  for (const std::string& text : options.endpoints) {
    Result<HttpServerName> one = parse_server(text, static_cast<int>(options.port), options.tls);
    if (!one.ok()) return one.status();
    list.push_back(std::move(one).value());
  }
  return list;
}

Result<std::vector<std::string>> headers_of(const O& options) {
  std::vector<std::string> list;
  bool has_type = false;
  for (const std::string& written : options.headers) {
    Result<std::string> header = parse_header(written);
    if (!header.ok()) return header.status();
    has_type = has_type || is_header(header.value(), "Content-Type");
    list.push_back(std::move(header).value());
  }
  if (!options.header_tag.empty() && !is_header_name(options.header_tag)) {
    return Status(Code::invalid, "header_tag must be the name of a header: letters, digits and -.");
  }
  if (!is_header_value(options.bearer)) {
    return Status(Code::invalid, "http_bearer_token must be one line without control characters.");
  }
  if (!options.bearer.empty()) list.push_back("Authorization: Bearer " + options.bearer);
  if (!has_type && options.body_key.empty())
    list.push_back(fmt::format("Content-Type: application/{}", media_type(options.format)));
  return list;
}

HttpClientOptions client_options(const O& o) {
  HttpClientOptions client;
  client.connect_timeout = o.connect_timeout.value;
  client.total_timeout = o.response_timeout.value;
  client.idle_timeout = o.read_idle_timeout.value > 0 ? o.read_idle_timeout.value : o.io_timeout.value;
  if (o.prefer_ipv4) client.prefer = HttpAddresses::ipv4;
  if (o.prefer_ipv6) client.prefer = HttpAddresses::ipv6;
  client.source_address = o.source_address;
  client.tcp_keepalive = o.tcp_keepalive;
  client.tcp_keepalive_time = static_cast<int>(o.tcp_keepalive_time);
  client.tcp_keepalive_interval = static_cast<int>(o.tcp_keepalive_interval);
  client.tcp_keepalive_probes = static_cast<int>(o.tcp_keepalive_probes);
  client.min_tls = o.min_tls;
  client.max_tls = o.max_tls;
  client.ciphers = o.ciphers;
  client.keepalive = o.keepalive;
  client.keepalive_idle = o.keepalive_idle.value;
  client.proxy = o.proxy;
  client.ignore_proxy_env = o.ignore_proxy_env;
  client.user = o.user;
  client.password = o.password;
  client.verify = o.verify;
  client.verify_hostname = o.verify_hostname;
  client.ca_file = o.ca_file;
  client.ca_path = o.ca_path;
  client.cert_file = o.cert_file;
  client.key_file = o.key_file;
  client.key_password = o.key_password;
  client.server_name = o.vhost;
  return client;
}

}  // namespace logweir::http_out
