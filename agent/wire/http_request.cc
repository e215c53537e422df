// SPDX-License-Identifier: Apache-2.0
#include "wire/http_request.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace logweir {

namespace {

struct Refusal {
  int status = 0;  // 0: fine
  std::string_view reason;
};

constexpr Refusal kBadLine{400, "the request line is not 'METHOD /path HTTP/1.1'"};
constexpr Refusal kBadHeader{400, "a header line is not 'name: value'"};
constexpr Refusal kBadLength{400, "Content-Length is not one number"};
constexpr Refusal kMethod{405, "only GET, HEAD and POST are served here"};
constexpr Refusal kVersion{505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
constexpr Refusal kNoHost{400, "a request of HTTP/1.1 needs one Host header"};
constexpr Refusal kEncoded{411, "a body must come with Content-Length, not with Transfer-Encoding"};
constexpr Refusal kHeadTooLarge{431, "the request's head is larger than 16 KiB or has more than 100 lines"};
constexpr Refusal kBodyTooLarge{413, "the request's body is larger than 64 KiB"};

bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

bool is_field_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f'; });
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view take_line(std::string_view& head) {
  const std::size_t end = head.find("\r\n");
  const std::string_view line = head.substr(0, end);
  head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
  return line;
}

// "http://host/path" becomes "/path".
std::string_view without_origin(std::string_view target) {
  if (!lower(target.substr(0, 7)).starts_with("http://")) return target;
  const std::size_t path = target.find('/', 7);
  return path == std::string_view::npos ? std::string_view("/") : target.substr(path);
}

Refusal read_request_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return kBadLine;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = without_origin(line.substr(first + 1, last - first - 1));
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method) || !version.starts_with("HTTP/")) return kBadLine;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return kVersion;
  if (method != "GET" && method != "HEAD" && method != "POST") return kMethod;
  if (!target.starts_with('/') || !is_printable(target)) return kBadLine;
  request.method = method;
  request.target = target;
  request.keep_alive = version == "HTTP/1.1";
  return {};
}

Refusal read_headers(std::string_view lines, HttpRequest& request) {
  while (!lines.empty()) {
    const std::string_view line = take_line(lines);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return kBadHeader;
    const std::string_view value = trim(line.substr(colon + 1));
    if (!is_field_value(value)) return kBadHeader;
    if (request.headers.size() == HttpRequestParser::kMostHeaders) return kHeadTooLarge;
    request.headers.emplace_back(lower(line.substr(0, colon)), value);
  }
  return {};
}

bool lists(std::string_view value, std::string_view word) {
  while (!value.empty()) {
    const std::size_t comma = value.find(',');
    if (lower(trim(value.substr(0, comma))) == word) return true;
    value.remove_prefix(comma == std::string_view::npos ? value.size() : comma + 1);
  }
  return false;
}

std::size_t count_of(const HttpRequest& request, std::string_view name) {
  return static_cast<std::size_t>(std::count_if(request.headers.begin(), request.headers.end(),
                                                [&](const auto& header) { return header.first == name; }));
}

// What the headers say about the body and the connection.
Refusal understand(HttpRequest& request, bool is_1_1, std::size_t& body) {
  if (is_1_1 && count_of(request, "host") != 1) return kNoHost;
  if (count_of(request, "transfer-encoding") != 0) return kEncoded;
  const std::size_t lengths = count_of(request, "content-length");
  if (lengths > 1) return kBadLength;
  body = 0;
  if (lengths == 1) {
    const std::string_view text = request.header("content-length");
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return kBadLength;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), body);
    if (error != std::errc() || body > HttpRequestParser::kMostBody) return kBodyTooLarge;
  }
  for (const auto& [name, value] : request.headers) {
    if (name != "connection") continue;
    if (!is_1_1 && lists(value, "keep-alive")) request.keep_alive = true;
    if (lists(value, "close")) {
      request.keep_alive = false;
      break;
    }
  }
  return {};
}

Refusal read_head(std::string_view head, HttpRequest& request, std::size_t& body) {
  request = {};
  const std::string_view line = take_line(head);
  if (const Refusal refusal = read_request_line(line, request); refusal.status != 0) return refusal;
  const bool is_1_1 = request.keep_alive;
  if (const Refusal refusal = read_headers(head, request); refusal.status != 0) return refusal;
  return understand(request, is_1_1, body);
}

}  // namespace

std::string_view HttpRequest::query() const {
  const std::size_t mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

void HttpRequestParser::begin_again() { searched_ = head_ = body_ = 0; }

HttpRequestParser::Parsed HttpRequestParser::parse(std::string_view buffer, HttpRequest& request) {
  const auto refuse = [this](const Refusal& refusal) {
    begin_again();
    return Parsed{State::refused, 0, refusal.status, refusal.reason};
  };
  bool head_is_new = false;
  if (head_ == 0) {
    const std::size_t skipped = buffer.starts_with("\r\n") ? 2 : 0;  // some clients end a body with one line too many
    const std::size_t end = buffer.find("\r\n\r\n", std::max(searched_, skipped));
    if (end == std::string_view::npos ? buffer.size() > kMostHead : end + 4 > kMostHead) return refuse(kHeadTooLarge);
    if (end == std::string_view::npos) {
      searched_ = buffer.size() < 3 ? 0 : buffer.size() - 3;
      return {};
    }
    const Refusal refusal = read_head(buffer.substr(skipped, end - skipped), request, body_);
    if (refusal.status != 0) return refuse(refusal);
    head_ = end + 4;
    head_is_new = true;
  }
  if (buffer.size() - head_ < body_) {
    const bool asks = head_is_new && lists(request.header("expect"), "100-continue");
    return {asks ? State::more_body : State::more, 0, 0, {}};
  }
  request.body = buffer.substr(head_, body_);
  const Parsed done{State::done, head_ + body_, 0, {}};
  begin_again();
  return done;
}

std::string_view http_reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return status < 400 ? "OK" : status < 500 ? "Refused" : "Failed";
  }
}

}  // namespace logweir
