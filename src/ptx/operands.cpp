#include "ptx/operands.hpp"

#include <algorithm>
#include <array>

#include "ptx/opcodes.hpp"

namespace ew::ptx {
namespace {

using FormKind = OperandForm::Kind;

/// An ALU opcode's form with the choices that its number stands for.
struct Chosen {
  Match match;
  u32 width(const OperandForm&) const;  // rows
  Type type(const OperandForm& form) const {
    return form.from_slot < 0 ? form.type : match.type(static_cast<u32>(form.from_slot));
  }
};

u32 Chosen::width(const OperandForm& form) const {
  u32 bytes = size_of(type(form));
  if (form.doubled) bytes *= 2;
  return bytes <= 4 ? 1 : bytes / 4;
}

/// The form of each ALU opcode, by its number.
const std::vector<const Form*>& forms_by_number() {
  static const std::vector<const Form*> table = [] {
    std::vector<const Form*> list(FormTable::instance().alu_count());
    for (const Form& form : FormTable::instance().forms())
      for (u32 i = 0; form.is_alu && i < form.count; ++i) list[form.first + i] = &form;
    return list;
  }();
  return table;
}

Chosen chosen(Op op) {
  const u32 number = static_cast<u32>(op) - static_cast<u32>(Op::alu);
  const Form* const found = forms_by_number()[number];
  Chosen result{{found, {}}};
  u32 rest = number - found->first;
  // The last dimension counts fastest: Match::op().
  i8 last = -1;
  for (const auto& part : found->parts) last = std::max(last, part.dimension);
  for (i8 d = last; d >= 0; --d)
    for (std::size_t p = 0; p < found->parts.size(); ++p) {
      if (found->parts[p].dimension != d) continue;
      const u32 choices = static_cast<u32>(found->parts[p].slot->choices.size());
      result.match.choice[p] = static_cast<u8>(rest % choices);
      rest /= choices;
    }
  return result;
}

bool has_literal(const Form& form, std::string_view literal) {
  return std::any_of(form.parts.begin(), form.parts.end(), [&](const auto& part) { return part.literal == literal; });
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

enum class Number : u8 { integer, half, single, wide };

Number number_of(Type type) {
  switch (type) {
    case Type::f64:
      return Number::wide;
    case Type::f32:
    case Type::tf32:
      return Number::single;
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
      return Number::half;
    default:
      return Number::integer;
  }
}

OpClass conversion(const Chosen& c) {
  const Type to = c.type(c.match.form->operands[0]), from = c.type(c.match.form->operands[1]);
  if (number_of(to) == Number::integer && number_of(from) == Number::integer) return OpClass::integer;
  return size_of(to) == 8 || size_of(from) == 8 ? OpClass::wide : OpClass::convert;
}

OpClass alu_class(Op op) {
  const Chosen c = chosen(op);
  const Form& form = *c.match.form;
  const std::string_view opcode = form.opcode;
  const Type type = c.type(form.operands.back().kind == FormKind::row ? form.operands.back() : form.operands[0]);
  Number number = number_of(type);
  for (const auto& operand : form.operands) number = std::max(number, number_of(c.type(operand)));
  if (opcode == "cvt") return conversion(c);
  if (is_one_of(opcode, {"sin", "cos", "lg2", "ex2", "tanh", "popc", "clz", "bfind", "brev", "fns"}))
    return OpClass::special;
  if (is_one_of(opcode, {"div", "rem", "rcp", "sqrt", "rsqrt"})) {
    if (has_literal(form, "approx")) return OpClass::special;
    return number == Number::integer ? OpClass::integer_divide
           : number == Number::wide  ? OpClass::wide_divide
                                     : OpClass::single_divide;
  }
  if (number == Number::integer)
    return is_one_of(opcode, {"mul", "mad", "madc", "mul24", "mad24", "sad", "dp4a", "dp2a", "vmad"})
               ? OpClass::multiply
               : OpClass::integer;
  if (is_one_of(opcode, {"mov", "selp", "slct", "copysign", "abs", "neg", "testp"})) return OpClass::integer;
  if (number == Number::wide) return OpClass::wide;
  // Comparisons and minima of floats run beside the integers: CUDA C++ Programming Guide, throughput table.
  if (is_one_of(opcode, {"setp", "set", "min", "max"})) return OpClass::integer;
  return number == Number::half ? OpClass::half : OpClass::single;
}

class List {
 public:
  explicit List(Operands& to) : to_(to) {}

  void read(Row row, u32 rows = 1) { add(to_.reads, row, rows); }
  void write(Row row, u32 rows = 1) { add(to_.writes, row, rows); }
  void read_predicate(Predicate p) { add(to_.predicate_reads, p); }
  void write_predicate(Predicate p) { add(to_.predicate_writes, p); }

 private:
  static void add(std::vector<Row>& list, Row row, u32 rows) {
    if (row & constant_row) return;  // no_row has that bit, too
    for (u32 i = 0; i < rows; ++i) list.push_back(static_cast<Row>(row + i));
  }
  static void add(std::vector<Predicate>& list, Predicate p) {
    if (p != no_row && (p & ~negated) != always) list.push_back(p & ~negated);
  }
  Operands& to_;
};

/// As FunctionDecoder::decode_alu puts them.
void list_alu(const Kernel& kernel, const Instr& instr, List& list) {
  const Chosen c = chosen(instr.op);
  const Form& form = *c.match.form;
  const bool six = form.operands[0].kind == FormKind::row_and_predicate;
  const u16 fifth = six ? kernel.operands[instr.imm + 2] : static_cast<u16>(instr.imm >> 16);
  const std::array<u16, 5> fields{instr.dst, instr.a, instr.b, instr.c, fifth};
  u32 used = 0;
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    const OperandForm& operand = form.operands[i];
    if (operand.kind == FormKind::lookup) continue;
    for (u32 n = 0; n < (operand.kind == FormKind::vector ? operand.count : 1u) && used < fields.size(); ++n) {
      const u16 field = fields[used++];
      u32 rows = c.width(operand);
      switch (operand.kind) {
        case FormKind::predicate:
        case FormKind::optional_predicate:
          if (i == 0)
            list.write_predicate(field);
          else
            list.read_predicate(field);
          break;
        case FormKind::predicate_pair:
          list.write_predicate(field);
          list.write_predicate(fifth);
          break;
        case FormKind::carry:
          list.read_predicate(field);
          list.write_predicate(field);
          break;
        case FormKind::row_and_predicate:
          list.write(field, rows);
          list.write_predicate(kernel.operands[instr.imm + 1]);
          break;
        case FormKind::wide_row:
          if (i == 0 ? (instr.imm >> wide_destination_shift & 3) == 2 : (instr.imm & wide_source_bit) != 0)
            rows = std::max(rows, 2u);
          [[fallthrough]];
        default:
          if (i == 0)
            list.write(field, rows);
          else
            list.read(field, rows);
      }
    }
  }
}

u32 rows_of_bytes(u32 bytes) {
  return bytes <= 4 ? 1 : bytes / 4;
}

void list_memory(const Instr& instr, const MemoryForm& form, List& list) {
  list.read(instr.a, form.address_bytes == 4 ? 1 : 2);
  const u32 rows = rows_of_bytes(std::max<u32>(form.register_bytes, 1));
  for (u32 e = 0; e < form.data.size(); ++e) {
    if (form.kind == MemoryKind::store)
      list.read(form.data[e], rows);
    else if (form.kind == MemoryKind::load || form.kind == MemoryKind::atomic)
      list.write(form.data[e], rows);
  }
  const bool copies = form.kind == MemoryKind::async_copy;
  const u32 operand = copies ? 2 : rows_of_bytes(size_of(form.type));
  list.read(form.b, operand);
  list.read(form.c, copies ? 1 : operand);
}

void list_texture(const TextureForm& form, List& list) {
  list.read(form.handle, 2);
  for (const Row row : form.coordinates) list.read(row);
  for (const Row row : form.gradients) list.read(row);
  list.read(form.level);
  const bool surface = form.kind == TextureKind::surface_load || form.kind == TextureKind::surface_store;
  const u32 rows = surface ? rows_of_bytes(size_of(form.result)) : 1;
  for (const Row row : form.dst) {
    if (form.kind == TextureKind::surface_store)
      list.read(row, rows);
    else
      list.write(row, rows);
  }
}

void list_mbarrier(const MbarrierForm& form, List& list) {
  list.read(form.address, form.address_bytes == 4 ? 1 : 2);
  list.read(form.count);
  list.read(form.state, form.parity ? 1 : 2);
  list.write(form.dst, form.kind == MbarrierKind::pending_count ? 1 : 2);
  list.write_predicate(form.dst_predicate);
}

void list_together(const Kernel& kernel, const Instr& instr, List& list) {
  switch (instr.op) {
    case Op::shfl: {
      const ShuffleForm& form = kernel.shuffles[instr.imm];
      for (const Row row : {form.a, form.b, form.c, form.mask}) list.read(row);
      list.write(form.dst);
      return list.write_predicate(form.in_range);
    }
    case Op::vote: {
      const VoteForm& form = kernel.votes[instr.imm];
      list.read(form.mask);
      list.read_predicate(form.source);
      list.write(form.dst);
      return list.write_predicate(form.dst_predicate);
    }
    case Op::match: {
      const MatchForm& form = kernel.matches[instr.imm];
      list.read(form.a, form.wide ? 2 : 1);
      list.read(form.mask);
      list.write(form.dst);
      return list.write_predicate(form.dst_predicate);
    }
    case Op::redux: {
      const ReduxForm& form = kernel.reduxes[instr.imm];
      list.read(form.a);
      list.read(form.mask);
      return list.write(form.dst);
    }
    case Op::elect:
      list.read(instr.a);
      list.write(instr.dst);
      return list.write_predicate(instr.b == no_row ? always : instr.b);
    default:
      return list.read(instr.a);
  }
}

void list_barrier(const BarrierForm& form, List& list) {
  list.read(form.id);
  list.read(form.threads);
  list.read_predicate(form.source);
  list.write(form.dst);
  list.write_predicate(form.dst_predicate);
}

void list_control(const Kernel& kernel, const Instr& instr, List& list) {
  switch (instr.op) {
    case Op::brx:
    case Op::nanosleep:
      return list.read(instr.a);
    case Op::call:
      return list.read(kernel.calls[instr.imm].target, 2);
    case Op::mov_special:
      return list.write(instr.dst, instr.b == 1 ? 2 : 1);
    case Op::frame_address:
      return list.write(instr.dst, instr.b == 1 ? 1 : 2);
    case Op::activemask:
      return list.write(instr.dst);
    case Op::convert_address:
      list.read(instr.a, 2);
      return list.write(instr.dst, 2);
    case Op::address_query:
      list.read(instr.a, 2);
      return list.write_predicate(instr.dst);
    case Op::barrier:
      return list_barrier(kernel.barriers[instr.imm], list);
    case Op::memory:
      return list_memory(instr, kernel.memory[instr.imm], list);
    case Op::texture:
      return list_texture(kernel.textures[instr.imm], list);
    case Op::mbarrier:
      return list_mbarrier(kernel.mbarriers[instr.imm], list);
    case Op::warp_sync:
    case Op::shfl:
    case Op::vote:
    case Op::match:
    case Op::redux:
    case Op::elect:
      return list_together(kernel, instr, list);
    default:
      return;
  }
}

}  // namespace

void Operands::clear() {
  reads.clear();
  writes.clear();
  predicate_reads.clear();
  predicate_writes.clear();
}

OpClass class_of(const Kernel&, const Instr& instr) {
  if (instr.op >= Op::alu) return alu_class(instr.op);
  switch (instr.op) {
    case Op::bra:
    case Op::brx:
    case Op::call:
    case Op::ret:
    case Op::exit:
      return OpClass::branch;
    case Op::mov_special:
    case Op::frame_address:
    case Op::activemask:
    case Op::address_query:
    case Op::convert_address:
      return OpClass::integer;
    case Op::warp_sync:
    case Op::shfl:
    case Op::match:
    case Op::redux:
    case Op::elect:
      return OpClass::shuffle;
    case Op::vote:
      return OpClass::vote;
    case Op::barrier:
      return OpClass::barrier;
    case Op::fence:
    case Op::async_wait:
    case Op::async_commit:
      return OpClass::fence;
    case Op::memory:
    case Op::mbarrier:
      return OpClass::memory;
    case Op::texture:
      return OpClass::texture;
    default:
      return OpClass::other;
  }
}

void list_operands(const Kernel& kernel, const Instr& instr, Operands& operands) {
  List list(operands);
  list.read_predicate(instr.guard);
  if (instr.op >= Op::alu)
    list_alu(kernel, instr, list);
  else
    list_control(kernel, instr, list);
}

}  // namespace ew::ptx
