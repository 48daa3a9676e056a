#include "runtime/stream.hpp"

#include <algorithm>

namespace ew::runtime {

Streams::Streams() {
  reset();
}
Streams::~Streams() = default;

void Streams::reset() {
  for (auto& [handle, stream] : streams_) gone_.push_back(std::move(stream));
  for (auto& [thread, stream] : per_thread_) gone_.push_back(std::move(stream));
  if (legacy_) gone_.push_back(std::move(legacy_));
  for (auto& [handle, event] : events_) gone_events_.push_back(std::move(event));
  streams_.clear();
  per_thread_.clear();
  orphans_.clear();
  events_.clear();
  retired_.clear();
  legacy_ = std::make_unique<CUstream_st>();
  legacy_->legacy = true;
  legacy_->id = ++last_id_;
}

cudaStream_t Streams::create(unsigned flags, int priority) {
  auto stream = std::make_unique<CUstream_st>();
  stream->id = ++last_id_;
  stream->flags = flags;
  stream->blocking = (flags & cudaStreamNonBlocking) == 0;
  stream->priority = priority;
  const cudaStream_t handle = stream.get();
  streams_.emplace(handle, std::move(stream));
  return handle;
}

bool Streams::destroy(cudaStream_t handle) {
  const auto found = streams_.find(handle);
  if (found == streams_.end()) return false;
  if (found->second->blocking && found->second->last != 0) orphans_.push_back(found->second->last);
  streams_.erase(found);
  return true;
}

CUstream_st* Streams::find(cudaStream_t handle, bool per_thread_default) {
  if (handle == nullptr) handle = per_thread_default ? cudaStreamPerThread : cudaStreamLegacy;
  if (handle == cudaStreamLegacy) return legacy_.get();
  if (handle == cudaStreamPerThread) {
    auto& own = per_thread_[std::this_thread::get_id()];
    if (!own) {
      own = std::make_unique<CUstream_st>();
      own->id = ++last_id_;
    }
    return own.get();
  }
  const auto found = streams_.find(handle);
  if (found != streams_.end()) return found->second.get();
  if (handle == legacy_.get()) return handle;
  for (const auto& [thread, own] : per_thread_)
    if (own.get() == handle) return handle;
  return nullptr;
}

std::vector<Ticket> Streams::dependences(const CUstream_st& stream) const {
  if (!stream.legacy) {
    if (stream.blocking) return {stream.last, legacy_->last};
    return {stream.last};
  }
  std::vector<Ticket> list{stream.last};
  for (const auto& [handle, other] : streams_)
    if (other->blocking && other->last != 0) list.push_back(other->last);
  for (const auto& [thread, other] : per_thread_) list.push_back(other->last);
  list.insert(list.end(), orphans_.begin(), orphans_.end());
  return list;
}

void Streams::forget_completed(const Queue& queue) {
  std::erase_if(orphans_, [&](Ticket ticket) { return queue.complete(ticket); });
  if (queue.idle()) retired_.clear();  // an event recorded twice may have an older command under way
}

cudaEvent_t Streams::create_event(unsigned flags) {
  auto event = std::make_unique<CUevent_st>();
  event->flags = flags;
  const cudaEvent_t handle = event.get();
  events_.emplace(handle, std::move(event));
  return handle;
}

bool Streams::destroy_event(cudaEvent_t handle) {
  const auto found = events_.find(handle);
  if (found == events_.end()) return false;
  retired_.push_back(std::move(found->second));
  events_.erase(found);
  return true;
}

void Streams::forget_capture(const Capture* capture) {
  for (const auto& [handle, event] : events_) {
    if (event->capture != capture) continue;
    event->capture = nullptr;
    event->nodes.clear();
  }
}

CUevent_st* Streams::find(cudaEvent_t handle) const {
  const auto found = events_.find(handle);
  return found == events_.end() ? nullptr : found->second.get();
}

std::vector<CUstream_st*> Streams::all() const {
  std::vector<CUstream_st*> list{legacy_.get()};
  for (const auto& [thread, stream] : per_thread_) list.push_back(stream.get());
  for (const auto& [handle, stream] : streams_) list.push_back(stream.get());
  return list;
}

}  // namespace ew::runtime
