// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/http/options.h"

#include <array>

#include "plugins/outputs/http/texts.h"

namespace logweir::http_out {

namespace {

using O = HttpOutputOptions;

constexpr std::array kOptions = {
    option<&O::host>("host", "127.0.0.1", "Name or address of the server.", kIdentity),
    option<&O::port>("port", "80", "Port of the server.", kIdentity),
    option<&O::endpoints>("endpoints", "",
                          "Servers in order of preference, each host:port or http(s)://host:port, instead of host and "
                          "port. When one fails the next gets the same request; the first is tried again later.",
                          kIdentity | kCommaList),
    option<&O::uri>("uri", "/", "Path of the requests.", kIdentity),
    option<&O::method>("http_method", "POST", "Method of the requests.", 0, "POST|PUT"),
    option<&O::format>("format", "json",
                       "json: an array of objects. json_lines: an object per line. json_stream: objects with nothing "
                       "in between. msgpack is not there yet.",
                       0, "json|json_lines|json_stream|msgpack"),
    kJsonDateKey,
    kJsonDateFormat,
    option<&O::compress>("compress", "none", "Compress the bodies.", 0, "none|gzip|zstd"),
    option<&O::headers>("header", "", "NAME VALUE: a header of every request. May be given several times.", kRepeats),
    option<&O::header_tag>("header_tag", "",
                           "Name of a header with the records' tag; a request then has records of one tag."),
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
};

constexpr std::array<std::string_view, 34> kKnown = {
    "log_response_payload",
    "allow_duplicated_headers",
    "body_key",
    "headers_key",
    "aws_auth",
    "aws_service",
    "aws_region",
    "aws_sts_endpoint",
    "aws_role_arn",
    "aws_external_id",
    "aws_profile",
    "gelf_*",
    "oauth2.*",
    "net.dns.mode",
    "net.dns.resolver",
    "net.dns.prefer_ipv4",
    "net.dns.prefer_ipv6",
    "net.keepalive_max_recycle",
    "net.tcp_keepalive",
    "net.tcp_keepalive_time",
    "net.tcp_keepalive_interval",
    "net.tcp_keepalive_probes",
    "net.connect_timeout_log_error",
    "net.io_timeout",
    "net.source_address",
    "net.max_worker_connections",
    "tls.debug",
    "tls.min_version",
    "tls.max_version",
    "tls.ciphers",
    "tls.proxy.*",
    "tls.windows.*",
    "upstream",
    "retain_metadata_in_forward_mode",
};

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

void check(const void* options, const Node& node, Problems& problems) {
  const auto& o = *static_cast<const O*>(options);
  check_encode_keys(o, node, problems);
  check_access(o, node, problems);
  if (o.format == HttpFormat::msgpack) {
    problems.error(place_of(node, "format"),
                   "format is msgpack, but the http output can't write it yet; use json, json_lines or json_stream.");
  }
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
  if (o.connect_timeout.value <= 0) {
    problems.error(place_of(node, "net.connect_timeout"), "net.connect_timeout must be more than 0.");
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
  if (!has_type) {
    list.emplace_back(options.format == HttpFormat::json_lines ? "Content-Type: application/x-ndjson"
                                                               : "Content-Type: application/json");
  }
  return list;
}

HttpClientOptions client_options(const O& o) {
  HttpClientOptions client;
  client.connect_timeout = o.connect_timeout.value;
  client.total_timeout = o.response_timeout.value;
  client.idle_timeout = o.read_idle_timeout.value;
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
