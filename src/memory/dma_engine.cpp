#include "memory/dma_engine.hpp"

namespace ew::memory {

DmaEngine::DmaEngine(const DmaConfig& config, const Parts& parts, Tell begins, Tell done)
    : config_(config),
      wheel_(parts.port.wheel),
      line_(parts.port.line),
      begins_(std::move(begins)),
      done_(std::move(done)),
      pieces_(config.outstanding),
      host_side_(parts.host, parts.pages, parts.port.line, pieces_, tell_moved()) {
  DmaPort::Parts port = parts.port;
  for (u32 i = 0; i < config.ports; ++i) {
    ports_.push_back(std::make_unique<DmaPort>(port, pieces_, tell_moved()));
    ++port.id;
  }
  for (u32 i = config.outstanding; i-- > 0;) free_.push_back(i);
}

DmaPieceDone DmaEngine::tell_moved() {
  return {[](void* engine, u64 piece, u64) { static_cast<DmaEngine*>(engine)->moved(static_cast<u32>(piece)); }, this};
}

void DmaEngine::start(u64 id, DmaTransfer transfer) {
  const bool was_idle = idle();
  queue_.push_back({id, std::move(transfer)});
  if (was_idle) begin_next();
}

void DmaEngine::begin_next() {
  cursor_ = DmaCursor(queue_.front().transfer, line_);
  begun_ = wheel_.now();
  ++statistics_.transfers;
  begins_(queue_.front().id);
  wheel_.at<&DmaEngine::pump>(begun_ + config_.start_cycles, *this);
}

void DmaEngine::pump(u64, u64) {
  if (pumping_) return;  // a piece that was done at once: the loop below goes on with its place
  pumping_ = true;
  while (!free_.empty()) {
    const u32 piece = free_.back();
    if (!cursor_.next(pieces_[piece])) break;
    free_.pop_back();
    read(piece);
  }
  pumping_ = false;
  if (cursor_.at_end() && free_.size() == pieces_.size()) {
    statistics_.busy_cycles += wheel_.now() - begun_;
    const u64 id = queue_.front().id;
    queue_.pop_front();
    if (!queue_.empty()) begin_next();
    done_(id);
  }
}

void DmaEngine::read(u32 piece) {
  const DmaTransfer& transfer = queue_.front().transfer;
  if (!transfer.pattern.empty()) return write(piece);
  statistics_.bytes_read += pieces_[piece].bytes;
  if (transfer.from.host || !transfer.staged.empty()) return host_side_.submit(piece);
  to_port(piece);
}

void DmaEngine::write(u32 piece) {
  pieces_[piece].writing = true;
  statistics_.bytes_written += pieces_[piece].bytes;
  if (queue_.front().transfer.to.host) return host_side_.submit(piece);
  statistics_.bytes_to_homes += pieces_[piece].bytes;
  to_port(piece);
}

void DmaEngine::to_port(u32 piece) {
  ports_[next_port_]->submit(piece);
  next_port_ = (next_port_ + 1) % config_.ports;
}

/// The piece has been read, and is written next; or it has been written.
void DmaEngine::moved(u32 piece) {
  if (!pieces_[piece].writing) return write(piece);
  free_.push_back(piece);
  pump();
}

DmaStatistics DmaEngine::statistics() const {
  DmaStatistics statistics = statistics_;
  statistics.host_bytes_read = host_side_.bytes_read();
  statistics.host_bytes_written = host_side_.bytes_written();
  return statistics;
}

std::string DmaEngine::what_is_under_way() const {
  if (queue_.empty()) return {};
  return "copy engine: " + std::to_string(pieces_.size() - free_.size()) + " lines under way of a copy of " +
         std::to_string(queue_.front().transfer.bytes()) + " bytes, " + std::to_string(host_side_.waiting()) +
         " of them wait for the host link; " + std::to_string(queue_.size() - 1) + " copies wait\n";
}

}  // namespace ew::memory
