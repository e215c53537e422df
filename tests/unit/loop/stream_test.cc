// SPDX-License-Identifier: Apache-2.0
#include "loop/stream.h"

#include <doctest/doctest.h>
#include <netinet/tcp.h>

#include <functional>
#include <memory>
#include <string>

#include "support/run_loop.h"
#include "support/sockets.h"

using namespace logweir;

namespace {

std::span<const iovec> one(const iovec& piece) { return {&piece, 1}; }
iovec piece_of(const std::string& text) { return {const_cast<char*>(text.data()), text.size()}; }

struct Pair {
  explicit Pair(SocketPair sockets = tcp_pair()) : peer(std::move(sockets.left)) {
    stream = Stream::adopt(loop, sockets.right.release()).value();
  }
  // Writes until the kernel takes no more; how much that was.
  std::size_t fill() {
    const std::string block(1 << 16, 'x');
    std::size_t total = 0;
    while (true) {
      const std::size_t taken = stream->try_write(one(piece_of(block))).value();
      total += taken;
      if (taken < block.size()) return total;
    }
  }

  SystemClock clock;
  Loop loop{clock};
  Fd peer;
  Recorder reader;
  std::unique_ptr<Stream> stream;
};

// Calls back for each event of a reader.
struct ActingReader final : StreamReader {
  std::span<char> space() override {
    if (on_space) on_space();
    return buffer;
  }
  void received(std::size_t) override {
    if (on_received) on_received();
  }
  void ended(Status) override {
    if (on_ended) on_ended();
  }
  std::function<void()> on_space, on_received, on_ended;
  char buffer[16];
};

}  // namespace

TEST_CASE("a stream reads what the peer says and hears its orderly end") {
  for (const bool tcp : {true, false}) {
    Pair pair(tcp ? tcp_pair() : unix_pair());
    pair.stream->read(pair.reader);
    say(pair.peer, "hello");
    CHECK(run_until(pair.loop, [&] { return pair.reader.text == "hello"; }));
    pair.peer.reset();
    CHECK(run_until(pair.loop, [&] { return pair.reader.has_ended; }));
    CHECK(pair.reader.why.ok());
  }
}

TEST_CASE("a reset by the peer is told with its name, behind the bytes that came before it") {
  Pair pair;
  say(pair.peer, "last words");
  reset_connection(pair.peer);
  pair.stream->read(pair.reader);
  CHECK(run_until(pair.loop, [&] { return pair.reader.has_ended; }));
  CHECK(pair.reader.text == "last words");
  CHECK(pair.reader.why.code() == Code::unavailable);
  CHECK(pair.reader.why.message().find(pair.stream->peer()) != std::string::npos);
}

TEST_CASE("a reader without room gets nothing until it resumes") {
  Pair pair;
  pair.reader.has_room = false;
  pair.stream->read(pair.reader);
  say(pair.peer, "wait");
  for (int i = 0; i < 10; ++i) pair.loop.run_once();
  CHECK(pair.reader.calls == 0);
  pair.reader.has_room = true;
  pair.stream->resume();
  CHECK(run_until(pair.loop, [&] { return pair.reader.text == "wait"; }));
}

TEST_CASE("a stopped reader hears nothing until it reads again") {
  Pair pair;
  pair.stream->read(pair.reader);
  pair.stream->read_stop();
  say(pair.peer, "wait");
  for (int i = 0; i < 10; ++i) pair.loop.run_once();
  CHECK(pair.reader.calls == 0);
  pair.stream->read(pair.reader);
  CHECK(run_until(pair.loop, [&] { return pair.reader.text == "wait"; }));
}

TEST_CASE("a torrent is read in bounded pieces per turn") {
  Pair pair(unix_pair());
  struct Counter final : StreamReader {
    std::span<char> space() override { return buffer; }
    void received(std::size_t size) override { total += size; }
    void ended(Status) override {}
    std::size_t total = 0;
    char buffer[16];
  } counter;
  pair.stream->read(counter);
  say(pair.peer, std::string(10'000, 'x'));
  pair.loop.run_once();
  CHECK(counter.total > 0);
  CHECK(counter.total <= 16 * 16);
  CHECK(run_until(pair.loop, [&] { return counter.total == 10'000; }));
}

TEST_CASE("a full socket takes no more, then says once when there is room again") {
  Pair pair;
  const std::size_t filled = pair.fill();
  CHECK(filled > 0);
  int told = 0;
  pair.stream->when_writable([&](Status status) {
    CHECK(status.ok());
    ++told;
  });
  for (int i = 0; i < 10; ++i) pair.loop.run_once();
  CHECK(told == 0);
  std::size_t drained = 0;
  CHECK(run_until(pair.loop, [&] { return drained += hear_now(pair.peer).size(), told == 1; }));
  CHECK(run_until(pair.loop, [&] { return drained += hear_now(pair.peer).size(), drained == filled; }));
  CHECK(told == 1);
}

TEST_CASE("a writer who waits hears that the peer has reset, also when nobody reads") {
  Pair pair;
  pair.fill();
  Status told;
  pair.stream->when_writable([&](Status status) { told = std::move(status); });
  reset_connection(pair.peer);
  CHECK(run_until(pair.loop, [&] { return !told.ok(); }));
  CHECK_FALSE(pair.stream->try_write(one(piece_of("x"))).ok());
}

TEST_CASE("after a reset both the reader and a waiting writer are told") {
  Pair pair;
  pair.fill();
  pair.stream->read(pair.reader);
  bool told = false;
  pair.stream->when_writable([&](Status status) { told = !status.ok(); });
  reset_connection(pair.peer);
  CHECK(run_until(pair.loop, [&] { return told && pair.reader.has_ended; }));
  CHECK_FALSE(pair.reader.why.ok());
}

TEST_CASE("a writer learns of the peer's close before its next write") {
  Pair pair;
  pair.stream->read(pair.reader);
  CHECK(pair.stream->try_write(one(piece_of("message 1"))).value() == 9);
  CHECK(run_until(pair.loop, [&] { return hear_now(pair.peer) == "message 1"; }));
  pair.peer.reset();
  CHECK(run_until(pair.loop, [&] { return pair.reader.has_ended; }));
}

TEST_CASE("pieces leave in order, empty ones and more than the kernel's most included") {
  Pair pair;
  std::string expected;
  std::vector<std::string> texts;
  std::vector<iovec> pieces;
  for (int i = 0; i < 3000; ++i) texts.push_back(i % 7 == 0 ? "" : std::to_string(i) + " ");
  for (const std::string& text : texts) {
    pieces.push_back(piece_of(text));
    expected += text;
  }
  CHECK(pair.stream->try_write(pieces).value() == expected.size());
  std::string heard;
  CHECK(run_until(pair.loop, [&] { return heard += hear_now(pair.peer), heard == expected; }));
}

TEST_CASE("a stream may be destroyed from each of its callbacks") {
  for (int which = 0; which < 4; ++which) {
    CAPTURE(which);
    Pair pair;
    ActingReader reader;
    const auto kill = [&] { pair.stream.reset(); };
    if (which == 0) reader.on_space = kill;
    if (which == 1) reader.on_received = kill;
    if (which == 2) reader.on_ended = kill;
    if (which < 3) pair.stream->read(reader);
    if (which == 3) pair.stream->when_writable([&](Status) { pair.stream.reset(); });
    say(pair.peer, "x");
    if (which == 2) pair.peer.reset();
    CHECK(run_until(pair.loop, [&] { return pair.stream == nullptr; }));
  }
}

TEST_CASE("a half-closed peer can still be written to") {
  Pair pair;
  pair.stream->read(pair.reader);
  shutdown(pair.peer.get(), SHUT_WR);
  CHECK(run_until(pair.loop, [&] { return pair.reader.has_ended; }));
  CHECK(pair.stream->try_write(one(piece_of("answer"))).value() == 6);
  pair.stream->shutdown_write();
  std::string heard;
  CHECK(run_until(pair.loop, [&] { return heard += hear_now(pair.peer), heard == "answer"; }));
  char end;
  CHECK(recv(pair.peer.get(), &end, 1, 0) == 0);
}

TEST_CASE("an ended stream costs no turns") {
  Pair pair;
  pair.stream->read(pair.reader);
  pair.peer.reset();
  CHECK(run_until(pair.loop, [&] { return pair.reader.has_ended; }));
  const std::uint64_t before = pair.loop.stats().turns;
  Timer end(pair.loop.timers(), [&] { pair.loop.stop(); });
  end.arm(pair.loop.now() + 50 * kMillisecond);
  pair.loop.run();
  CHECK(pair.loop.stats().turns - before < 10);
}

TEST_CASE("small messages are not held back and the peer is named") {
  Pair pair;
  int on = 0;
  socklen_t size = sizeof on;
  getsockopt(pair.stream->fd(), IPPROTO_TCP, TCP_NODELAY, &on, &size);
  CHECK(on == 1);
  CHECK(pair.stream->peer().starts_with("127.0.0.1:"));
  CHECK(Pair(unix_pair()).stream->peer() == "unix");
}

TEST_CASE("what can't be polled is refused with a sentence") {
  SystemClock clock;
  Loop loop(clock);
  CHECK_FALSE(Stream::adopt(loop, fileno(tmpfile())).ok());
  CHECK_FALSE(Stream::adopt(loop, -1).ok());
}
