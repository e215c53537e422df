// SPDX-License-Identifier: Apache-2.0
// bench_limit json|raw|copy FROM TO: the least that the job costs on one core: read, find the lines, make each a JSON
// line (json), send them as they are (raw), or not even look for lines (copy). FROM: a file or tcp:PORT; TO: the same,
// or "null". No agent: the floor of the work.
#include <cstdint>
#include <cstring>
#include <memory>

#include "net.h"

namespace {

constexpr std::size_t kRead = 256 * 1024;
constexpr std::string_view kHead = "{\"date\":1700000000.123456,\"log\":\"";
constexpr std::string_view kTail = "\"}\n";
constexpr std::uint64_t kOnes = 0x0101010101010101;

// Whether one of eight bytes needs an escape: a control character, a quote or a backslash.
bool needs_escape(std::uint64_t eight) {
  const auto has_zero = [](std::uint64_t v) { return (v - kOnes) & ~v & (kOnes << 7); };
  const std::uint64_t control = (eight - kOnes * 0x20) & ~eight & (kOnes << 7);
  return (control | has_zero(eight ^ (kOnes * '"')) | has_zero(eight ^ (kOnes * '\\'))) != 0;
}

char* put_escaped(char* to, unsigned char byte) {
  if (byte == '"' || byte == '\\') {
    *to++ = '\\';
  } else if (byte < 0x20) {
    return to + std::snprintf(to, 7, "\\u%04x", byte);
  }
  *to++ = static_cast<char>(byte);
  return to;
}

char* escape(char* to, std::string_view text) {
  std::size_t at = 0;
  while (at + 8 <= text.size()) {
    std::uint64_t eight;
    std::memcpy(&eight, text.data() + at, 8);
    if (needs_escape(eight)) {
      for (int i = 0; i < 8; ++i) to = put_escaped(to, static_cast<unsigned char>(text[at++]));
    } else {
      std::memcpy(to, &eight, 8);
      to += 8, at += 8;
    }
  }
  while (at < text.size()) to = put_escaped(to, static_cast<unsigned char>(text[at++]));
  return to;
}

char* put(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

// Whole lines of `text` as JSON lines at `to`; gives how many bytes of `text` they were, and moves `to`.
std::size_t wrap(std::string_view text, char*& to) {
  std::size_t begin = 0;
  while (const void* end = std::memchr(text.data() + begin, '\n', text.size() - begin)) {
    const std::size_t length = static_cast<std::size_t>(static_cast<const char*>(end) - text.data()) - begin;
    to = put(escape(put(to, kHead), text.substr(begin, length)), kTail);
    begin += length + 1;
  }
  return begin;
}

int open_source(const std::string& from) {
  if (const int port = bench::port_of(from)) return bench::accept_speaker(bench::listen_at(port));
  return bench::must(open(from.c_str(), O_RDONLY), "open");
}

int open_target(const std::string& to) {
  if (const int port = bench::port_of(to)) return bench::dial(port);
  if (to == "null") return bench::must(open("/dev/null", O_WRONLY), "open");
  return bench::must(open(to.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644), "open");
}

void pump(const std::string& how, int from, int to) {
  // A line of one byte grows to 37; a run of control characters sixfold.
  const auto input = std::make_unique_for_overwrite<char[]>(2 * kRead);
  const auto output = std::make_unique_for_overwrite<char[]>(2 * kRead * 37);
  std::size_t have = 0;
  for (;;) {
    const ssize_t got = read(from, input.get() + have, kRead);
    if (got <= 0) return;
    have += static_cast<std::size_t>(got);
    const std::string_view text(input.get(), have);
    std::size_t done = have;
    if (how == "json") {
      char* end = output.get();
      done = wrap(text, end);
      bench::write_all(to, {output.get(), static_cast<std::size_t>(end - output.get())});
    } else {
      if (how == "raw") done = text.rfind('\n') + 1;  // none: npos + 1 = 0
      bench::write_all(to, text.substr(0, done));
    }
    have -= done;
    std::memmove(input.get(), input.get() + done, have);
    if (have >= kRead) have = 0;  // a line longer than the buffer: no case of this program
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench_limit json|raw|copy FROM|tcp:PORT TO|tcp:PORT|null\n");
    return 2;
  }
  const int to = open_target(argv[3]);
  pump(argv[1], open_source(argv[2]), to);
  return close(to);
}
