#include "runtime/simulator_turns.hpp"

namespace ew::runtime {

void SimulatorTurns::advance_to(u64 nanoseconds) {
  if (now_ >= nanoseconds) return;
  simulator_->gpu().advance_nanoseconds(nanoseconds - now_);
  now_ = simulator_->gpu().simulated_nanoseconds();
}

void SimulatorTurns::interrupt_quantum() {
  if (in_quantum_) simulator_->gpu().request_stop();
}

bool SimulatorTurns::give_way(HeldLock& held, const Demand& demand) {
  if (visitors_ == 0) return false;
  tell_visitors();
  lock_.wake.wait(held, [&] { return visitors_ == 0 || demand.stopping(); });
  return true;
}

void SimulatorTurns::take(HeldLock& held) {
  ++visitors_;
  interrupt_quantum();
  lock_.progress.wait(held, [&] { return !in_quantum_ && !in_task_; });
}

void SimulatorTurns::give_back() {
  --visitors_;
  lock_.wake.notify_one();
}

void SimulatorTurns::halt(HeldLock& held) {
  take(held);
  give_back();
}

void SimulatorTurns::visit(HeldLock& held, const std::function<void(Simulator&)>& look) {
  halt(held);
  look(*simulator_);
  now_ = simulator_->gpu().simulated_nanoseconds();
}

void SimulatorTurns::replace(std::unique_ptr<Simulator> simulator, u64 nanoseconds) {
  finished_totals_ += simulator_->gpu().so_far();
  simulator->gpu().advance_nanoseconds(nanoseconds);
  simulator_ = std::move(simulator);
  now_ = simulator_->gpu().simulated_nanoseconds();
}

simt::Counters SimulatorTurns::totals(HeldLock& held) {
  halt(held);
  simt::Counters sum = finished_totals_;
  sum += simulator_->gpu().so_far();
  return sum;
}

}  // namespace ew::runtime
