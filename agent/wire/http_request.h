// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace logweir {

// Value. One request of a peer; every byte of it is the peer's.
struct HttpRequest {
  std::string method;  // "GET", "HEAD", "POST"; others are refused before a handler sees them
  std::string target;  // as sent: path and query, printable ASCII, begins with '/'
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case, values trimmed
  std::string body;
  bool keep_alive = true;

  [[nodiscard]] std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  [[nodiscard]] std::string_view query() const;                        // behind the '?', empty without
  [[nodiscard]] std::string_view header(std::string_view name) const;  // first of that (lower case) name, or empty
};

// The text of a status code: "Not Found".
std::string_view http_reason(int status);

// Value, reusable. Reads requests (HTTP/1.0 and 1.1, body by Content-Length) from the front of a buffer that grows.
// Strict where leniency lets two readers see different requests: CRLF line ends, no folded lines, no space before a
// colon, one Content-Length, no Transfer-Encoding.
class HttpRequestParser {
 public:
  static constexpr std::size_t kMostHead = 16 * 1024;
  static constexpr std::size_t kMostBody = 64 * 1024;
  static constexpr std::size_t kMostHeaders = 100;

  enum class State : unsigned char {
    more,       // not all of it is there
    more_body,  // the head is there and asks to be told "100 Continue" before the body is sent; said once
    done,
    refused,
  };
  struct Parsed {
    State state = State::more;
    std::size_t used = 0;     // done: bytes of the buffer that were this request
    int status = 0;           // refused: the answer's status; the connection can't go on
    std::string_view reason;  // refused: one sentence, static
  };
  // `buffer` begins with the same bytes as at the last call, until that was `done` or `refused`.
  Parsed parse(std::string_view buffer, HttpRequest& request);

 private:
  void begin_again();
  std::size_t searched_ = 0;  // no end of the head before this
  std::size_t head_ = 0;      // size of the head once it is parsed
  std::size_t body_ = 0;
};

}  // namespace logweir
