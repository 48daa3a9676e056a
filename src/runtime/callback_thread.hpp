// Whether this thread is inside a host function that a stream called: CUDA forbids API calls there.
#pragma once

namespace ew::runtime {

class CallbackThread {
 public:
  CallbackThread() { inside_ = true; }
  ~CallbackThread() { inside_ = false; }
  CallbackThread(const CallbackThread&) = delete;
  CallbackThread& operator=(const CallbackThread&) = delete;
  static bool inside() { return inside_; }

 private:
  inline static thread_local bool inside_ = false;
};

}  // namespace ew::runtime
