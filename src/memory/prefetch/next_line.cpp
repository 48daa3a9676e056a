// One-block lookahead with a tag (A. J. Smith, "Cache Memories", ACM Computing Surveys 14(3), 1982, section 2.1,
// "tagged prefetch"): a load that misses asks for the next line too, and so does the first load that uses a prefetched
// line. So a sequential stream misses once, and a line that nobody uses leads to no other.
#include "memory/prefetch/prefetchers.hpp"

namespace ew::memory {
namespace {

class NextLine final : public Prefetcher {
 public:
  explicit NextLine(u32 ahead) : ahead_(ahead) {}

  void seen(const SeenLoad& load, core::FunctionRef<void(u64)> fetch) override {
    if (load.found != SeenLoad::Found::here) fetch(load.line + ahead_);
  }

 private:
  u32 ahead_;  // bytes
};

}  // namespace

PrefetcherKind prefetchers::next_line() {
  return {.name = "next-line",
          .sentence =
              "A load that misses, and the first load that uses a prefetched line, ask for the next line too (Smith "
              "1982, tagged prefetch).",
          .make = [](u32 line_bytes, u32 distance) -> std::unique_ptr<Prefetcher> {
            return std::make_unique<NextLine>(line_bytes * distance);
          }};
}

}  // namespace ew::memory
