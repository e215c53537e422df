// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "loop/loop.h"

namespace logweir {

// Value. A server; `host` is a name or an address without brackets.
struct HttpServerName {
  std::string host;
  int port = 80;
  bool tls = false;
  [[nodiscard]] std::string text() const;  // "https://a.example:443", "http://[::1]:80"
};

enum class HttpAddresses : unsigned char { any, ipv4, ipv6 };

// Value. How a client connects.
struct HttpClientOptions {
  Nanos connect_timeout = 10 * kSecond;  // name, connection and TLS together
  Nanos total_timeout = 60 * kSecond;    // of a request; 0: none
  Nanos idle_timeout = 0;                // without a byte either way; 0: none
  bool keepalive = true;
  Nanos keepalive_idle = 30 * kSecond;  // a connection that was idle for longer is not used again
  std::string proxy;                    // "http://host:port"; empty: what http_proxy and its like say
  bool ignore_proxy_env = false;
  HttpAddresses prefer = HttpAddresses::any;  // others are tried when these can't be found or reached
  std::string source_address;                 // an address of this machine to connect from; empty: the system's choice
  bool tcp_keepalive = true;                  // the kernel probes idle connections
  int tcp_keepalive_time = 0;                 // seconds without traffic before the first probe; 0: libcurl's, 60
  int tcp_keepalive_interval = 0;             // seconds between probes; 0: libcurl's, 60
  int tcp_keepalive_probes = 0;               // without an answer before the connection is broken; 0: the system's
  Nanos dns_life = 5 * kSecond;               // how long a name's addresses are kept; whole seconds
  Nanos connection_life = 300 * kSecond;  // so that new addresses are found while the old ones answer; whole seconds
  std::string user;                       // not empty: basic authentication
  std::string password;
  bool verify = true;
  bool verify_hostname = true;
  std::string ca_file;
  std::string ca_path;
  std::string cert_file;
  std::string key_file;
  std::string key_password;
  std::string min_tls;  // "TLSv1.2"; empty: the library's
  std::string max_tls;
  std::string ciphers;      // OpenSSL's list, for TLS up to 1.2
  std::string server_name;  // for SNI, the certificate's check and the Host header, instead of the host
};

// Value. A request with a body. What it looks at stays as it is until the call has ended.
struct HttpSend {
  std::string_view method;  // POST, PUT
  const HttpServerName* to = nullptr;
  std::string_view uri;                  // begins with /
  std::span<const std::string> headers;  // "Name: value", no line breaks
  std::span<const iovec> body;           // read as often as it must be sent
  Nanos total_timeout = 0;               // instead of the client's; 0: the client's
  Nanos connect_timeout = 0;
  bool own_name = false;  // HttpClientOptions::server_name is not this server's
};

// Value, valid during the callback. How a call ended: with an answer, or with a failure.
struct HttpEnd {
  int status = 0;            // 0: no answer, or not all of it
  Nanos retry_after = 0;     // how long the peer asks to wait; 0: it did not
  std::string_view body;     // the answer's, its first 64 KiB
  std::string_view failure;  // a word from a small set: dns, connect, tls, timeout, reset, protocol
  Status why;                // of the failure
};

// Resource. Connections to HTTP servers, kept and shared by its calls: HTTP/1.1, or HTTP/2 where TLS agrees on it. No
// redirects, no cookies, only http and https. Names are looked up anew after five seconds. On its loop's thread.
class HttpClient {
 public:
  // Fails when a file that TLS needs can't be read.
  static Result<std::unique_ptr<HttpClient>> open(Loop& loop, HttpClientOptions options);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();  // its calls have gone before

 private:
  friend class HttpCall;
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Resource. One request at a time, again and again. `done` comes once for each that was not cancelled, from the loop,
// never inside `start`; it may start the next one and start, cancel or destroy any call, this one included, but not the
// client. A connection that the server had closed while it was idle is replaced unseen.
class HttpCall {
 public:
  HttpCall(HttpClient& client, std::function<void(const HttpEnd&)> done);
  HttpCall(const HttpCall&) = delete;
  HttpCall& operator=(const HttpCall&) = delete;
  ~HttpCall();
  void start(const HttpSend& request);
  void cancel();
  [[nodiscard]] bool running() const;

  struct Impl;  // for the client's side

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace logweir
