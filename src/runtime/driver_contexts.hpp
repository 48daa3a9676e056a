// The handles of the driver API's contexts (cuCtxCreate): all of them are names of the one context there is
// (context.hpp). Owned by Machine and guarded by its mutex.
#pragma once

#include <map>
#include <memory>

struct CUctx_st {
  unsigned flags = 0;
};

namespace ew::runtime {

class DriverContexts {
 public:
  CUctx_st* add(unsigned flags) {
    auto context = std::make_unique<CUctx_st>(CUctx_st{flags});
    CUctx_st* handle = context.get();
    contexts_.emplace(handle, std::move(context));
    return handle;
  }
  bool has(const void* handle) const { return contexts_.contains(handle); }
  void remove(const void* handle) { contexts_.erase(handle); }

 private:
  std::map<const void*, std::unique_ptr<CUctx_st>> contexts_;
};

}  // namespace ew::runtime
