// SPDX-License-Identifier: Apache-2.0
#include "app/spool_command.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

#include "app/cli.h"
#include "app/spools.h"
#include "support/fake_shelf.h"
#include "support/real_spool.h"
#include "support/temp_directory.h"

namespace logweir {
namespace {

// An output "peer" with an alias, to 127.0.0.1:5170, and the spools of the conf.
struct Ground {
  Ground() {
    plan.service.storage_path = dir.path() + "/spools";
    OutputPlan& output = plan.outputs.emplace_back();
    output.entry = &fake::kPeer;
    output.name = "peer";
    output.id = "peer@0123456789abcdef";
    auto options = std::make_shared<fake::PeerOptions>();
    options->host = "127.0.0.1";
    options->port = 5170;
    output.options = options;
  }
  // Stores a frame of each line and leaves.
  std::string store(const SpoolIdentity& identity, const std::vector<std::string>& lines, unsigned shard = 0) {
    const std::string directory = spool_directory_in(spools_directory(plan), identity, shard);
    auto writer = SpoolWriter::open(disk, directory, identity, Spool::small(), 1000);
    REQUIRE_MESSAGE(writer.ok(), writer.status().message());
    for (const std::string& line : lines) {
      const std::string frame = frame_of({line}, {writer.value()->mark(), writer.value()->next(), kSecond});
      const std::string_view view = frame;
      REQUIRE(writer.value()->append({&view, 1}, kSecond).ok());
    }
    REQUIRE(writer.value()->sync().ok());
    return directory;
  }
  [[nodiscard]] SpoolIdentity mine() const { return spool_identity(plan.outputs[0]); }

  int run(SpoolRequest request) {
    out.str("");
    err.str("");
    return run_spool(request, plan, out, err);
  }
  [[nodiscard]] bool said(std::string_view text) const { return out.str().find(text) != std::string::npos; }
  [[nodiscard]] bool complained(std::string_view text) const { return err.str().find(text) != std::string::npos; }
  [[nodiscard]] std::size_t lines() const {
    const std::string text = out.str();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  TempDirectory dir;
  RealDisk disk;
  Plan plan;
  std::ostringstream out, err;
};

void flip(const std::string& path, std::uint64_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(byte ^ 1));
  REQUIRE(file.good());
}

Cli cli(std::vector<const char*> words) {
  words.insert(words.begin(), "logweir");
  return parse_cli(static_cast<int>(words.size()), words.data());
}

TEST_CASE("spools lie where the conf says, else in the state directory") {
  Plan plan;
  plan.service.state_dir = "/var/x";
  CHECK(spools_directory(plan) == "/var/x/spool");
  plan.service.storage_path = "/srv/y";
  CHECK(spools_directory(plan) == "/srv/y");
}

TEST_CASE("storage.path is a key of the service") {
  const TempDirectory folder;
  std::ofstream(folder.file("a.yaml")) << "service: {storage.path: /srv/y}\n"
                                          "pipeline: {inputs: [{name: peer}], outputs: [{name: peer, match: '*'}]}\n";
  std::ostringstream err;
  const auto plan = load_plan(folder.file("a.yaml"), {}, fake::shelf(), err);
  CHECK(err.str().empty());
  REQUIRE(plan.has_value());
  CHECK(plan->service.storage_path == "/srv/y");
}

TEST_CASE("a spool belongs to the alias, else to the output's id") {
  Ground ground;
  CHECK(ground.mine().instance == "peer");
  CHECK(ground.mine().fingerprint == "127.0.0.1:5170");
  ground.plan.outputs[0].name = "peer.0";
  CHECK(ground.mine().instance == "peer@0123456789abcdef");
}

TEST_CASE("list tells what waits by output, and that no output has the destination") {
  Ground ground;
  ground.store(ground.mine(), {"a", "b"});
  ground.store({"peer", "elsewhere:1"}, {"c"});
  ground.store({"gone", "x\x1b[2J"}, {"d"}, 3);
  CHECK(ground.run({.verb = "list"}) == 0);
  CHECK(ground.said("3 spools, 4 frames waiting"));
  CHECK(ground.said("x?[2J"));
  CHECK(ground.said("1970-01-01T00:00:01Z  no\n"));
  CHECK(ground.said("1970-01-01T00:00:01Z  yes\n"));
  CHECK(ground.said("What is held back"));
  CHECK(ground.run({.verb = "list", .output = "gone"}) == 0);
  CHECK(ground.said("1 spools, 1 frames waiting"));
  CHECK(ground.run({.verb = "list", .output = "peer"}) == 0);
  CHECK(ground.said("2 spools, 3 frames waiting"));
}

TEST_CASE("nothing that waits is no fault, but an output that nobody knows is") {
  Ground ground;
  CHECK(ground.run({.verb = "list"}) == 0);
  CHECK(ground.said("nothing waits on disk"));
  CHECK(ground.run({.verb = "verify", .output = "peer"}) == 0);
  CHECK(ground.run({.verb = "cat"}) == 0);
  CHECK(ground.lines() == 0);
  CHECK(ground.complained("nothing waits on disk"));
  CHECK(ground.run({.verb = "list", .output = "paer"}) == 1);
  CHECK(ground.complained("there is no spool of 'paer'"));
}

TEST_CASE("a spool in which nothing waits is listed as such") {
  Ground ground;
  ground.store(ground.mine(), {});
  CHECK(ground.run({.verb = "list"}) == 0);
  CHECK(ground.said("1 spools, 0 frames waiting"));
  CHECK(ground.run({.verb = "verify"}) == 0);
  CHECK(ground.said("peer shard 0: "));
  CHECK(ground.said("0 records read, whole"));
}

TEST_CASE("cat prints at most as many records as were asked for") {
  Ground ground;
  ground.store(ground.mine(), {"a", "b"});
  ground.store(ground.mine(), {"c"}, 1);
  CHECK(ground.run({.verb = "cat"}) == 0);
  CHECK(ground.lines() == 3);
  CHECK(ground.run({.verb = "cat", .limit = 2}) == 0);
  CHECK(ground.lines() == 2);
  CHECK(ground.said(R"({"output":"peer","tag":"t",)"));
  CHECK(ground.said(R"("record":{"log":"b"}})"));
  CHECK(ground.err.str().empty());
}

TEST_CASE("verify names each damaged frame by file and offset, cat and verify read on behind it") {
  Ground ground;
  const std::string directory = ground.store(ground.mine(), {"first", "second", "third"});
  CHECK(ground.run({.verb = "verify"}) == 0);
  CHECK(ground.said("3 frames with 3 records read, whole"));
  flip(segment_path(directory, 1), kSegmentStart + 60);
  CHECK(ground.run({.verb = "verify"}) == 1);
  CHECK(ground.said("damaged: " + segment_path(directory, 1) + " at 4096: "));
  CHECK(ground.said("2 frames with 2 records read, 1 damaged places, 1 frames lost"));
  CHECK(ground.run({.verb = "cat"}) == 0);
  CHECK(ground.lines() == 2);
  CHECK(ground.complained("1 frames of"));
}

TEST_CASE("verify tells of a state that is gone, and of a spool without a readable label") {
  Ground ground;
  const std::string directory = ground.store(ground.mine(), {"a"});
  flip(directory + "/state", 100);
  flip(directory + "/state", kSegmentStart + 100);
  CHECK(ground.run({.verb = "verify"}) == 1);
  CHECK(ground.said("/state: it says nothing"));
  flip(segment_path(directory, 1), 100);
  CHECK(ground.run({.verb = "verify"}) == 1);
  CHECK(ground.complained("all its labels are damaged"));
}

TEST_CASE("what can't be read is said, and the other spools are shown") {
  Ground ground;
  const std::string broken = ground.store(ground.mine(), {"a"});
  ground.store({"other", "x"}, {"b"});
  std::filesystem::remove(segment_path(broken, 1));
  std::filesystem::create_directory_symlink("/", segment_path(broken, 1));
  std::filesystem::remove(broken + "/state");
  std::filesystem::create_directory_symlink("/", broken + "/state");
  CHECK(ground.run({.verb = "list"}) == 1);
  CHECK(ground.said("1 spools, 1 frames waiting"));
  CHECK(ground.complained("state"));
}

// Writes, delivers and uses segments again, some of it in every turn, `turns` times.
bool work(SpoolWriter& writer, int turns) {
  for (int i = 0; i != turns; ++i) {
    std::vector<std::string> frames;
    for (std::uint64_t n = 0; n != 5; ++n) {
      frames.push_back(frame_of({std::string(3000, 'x')}, {writer.mark(), writer.next() + n, kSecond}));
    }
    const std::vector<std::string_view> views(frames.begin(), frames.end());
    if (!writer.append(views, kSecond).ok() || !writer.sync().ok()) return false;
    if (writer.next() > 20 && !writer.trim(writer.next() - 20, kSecond).ok()) return false;
  }
  return true;
}

TEST_CASE("beside a writer at work nothing is taken for damaged, and the writer is not disturbed") {
  Ground ground;
  const std::string directory = spool_directory_in(spools_directory(ground.plan), ground.mine(), 0);
  auto writer = SpoolWriter::open(ground.disk, directory, ground.mine(), Spool::small(), 1000);
  REQUIRE(writer.ok());
  auto worked = std::async(std::launch::async, [&] { return work(*writer.value(), 400); });
  int looks = 0;
  while (looks < 3 || worked.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    for (const char* verb : {"list", "verify", "cat"}) {
      CHECK_MESSAGE(ground.run({.verb = verb}) == 0, verb << ": " << ground.out.str() << ground.err.str());
    }
    ++looks;
  }
  CHECK(worked.get());
  CHECK(ground.run({.verb = "verify"}) == 0);
}

TEST_CASE("a place that is no directory is said") {
  Ground ground;
  std::ofstream(ground.plan.service.storage_path) << "x";
  CHECK(ground.run({.verb = "list"}) == 1);
  CHECK(ground.complained("the spools can't be read: " + ground.plan.service.storage_path + " is a file"));
}

TEST_CASE("bad usage of spool is code 64 and says what is right") {
  Ground ground;
  CHECK(ground.run({}) == kExitUsage);
  CHECK(ground.complained("list, cat or verify"));
  CHECK(ground.run({.verb = "drop"}) == kExitUsage);
  CHECK(ground.run({.verb = "list", .limit = 3}) == kExitUsage);
  CHECK(ground.run({.verb = "cat", .limit = -1}) == kExitUsage);
}

TEST_CASE("the command line of spool is read") {
  const Cli cat = cli({"spool", "cat", "--output", "x", "--limit", "3", "-c", "f.yaml"});
  CHECK(cat.action == Cli::Action::spool);
  CHECK(cat.conf == "f.yaml");
  CHECK(cat.spool.verb == "cat");
  CHECK(cat.spool.output == "x");
  CHECK(cat.spool.limit == 3);
  CHECK(cli({"spool", "list"}).exit_code == kExitUsage);
  CHECK(cli({"spool", "cat", "--limit", "x", "-c", "f"}).exit_code == kExitUsage);
  for (const auto& words : {std::vector<const char*>{"spool", "--help"}, {"spool", "cat", "-h"}, {"help", "spool"}}) {
    CHECK(cli(words).action == Cli::Action::help);
    CHECK(cli(words).plugin == "spool");
  }
  std::ostringstream out, err;
  CHECK(run_help("spool", fake::shelf(), out, err) == 0);
  CHECK(out.str() == spool_help());
}

}  // namespace
}  // namespace logweir
