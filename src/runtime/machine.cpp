#include "runtime/machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/diagnostics.hpp"
#include "core/symbol_name.hpp"
#include "runtime/callback_thread.hpp"
#include "runtime/faults.hpp"
#include "runtime/timing_machine.hpp"
#include "simt/functional_gpu.hpp"
#include "simt/recording_memory.hpp"

namespace ew::runtime {

namespace {

/// What include/everwarp's inline PTX names. Functional mode runs the instructions inside each.
constexpr std::array<std::string_view, 9> region_names{"ofence",     "dfence",   "prel_block", "prel_dev",   "prel_sys",
                                                       "pacq_block", "pacq_dev", "pacq_sys",   "gpm_persist"};

bool is_region(std::string_view name) {
  return std::find(region_names.begin(), region_names.end(), name) != region_names.end();
}

void kill_this_process() {  // `ew crash`: nothing is flushed, no handler runs
  ::kill(::getpid(), SIGKILL);
  ::_exit(137);
}

void print_report(std::string_view report) {
  std::fflush(stdout);
  std::fwrite(report.data(), 1, report.size(), stderr);
  if (report.empty() || report.back() != '\n') std::fputc('\n', stderr);
}

}  // namespace

simt::GpuLimits gpu_limits(const MachineConfig& config) {
  simt::GpuLimits limits;
  limits.sms = config.sm.count;
  limits.warps_per_sm = config.sm.warps;
  limits.blocks_per_sm = config.sm.blocks;
  limits.registers_per_sm = config.sm.registers;
  limits.registers_per_block = config.sm.registers_per_block;
  limits.registers_per_thread = config.sm.registers_per_thread;
  limits.register_allocation_unit = config.sm.register_allocation_unit;
  limits.shared_bytes_per_sm = static_cast<u32>(config.sm.shared.count);
  limits.shared_bytes_per_block = static_cast<u32>(config.sm.shared_per_block.count);
  limits.shared_bytes_per_block_optin = static_cast<u32>(config.sm.shared_per_block_optin.count);
  limits.shared_reserved_per_block = static_cast<u32>(config.sm.shared_reserved_per_block.count);
  limits.threads_per_block = config.sm.threads_per_block;
  limits.block_limit = config.launch.block_limit;
  limits.grid_limit = config.launch.grid_limit;
  limits.parameter_bytes = static_cast<u32>(config.launch.parameters.count);
  limits.clock_khz = static_cast<u32>(config.device.clock.count);
  return limits;
}

Machine::Machine(MachineConfig config, Environment environment, const Registry& registry)
    : config_(std::move(config)),
      environment_(std::move(environment)),
      registry_(registry),
      recorder_(environment_.events_file.empty()
                    ? nullptr
                    : std::make_unique<simt::EventRecorder>(environment_.events_file, config_.machine.timing())),
      gpu_limits_(runtime::gpu_limits(config_)),
      memory_(config_.device.memory.count),
      heap_(memory_, config_.launch.heap.count),
      print_buffer_(config_.launch.printf_buffer.count),
      textures_(allocations_),
      allocations_(memory_),
      acknowledgements_(environment_.acknowledgements_file),
      pools_(memory_, config_.machine.timing() ? &durable_ : nullptr),
      graphs_(memory_),
      queue_(
          make_simulator(), memory_, [this](const simt::Fault& fault) { lose(fault); },
          static_cast<Progress::Show>(std::min<u64>(environment_.progress, 2)), recorder_.get()) {
  limits_.stack = config_.launch.stack.count;
  limits_.printf_buffer = config_.launch.printf_buffer.count;
  if (environment_.digest) queue_.digest_copies();
  durable_.crash_at(environment_.crash_at_persist);
  if (recorder_ && !config_.machine.timing()) recorder_->crash_at(environment_.crash_at_persist);
  if (const std::string& log = environment_.durable_log_file;
      config_.machine.timing() && !log.empty() && !durable_.log_to(log))
    throw core::UserError(fmt::format("the log of durable writes cannot be written to {}", log));
}

Machine::~Machine() {
  queue_.stop();
}

std::unique_ptr<Simulator> Machine::make_simulator() {
  std::unique_ptr<Simulator> simulator;
  if (config_.machine.timing()) {
    const TimingMachine::Observation observation{.timeline_file = environment_.timeline_file,
                                                 .trace_file = environment_.trace_file,
                                                 .digest = environment_.digest,
                                                 .per_unit = environment_.per_unit,
                                                 .recorder = recorder_.get(),
                                                 .crash_at = environment_.crash_at_cycle};
    simulator = std::make_unique<TimingMachine>(config_, gpu_limits_, environment_.seed, memory_, *this, results_,
                                                observation, &durable_);
    simulator->persist_region(inside_persist_region_);
  } else {
    simulator = std::make_unique<FunctionalSimulator>(
        recorder_ ? std::make_unique<simt::FunctionalGpu>(gpu_limits_, memory_, *this,
                                                          std::make_unique<simt::RecordingMemory>(memory_, *recorder_))
                  : std::make_unique<simt::FunctionalGpu>(gpu_limits_, memory_, *this));
  }
  simt::Gpu& gpu = simulator->gpu();
  if (environment_.max_instructions != 0) gpu.set_instruction_limit(environment_.max_instructions);
  if (environment_.crash_at > instructions_before_)
    gpu.set_crash_point(environment_.crash_at - instructions_before_, kill_this_process);
  return simulator;
}

const RunResults& Machine::results() {
  queue_.with_simulator([&](Simulator& simulator) { simulator.hand_in(results_); });
  return results_;
}

void* Machine::map_pool(const std::string& path, u64 size, bool create) {
  if (const std::string why = why_no_pools(config_); !why.empty()) throw core::UserError("gpm_map: " + why);
  void* pool = nullptr;
  queue_.with_simulator([&](Simulator& simulator) {
    pool = pools_.map(path, size, create);
    if (recorder_)
      recorder_->pool_mapped({.path = path,
                              .address = reinterpret_cast<u64>(pool),
                              .size = Pools::size_of(path),
                              .header_bytes = pool_header_bytes,
                              .cycle = simulator.cycle(),
                              .writes = durable_.number()});
  });
  return pool;
}

void Machine::unmap_pool(void* address) {
  const u64 begin = reinterpret_cast<u64>(address), bytes = pools_.size_at(begin);
  queue_.with_simulator([&](Simulator& simulator) {
    if (bytes) simulator.drop(begin, begin + bytes, true);
    durable_.set_cycle(simulator.cycle());
    if (recorder_) recorder_->pool_unmapped(begin);
    pools_.unmap(address);
  });
}

void Machine::make_durable(u64 address, u64 size) {
  queue_.with_simulator([&](Simulator& simulator) {
    durable_.set_cycle(simulator.cycle());
    pools_.make_durable(address, size);
    simulator.drop(address, address + size, false);
    if (recorder_) recorder_->host_persisted(address, size);
  });
}

void Machine::advise(u64 begin, u64 bytes, ManagedAdvice advice) {
  if (!config_.machine.timing()) return;
  queue_.with_simulator([&](Simulator& simulator) { simulator.advise(begin, bytes, advice); });
}

void Machine::acknowledge(u64 progress) {
  queue_.with_simulator([&](Simulator& simulator) {
    if (recorder_) recorder_->acknowledged(progress);
    acknowledgements_.add({simulator.cycle(), durable_.number(), progress});
  });
}

void Machine::persist_region(bool inside, ApiLock& lock) {
  wait_idle(lock);
  inside_persist_region_ = inside;
  queue_.with_simulator([&](Simulator& simulator) { simulator.persist_region(inside); });
}

void Machine::lose(const simt::Fault& fault) {
  lost_.store(error_of(fault.kind), std::memory_order_release);
  print_buffer_.flush();
  print_report(fault.kind == simt::FaultKind::assert_failed ? fault.report : "everwarp: " + fault.report);
}

void Machine::complain(const std::string& sentence) {
  if (complaints_.insert(sentence).second) print_report("everwarp: " + sentence);
}

CUstream_st* Machine::stream(cudaStream_t handle) {
  return streams_.find(handle, registry_.per_thread_default_stream());
}

Cost Machine::cost(Engine engine, u64 bytes) const {
  const auto& copy = config_.copy;
  const u64 rate = (engine == Engine::to_device ? copy.host_to_device
                    : engine == Engine::to_host ? copy.device_to_host
                                                : copy.device_to_device)
                       .count;
  const auto transfer = static_cast<unsigned __int128>(bytes) * 1'000'000'000 / std::max<u64>(rate, 1);
  return {engine, copy.latency.count / 1000 + static_cast<u64>(transfer)};
}

/// Turns each kind of work into a command of the queue.
struct Machine::Submit {
  Machine& machine;
  std::span<const Ticket> after;

  Ticket operator()(const KernelWork& work) const {
    simt::Launch launch;
    launch.kernel = work.function->kernel;
    launch.grid = work.grid;
    launch.block = work.block;
    launch.dynamic_shared = work.shared;
    launch.parameters = work.parameters;
    launch.cooperative = work.cooperative;
    launch.stack_bytes = static_cast<u32>(machine.limits_.stack);
    // The launch takes its time to reach the device, beside whatever its stream still does.
    const Cost way{Engine::none, machine.config_.launch.latency.count / 1000};
    std::vector<Ticket> all(after.begin(), after.end());
    all.push_back(machine.queue_.submit_task(nullptr, way, {}));
    return machine.queue_.submit_launch(std::move(launch), all, machine.config_.launch.gap.count / 1000);
  }
  Ticket operator()(const CopyWork& work) const {
    const Cost cost = machine.cost(work.engine, work.width * work.height * work.depth);
    return machine.queue_.submit_transfer(work.transfer(), cost, after);
  }
  Ticket operator()(const SetWork& work) const {
    const Cost cost = machine.cost(Engine::inside_device, work.width * work.element * work.height * work.depth);
    return machine.queue_.submit_transfer(work.transfer(), cost, after);
  }
  Ticket operator()(const HostWork& work) const {
    return machine.queue_.submit_host_call(make_task([work] {
                                             const CallbackThread inside;
                                             work.function(work.data);
                                           }),
                                           after);
  }
  Ticket operator()(const CallbackWork& work) const {
    return machine.queue_.submit_host_call(make_task([work] {
                                             const CallbackThread inside;
                                             work.function(work.stream, cudaSuccess, work.data);
                                           }),
                                           after);
  }
  Ticket operator()(const RecordWork& work) const {
    work.event->ticket = machine.queue_.submit_task(nullptr, {}, after, &work.event->ended);
    work.event->recorded = true;
    work.event->capture = nullptr;
    return work.event->ticket;
  }
  Ticket operator()(const WaitWork& work) const {
    std::vector<Ticket> both(after.begin(), after.end());
    both.push_back(work.event->ticket);
    return machine.queue_.submit_task(nullptr, {}, both);
  }
  Ticket operator()(const Prefetch& work) const { return machine.queue_.submit_prefetch(work, after); }
  Ticket operator()(const EmptyWork&) const { return machine.queue_.submit_task(nullptr, {}, after); }
  Ticket operator()(const GraphWork& work) const {
    std::unordered_map<const CUgraphNode_st*, Ticket> tickets;
    std::vector<Ticket> all(after.begin(), after.end());
    for (const CUgraphNode_st* node : Graphs::order(*work.graph)) {
      std::vector<Ticket> needs;
      for (const CUgraphNode_st* other : node->needs) needs.push_back(tickets.at(other));
      if (needs.empty()) needs.assign(after.begin(), after.end());
      all.push_back(tickets[node] = machine.submit(node->enabled ? node->work : Work(EmptyWork{}), needs));
    }
    return machine.queue_.submit_task(nullptr, {}, all);
  }
  Ticket operator()(const AllocateWork&) const { return machine.queue_.submit_task(nullptr, {}, after); }
  Ticket operator()(const FreeWork& work) const {
    auto free = [&allocations = machine.allocations_, work] {
      if (work.release)
        allocations.release(work.address,
                            bit(AllocatedBy::device) | bit(AllocatedBy::pool_device) | bit(AllocatedBy::managed));
    };
    return machine.queue_.submit_task(make_task(free), {}, after);
  }
};

Ticket Machine::submit(const Work& work, std::span<const Ticket> after) {
  return std::visit(Submit{*this, after}, work);
}

cudaError_t Machine::enqueue(CUstream_st& stream, Work work) {
  if (stream.capture) {
    if (stream.capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    CUgraphNode_st* node = graphs_.add(*stream.capture->graph, std::move(work), stream.frontier);
    stream.frontier = {node};
    return cudaSuccess;
  }
  if (stream.blocking || stream.legacy) {  // work of the legacy stream would order itself with a capture in secret
    const bool implicit =
        stream.legacy && std::ranges::any_of(streams_.all(), [](const CUstream_st* other) {
          return other->capture && other->blocking && other->capture->mode != cudaStreamCaptureModeRelaxed;
        });
    if (implicit) {
      graphs_.invalidate_unsafe();
      return cudaErrorStreamCaptureImplicit;
    }
  }
  stream.last = submit(work, streams_.dependences(stream));
  return cudaSuccess;
}

cudaError_t Machine::launch_graph(CUstream_st& stream, CUgraphExec_st& instance) {
  std::vector<Ticket> after = streams_.dependences(stream);
  after.push_back(instance.last);
  stream.last = instance.last = submit(GraphWork{instance.graph.get()}, after);
  return cudaSuccess;
}

/// What a wait that has ended so returns. A thread that the end of the program finds waiting does not come back.
cudaError_t Machine::after_wait(Waited waited) {
  if (waited == Waited::ending) {
    end_of_program_.hold();
    return cudaErrorCudartUnloading;
  }
  print_buffer_.flush();
  const cudaError_t error = say_lost();
  if (error != cudaSuccess || waited == Waited::done) return error;
  return cudaErrorContextIsDestroyed;
}

cudaError_t Machine::wait(Ticket ticket, ApiLock& lock) {
  lock.unlock();
  const cudaError_t error = after_wait(queue_.wait(ticket));
  lock.lock();
  return error;
}

cudaError_t Machine::wait_idle(ApiLock& lock) {
  lock.unlock();
  const cudaError_t error = after_wait(queue_.wait_idle());
  lock.lock();
  return error;
}

cudaError_t Machine::query(Ticket ticket, ApiLock& lock) {
  lock.unlock();
  const Waited waited = queue_.query(ticket);
  const cudaError_t error = waited == Waited::no ? say_lost() : after_wait(waited);
  lock.lock();
  return waited == Waited::no && error == cudaSuccess ? cudaErrorNotReady : error;
}

std::unique_ptr<Module> Machine::load_sources(const std::vector<Source>& sources,
                                              const std::map<std::string, u64>& managed, cudaError_t& error,
                                              std::string* mistakes) {
  try {
    return std::make_unique<Module>(memory_, sources, managed, config_.device.constant_memory.count, is_region);
  } catch (const ptx::Error& mistake) {
    if (mistakes)
      *mistakes = mistake.what();
    else
      print_report(mistake.what());
    error = cudaErrorInvalidPtx;
  } catch (const std::bad_alloc&) {
    complain("the variables of a module do not fit in device memory");
    error = cudaErrorMemoryAllocation;
  }
  return nullptr;
}

Machine::Loaded& Machine::load(const Image& image) {
  const auto [found, fresh] = loaded_.try_emplace(image.group);
  Loaded& loaded = found->second;
  if (!fresh) return loaded;
  if (!image.refusal.empty()) {
    complain(image.refusal);
    loaded.error = cudaErrorNoKernelImageForDevice;
    return loaded;
  }
  std::vector<Source> sources;
  std::map<std::string, u64> managed;
  for (const Image* part : registry_.group(image.group)) {
    sources.push_back(part->source);
    managed.insert(part->managed.begin(), part->managed.end());
  }
  loaded.module = load_sources(sources, managed, loaded.error);
  if (!loaded.module) return loaded;
  for (const auto& [name, address] : managed)
    if (const Symbol* symbol = loaded.module->symbol(name)) allocations_.note_shared(address, symbol->size);
  return loaded;
}

cudaError_t Machine::function(const void* host, CUfunc_st*& function) {
  if (const auto known = functions_.find(host); known != functions_.end()) {
    function = known->second;
    return cudaSuccess;
  }
  const auto registered = registry_.function(host);
  if (!registered) {
    complain(host ? "launch of a function that is no kernel of this program" : "launch of a null pointer");
    return cudaErrorInvalidDeviceFunction;
  }
  Loaded& loaded = load(*registered->image);
  if (!loaded.module) return loaded.error;
  function = loaded.module->function(registered->name);
  if (!function) {
    complain(fmt::format("kernel {} is not in the device code of this program", core::readable_name(registered->name)));
    return cudaErrorInvalidDeviceFunction;
  }
  functions_[host] = function;
  return cudaSuccess;
}

cudaError_t Machine::symbol(const void* host, Symbol& symbol) {
  if (!host) return cudaErrorInvalidSymbol;
  const auto registered = registry_.variable(host);
  if (!registered) return cudaErrorInvalidSymbol;
  Loaded& loaded = load(*registered->image);
  if (!loaded.module) return loaded.error;
  const Symbol* found = loaded.module->symbol(registered->name);
  if (!found) return cudaErrorInvalidSymbol;
  symbol = *found;
  return cudaSuccess;
}

void Machine::load_all() {
  for (const Image* image : registry_.images())
    if (image->refusal.empty()) load(*image);
}

void Machine::forget(const Image& image, ApiLock& lock) {
  if (!loaded_.contains(image.group)) return;
  wait_idle(lock);
  const auto found = loaded_.find(image.group);
  if (found == loaded_.end()) return;
  std::erase_if(functions_, [&](const auto& entry) { return entry.second->module == found->second.module.get(); });
  loaded_.erase(found);
}

cudaError_t Machine::load_module(const std::vector<Source>& sources, Module*& module, std::string* mistakes) {
  cudaError_t error = cudaSuccess;
  auto made = load_sources(sources, {}, error, mistakes);
  if (!made) return error;
  module = made.get();
  modules_.emplace(module, std::move(made));
  return cudaSuccess;
}

bool Machine::unload_module(Module* module) {
  return modules_.erase(module) != 0;
}

Module* Machine::find_module(const void* handle) {
  const auto found = modules_.find(handle);
  return found == modules_.end() ? nullptr : found->second.get();
}

bool Machine::has_function(const CUfunc_st* handle) const {
  const auto holds = [&](const std::unique_ptr<Module>& module) { return module && module->holds(handle); };
  return std::ranges::any_of(
             modules_, holds, [](const auto& entry) -> auto& { return entry.second; }) ||
         std::ranges::any_of(
             loaded_, holds, [](const auto& entry) -> auto& { return entry.second.module; });
}

CUctx_st* Machine::add_context(unsigned flags) {
  auto context = std::make_unique<CUctx_st>(CUctx_st{flags});
  CUctx_st* handle = context.get();
  contexts_.emplace(handle, std::move(context));
  return handle;
}

bool Machine::has_context(const void* handle) const {
  return contexts_.contains(handle);
}
void Machine::remove_context(const void* handle) {
  contexts_.erase(handle);
}

bool Machine::meets(u64 address, bool in_pool) const {
  const auto [low, high] = in_pool ? pools_.range() : allocations_.shared_range();
  return low <= address && address < high && memory_.bounds(address).end != 0;
}

/// A host that is a node of the machine carries it along by its accesses; what it stores to pools is not of that kind.
void Machine::meet_host(u64 address, u64 bytes, bool store, const std::function<void(Simulator&)>& access) {
  const bool in_pool = meets(address, true);
  if (!in_pool && !meets(address, false)) return;
  const bool part_of_machine = config_.device.integrated && config_.machine.timing() && !in_pool;
  queue_.step(part_of_machine ? 1 : Queue::quantum);
  if (!config_.machine.timing()) return;
  queue_.with_simulator([&](Simulator& simulator) {
    simulator.host_touched(address, bytes, store);
    if (part_of_machine) access(simulator);
  });
}

void Machine::meet_host_access(u64 address, u64 bytes, bool store) {
  meet_host(address, bytes, store, [&](Simulator& simulator) { simulator.host_access(address, bytes, store); });
}

void Machine::meet_host_write(u64 address, u64 bytes, const Simulator::HostWrite& write) {
  bool written = false;
  meet_host(address, bytes, true, [&](Simulator& simulator) {
    simulator.host_write(address, bytes, write);
    written = true;
  });
  if (!written) write(address, bytes);
}

void Machine::reset(ApiLock&) {
  instructions_before_ = queue_.totals().warp_instructions;
  queue_.restart(make_simulator());
  print_buffer_.flush();
  functions_.clear();
  const auto bury = [&](std::unique_ptr<Module> module) {
    if (!module) return;
    module->release();
    gone_.push_back(std::move(module));
  };
  for (auto& [group, loaded] : loaded_) bury(std::move(loaded.module));
  for (auto& [handle, module] : modules_) bury(std::move(module));
  loaded_.clear();
  modules_.clear();
  graphs_.reset();
  streams_.reset();
  memory_pools_.reset();
  textures_.reset();
  allocations_.release_all();
  heap_.reset();
  heap_.set_capacity(config_.launch.heap.count);
  limits_ = Limits{.stack = config_.launch.stack.count, .printf_buffer = config_.launch.printf_buffer.count};
  lost_is_known_ = false;
  lost_.store(cudaSuccess, std::memory_order_release);
}

i32 Machine::print(const char* format, const u8* arguments, const simt::ReadString& read) {
  if (!format) return -1;
  std::string text;
  const i32 value = format_packed(format, arguments, read, text);
  print_buffer_.append(text);
  return value;
}

u64 Machine::heap_allocate(u64 bytes) {
  return heap_.allocate(bytes);
}
bool Machine::heap_free(u64 address) {
  return heap_.release(address);
}

const simt::TextureObject* Machine::texture(u64 handle) {
  const TextureEntry* entry = textures_.find(handle);
  if (!entry) {  // the address of a .texref variable, which holds the object it is bound to
    const auto bounds = memory_.bounds(handle);
    if (handle < bounds.begin || handle + sizeof handle > bounds.end) return nullptr;
    std::memcpy(&handle, reinterpret_cast<const void*>(handle), sizeof handle);
    entry = textures_.find(handle);
  }
  return entry ? &entry->object : nullptr;
}

bool Machine::knows_region(std::string_view name) {
  return is_region(name);
}
bool Machine::region(std::string_view, LaneMask) {
  return false;
}

}  // namespace ew::runtime
