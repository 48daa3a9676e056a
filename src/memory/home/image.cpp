#include "memory/home/image.hpp"

#include "core/observation.hpp"

namespace ew::memory {

Performance ImagePort::perform(const Request& request, const Decision& decision) const {
  Performance result{.answer = request};
  result.answer.payload = no_payload;
  switch (request.kind) {
    case RequestKind::read:
    case RequestKind::read_once:
    case RequestKind::own:
      result.answers = decision.granted;
      if (!decision.granted) return result;
      result.answer.kind = RequestKind::data;
      result.answer.words = decision.granted & request.content;
      result.answer.content = decision.granted;
      if (request.kind == RequestKind::own) {
        result.answer.words = decision.granted;
        result.answer.content &= request.content & ~decision.kept;
      }
      result.answer.owned = decision.owned;
      result.answer.payload = decision.owned ? payloads_.take() : payloads_.take_for_reader();
      copy_from_image(payloads_[result.answer.payload].bytes.data(), request.line, result.answer.content);
      result.data_bytes = count_of(result.answer.content) * word_bytes;
      break;
    case RequestKind::write: {
      const Payload& payload = payloads_[request.payload];
      copy_to_image(request.line, payload.bytes.data(), payload.valid);
      result.written = payload.valid;
      counts_->written_bytes += payload.valid.count();
      if (!request.persist) payloads_.give_back(request.payload);
      result.answer.kind = RequestKind::written;
      break;
    }
    default: {
      LineAtomic& atomic = payloads_.atomics[request.payload];
      if (core::observation && observer_) [[unlikely]]
        observer_->perform(request, atomic, image_of(request.line));
      else
        memory::perform(atomic, atomic.lanes, image_of(request.line));
      result.written = bytes_of(request.words);
      result.answer.payload = request.payload;
      const bool value = request.kind == RequestKind::atomic;
      result.answer.kind = value ? RequestKind::data : RequestKind::written;
      if (value) result.data_bytes = count_of(request.words) * word_bytes;
      break;
    }
  }
  if (core::observation && observer_) observer_->performed(request);
  return result;
}

}  // namespace ew::memory
