#include "runtime/gpufs_daemons.hpp"

#include "runtime/host_work_events.hpp"

namespace ew::runtime {

void GpufsDaemons::begin() {
  if (looking_ || !parts_.calls.any()) return;
  looking_ = true;
  parts_.wheel.at<&GpufsDaemons::look>(parts_.wheel.now() + parts_.interval, *this);
}

void GpufsDaemons::look(u64, u64) {
  looking_ = false;
  serve();
  if (parts_.kernels_run()) begin();
}

void GpufsDaemons::serve() {
  std::vector<GpufsCall> calls = parts_.calls.take();
  if (parts_.cores) parts_.cores->count_calls(calls.size(), waiting_ * (parts_.wheel.now() - looked_));
  for (GpufsCall& call : calls) {
    if (parts_.recorder) {
      parts_.recorder->submitted(call.id, {});
      record_beginning(*parts_.recorder, call.id, call.work, true);
    }
    if (!parts_.cores) {
      host::perform(call.work);
      end(call);
      continue;
    }
    const u64 id = call.id;
    host::Work work = call.work;
    under_way_.emplace(id, std::move(call));
    parts_.cores->start(id, std::move(work));
  }
  waiting_ = parts_.calls.waiting();
  looked_ = parts_.wheel.now();
}

bool GpufsDaemons::over(u64 id) {
  const auto found = under_way_.find(id);
  if (found == under_way_.end()) return false;
  end(found->second);
  under_way_.erase(found);
  serve();  // who has served a call looks again at once
  return true;
}

void GpufsDaemons::end(const GpufsCall& call) {
  if (parts_.recorder) {
    record_end(*parts_.recorder, call.id, call.work, true);
    parts_.recorder->waited(call.id);
  }
  parts_.calls.served(call);
}

}  // namespace ew::runtime
