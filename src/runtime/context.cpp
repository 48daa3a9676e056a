#include "runtime/context.hpp"

#include <cstdlib>
#include <string_view>

#include "runtime/complaints.hpp"
#include "runtime/faults.hpp"

namespace ew::runtime {

namespace {

bool launches_wait() {
  const char* text = std::getenv("CUDA_LAUNCH_BLOCKING");
  return text && std::string_view(text) != "" && std::string_view(text) != "0";
}

}  // namespace

Context::Context(Queue& queue, PrintBuffer& print_buffer)
    : queue_(queue), print_buffer_(print_buffer), launches_wait_(launches_wait()) {}

void Context::lose(const simt::Fault& fault) {
  lost_.store(error_of(fault.kind), std::memory_order_release);
  print_buffer_.flush();
  print_report(fault.kind == simt::FaultKind::assert_failed ? fault.report : "everwarp: " + fault.report);
}

void Context::revive() {
  lost_is_known_ = false;
  lost_.store(cudaSuccess, std::memory_order_release);
}

/// What a wait that has ended so returns. A thread that the end of the program finds waiting does not come back.
cudaError_t Context::after_wait(Waited waited) {
  if (waited == Waited::ending) {
    end_of_program_.hold();
    return cudaErrorCudartUnloading;
  }
  print_buffer_.flush();
  const cudaError_t error = say_lost();
  if (error != cudaSuccess || waited == Waited::done) return error;
  return cudaErrorContextIsDestroyed;
}

cudaError_t Context::wait(Ticket ticket, ApiLock& lock) {
  lock.unlock();
  const cudaError_t error = after_wait(queue_.wait(ticket));
  lock.lock();
  return error;
}

cudaError_t Context::wait_idle(ApiLock& lock) {
  lock.unlock();
  const cudaError_t error = after_wait(queue_.wait_idle());
  lock.lock();
  return error;
}

cudaError_t Context::query(Ticket ticket, ApiLock& lock) {
  lock.unlock();
  const Waited waited = queue_.query(ticket);
  const cudaError_t error = waited == Waited::no ? say_lost() : after_wait(waited);
  lock.lock();
  return waited == Waited::no && error == cudaSuccess ? cudaErrorNotReady : error;
}

}  // namespace ew::runtime
