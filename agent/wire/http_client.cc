// SPDX-License-Identifier: Apache-2.0
#include "wire/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "loop/poll.h"
#include "wire/curl_options.h"

namespace logweir {

namespace {

constexpr std::size_t kKeepOfBody = 64 * 1024;

Status readable(std::string_view what, const std::string& path) {
  if (path.empty() || ::access(path.c_str(), R_OK) == 0) return {};
  return Status::from_errno(errno, fmt::format("read the {} {} for TLS", what, path));
}

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
}

template <typename T>
void set(CURL* easy, CURLoption option, T value) {
  set_curl_option(easy, option, value);
}

std::string_view word_of(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return "dns";
    case CURLE_COULDNT_CONNECT:
      return "connect";
    case CURLE_OPERATION_TIMEDOUT:
      return "timeout";
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_SHUTDOWN_FAILED:
      return "tls";
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
      return "protocol";
    default:
      return "reset";
  }
}

}  // namespace

std::string HttpServerName::text() const {
  return fmt::format("{}://{}:{}", tls ? "https" : "http", bracketed(host), port);
}

// libcurl says which sockets it wants to hear of and when it wants to be woken; everything else is its own.
struct HttpClient::Impl {
  Impl(Loop& on, HttpClientOptions asked)
      : loop(on), options(std::move(asked)), timer(on.timers(), [this] { drive(CURL_SOCKET_TIMEOUT, 0); }) {
    static std::once_flag once;  // libcurl's own state is the process's
    std::call_once(once, [] { LW_CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK); });
    multi = curl_multi_init();
    LW_CHECK(multi != nullptr);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    LW_CHECK(calls == 0);
    curl_multi_cleanup(multi);  // says goodbye to each socket
  }

  static int on_socket(CURL* /*easy*/, curl_socket_t fd, int what, void* self, void* /*socket*/) {
    static_cast<Impl*>(self)->watch(fd, what);
    return 0;
  }
  static int on_timer(CURLM* /*multi*/, long milliseconds, void* self) {
    auto& impl = *static_cast<Impl*>(self);
    if (milliseconds < 0) {
      impl.timer.cancel();
    } else {
      impl.timer.arm(impl.loop.now() + milliseconds * kMillisecond);
    }
    return 0;
  }

  void watch(int fd, int what);
  void ready(int fd, unsigned events, int error);
  void drive(int fd, int events);

  Loop& loop;
  const HttpClientOptions options;
  CURLM* multi = nullptr;
  struct Socket {
    std::unique_ptr<Poll> poll;
    unsigned events = 0;
  };
  std::unordered_map<int, Socket> sockets;
  Timer timer;
  std::size_t calls = 0;
};

struct HttpCall::Impl {
  Impl(HttpClient::Impl& of, std::function<void(const HttpEnd&)> told);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  void set_options();
  void set_target(const HttpSend& request);
  void start(const HttpSend& request);
  void begin();
  void stop();
  void ended(CURLcode code);
  void look_for_life();

  static std::size_t on_read(char* to, std::size_t size, std::size_t count, void* self);
  static int on_seek(void* self, curl_off_t offset, int origin);
  static std::size_t on_write(const char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_header(const char* bytes, std::size_t size, std::size_t count, void* self);

  HttpClient::Impl& client;
  std::function<void(const HttpEnd&)> done;
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  curl_slist* connect_to = nullptr;
  bool running = false;
  bool preferred = false;  // only addresses of the preferred kind are tried; if that fails, all are
  std::span<const iovec> body;
  std::size_t piece = 0;   // of the body, the next to be read
  std::size_t offset = 0;  // in it
  std::string answer;
  Nanos moved_at = 0;  // the last sign of life
  Timer idle_timer;
  std::array<char, CURL_ERROR_SIZE> error{};
};

void HttpClient::Impl::watch(int fd, int what) {
  if (what == CURL_POLL_REMOVE) {
    sockets.erase(fd);
    return;
  }
  unsigned events = 0;
  if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) events |= Poll::kReadable;
  if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) events |= Poll::kWritable;
  Socket& socket = sockets[fd];
  if (socket.poll == nullptr) {
    socket.poll = std::make_unique<Poll>(loop, fd, [this, fd](unsigned got, int error) { ready(fd, got, error); });
  }
  socket.events = events;
  (void)socket.poll->watch(events);  // a socket that can't be watched ends by its request's time limit
}

void HttpClient::Impl::ready(int fd, unsigned events, int error) {
  int bits = 0;
  if ((events & Poll::kReadable) != 0 || error != 0) bits |= CURL_CSELECT_IN;
  if ((events & Poll::kWritable) != 0 || error != 0) bits |= CURL_CSELECT_OUT;
  if (error != 0) bits |= CURL_CSELECT_ERR;
  drive(fd, bits);
  if (error == 0) return;
  // Broken, but there may still be an answer to read: go on as long as libcurl wants to.
  const auto found = sockets.find(fd);
  if (found != sockets.end()) (void)found->second.poll->watch(found->second.events);
}

void HttpClient::Impl::drive(int fd, int events) {
  int running = 0;
  curl_multi_socket_action(multi, fd, events, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    char* call = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call);
    reinterpret_cast<HttpCall::Impl*>(call)->ended(code);
  }
}

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::~HttpClient() = default;

Result<std::unique_ptr<HttpClient>> HttpClient::open(Loop& loop, HttpClientOptions options) {
  const std::pair<std::string_view, const std::string*> files[] = {{"CA file", &options.ca_file},
                                                                   {"CA folder", &options.ca_path},
                                                                   {"certificate", &options.cert_file},
                                                                   {"key", &options.key_file}};
  for (const auto& [what, path] : files) {
    if (Status status = readable(what, *path); !status.ok()) return status;
  }
  return std::unique_ptr<HttpClient>(new HttpClient(std::make_unique<Impl>(loop, std::move(options))));
}

HttpCall::Impl::Impl(HttpClient::Impl& of, std::function<void(const HttpEnd&)> told)
    : client(of),
      done(std::move(told)),
      easy(curl_easy_init()),
      idle_timer(of.loop.timers(), [this] { look_for_life(); }) {
  LW_CHECK(easy != nullptr);
  ++client.calls;
  set_options();
}

HttpCall::Impl::~Impl() {
  stop();
  curl_easy_cleanup(easy);
  curl_slist_free_all(headers);
  curl_slist_free_all(connect_to);
  --client.calls;
}

void HttpCall::Impl::set_options() {
  apply_curl_options(easy, client.options);
  set(easy, CURLOPT_PRIVATE, static_cast<void*>(this));
  set(easy, CURLOPT_ERRORBUFFER, error.data());
  set(easy, CURLOPT_READFUNCTION, on_read);
  set(easy, CURLOPT_READDATA, static_cast<void*>(this));
  set(easy, CURLOPT_SEEKFUNCTION, on_seek);
  set(easy, CURLOPT_SEEKDATA, static_cast<void*>(this));
  set(easy, CURLOPT_WRITEFUNCTION, on_write);
  set(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(easy, CURLOPT_HEADERFUNCTION, on_header);
  set(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
}

void HttpCall::Impl::set_target(const HttpSend& request) {
  HttpServerName to = *request.to;
  curl_slist_free_all(std::exchange(connect_to, nullptr));
  if (const std::string& name = client.options.server_name; to.tls && !name.empty() && !request.own_name) {
    // Its name in the URL, its host for the connection.
    const std::string route = fmt::format("{}:{}:{}:{}", bracketed(name), to.port, bracketed(to.host), to.port);
    connect_to = curl_slist_append(nullptr, route.c_str());
    to.host = name;
  }
  set(easy, CURLOPT_CONNECT_TO, connect_to);
  set(easy, CURLOPT_URL, fmt::format("{}{}", to.text(), request.uri).c_str());
}

void HttpCall::Impl::start(const HttpSend& request) {
  LW_CHECK(!running);
  set_target(request);
  curl_slist_free_all(headers);
  headers = curl_slist_append(nullptr, "Expect:");  // no "100-continue": it costs a round trip
  for (const std::string& header : request.headers) headers = curl_slist_append(headers, header.c_str());
  set(easy, CURLOPT_HTTPHEADER, headers);
  body = request.body;
  curl_off_t size = 0;
  for (const iovec& part : body) size += static_cast<curl_off_t>(part.iov_len);
  set(easy, CURLOPT_POST, 1L);
  set(easy, CURLOPT_POSTFIELDSIZE_LARGE, size);
  set(easy, CURLOPT_CUSTOMREQUEST, std::string(request.method).c_str());
  const HttpClientOptions& o = client.options;
  const auto milliseconds = [](Nanos asked, Nanos usual) {
    return static_cast<long>((asked > 0 ? asked : usual) / kMillisecond);
  };
  set(easy, CURLOPT_TIMEOUT_MS, milliseconds(request.total_timeout, o.total_timeout));
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.connect_timeout, o.connect_timeout));
  preferred = o.prefer != HttpAddresses::any;
  set(easy, CURLOPT_IPRESOLVE, curl_addresses(o.prefer));
  begin();
}

void HttpCall::Impl::begin() {
  piece = offset = 0;
  answer.clear();
  error.fill('\0');
  running = true;
  moved_at = client.loop.now();
  if (client.options.idle_timeout > 0) idle_timer.arm(moved_at + client.options.idle_timeout);
  LW_CHECK(curl_multi_add_handle(client.multi, easy) == CURLM_OK);
}

void HttpCall::Impl::stop() {
  if (!std::exchange(running, false)) return;
  idle_timer.cancel();
  curl_multi_remove_handle(client.multi, easy);
}

void HttpCall::Impl::ended(CURLcode code) {
  stop();
  if (std::exchange(preferred, false) && (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT)) {
    set(easy, CURLOPT_IPRESOLVE, curl_addresses(HttpAddresses::any));
    begin();
    return;
  }
  long status = 0;
  curl_off_t retry_after = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after);
  HttpEnd end;
  end.body = answer;
  // A refusal is one even when the connection breaks behind its status line, as it does when a server has no mind to
  // read the rest of the body. Success is only believed when it is complete.
  if (code == CURLE_OK || status >= 300) {
    end.status = static_cast<int>(std::clamp(status, 0L, 999L));
    constexpr curl_off_t kMost = 1'000'000'000;
    end.retry_after = std::clamp<curl_off_t>(retry_after, 0, kMost) * kSecond;
  }
  if (end.status < 200) {
    end.status = 0;
    end.failure = word_of(code == CURLE_OK ? CURLE_WEIRD_SERVER_REPLY : code);
    end.why = Status(Code::unavailable, error[0] != '\0' ? error.data() : curl_easy_strerror(code));
  }
  const auto told = done;  // it may end us, and the original with us
  told(end);
}

// While a request is under way: nothing has moved for too long, or we look again when that may be so.
void HttpCall::Impl::look_for_life() {
  const Nanos due = moved_at + client.options.idle_timeout;
  if (client.loop.now() < due) {
    idle_timer.arm(due);
    return;
  }
  fmt::format_to_n(error.data(), error.size() - 1, "nothing was sent or received for {} ms",
                   client.options.idle_timeout / kMillisecond);
  ended(CURLE_OPERATION_TIMEDOUT);
}

std::size_t HttpCall::Impl::on_read(char* to, std::size_t size, std::size_t count, void* self) {
  auto& call = *static_cast<Impl*>(self);
  call.moved_at = call.client.loop.now();
  const std::size_t most = size * count;
  std::size_t copied = 0;
  while (copied < most && call.piece < call.body.size()) {
    const iovec& from = call.body[call.piece];
    const std::size_t n = std::min(most - copied, from.iov_len - call.offset);
    std::memcpy(to + copied, static_cast<const char*>(from.iov_base) + call.offset, n);
    copied += n;
    call.offset += n;
    if (call.offset == from.iov_len) {
      ++call.piece;
      call.offset = 0;
    }
  }
  return copied;
}

int HttpCall::Impl::on_seek(void* self, curl_off_t offset, int origin) {
  auto& call = *static_cast<Impl*>(self);
  if (origin != SEEK_SET || offset < 0) return CURL_SEEKFUNC_FAIL;
  auto left = static_cast<std::size_t>(offset);
  call.piece = 0;
  while (call.piece < call.body.size() && left >= call.body[call.piece].iov_len) {
    left -= call.body[call.piece++].iov_len;
  }
  call.offset = left;
  return call.piece < call.body.size() || left == 0 ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

std::size_t HttpCall::Impl::on_write(const char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& call = *static_cast<Impl*>(self);
  call.moved_at = call.client.loop.now();
  const std::size_t got = size * count;
  call.answer.append(bytes, std::min(got, kKeepOfBody - call.answer.size()));
  return got;
}

std::size_t HttpCall::Impl::on_header(const char* /*bytes*/, std::size_t size, std::size_t count, void* self) {
  auto& call = *static_cast<Impl*>(self);
  call.moved_at = call.client.loop.now();
  return size * count;
}

HttpCall::HttpCall(HttpClient& client, std::function<void(const HttpEnd&)> done)
    : impl_(std::make_unique<Impl>(*client.impl_, std::move(done))) {}
HttpCall::~HttpCall() = default;
void HttpCall::start(const HttpSend& request) { impl_->start(request); }
void HttpCall::cancel() { impl_->stop(); }
bool HttpCall::running() const { return impl_->running; }

}  // namespace logweir
