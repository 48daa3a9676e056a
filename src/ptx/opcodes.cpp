#include "ptx/opcodes.hpp"

#include <algorithm>
#include <cassert>

#include "ptx/control_forms.hpp"
#include "ptx/qualifiers.hpp"

namespace ew::ptx {
namespace {

struct AluRow {
  std::string_view pattern, signature, dimensions;
};

#define FORM(pattern, signature, body, ...) {pattern, signature, "" #__VA_ARGS__},
constexpr AluRow alu_rows[] = {
#include "ptx/forms/all.def"
};
#undef FORM

template <class Value, std::size_t n>
Slot make_slot(std::string_view name, const Choice<Value> (&choices)[n]) {
  Slot slot{name, {}};
  for (const auto& choice : choices)
    slot.choices.push_back({choice.text, static_cast<u8>(choice.value), std::is_same_v<Value, Type>});
  return slot;
}

#define SLOT(name) make_slot(#name, slot::name)
std::vector<Slot> all_slots() {
  std::vector<Slot> slots{SLOT(flush),
                          SLOT(saturate),
                          SLOT(relu),
                          SLOT(propagate_nan),
                          SLOT(nearest),
                          SLOT(rounding),
                          SLOT(rounding_given),
                          SLOT(to_integral),
                          SLOT(nearest_or_zero),
                          SLOT(clamp_or_wrap),
                          SLOT(high_or_low),
                          SLOT(combine),
                          SLOT(combine_given),
                          SLOT(compare_bits),
                          SLOT(compare_integer),
                          SLOT(compare_float),
                          SLOT(number_class),
                          SLOT(permute),
                          SLOT(video_second),
                          SLOT(video_compare),
                          SLOT(video_plus_one),
                          SLOT(video_scale),
                          SLOT(integers),
                          SLOT(narrow_integers),
                          SLOT(words),
                          SLOT(wide_integers),
                          SLOT(signed_integers),
                          SLOT(bits),
                          SLOT(wide_bits),
                          SLOT(shiftable),
                          SLOT(movable),
                          SLOT(selectable),
                          SLOT(floats),
                          SLOT(halves),
                          SLOT(brains),
                          SLOT(all_halves),
                          SLOT(convert_integers),
                          SLOT(convert_integers_from),
                          SLOT(set_results),
                          SLOT(set_half_results),
                          SLOT(floats_and_halves)};
  for (auto& slot : control_slots()) slots.push_back(std::move(slot));
  return slots;
}
#undef SLOT

/// Types order themselves; so do the packed integer types, which are no register types.
bool is_type_name(std::string_view text) {
  return type_named(text).has_value() || text == "u16x2" || text == "s16x2" || text == "u4" || text == "s4" ||
         text == "u2" || text == "s2" || text == "e4m3x2" || text == "e5m2x2";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    auto part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    parts.push_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

OperandForm parse_operand(std::string_view text) {
  using Kind = OperandForm::Kind;
  OperandForm operand;
  if (text == "pred") return {Kind::predicate, Type::pred};
  if (text == "pred?") return {Kind::optional_predicate, Type::pred};
  if (text == "pred|pred") return {Kind::predicate_pair, Type::pred};
  if (text == "carry") return {Kind::carry, Type::pred};
  if (text == "part") return {Kind::part, Type::b32};
  if (text == "lut") return {Kind::lookup, Type::u8};
  if (text.ends_with("|pred")) {
    operand.kind = Kind::row_and_predicate;
    text.remove_suffix(5);
  } else if (text.ends_with('+')) {
    operand.kind = Kind::wide_row;
    text.remove_suffix(1);
  } else if (text.size() > 2 && text[1] == 'x') {
    operand.kind = Kind::vector;
    operand.count = static_cast<u8>(text[0] - '0');
    text.remove_prefix(2);
  }
  if (text == "T" || text == "W")
    operand.from_slot = 0, operand.doubled = text == "W";
  else if (text == "U")
    operand.from_slot = 1;
  else
    operand.type = type_named(text).value();
  return operand;
}

void add_parts(Form& form, const std::vector<Slot>& slots) {
  std::string_view rest = form.pattern;
  const auto opcode_end = std::min(rest.find_first_of(".{"), rest.size());
  form.opcode = rest.substr(0, opcode_end);
  rest.remove_prefix(opcode_end);
  while (!rest.empty()) {
    Form::Part part;
    if (rest[0] == '{') {
      const auto name = rest.substr(1, rest.find('}') - 1);
      const auto found = std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.name == name; });
      assert(found != slots.end());
      part.slot = &*found;
      part.is_type = found->choices.back().is_type;
      rest.remove_prefix(name.size() + 2);
    } else {
      const auto end = std::min(rest.find_first_of(".{", 1), rest.size());
      part.literal = rest.substr(1, end - 1);
      part.is_type = is_type_name(part.literal);
      rest.remove_prefix(end);
    }
    form.parts.push_back(part);
  }
  assert(form.parts.size() <= Match{}.choice.size());
}

void add_dimensions(Form& form, std::string_view dimensions) {
  i8 index = 0;
  for (const auto name : split(dimensions, ',')) {
    const auto part = std::find_if(form.parts.begin(), form.parts.end(), [&](const Form::Part& p) {
      return p.slot && p.slot->name == name && p.dimension < 0;
    });
    assert(part != form.parts.end());
    part->dimension = index++;
    form.count *= static_cast<u32>(part->slot->choices.size());
  }
  for (auto& part : form.parts)
    if (part.slot && part.dimension < 0) part.shift = static_cast<i8>(attribute_shift(part.slot->name));
}

}  // namespace

FormTable::FormTable() : slots_(all_slots()) {
  for (const auto& row : alu_rows) {
    Form form;
    form.pattern = row.pattern;
    form.is_alu = true;
    forms_.push_back(std::move(form));  // parts point into the pattern: it must have its final place first
  }
  for (const auto& row : control_rows()) {
    Form form;
    form.pattern = row.pattern;
    form.control = row.control;
    forms_.push_back(std::move(form));
  }
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    auto& form = forms_[i];
    add_parts(form, slots_);
    if (!form.is_alu) continue;
    for (const auto operand : split(alu_rows[i].signature, ',')) form.operands.push_back(parse_operand(operand));
    add_dimensions(form, alu_rows[i].dimensions);
    form.first = alu_count_;
    alu_count_ += form.count;
  }
}

const FormTable& FormTable::instance() {
  static const FormTable table;
  return table;
}

std::vector<const Form*> FormTable::of(std::string_view opcode) const {
  std::vector<const Form*> found;
  for (const auto& form : forms_)
    if (form.opcode == opcode) found.push_back(&form);
  return found;
}

std::optional<Match> match(const Form& form, std::span<const std::string> modifiers) {
  Match result{&form, {}};
  u64 used = 0;
  std::size_t next_type = 0;
  const auto take = [&](std::string_view text, bool is_type) {
    for (std::size_t i = is_type ? next_type : 0; i < modifiers.size(); ++i) {
      if (used >> i & 1 || modifiers[i] != text) continue;
      return i;
    }
    return modifiers.size();
  };
  for (std::size_t p = 0; p < form.parts.size(); ++p) {
    const auto& part = form.parts[p];
    std::size_t at = modifiers.size();
    bool optional = false;
    if (!part.slot) {
      at = take(part.literal, part.is_type);
    } else {
      for (std::size_t c = 0; c < part.slot->choices.size(); ++c) {
        const auto text = part.slot->choices[c].text;
        if (text.empty()) {
          if (at == modifiers.size()) result.choice[p] = static_cast<u8>(c);
          optional = true;
        } else if (const auto found = take(text, part.is_type); found < at) {
          at = found;
          result.choice[p] = static_cast<u8>(c);
        }
      }
    }
    if (at < modifiers.size()) {
      used |= u64{1} << at;
      if (part.is_type) next_type = at + 1;
    } else if (!optional) {
      return std::nullopt;
    }
  }
  if (used != (u64{1} << modifiers.size()) - 1) return std::nullopt;
  return result;
}

namespace {

const Form::Part* part_named(const Match& match, std::string_view slot, std::size_t* index) {
  for (std::size_t i = 0; i < match.form->parts.size(); ++i) {
    const auto& part = match.form->parts[i];
    if (part.slot && part.slot->name == slot) {
      *index = i;
      return &part;
    }
  }
  return nullptr;
}

}  // namespace

u8 Match::value(std::string_view slot) const {
  std::size_t i = 0;
  const auto* part = part_named(*this, slot, &i);
  return part ? part->slot->choices[choice[i]].value : 0;
}

std::string_view Match::text(std::string_view slot) const {
  std::size_t i = 0;
  const auto* part = part_named(*this, slot, &i);
  return part ? part->slot->choices[choice[i]].text : std::string_view{};
}

bool Match::has(std::string_view slot) const {
  return !text(slot).empty();
}

Type Match::type(u32 nth) const {
  for (std::size_t i = 0; i < form->parts.size(); ++i) {
    const auto& part = form->parts[i];
    if (part.slot && part.is_type && nth-- == 0) return static_cast<Type>(part.slot->choices[choice[i]].value);
  }
  return Type::none;
}

Op Match::op() const {
  std::array<u32, 8> index{}, size{};
  u32 dimensions = 0, offset = 0;
  for (std::size_t i = 0; i < form->parts.size(); ++i) {
    const auto& part = form->parts[i];
    if (part.dimension < 0) continue;
    index[static_cast<u8>(part.dimension)] = choice[i];
    size[static_cast<u8>(part.dimension)] = static_cast<u32>(part.slot->choices.size());
    ++dimensions;
  }
  for (u32 d = 0; d < dimensions; ++d) offset = offset * size[d] + index[d];
  return static_cast<Op>(static_cast<u32>(Op::alu) + form->first + offset);
}

u32 Match::attributes() const {
  u32 bits = 0;
  for (std::size_t i = 0; i < form->parts.size(); ++i) {
    const auto& part = form->parts[i];
    if (part.shift >= 0) bits |= u32{part.slot->choices[choice[i]].value} << part.shift;
  }
  return bits;
}

u32 edit_distance(std::string_view a, std::string_view b) {
  std::vector<u32> row(b.size() + 1);
  for (u32 j = 0; j <= b.size(); ++j) row[j] = j;
  for (u32 i = 1; i <= a.size(); ++i) {
    u32 diagonal = row[0];
    row[0] = i;
    for (u32 j = 1; j <= b.size(); ++j) {
      const u32 substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

namespace {

/// The spelling of `form` that keeps as many of the written qualifiers as it can.
std::string closest_spelling(const Form& form, std::span<const std::string> modifiers) {
  std::vector<bool> used(modifiers.size());
  const auto closest = [&](const Slot& slot, bool exact) {
    std::string_view best;
    const bool is_optional = slot.choices.front().text.empty();
    u32 best_distance = exact ? 1 : is_optional ? 2 : 3;
    std::size_t best_at = modifiers.size();
    for (const auto& choice : slot.choices) {
      for (std::size_t i = 0; i < modifiers.size() && !choice.text.empty(); ++i) {
        const u32 distance = used[i] ? 99 : edit_distance(choice.text, modifiers[i]);
        if (distance < best_distance) best = choice.text, best_distance = distance, best_at = i;
      }
    }
    if (best_at < modifiers.size()) used[best_at] = true;
    return best;
  };
  std::vector<std::string_view> words(form.parts.size());
  for (std::size_t p = 0; p < form.parts.size(); ++p) {
    const auto& part = form.parts[p];
    if (part.slot) {
      words[p] = closest(*part.slot, true);
      continue;
    }
    words[p] = part.literal;
    const auto found = std::find(modifiers.begin(), modifiers.end(), part.literal);
    if (found != modifiers.end()) used[static_cast<std::size_t>(found - modifiers.begin())] = true;
  }
  std::string spelling = form.opcode;
  for (std::size_t p = 0; p < form.parts.size(); ++p) {
    const auto& part = form.parts[p];
    if (words[p].empty()) words[p] = closest(*part.slot, false);
    const auto& choices = part.slot ? part.slot->choices : std::vector<SlotChoice>{};
    const bool optional =
        std::any_of(choices.begin(), choices.end(), [](const SlotChoice& c) { return c.text.empty(); });
    if (words[p].empty() && !optional) words[p] = choices.front().text;
    if (!words[p].empty()) spelling.append(".").append(words[p]);
  }
  return spelling;
}

/// How many of the written qualifiers a spelling gives up.
u32 lost(std::string_view spelling, std::span<const std::string> modifiers) {
  const auto words = split(spelling, '.');
  return static_cast<u32>(std::count_if(modifiers.begin(), modifiers.end(), [&](const std::string& modifier) {
    return std::find(words.begin(), words.end(), modifier) == words.end();
  }));
}

}  // namespace

std::string FormTable::nearest(std::string_view opcode, std::span<const std::string> modifiers) const {
  std::string written{opcode};
  for (const auto& modifier : modifiers) written.append(".").append(modifier);
  std::string best;
  u32 best_distance = ~0u;
  const bool is_known = !of(opcode).empty();
  for (const auto& form : forms_) {
    const u32 apart = edit_distance(form.opcode, opcode);
    if (apart > 0 && is_known) continue;
    auto spelling = closest_spelling(form, modifiers);
    const u32 distance = edit_distance(spelling, written) + 4 * apart + 6 * lost(spelling, modifiers);
    if (distance < best_distance) best_distance = distance, best = std::move(spelling);
  }
  return best;
}

}  // namespace ew::ptx
