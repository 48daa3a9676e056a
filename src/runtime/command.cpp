#include "runtime/command.hpp"

namespace ew::runtime {

Command launch_command(simt::Launch launch, u64 gap_nanoseconds) {
  Command command;
  command.kind = Command::Kind::launch;
  command.gap = gap_nanoseconds;
  command.launch = std::move(launch);
  return command;
}

Command task_command(std::unique_ptr<Task> task, Cost cost, u64* ended) {
  Command command;
  command.task = std::move(task);
  command.cost = cost;
  command.ended = ended;
  return command;
}

Command empty_command(Cost cost, u64* ended) {
  return task_command(nullptr, cost, ended);
}

Command transfer_command(memory::DmaTransfer transfer, Cost cost) {
  Command command;
  command.kind = Command::Kind::transfer;
  command.transfer = std::move(transfer);
  command.cost = cost;
  return command;
}

Command prefetch_command(memory::PagePrefetch prefetch) {
  Command command;
  command.kind = Command::Kind::prefetch;
  command.prefetch = prefetch;
  return command;
}

Command host_work_command(host::Work work) {
  Command command;
  command.kind = Command::Kind::host_work;
  command.work = std::move(work);
  return command;
}

Command host_function_command(std::unique_ptr<Task> task) {
  Command command;
  command.kind = Command::Kind::host_function;
  command.task = std::move(task);
  return command;
}

}  // namespace ew::runtime
