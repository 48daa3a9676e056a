// ALU forms: operands by the form's signature into dst, a, b, c and the high half of imm; attributes into its low half.
#include <fmt/format.h>

#include <array>

#include "ptx/decode.hpp"

namespace ew::ptx {
namespace {

using Kind = ast::Operand::Kind;

Type doubled(Type type) {
  switch (type) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    case Type::s32:
      return Type::s64;
    default:
      return Type::none;
  }
}

Type type_of(const OperandForm& form, const Match& match) {
  if (form.from_slot < 0) return form.type;
  const Type type = match.type(static_cast<u32>(form.from_slot));
  return form.doubled ? doubled(type) : type;
}

bool is_written(const OperandForm& form) {
  return form.kind != OperandForm::Kind::carry;
}

}  // namespace

/// Whether the number and shape of the written operands are the form's. Types are checked later, with a message.
bool FunctionDecoder::fits(const Match& match) const {
  const auto& written = operands_.instruction().operands;
  u32 next = 0;
  for (const auto& form : match.form->operands) {
    if (!is_written(form)) continue;
    if (next == written.size()) {
      if (form.kind == OperandForm::Kind::optional_predicate) continue;
      return false;
    }
    const auto& operand = written[next++];
    if (form.kind == OperandForm::Kind::vector) {
      if (operand.kind != Kind::vector || operand.elements.size() != form.count) return false;
      for (const auto& element : operand.elements)
        if (element.kind == Kind::reg && size_of(operands_.register_type(element)) != size_of(form.type) &&
            !(size_of(form.type) == 1 && size_of(operands_.register_type(element)) == 2))
          return false;
    } else if (operand.kind == Kind::vector) {
      return false;
    }
    if (form.kind == OperandForm::Kind::row_and_predicate && operand.kind != Kind::pair) return false;
  }
  return next == written.size();
}

void FunctionDecoder::decode_alu(const Match& match) {
  using K = OperandForm::Kind;
  if (match.form->opcode == "mov" && decode_move()) return;
  std::array<u16, 8> fields;
  fields.fill(no_row);
  u32 used = 0, next = 0, attributes = match.attributes();
  const auto put = [&](u16 value) {
    if (used == fields.size()) operands_.fail("too many operands");
    fields[used++] = value;
  };
  const auto wide_attribute = [&](const ast::Operand& operand, Type type, bool is_destination) {
    if (operand.kind != Kind::reg) return;
    const u32 bytes = size_of(operands_.register_type(operand));
    const u32 natural = std::max(size_of(type), 2u);
    if (bytes <= natural) return;
    if (is_destination)
      attributes |= (bytes == 8 ? 2u : 1u) << wide_destination_shift;
    else if (bytes == 8)
      attributes |= wide_source_bit;
  };
  for (const auto& form : match.form->operands) {
    const Type type = type_of(form, match);
    const bool is_destination = used == 0;
    if (form.kind == K::carry) {
      put(flow_.predicate_of[source_.carry.value()]);
      continue;
    }
    if (form.kind == K::optional_predicate) {
      const bool combines = match.has("combine");
      if (combines != (next < operands_.count()))
        operands_.fail(combines ? "a predicate to combine with is missing" : "a third source needs .and, .or or .xor");
      put(combines ? operands_.predicate(operands_[next++]) : always);
      continue;
    }
    const auto& written = operands_[next++];
    switch (form.kind) {
      case K::wide_row:
        wide_attribute(written, type, is_destination);
        put(is_destination ? operands_.destination(written, type, true) : operands_.row(written, type, true));
        break;
      case K::row:
        put(is_destination ? operands_.destination(written, type) : operands_.row(written, type));
        break;
      case K::part: {
        auto whole = written;
        whole.negated = false;
        put(is_destination ? operands_.destination(whole, type) : operands_.row(whole, type));
        break;
      }
      case K::predicate:
        put(is_destination ? operands_.destination_predicate(written) : operands_.predicate(written));
        break;
      case K::vector:
        for (const auto& element : written.elements)
          put(is_destination || next == 1 ? operands_.destination(element, type) : operands_.row(element, type));
        break;
      case K::predicate_pair: {
        const bool pair = written.kind == Kind::pair;
        put(operands_.destination_predicate(pair ? written.elements[0] : written));
        fields[4] = pair ? operands_.destination_predicate(written.elements[1]) : always;
        break;
      }
      case K::row_and_predicate:
        put(operands_.destination(written.elements[0], type));
        fields[5] = operands_.destination_predicate(written.elements[1]);
        break;
      case K::lookup:
        if (const u32 byte = operands_.immediate_u32(written, "the lookup table"); byte < 256)
          attributes |= byte;
        else
          operands_.fail("the lookup table must be 0 to 255");
        break;
      default:
        break;
    }
  }
  Instr instr{.op = match.op(), .dst = fields[0], .a = fields[1], .b = fields[2], .c = fields[3]};
  if (match.form->operands[0].kind == OperandForm::Kind::row_and_predicate) {
    // Six operands: the list holds combine and table, both predicates.
    instr.imm = static_cast<u32>(kernel_.operands.size());
    for (const u32 value : {match.attributes() << 8 | (attributes & 0xff), u32{fields[5]}, u32{fields[4]}})
      kernel_.operands.push_back(static_cast<u16>(value));
  } else if (match.form->operands[0].kind == OperandForm::Kind::part) {
    instr.imm = video_form(match);
  } else {
    instr.imm = attributes | u32{fields[4]} << 16;
  }
  if (instr.dst == no_row && (match.form->operands[0].kind == K::row || match.form->operands[0].kind == K::part))
    operands_.fail("the destination cannot be '_'");
  emit(instr);
}

/// mov from a special register or of a variable's address. False: an ordinary move.
bool FunctionDecoder::decode_move() {
  if (operands_.count() != 2) return false;
  const auto& to = operands_[0];
  const auto& from = operands_[1];
  if (to.kind != Kind::reg) return false;
  const u32 bytes = size_of(operands_.register_type(to));
  if (from.kind == Kind::special) {
    const bool is_wide =
        from.special == Special::clock64 || from.special == Special::globaltimer || from.special == Special::gridid;
    const bool fits = is_wide ? bytes == 8 || (from.special == Special::gridid && bytes == 4) : bytes == 4;
    if (!fits)
      operands_.fail(fmt::format("the special register has {} bits, its destination {}", is_wide ? 64 : 32, bytes * 8));
    emit({.op = Op::mov_special,
          .dst = operands_.destination(to, operands_.register_type(to)),
          .b = static_cast<Row>(bytes == 8),
          .imm = static_cast<u32>(from.special)});
    return true;
  }
  if (from.kind != Kind::symbol) return false;
  if (bytes != 4 && bytes != 8) operands_.fail("an address needs a register of 32 or 64 bits");
  const auto where = operands_.symbol(from.symbol);
  if (where.kind != Symbol::Kind::frame) return false;
  emit({.op = Op::frame_address,
        .dst = operands_.destination(to, operands_.register_type(to)),
        .b = static_cast<Row>(bytes == 4),
        .imm = static_cast<u32>(where.value + static_cast<u64>(from.offset))});
  return true;
}

}  // namespace ew::ptx
