#include "simt/sm/hierarchy_answers.hpp"

#include "core/machine_part.hpp"
#include "simt/sm/perform_part.hpp"

namespace ew::simt {

memory::ByteMask HierarchyAnswers::perform(u32 id, u32 number, u8* bytes) {
  const core::InPart here(core::sm_part, told_.sm);
  Access& a = told_.accesses[id];
  if (!a.grid) return {};  // it has failed
  const AccessPart& part = a.parts[number];
  if (a.path == AccessPath::shadow) return a.writes ? bytes_of(a.op, part, 4) : memory::ByteMask{};
  memory::ByteMask written;
  if (told_.polls.watching() && a.instruction.pc->order.strong) [[unlikely]]
    written = told_.polls.watched(
        a.slot, a.op, part.lanes, [&](u32 lane) { return a.op.address[lane]; },
        [&](u32 lane) { return bytes + (a.op.address[lane] - part.line); },
        [&] { return perform_part(a, number, bytes, told_.recorder); });
  else
    written = perform_part(a, number, bytes, told_.recorder);
  if (told_.trace.on()) [[unlikely]]
    told_.trace.access(core::TraceKind::performed, a, id, number);
  if (--a.to_perform == 0) told_.completion.performed(a);
  return written;
}

void HierarchyAnswers::ask(u32 id, u32 number, memory::LineAtomic& to) {
  const core::InPart here(core::sm_part, told_.sm);
  Access& a = told_.accesses[id];
  const AccessPart& part = a.parts[number];
  to.asker = &a;
  to.lanes = 0;
  if (a.grid && a.path != AccessPath::shadow) write_down(a.op, part.lanes, part.line, to);
}

void HierarchyAnswers::found(u32 id, u32, const memory::LineAtomic& from) {
  const core::InPart here(core::sm_part, told_.sm);
  Access& a = told_.accesses[id];
  if (!a.grid || a.path == AccessPath::shadow) return;
  take_found(a.op, from);
  if (told_.polls.watching() && a.instruction.pc->order.strong) [[unlikely]]
    told_.polls.note(
        a.slot, a.op, from.lanes, [&](u32 lane) { return a.op.address[lane]; },
        [&](u32 lane) { return from.found[lane]; }, [&](u32 lane) { return left_behind(from, lane); });
  if (--a.to_perform == 0) told_.completion.performed(a);
}

void HierarchyAnswers::ask_poll(u32 id, u32, memory::HeldPoll& poll) {
  steady_polls_.describe(told_.accesses[id], poll);
}

void HierarchyAnswers::poll_held(u32 id, u32, const memory::HeldPoll& poll) {
  const core::InPart here(core::sm_part, told_.sm);
  steady_polls_.count_rounds(told_.accesses[id], poll);
}

void HierarchyAnswers::complete(u32 id, u32 part, memory::ServedBy by) {
  const core::InPart here(core::sm_part, told_.sm);
  if (told_.trace.on()) [[unlikely]] {
    Access& a = told_.accesses[id];
    a.served_by = by;
    told_.trace.access(core::TraceKind::visible, a, id, part);
  }
  told_.completion.part_over(id, by);
}

void HierarchyAnswers::wake() {
  const core::InPart here(core::sm_part, told_.sm);
  told_.unit.wake();
}

void HierarchyAnswers::resume(u64 warps) {
  const core::InPart here(core::sm_part, told_.sm);
  told_.unit.resume(warps);
}

void HierarchyAnswers::released(u32 token) {
  const core::InPart here(core::sm_part, told_.sm);
  if (token & AccessOrder::tokens_end)
    told_.flushes.over();
  else
    told_.order.released(token);
}

}  // namespace ew::simt
