#include "runtime/host_signals.hpp"

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cstring>
#include <mutex>

#include "core/types.hpp"
#include "runtime/end_signals.hpp"
#include "runtime/host_watch.hpp"
#include "runtime/library_function.hpp"

namespace ew::runtime {

int real_sigaction(int number, const struct sigaction* fresh, struct sigaction* old) {
  static const auto function = library_function<int(int, const struct sigaction*, struct sigaction*)>("sigaction");
  return function(number, fresh, old);
}

namespace {

std::mutex handler_mutex;  // of `wanted`; never taken by the handler
std::atomic<bool> installed{false};
struct sigaction wanted;  // what the program wants done

/// Whether the instruction is an atomic one (lock prefix, or xchg with memory): it reads what it writes.
bool atomic_instruction(const u8* code) {
  for (int i = 0; i < 5; ++i) {
    const u8 byte = code[i];
    if (byte == 0xf0) return true;
    const bool prefix =
        byte == 0x66 || byte == 0xf2 || byte == 0xf3 || (byte & 0xf0) == 0x40 || byte == 0x64 || byte == 0x65;
    if (!prefix) return byte == 0x86 || byte == 0x87;
  }
  return false;
}

/// As the kernel would have called the program's handler.
void hand_on(int number, siginfo_t* info, void* context) {
  const struct sigaction action = wanted;
  if (action.sa_flags & SA_SIGINFO) return action.sa_sigaction(number, info, context);
  if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) return action.sa_handler(number);
  struct sigaction none {};  // the access is made again, or the signal was sent: it ends the process as without us
  none.sa_handler = SIG_DFL;
  real_sigaction(number, &none, nullptr);
  if (info->si_code <= 0) ::raise(number);
}

void on_fault(int number, siginfo_t* info, void* context) {
  const auto* const machine = static_cast<const ucontext_t*>(context);
  const auto instruction = static_cast<u64>(machine->uc_mcontext.gregs[REG_RIP]);
  constexpr greg_t by_a_store = 2, by_a_fetch = 16;
  const greg_t why = machine->uc_mcontext.gregs[REG_ERR];
  const bool store = (why & by_a_store) && !atomic_instruction(reinterpret_cast<const u8*>(instruction));
  const bool ours = info->si_code == SEGV_ACCERR && !(why & by_a_fetch) &&
                    HostWatch::any_touched(reinterpret_cast<u64>(info->si_addr), instruction,
                                           store ? HostWatch::Access::store : HostWatch::Access::load);
  if (!ours) hand_on(number, info, context);
}

/// What this library asks of the system for the program's wish: our handler, with the program's mask and stack.
struct sigaction ours_for(const struct sigaction& wish) {
  struct sigaction action = wish;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | (wish.sa_flags & (SA_NODEFER | SA_RESTART));
  action.sa_sigaction = on_fault;
  return action;
}

}  // namespace

void catch_faults() {
  if (installed) return;
  const std::lock_guard lock(handler_mutex);
  if (installed) return;
  real_sigaction(SIGSEGV, nullptr, &wanted);
  const struct sigaction action = ours_for(wanted);
  real_sigaction(SIGSEGV, &action, nullptr);
  sigset_t faults;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  ::pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
  installed = true;
}

}  // namespace ew::runtime

using namespace ew::runtime;

// In front of the C library's: a blocked SIGSEGV would end the process at the first access of closed memory, and a
// program's own handler would take it for a mistake.
extern "C" {

__attribute__((visibility("default"))) int sigaction(int number, const struct sigaction* fresh,
                                                     struct sigaction* old) noexcept {
  if (number != SIGSEGV) {
    const auto set_action = is_end_signal(number) ? set_end_signal : real_sigaction;
    if (!fresh) return set_action(number, fresh, old);
    struct sigaction action = *fresh;
    sigdelset(&action.sa_mask, SIGSEGV);
    return set_action(number, &action, old);
  }
  const std::lock_guard lock(handler_mutex);
  if (!installed) return real_sigaction(number, fresh, old);
  const struct sigaction before = wanted;
  if (fresh) {
    wanted = *fresh;
    const struct sigaction action = ours_for(wanted);
    if (const int failed = real_sigaction(number, &action, nullptr)) return failed;
  }
  if (old) *old = before;
  return 0;
}

__attribute__((visibility("default"))) sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction fresh {
  }, old{};
  fresh.sa_handler = handler;
  fresh.sa_flags = SA_RESTART;
  return ::sigaction(number, &fresh, &old) == 0 ? old.sa_handler : SIG_ERR;
}

__attribute__((visibility("default"))) int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  static const auto function = library_function<int(int, const sigset_t*, sigset_t*)>("pthread_sigmask");
  if (!set || how == SIG_UNBLOCK) return function(how, set, old);
  sigset_t without = *set;
  sigdelset(&without, SIGSEGV);
  return function(how, &without, old);
}

__attribute__((visibility("default"))) int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  static const auto function = library_function<int(int, const sigset_t*, sigset_t*)>("sigprocmask");
  if (!set || how == SIG_UNBLOCK) return function(how, set, old);
  sigset_t without = *set;
  sigdelset(&without, SIGSEGV);
  return function(how, &without, old);
}
}
