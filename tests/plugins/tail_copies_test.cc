// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>

#include <fstream>
#include <string>

#include "plugins/inputs/tail/copies.h"
#include "support/temp_directory.h"

namespace logweir::tail {

namespace {

// A file that was read up to `offset` when it held `content`.
struct CopyBench {
  void read_before(const std::string& content, std::uint64_t offset) {
    put("app.log", content);
    file = &files.add(stat_path(dir.file("app.log").c_str())->id);
    file->path = dir.file("app.log");
    file->uid = 1;
    file->head = head_of(content);
    file->offset = offset;
    file->mark = mark_of(std::string_view(content).substr(0, offset));
    file->seen_size = content.size();
  }
  void put(const std::string& name, const std::string& content) const { std::ofstream(dir.file(name)) << content; }
  Fd open_file(const std::string& name) const { return Fd(open(dir.file(name).c_str(), O_RDONLY)); }
  Likeness likeness(const std::string& copy, const std::string& original) const {
    put("copy", copy);
    put("original", original);
    return compare(open_file("copy").get(), copy.size(), open_file("original").get(), original.size());
  }
  std::string found() const {
    const FoundCopy copy = find_copy(*file, files);
    return copy.fd ? copy.path.substr(dir.path().size() + 1) : "";
  }
  TempDirectory dir;
  Files files;
  TailFile* file = nullptr;
};

}  // namespace

TEST_CASE("a copy under way looks the same so far, another file differs, a longer one too") {
  const CopyBench bench;
  const std::string text(100'000, 'a');
  CHECK(bench.likeness("", text) == Likeness::same_so_far);
  CHECK(bench.likeness(text.substr(0, 50'000), text) == Likeness::same_so_far);
  CHECK(bench.likeness(text, text) == Likeness::same_so_far);
  CHECK(bench.likeness(text + "b", text) == Likeness::differs);
  CHECK(bench.likeness("b" + text.substr(1), text) == Likeness::differs);
}

TEST_CASE("the copy of a truncated file is found by head and mark under an extended name") {
  CopyBench bench;
  bench.read_before("line 1\nline 2\nline 3\n", 14);
  bench.put("app.log", "");
  CHECK(bench.found().empty());
  bench.put("other.log", "line 1\nline 2\nline 3\n");
  bench.put("app.log.9", "line x\nline 2\nline 3\n");
  bench.put("app.log.1.gz", "line 1\nline 2\nline 3\n");
  CHECK(bench.found().empty());
  bench.put("app.log.2", "line 1\nline 2\nline 3\n");
  CHECK(bench.found() == "app.log.2");
}

TEST_CASE("a copy that ends before our offset is one too, but a whole one is better") {
  CopyBench bench;
  bench.read_before("line 1\nline 2\nline 3\n", 21);
  bench.file->head = head_of("line 1\n");
  bench.put("app.log", "");
  bench.put("app.log.1", "line 1\nline 2\n");
  CHECK(bench.found() == "app.log.1");
  bench.put("app.log.2", "line 1\nline 2\nline 3\nline 4\n");
  CHECK(bench.found() == "app.log.2");
}

TEST_CASE("a file that is read as something else is no copy") {
  CopyBench bench;
  bench.read_before("line 1\n", 7);
  bench.put("app.log.1", "line 1\nline 2\n");
  TailFile& other = bench.files.add(stat_path(bench.dir.file("app.log.1").c_str())->id);
  other.uid = 2;
  CHECK(bench.found().empty());
  other.uid = 0;
  CHECK(bench.found() == "app.log.1");
}

}  // namespace logweir::tail
