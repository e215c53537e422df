// SPDX-License-Identifier: Apache-2.0
#include "app/privileges_seccomp.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace logweir {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kForeign = 0x40000000;  // numbers from here on are x32's
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kForeign = UINT32_MAX;
#else
constexpr std::uint32_t kArchitecture = 0;  // not known here
constexpr std::uint32_t kForeign = UINT32_MAX;
#endif

// Only calls that both processors have.
constexpr std::uint32_t kRefused[] = {
    // other programs, and what they hold
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_getfd,
    // file systems and name spaces
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_move_mount, SYS_open_tree, SYS_fsopen, SYS_fsconfig,
    SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_unshare, SYS_setns, SYS_swapon, SYS_swapoff, SYS_quotactl, SYS_acct,
    SYS_open_by_handle_at,
    // the kernel itself
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load, SYS_reboot, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    SYS_personality, SYS_syslog,
    // clocks, names, keys
    SYS_settimeofday, SYS_clock_settime, SYS_sethostname, SYS_setdomainname, SYS_add_key, SYS_request_key, SYS_keyctl};

constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

// One comparison each; the kernel remembers by number what passes, so that a call that is let through costs nothing
// more (since 5.11).
std::vector<sock_filter> program() {
  std::vector<sock_filter> code;
  code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
  code.push_back(BPF_STMT(BPF_RET | BPF_K, kRefuse));
  code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kForeign, 0, 1));
  code.push_back(BPF_STMT(BPF_RET | BPF_K, kRefuse));
  for (const std::uint32_t call : kRefused) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, kRefuse));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return code;
}

}  // namespace

Status refuse_calls() {
  if (kArchitecture == 0) return {Code::unavailable, "the numbers of this processor's system calls are not known"};
  std::vector<sock_filter> code = program();
  sock_fprog filter{static_cast<unsigned short>(code.size()), code.data()};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0) return {};
  if (errno == EINVAL) return {Code::unavailable, "this kernel has no filters of system calls"};
  return Status::from_errno(errno, "seccomp: refuse system calls");
}

}  // namespace logweir
