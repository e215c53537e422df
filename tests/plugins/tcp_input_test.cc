// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "plugin/entry.h"
#include "plugins/inputs/tcp/framer.h"
#include "plugins/inputs/tcp/options.h"
#include "support/capture_intake.h"
#include "support/capture_log.h"
#include "support/fake_clock.h"
#include "support/options.h"
#include "support/run_loop.h"
#include "support/sockets.h"

namespace logweir {

extern const InputEntry kTcpInput;

namespace {

using tcp_in::Framer;
using tcp_in::FramingRules;
using tcp_in::TcpInputOptions;
using Lines = std::vector<std::string>;

// A framer that is fed by hand, in pieces of a given size.
struct FramerBench {
  explicit FramerBench(FramingRules with = {}, std::uint64_t most_unfinished = 16 << 20)
      : rules(std::move(with)), unfinished(most_unfinished, [this](const Framer&) { ++cut; }), framer(another()) {}
  std::unique_ptr<Framer> another() {
    Origin origin;
    origin.tag = intake.tag("t");
    return std::make_unique<Framer>(Framer::Setup{intake, rules, clock, OriginRef::make(std::move(origin)),
                                                  intake.open_source({}), unfinished, "peer"});
  }
  void feed(std::string_view text, std::size_t piece = SIZE_MAX) { feed(*framer, text, piece); }
  void feed(Framer& to_framer, std::string_view text, std::size_t piece = SIZE_MAX) {
    while (!text.empty()) {
      const std::span<char> to = to_framer.space(reading);
      if (to.empty()) return;
      const std::size_t size = std::min({to.size(), text.size(), piece});
      std::memcpy(to.data(), text.data(), size);
      to_framer.received(size, reading);
      reading.reset();
      text.remove_prefix(size);
    }
  }
  FramingRules rules;
  FakeClock clock;
  CaptureIntake intake;
  ChunkRef reading;
  int cut = 0;  // handed over unfinished
  tcp_in::Unfinished unfinished;
  std::unique_ptr<Framer> framer;
};

FramingRules with_limit(std::size_t limit) {
  FramingRules rules;
  rules.limit = limit;
  rules.least_read = 64;
  return rules;
}

TEST_CASE("messages come out the same however the bytes are cut") {
  std::string text;
  Lines expected;
  for (int i = 0; i < 500; ++i) {
    expected.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i * 37 % 9000), 'x'));
    text += expected.back() + (i % 3 == 0 ? "\r\n" : "\n");
  }
  for (const std::size_t piece : {1UL, 7UL, 4096UL, 5000UL, 1000000UL}) {
    FramerBench bench;
    bench.feed(text, piece);
    CHECK(bench.intake.texts() == expected);
    CHECK(bench.intake.disorder == 0);
  }
}

TEST_CASE("positions are those of the stream, separators belong to their message") {
  FramerBench bench;
  bench.feed("ab\n\ncde\nf");
  REQUIRE(bench.intake.lines.size() == 2);
  CHECK(bench.intake.lines[0].span == 3);
  CHECK(bench.intake.lines[1].position == 4);
  CHECK(bench.intake.lines[1].text == "cde");
}

TEST_CASE("a separator of several bytes may be cut anywhere") {
  for (const std::size_t piece : {1UL, 2UL, 3UL, 100UL}) {
    FramingRules rules;
    rules.separator = "<->";
    FramerBench bench(rules);
    bench.feed("a<->b<-c<->d\n<->", piece);
    CHECK(bench.intake.texts() == Lines{"a", "b<-c", "d\n"});
  }
}

TEST_CASE("a message over the limit is cut, marked and counted, its neighbours are intact") {
  for (const std::size_t piece : {1UL, 10UL, 1000UL}) {
    FramerBench bench(with_limit(10));
    bench.feed("one\n0123456789abcdefghijkl\r\ntwo\n0123456789\r\n" + std::string(500, 'y') + "\nend\n", piece);
    CHECK(bench.intake.texts() == Lines{"one", "0123456789", "two", "0123456789", "yyyyyyyyyy", "end"});
    CHECK(bench.intake.lines[1].truncated);
    CHECK_FALSE(bench.intake.lines[3].truncated);
    CHECK(bench.intake.truncated == 2);
    CHECK(bench.intake.disorder == 0);
  }
}

TEST_CASE("an unfinished message is delivered at the end, marked unless the end was in order") {
  FramerBench bench;
  bench.feed("a\nrest");
  bench.framer->finish(true);
  CHECK(bench.intake.texts() == Lines{"a", "rest"});
  CHECK_FALSE(bench.intake.lines[1].truncated);
  FramerBench other;
  other.feed(std::string(9000, 'z'));
  other.framer->finish(false);
  CHECK(other.intake.lines.at(0).text.size() == 9000);
  CHECK(other.intake.lines.at(0).truncated);
}

TEST_CASE("an unfinished message is kept in memory of its own size, and in none once it has ended") {
  FramerBench bench;
  for (const std::size_t size : {4UL, 300UL, 4000UL, 6000UL, 20000UL}) {
    bench.feed("a\n" + std::string(size, 'x'));
    bench.intake.drop_shared();
    CHECK(bench.intake.pinned() == 1);
    CHECK(bench.intake.charged() >= size);
    CHECK(bench.intake.charged() < size + 256);
    CHECK(bench.unfinished.bytes() == bench.intake.charged());
    bench.feed("\n");
    bench.intake.drop_shared();
    CHECK(bench.intake.charged() == 0);
    CHECK(bench.unfinished.bytes() == 0);
    CHECK(bench.intake.texts().back() == std::string(size, 'x'));
  }
}

TEST_CASE("a long message that comes in small pieces grows where it is") {
  FramerBench bench(with_limit(1 << 20));
  const std::string text(1000000, 'x');
  std::size_t moves = 0;
  const char* last = nullptr;
  for (std::size_t at = 0; at < text.size(); at += 1000) {
    const std::span<char> to = bench.framer->space(bench.reading);
    moves += to.data() == last ? 0U : 1U;
    REQUIRE(to.size() >= 1000);
    std::memcpy(to.data(), text.data() + at, 1000);
    bench.framer->received(1000, bench.reading);
    bench.reading.reset();
    last = to.data() + 1000;
  }
  CHECK(moves < 30);
  CHECK(bench.unfinished.bytes() < 2 * text.size());
  bench.feed("\n");
  CHECK(bench.intake.texts() == Lines{text});
}

TEST_CASE("beyond the bound the oldest unfinished message is handed over, marked, its rest passed over") {
  FramerBench bench(with_limit(32 << 10), 15000);
  const auto young = bench.another();
  bench.feed("first\n" + std::string(4000, 'o'));
  bench.feed(*young, std::string(4000, 'y'));
  CHECK(bench.cut == 0);
  bench.feed(std::string(100, 'o'));  // growth makes it no younger
  bench.feed(*young, std::string(3000, 'y'));
  CHECK(bench.cut == 1);
  REQUIRE(bench.intake.lines.size() == 2);
  CHECK(bench.intake.lines[1].text == std::string(4100, 'o'));
  CHECK(bench.intake.lines[1].truncated);
  CHECK(bench.intake.truncated == 1);
  bench.feed(std::string(50000, 'o') + "\nnext\n");
  bench.feed(*young, "\n");
  CHECK(bench.intake.lines.size() == 4);
  CHECK(bench.intake.lines[2].text == "next");
  CHECK(bench.intake.lines[2].position == 6 + 54100 + 1);
  CHECK(bench.intake.lines[3].text == std::string(7000, 'y'));
  CHECK_FALSE(bench.intake.lines[3].truncated);
  CHECK(bench.intake.disorder == 0);
}

TEST_CASE("of a message that was handed over in the middle of its separator the end is still seen") {
  FramingRules rules;
  rules.separator = "<->";
  FramerBench bench(rules, 100);
  bench.feed("abcdef<-");
  CHECK(bench.cut == 1);
  bench.feed(">next<->");
  CHECK(bench.intake.texts() == Lines{"abcdef", "next"});
  CHECK(bench.intake.disorder == 0);
}

TEST_CASE("an unfinished message that finds no memory of its own stays where it was read") {
  FramerBench bench;
  bench.intake.has_exact_room = false;
  for (const std::size_t size : {10UL, 5000UL, 30000UL}) {
    bench.feed("a\n" + std::string(size, 'x'));
    CHECK(bench.unfinished.bytes() == Pool::kChunkSize);
    const auto other = bench.another();
    bench.feed(*other, "o\n");  // reads into the same chunk
    bench.feed("y\n", 1);
    CHECK(bench.intake.texts().back() == std::string(size, 'x') + "y");
  }
  CHECK(bench.unfinished.bytes() == 0);
  CHECK(bench.intake.disorder == 0);
}

TEST_CASE("without room to read, unfinished messages that hold much are handed over, few at a time") {
  FramerBench bench(with_limit(1 << 20), 4 << 20);
  std::vector<std::unique_ptr<Framer>> others;
  for (int i = 0; i < 20; ++i) {
    others.push_back(bench.another());
    bench.feed(*others.back(), std::string(100000, 'x'));
  }
  CHECK(bench.cut == 0);
  bench.intake.has_room = false;
  bench.feed("line\n");
  CHECK(bench.cut >= 1);
  CHECK(bench.cut <= 3);
  for (int i = 0; i < 20; ++i) bench.feed("line\n");
  CHECK(bench.cut < 20);  // what is within a quarter of the bound is left alone
  CHECK(bench.unfinished.bytes() <= 1 << 20);
  bench.intake.has_room = true;
  bench.feed("line\n");
  CHECK(bench.intake.texts().back() == "line");
}

TEST_CASE("records that look into a chunk survive what is read behind them") {
  FramerBench bench;
  bench.intake.keep_batches = true;
  Lines expected;
  for (int i = 0; i < 3000; ++i) {
    expected.push_back("line " + std::to_string(i));
    bench.feed(expected.back() + "\npart", 100);
    bench.feed("ial\n", 1);
    expected.emplace_back("partial");
  }
  Lines kept;
  for (const BatchRef& batch : bench.intake.kept) {
    for (const Record& record : batch->records) kept.emplace_back(record.text());
  }
  CHECK(kept == expected);
}

TEST_CASE("without memory nothing is lost: it goes on where it was") {
  FramerBench bench;
  bench.feed("a\nb");
  bench.intake.has_room = false;
  bench.feed("c\n");
  CHECK(bench.intake.texts() == Lines{"a"});
  bench.intake.has_room = true;
  bench.feed("c\n");
  CHECK(bench.intake.texts() == Lines{"a", "bc"});
}

struct TcpBench {
  explicit TcpBench(std::uint64_t memory_limit = 64 << 20) : intake(memory_limit) {}
  ~TcpBench() {
    if (input) input->close();
  }
  void start(const std::function<void(TcpInputOptions&)>& change = [](auto&) {}) {
    options = kTcpInput.make_options();
    auto& o = *static_cast<TcpInputOptions*>(options.get());
    const Fd probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(probe.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size);
    o.listen = "127.0.0.1";
    o.port = port = ntohs(address.sin_port);
    o.format = tcp_in::TcpInputFormat::none;
    change(o);
    const_cast<Fd&>(probe).reset();
    input = kTcpInput.make(options, nullptr);
    REQUIRE(input->open(services).ok());
  }
  Fd connect() {
    const double before = value("accepted_total");
    Fd fd = connect_to(port);
    REQUIRE(until([&] { return value("accepted_total") + value("refused_total") > before; }));
    return fd;
  }
  bool until(const std::function<bool()>& condition) { return run_until(loop, condition); }
  double value(const std::string& name) {
    const std::string text = metrics.scrape();
    const std::size_t at = text.find("\nlogweir_input_tcp_" + name + "{");
    return at == std::string::npos ? -1 : std::stod(text.substr(text.find("} ", at) + 2));
  }

  SystemClock clock;
  Loop loop{clock};
  CaptureIntake intake;
  CaptureLog log;
  Metrics metrics;
  Jobs all_jobs{1};
  Jobs::Desk jobs{all_jobs, loop};
  InputServices services{loop, intake, log.log(), metrics, jobs, "in.0", "t", 0, 1, 0, [] {}};
  std::shared_ptr<void> options;
  std::unique_ptr<Input> input;
  int port = 0;
};

TEST_CASE("lines of several connections arrive, each with its own positions") {
  TcpBench bench;
  bench.start();
  const Fd one = bench.connect();
  const Fd two = bench.connect();
  CHECK(bench.value("connections") == 2);
  say(one, "a\nb\n");
  say(two, "c\n");
  REQUIRE(bench.until([&] { return bench.intake.lines.size() == 3; }));
  CHECK(bench.intake.opened == 2);
  CHECK(bench.intake.disorder == 0);
}

TEST_CASE("peers that never end their message do not keep the others from being served, and are told of") {
  TcpBench bench(2 << 20);
  bench.start([](TcpInputOptions& o) { o.buffer_size = "1M"; });
  std::vector<Fd> stuck;
  for (int i = 0; i < 20; ++i) {
    stuck.push_back(bench.connect());
    say(stuck.back(), std::string(100000, 'x'));
  }
  const Fd fd = bench.connect();
  say(fd, "served\n");
  REQUIRE(bench.until([&] {
    const Lines texts = bench.intake.texts();
    return bench.intake.truncated >= 10 && std::find(texts.begin(), texts.end(), "served") != texts.end();
  }));
  CHECK(bench.intake.charged() <= (512 << 10) + 2 * Pool::kChunkSize);
  CHECK(bench.log.count("passed on as it is") == 1);
  say(stuck[0], "rest\nafter\n");
  CHECK(bench.until([&] { return bench.intake.lines.back().text == "after"; }));
}

TEST_CASE("the peer's end delivers its last line and closes the source") {
  TcpBench bench;
  bench.start();
  Fd fd = bench.connect();
  say(fd, "a\nlast");
  fd.reset();
  REQUIRE(bench.until([&] { return bench.intake.closed == 1; }));
  CHECK(bench.intake.texts() == Lines{"a", "last"});
  CHECK(bench.value("connections") == 0);
}

TEST_CASE("format json makes records of objects and keeps what is none as text") {
  TcpBench bench;
  bench.start([](TcpInputOptions& o) { o.format = tcp_in::TcpInputFormat::json; });
  const Fd fd = bench.connect();
  say(fd, "{\"k\":1}\nnot json\n");
  REQUIRE(bench.until([&] { return bench.intake.lines.size() == 2; }));
  CHECK(bench.intake.lines[0].body == Body::json);
  CHECK(bench.intake.lines[1].body == Body::text);
}

TEST_CASE("the peer's address is added when it is asked for") {
  TcpBench bench;
  bench.start([](TcpInputOptions& o) { o.source_address_key = "from"; });
  const Fd fd = bench.connect();
  say(fd, "a\n");
  REQUIRE(bench.until([&] { return bench.intake.lines.size() == 1; }));
  CHECK(bench.intake.lines[0].attached.at(0).first == "from");
  CHECK(bench.intake.lines[0].attached.at(0).second.starts_with("tcp://127.0.0.1:"));
}

TEST_CASE("connections over the limit are closed and counted") {
  TcpBench bench;
  bench.start([](TcpInputOptions& o) { o.max_connections = 1; });
  const Fd one = bench.connect();
  const Fd two = connect_to(bench.port);
  REQUIRE(bench.until([&] { return bench.value("refused_total") == 1; }));
  char byte = 0;
  CHECK(::recv(two.get(), &byte, 1, 0) <= 0);
  say(one, "still here\n");
  CHECK(bench.until([&] { return bench.intake.lines.size() == 1; }));
}

TEST_CASE("an idle connection is closed") {
  TcpBench bench;
  bench.start([](TcpInputOptions& o) { o.idle_timeout = {20 * kMillisecond}; });
  const Fd fd = bench.connect();
  say(fd, "half");
  REQUIRE(bench.until([&] { return bench.intake.closed == 1; }));
  CHECK(bench.intake.texts() == Lines{"half"});
}

TEST_CASE("paused, nothing is read; resumed, all of it is there") {
  TcpBench bench;
  bench.start();
  const Fd fd = bench.connect();
  bench.input->pause();
  say(fd, "a\nb\n");
  for (int i = 0; i < 20; ++i) bench.loop.run_once();
  CHECK(bench.intake.lines.empty());
  bench.input->resume();
  CHECK(bench.until([&] { return bench.intake.lines.size() == 2; }));
}

TEST_CASE("an intake that pauses while it takes is obeyed at once") {
  TcpBench bench;
  bench.start();
  const Fd fd = bench.connect();
  bench.intake.on_deliver = [&] { bench.input->pause(); };
  say(fd, "a\n");
  REQUIRE(bench.until([&] { return bench.intake.lines.size() == 1; }));
  say(fd, "b\n");
  for (int i = 0; i < 20; ++i) bench.loop.run_once();
  CHECK(bench.intake.lines.size() == 1);
  bench.intake.on_deliver = nullptr;
  bench.input->resume();
  CHECK(bench.until([&] { return bench.intake.lines.size() == 2; }));
}

TEST_CASE("after a refusal of memory reading goes on with resume") {
  TcpBench bench;
  bench.start();
  const Fd fd = bench.connect();
  bench.intake.has_room = false;
  say(fd, "a\n");
  for (int i = 0; i < 20; ++i) bench.loop.run_once();
  bench.intake.has_room = true;
  bench.input->resume();
  CHECK(bench.until([&] { return bench.intake.lines.size() == 1; }));
}

TEST_CASE("close takes what has come and the unfinished line, then ends every source") {
  TcpBench bench;
  bench.start();
  const Fd fd = bench.connect();
  say(fd, "a\nb\nhalf");
  bench.input->close();
  bench.input.reset();
  CHECK(bench.intake.texts() == Lines{"a", "b", "half"});
  CHECK(bench.intake.closed == 1);
}

TEST_CASE("a port in use is told in a sentence") {
  TcpBench bench;
  bench.start();
  TcpBench other;
  other.options = bench.options;
  other.input = kTcpInput.make(other.options, nullptr);
  const Status status = other.input->open(other.services);
  REQUIRE_FALSE(status.ok());
  CHECK(status.message().find(std::to_string(bench.port)) != std::string::npos);
}

TEST_CASE("sizes are KB unless they have a unit, separators may be escaped") {
  TcpInputOptions options;
  options.chunk_size = "64";
  options.buffer_size = "1M";
  options.separator = "\\r\\x0a";
  const auto rules = tcp_in::framing_of(options);
  REQUIRE(rules.ok());
  CHECK(rules.value().least_read == 64 << 10);
  CHECK(rules.value().limit == 1 << 20);
  CHECK(rules.value().separator == "\r\n");
  const auto problems = [](const std::vector<std::pair<std::string, std::string>>& keys) {
    return problems_of(kTcpInput.schema, kTcpInput.make_options(), keys);
  };
  CHECK_FALSE(problems({{"Format", "none"}, {"Chunk_Size", "256"}, {"Buffer_Size", "1024"}}).failed());
  CHECK(problems({{"chunk_size", "257"}}).failed());
  CHECK(problems({{"buffer_size", "lots"}}).failed());
  CHECK(problems({{"separator", "\\q"}}).failed());
  CHECK(problems({{"port", "70000"}}).failed());
}

}  // namespace
}  // namespace logweir
