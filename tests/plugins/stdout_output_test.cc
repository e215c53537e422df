// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "plugins/outputs/stdout/stdout.h"
#include "support/output_bench.h"
#include "support/sockets.h"

namespace logweir {

extern const OutputEntry kStdoutOutput;
extern const OutputEntry kNullOutput;

namespace {

using stdout_out::Printer;
using stdout_out::StdoutFormat;
using stdout_out::StdoutOptions;

struct Pipe {
  Pipe() {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    out = Fd(ends[0]);
    in = Fd(ends[1]);
    fcntl(out.get(), F_SETFL, O_NONBLOCK);
    std::signal(SIGPIPE, SIG_IGN);
  }
  Fd out;
  Fd in;
};

std::string read_now(const Fd& fd) {
  std::string all;
  char buffer[65536];
  for (ssize_t got; (got = ::read(fd.get(), buffer, sizeof buffer)) > 0;)
    all.append(buffer, static_cast<std::size_t>(got));
  return all;
}

// A printer to a descriptor of the test's instead of ours.
class PrinterOutput final : public Output {
 public:
  PrinterOutput(int fd, StdoutFormat format) : fd_(fd) { options_.format = format; }
  Status open(OutputServices& services) override {
    printer_ = std::make_unique<Printer>(services, options_, fd_);
    return {};
  }
  std::uint64_t send(const Shipment& shipment) override { return printer_->send(shipment); }
  void close() override { printer_.reset(); }

 private:
  int fd_;
  StdoutOptions options_;
  std::unique_ptr<Printer> printer_;
};

struct PrintBench : OutputBench {
  explicit PrintBench(int fd, StdoutFormat format = StdoutFormat::raw) : OutputBench(kStdoutOutput) {
    output = std::make_unique<PrinterOutput>(fd, format);
    REQUIRE(output->open(services).ok());
  }
};

// Fills what is there, then reads slowly; all must come, in order.
void check_slow_reader(PrintBench& bench, const std::function<std::string()>& read) {
  const BatchRef batch = bench.batch(5'000, 200);
  std::uint64_t taken = 0;
  for (std::uint64_t n = 1; n > 0; taken += n) n = bench.send(batch, static_cast<std::uint32_t>(taken));
  CHECK(taken < 5'000);
  std::string heard;
  REQUIRE(bench.until([&] {
    heard += read();
    if (taken < 5'000) taken += bench.send(batch, static_cast<std::uint32_t>(taken));
    return bench.host.delivered() == 5'000;
  }));
  heard += read();
  std::string expected;
  for (const Record& record : batch->records) expected.append(record.text()).append("\n");
  CHECK(heard == expected);
}

TEST_CASE("the default is Fluent Bit's form, numbered per shipment") {
  Pipe pipe;
  PrintBench bench(pipe.in.get(), StdoutFormat::fluent);
  bench.send(bench.batch({"a", "b"}));
  bench.send(bench.batch({"c"}));
  CHECK(bench.host.delivered() == 3);
  CHECK(read_now(pipe.out) ==
        "[0] t: [[1700000000.000000000, {}], {\"log\"=>\"a\"}]\n"
        "[1] t: [[1700000000.000000000, {}], {\"log\"=>\"b\"}]\n"
        "[0] t: [[1700000000.000000000, {}], {\"log\"=>\"c\"}]\n");
}

TEST_CASE("json prints arrays and json_stream objects, a line each") {
  Pipe pipe;
  PrintBench array(pipe.in.get(), StdoutFormat::json);
  array.send(array.batch({"a", "b"}));
  CHECK(read_now(pipe.out) ==
        "[{\"date\":1700000000.000000,\"log\":\"a\"},{\"date\":1700000000.000000,\"log\":\"b\"}]\n");
  PrintBench stream(pipe.in.get(), StdoutFormat::json_stream);
  stream.send(stream.batch({"a", "b"}));
  CHECK(read_now(pipe.out) == "{\"date\":1700000000.000000,\"log\":\"a\"}{\"date\":1700000000.000000,\"log\":\"b\"}\n");
}

TEST_CASE("a pipe that is full makes the lane wait, and the descriptor stays blocking for others") {
  Pipe pipe;
  PrintBench bench(pipe.in.get());
  check_slow_reader(bench, [&] { return read_now(pipe.out); });
  CHECK((fcntl(pipe.in.get(), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("a socket that is full makes the lane wait") {
  SocketPair pair = unix_pair();
  PrintBench bench(pair.left.get());
  check_slow_reader(bench, [&] { return hear_now(pair.right); });
}

TEST_CASE("a plain file is written where its shared position stands") {
  Fd file(memfd_create("out", MFD_CLOEXEC));
  REQUIRE(::write(file.get(), "before\n", 7) == 7);
  PrintBench bench(file.get());
  bench.send(bench.batch({"a"}));
  char text[64] = {};
  REQUIRE(pread(file.get(), text, sizeof text, 0) == 9);
  CHECK(std::string(text) == "before\na\n");
}

TEST_CASE("a reader that has gone is no crash: nothing is taken and the lane backs off") {
  Pipe pipe;
  PrintBench bench(pipe.in.get());
  pipe.out.reset();
  CHECK(bench.send(bench.batch({"a"})) == 0);
  CHECK(bench.host.unavailables == 1);
}

TEST_CASE("a reader that goes while records wait gives them back") {
  Pipe pipe;
  PrintBench bench(pipe.in.get());
  const BatchRef batch = bench.batch(5'000, 200);
  std::uint64_t taken = 0;
  for (std::uint64_t n = 1; n > 0; taken += n) n = bench.send(batch, static_cast<std::uint32_t>(taken));
  pipe.out.reset();
  REQUIRE(bench.until([&] { return bench.host.count(Outcome::retry) > 0; }));
  CHECK(bench.host.delivered() + bench.host.count(Outcome::retry) == taken);
}

// Offers until the channel has taken all, reading meanwhile.
std::string through(PrintBench& bench, stdout_out::Channel& channel, std::string text, const Fd& from) {
  std::string heard;
  bool offer = true;
  const bool done = bench.until([&] {
    heard += read_now(from);
    while (offer && !text.empty()) {
      const iovec piece{text.data(), text.size()};
      const std::size_t n = channel.try_write({&piece, 1}).value();
      text.erase(0, n);
      offer = n > 0;
      if (!offer) channel.when_writable([&] { offer = true; });
    }
    return text.empty();
  });
  REQUIRE(done);
  return heard + read_now(from);
}

TEST_CASE("a pipe that can't be opened anew is written by a job thread") {
  Pipe pipe;
  PrintBench bench(pipe.in.get());
  stdout_out::Channel channel(bench.loop, bench.jobs, pipe.in.get(), false);
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i) + "\n";
  CHECK(through(bench, channel, text, pipe.out) == text);
}

TEST_CASE("a job thread's pipe without a reader ends in an error, a blocked one never holds the shutdown up") {
  Pipe pipe;
  PrintBench bench(pipe.in.get());
  stdout_out::Channel channel(bench.loop, bench.jobs, pipe.in.get(), false);
  std::string text(1 << 20, 'x');
  const iovec piece{text.data(), text.size()};
  bool heard = false;
  CHECK(channel.try_write({&piece, 1}).value() == 0);
  channel.when_writable([&] { heard = true; });
  REQUIRE(bench.until([&] { return heard; }));
  CHECK(channel.try_write({&piece, 1}).value() == 65'536);
  pipe.out.reset();
  heard = false;
  CHECK(channel.try_write({&piece, 1}).value() == 0);
  channel.when_writable([&] { heard = true; });
  REQUIRE(bench.until([&] { return heard; }));
  CHECK_FALSE(channel.try_write({&piece, 1}).ok());
}

TEST_CASE("null delivers at once") {
  OutputBench bench(kNullOutput);
  bench.output = kNullOutput.make(kNullOutput.make_options());
  REQUIRE(bench.output->open(bench.services).ok());
  CHECK(bench.send(bench.batch({"a", "b"})) == 2);
  CHECK(bench.host.delivered() == 2);
}

}  // namespace
}  // namespace logweir
