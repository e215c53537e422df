// SPDX-License-Identifier: Apache-2.0
#include "wire/curl_options.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace logweir {

namespace {

constexpr long kUploadBuffer = 256 * 1024;
constexpr long kCaSeconds = 60;  // how long certificates read from files are trusted to be the same

template <typename T>
void set(CURL* easy, CURLoption option, T value) {
  set_curl_option(easy, option, value);
}

// libcurl has no option for the number of probes.
int on_socket_made(void* options, curl_socket_t fd, curlsocktype /*purpose*/) {
  const int probes = static_cast<const HttpClientOptions*>(options)->tcp_keepalive_probes;
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  return CURL_SOCKOPT_OK;
}

void set_connection(CURL* easy, const HttpClientOptions& o) {
  set(easy, CURLOPT_DNS_CACHE_TIMEOUT, static_cast<long>(o.dns_life / kSecond));
  set(easy, CURLOPT_FORBID_REUSE, o.keepalive ? 0L : 1L);
  set(easy, CURLOPT_MAXAGE_CONN, static_cast<long>(std::max<Nanos>(o.keepalive_idle / kSecond, 1)));
  set(easy, CURLOPT_MAXLIFETIME_CONN, static_cast<long>(o.connection_life / kSecond));
  set(easy, CURLOPT_TCP_KEEPALIVE, o.tcp_keepalive ? 1L : 0L);
  if (o.tcp_keepalive_time > 0) set(easy, CURLOPT_TCP_KEEPIDLE, static_cast<long>(o.tcp_keepalive_time));
  if (o.tcp_keepalive_interval > 0) set(easy, CURLOPT_TCP_KEEPINTVL, static_cast<long>(o.tcp_keepalive_interval));
  if (o.tcp_keepalive && o.tcp_keepalive_probes > 0) {
    set(easy, CURLOPT_SOCKOPTFUNCTION, on_socket_made);
    set(easy, CURLOPT_SOCKOPTDATA, const_cast<HttpClientOptions*>(&o));
  }
  if (!o.source_address.empty()) set(easy, CURLOPT_INTERFACE, ("host!" + o.source_address).c_str());
  if (!o.proxy.empty()) {
    set(easy, CURLOPT_PROXY, o.proxy.c_str());
    set(easy, CURLOPT_NOPROXY, "");
  } else if (o.ignore_proxy_env) {
    set(easy, CURLOPT_PROXY, "");
  }
}

long curl_version(std::string_view name, bool most) {
  static constexpr std::array<std::pair<std::string_view, std::array<long, 2>>, 5> kVersions = {{
      {"TLSv1", {CURL_SSLVERSION_TLSv1_0, CURL_SSLVERSION_MAX_TLSv1_0}},
      {"TLSv1.0", {CURL_SSLVERSION_TLSv1_0, CURL_SSLVERSION_MAX_TLSv1_0}},
      {"TLSv1.1", {CURL_SSLVERSION_TLSv1_1, CURL_SSLVERSION_MAX_TLSv1_1}},
      {"TLSv1.2", {CURL_SSLVERSION_TLSv1_2, CURL_SSLVERSION_MAX_TLSv1_2}},
      {"TLSv1.3", {CURL_SSLVERSION_TLSv1_3, CURL_SSLVERSION_MAX_TLSv1_3}},
  }};
  for (const auto& [word, values] : kVersions) {
    if (word == name) return values[most ? 1 : 0];
  }
  return most ? static_cast<long>(CURL_SSLVERSION_MAX_DEFAULT) : static_cast<long>(CURL_SSLVERSION_DEFAULT);
}

void set_tls(CURL* easy, const HttpClientOptions& o) {
  set(easy, CURLOPT_SSL_VERIFYPEER, o.verify ? 1L : 0L);
  set(easy, CURLOPT_SSL_VERIFYHOST, o.verify && o.verify_hostname ? 2L : 0L);
  set(easy, CURLOPT_CA_CACHE_TIMEOUT, kCaSeconds);
  set(easy, CURLOPT_SSLVERSION, curl_version(o.min_tls, false) | curl_version(o.max_tls, true));
  if (!o.ciphers.empty()) set(easy, CURLOPT_SSL_CIPHER_LIST, o.ciphers.c_str());
  if (!o.ca_file.empty()) set(easy, CURLOPT_CAINFO, o.ca_file.c_str());
  if (!o.ca_path.empty()) set(easy, CURLOPT_CAPATH, o.ca_path.c_str());
  if (!o.cert_file.empty()) set(easy, CURLOPT_SSLCERT, o.cert_file.c_str());
  if (!o.key_file.empty()) set(easy, CURLOPT_SSLKEY, o.key_file.c_str());
  if (!o.key_password.empty()) set(easy, CURLOPT_KEYPASSWD, o.key_password.c_str());
}

}  // namespace

void apply_curl_options(CURL* easy, const HttpClientOptions& o) {
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_QUICK_EXIT, 1L);  // nobody waits for a look-up that was given up
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy, CURLOPT_PATH_AS_IS, 1L);
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(easy, CURLOPT_USERAGENT, "logweir");
  set(easy, CURLOPT_UPLOAD_BUFFERSIZE, kUploadBuffer);
  set_connection(easy, o);
  set_tls(easy, o);
  if (!o.user.empty()) {
    set(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    set(easy, CURLOPT_USERNAME, o.user.c_str());
    set(easy, CURLOPT_PASSWORD, o.password.c_str());
  }
}

long curl_addresses(HttpAddresses kind) {
  if (kind == HttpAddresses::any) return CURL_IPRESOLVE_WHATEVER;
  return kind == HttpAddresses::ipv4 ? CURL_IPRESOLVE_V4 : CURL_IPRESOLVE_V6;
}

}  // namespace logweir
