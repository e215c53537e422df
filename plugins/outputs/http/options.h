// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/compress.h"
#include "config/schema.h"
#include "plugin/encode_keys.h"
#include "wire/http_client.h"

namespace logweir::http_out {

enum class HttpMethod : int { post, put };
enum class HttpFormat : int { json, json_lines, json_stream, msgpack };
enum class HttpCompress : int { none, gzip, zstd };
enum class OAuthMethod : int { basic, post };

struct HttpOutputOptions : EncodeKeys {
  std::string host = "127.0.0.1";
  std::int64_t port = 80;
  std::vector<std::string> endpoints;
  std::string uri = "/";
  HttpMethod method = HttpMethod::post;
  HttpFormat format = HttpFormat::json;
  std::string record_id_key;
  HttpCompress compress = HttpCompress::none;
  std::vector<std::string> headers;
  std::string header_tag;
  bool repeated_headers = true;
  std::string body_key;
  std::string headers_key;
  bool log_answers = true;
  std::string user;
  std::string password;
  std::string bearer;
  std::string proxy;
  bool ignore_proxy_env = false;
  std::int64_t concurrency = 1;
  Duration connect_timeout{10 * kSecond};
  Duration response_timeout{60 * kSecond};
  Duration read_idle_timeout{0};
  Duration io_timeout{0};
  bool prefer_ipv4 = false;
  bool prefer_ipv6 = false;
  std::string source_address;
  bool tcp_keepalive = true;
  std::int64_t tcp_keepalive_time = -1;
  std::int64_t tcp_keepalive_interval = -1;
  std::int64_t tcp_keepalive_probes = -1;
  bool keepalive = true;
  Duration keepalive_idle{30 * kSecond};
  bool tls = false;
  bool verify = true;
  bool verify_hostname = true;
  std::string ca_file;
  std::string ca_path;
  std::string cert_file;
  std::string key_file;
  std::string key_password;
  std::string vhost;
  std::string min_tls;
  std::string max_tls;
  std::string ciphers;
  bool oauth = false;
  std::string token_url;
  std::string client_id;
  std::string client_secret;
  std::string scope;
  std::string audience;
  std::string resource;
  OAuthMethod oauth_method = OAuthMethod::basic;
  std::string token_user_agent;
  Duration token_timeout{0};
  Duration token_connect_timeout{0};
  std::int64_t refresh_skew = 60;
};

const Schema& http_output_schema();

// `endpoints`, else host and port. Without a fault once the schema's check has passed, as all below.
Result<std::vector<HttpServerName>> servers_of(const HttpOutputOptions& options);
// "Name: value" each: content type, the user's, authorization.
Result<std::vector<std::string>> headers_of(const HttpOutputOptions& options);
HttpClientOptions client_options(const HttpOutputOptions& options);
std::string uri_of(const HttpOutputOptions& options);  // with a / in front
inline Compression compression_of(const HttpOutputOptions& options) {
  if (options.compress == HttpCompress::none) return Compression::none;
  return options.compress == HttpCompress::gzip ? Compression::gzip : Compression::zstd;
}

}  // namespace logweir::http_out
