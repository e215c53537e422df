// SPDX-License-Identifier: Apache-2.0
#include "app/privileges.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "app/privileges_landlock.h"
#include "app/privileges_seccomp.h"
#include "app/privileges_user.h"
#include "base/fd.h"
#include "support/in_child.h"
#include "support/temp_directory.h"

namespace logweir {
namespace {

constexpr uid_t kNobody = 65534;

// What a child that stepped through all returns; `unavailable`: the kernel does not have it.
constexpr int kGood = 0;
constexpr int kUnavailable = 99;

bool passed(int status) {
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kUnavailable) MESSAGE("this kernel does not have it");
  INFO("step " << WEXITSTATUS(status));
  CHECK((WEXITSTATUS(status) == kGood || WEXITSTATUS(status) == kUnavailable));
  return WEXITSTATUS(status) == kGood;
}

bool is_root() {
  if (::geteuid() == 0) return true;
  MESSAGE("left out: needs root");
  return false;
}

// The errno of opening; 0 when it went well.
int open_error(const std::string& path, int flags) {
  const Fd fd(::open(path.c_str(), flags | O_CLOEXEC, 0600));
  return fd ? 0 : errno;
}

TEST_CASE("users and groups are found by name and number, and unknown ones are named") {
  CHECK(find_identity("root", "").value().user == 0);
  CHECK(find_identity("0", "").value().name == "root");
  CHECK(find_identity("54321", "54322").value().group == 54322);
  CHECK(find_identity("root", "54322").value().group == 54322);
  CHECK(find_identity("", "54322").value().same_user);
  CHECK(find_identity("nobody-here", "").status().message().find("'nobody-here'") != std::string::npos);
  CHECK(find_identity("root", "no-group").status().code() == Code::not_found);
  CHECK(find_identity("54321", "").status().code() == Code::invalid);
  CHECK(find_identity("4294967295", "0").status().code() == Code::not_found);
}

TEST_CASE("capabilities have names, and dangerous ones have none") {
  CHECK(capability_of("dac_read_search") == capability_of("CAP_DAC_READ_SEARCH"));
  CHECK_FALSE(capability_of("sys_admin"));
  CHECK_FALSE(capability_of("dac_override"));
  CHECK_FALSE(capability_of(""));
  CHECK(names_of(*capability_of("syslog") | *capability_of("net_raw")) == "net_raw, syslog");
  CHECK(names_of(0) == "none");
}

TEST_CASE("another user reads what root alone may, writes only what is his, and never comes back") {
  if (!is_root()) return;
  const TempDirectory directory;
  std::ofstream(directory.file("secret")) << "x";
  REQUIRE(::chmod(directory.file("secret").c_str(), 0600) == 0);
  REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
  const Identity nobody{"", kNobody, kNobody};
  REQUIRE(make_directory_for(nobody, directory.file("a/own")).ok());
  const int status = in_child([&] {
    const Capabilities keep = *capability_of("dac_read_search");
    const auto had = permitted_capabilities();
    const auto kept = become(nobody, keep);
    if (!kept.ok()) return 1;
    if ((had.value() & keep) == 0) return kUnavailable;
    if (kept.value() != keep || permitted_capabilities().value() != keep) return 2;
    if (open_error(directory.file("secret"), O_RDONLY) != 0) return 3;
    if (open_error(directory.file("secret"), O_WRONLY) != EACCES) return 4;
    if (open_error(directory.file("a/own/x"), O_WRONLY | O_CREAT) != 0) return 5;
    if (open_error(directory.file("a/x"), O_WRONLY | O_CREAT) != EACCES) return 6;
    if (::setuid(0) == 0 || ::setgid(0) == 0 || ::getgroups(0, nullptr) != 0) return 7;
    return kGood;
  });
  passed(status);
}

TEST_CASE("without a capability to keep, a root-only file stays shut") {
  if (!is_root()) return;
  const TempDirectory directory;
  std::ofstream(directory.file("secret")) << "x";
  REQUIRE(::chmod(directory.file("secret").c_str(), 0600) == 0);
  REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
  passed(in_child([&] {
    if (!become({"", kNobody, kNobody}, 0).ok() || permitted_capabilities().value() != 0) return 1;
    return open_error(directory.file("secret"), O_RDONLY) == EACCES ? kGood : 2;
  }));
}

TEST_CASE("a directory of somebody else is not given away") {
  if (!is_root()) return;
  const TempDirectory directory;
  const Identity nobody{"", kNobody, kNobody};
  const Status status = make_directory_for(nobody, directory.path());
  CHECK(status.code() == Code::denied);
  CHECK(status.message().find("chown -R 65534") != std::string::npos);
  struct stat at{};
  REQUIRE(::stat(directory.path().c_str(), &at) == 0);
  CHECK(at.st_uid == 0);
  REQUIRE(::symlink("/etc", directory.file("link").c_str()) == 0);
  CHECK_FALSE(make_directory_for(nobody, directory.file("link")).ok());
}

TEST_CASE("landlock leaves what the fences name and shuts the rest") {
  const TempDirectory in;
  const TempDirectory out;
  const TempDirectory other;
  for (const TempDirectory* each : {&in, &out, &other}) std::ofstream(each->file("f")) << "x";
  const int status = in_child([&] {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const Status closed = close_fences({{in.path(), "/not-there/x"}, {out.file("not/there/yet"), "/dev/null"}});
    if (closed.code() == Code::unavailable) return kUnavailable;
    if (!closed.ok()) return 1;
    if (open_error(in.file("f"), O_RDONLY) != 0) return 2;
    if (open_error(in.file("f"), O_WRONLY) != EACCES) return 3;
    if (open_error(out.file("new"), O_WRONLY | O_CREAT) != 0) return 4;
    if (::rename(out.file("new").c_str(), out.file("old").c_str()) != 0) return 5;
    if (open_error(other.file("f"), O_RDONLY) != EACCES) return 6;
    if (open_error("/etc/passwd", O_RDONLY) != 0 || open_error("/dev/null", O_RDWR) != 0) return 7;
    if (open_error("/etc/logweir-test", O_WRONLY | O_CREAT) != EACCES) return 8;
    return kGood;
  });
  passed(status);
}

TEST_CASE("seccomp refuses to run a program and lets what an agent does pass") {
  const TempDirectory directory;
  const int status = in_child([&] {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const Status refused = refuse_calls();
    if (refused.code() == Code::unavailable) return kUnavailable;
    if (!refused.ok()) return 1;
    char* const none[] = {nullptr};
    if (::execve("/bin/true", none, none) != -1 || errno != EPERM) return 2;
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != -1 || errno != EPERM) return 3;
    return open_error(directory.file("f"), O_WRONLY | O_CREAT) == 0 ? kGood : 4;
  });
  passed(status);
}

}  // namespace
}  // namespace logweir
