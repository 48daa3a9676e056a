#include "cli/explain_ptx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/diagnostics.hpp"
#include "core/json_text.hpp"
#include "core/nearest.hpp"
#include "ptx/control_forms.hpp"
#include "ptx/opcodes.hpp"
#include "ptx/special_registers.hpp"

namespace ew::cli {

namespace {

using core::UserError;
using ptx::Form;
using ptx::FormTable;
using ptx::Slot;
using Strings = std::vector<std::string>;

constexpr std::size_t short_list = 4;  // lists up to this length are written out in the pattern

bool is_optional(const Slot& slot) {
  return std::any_of(slot.choices.begin(), slot.choices.end(), [](const auto& choice) { return choice.text.empty(); });
}

Strings choices_of(const Slot& slot) {
  Strings texts;
  for (const auto& choice : slot.choices) {
    if (!choice.text.empty()) texts.push_back("." + std::string(choice.text));
  }
  return texts;
}

/// In the notation of the PTX ISA: {.ftz} may be left out, one of (.lo|.hi) stands, .integers is listed elsewhere.
std::string notation(const Form& form) {
  std::string text = form.opcode;
  for (const Form::Part& part : form.parts) {
    if (!part.slot) {
      text += "." + std::string(part.literal);
      continue;
    }
    const Strings choices = choices_of(*part.slot);
    const std::string inside =
        choices.size() <= short_list ? fmt::format("{}", fmt::join(choices, "|")) : "." + std::string(part.slot->name);
    if (is_optional(*part.slot))
      text += "{" + inside + "}";
    else
      text += choices.size() <= short_list && choices.size() > 1 ? "(" + inside + ")" : inside;
  }
  return text;
}

/// The types that an opcode's forms name, each once, in the order of the table.
Strings types_of(std::span<const Form* const> forms) {
  Strings types;
  const auto add = [&](std::string_view text) {
    if (!text.empty() && std::find(types.begin(), types.end(), text) == types.end()) types.emplace_back(text);
  };
  for (const Form* form : forms) {
    for (const Form::Part& part : form->parts) {
      if (!part.is_type) continue;
      if (!part.slot) add(part.literal);
      if (part.slot) std::for_each(part.slot->choices.begin(), part.slot->choices.end(), [&](auto& c) { add(c.text); });
    }
  }
  return types;
}

std::map<std::string, std::vector<const Form*>> forms_by_opcode() {
  std::map<std::string, std::vector<const Form*>> opcodes;
  for (const Form& form : FormTable::instance().forms()) opcodes[form.opcode].push_back(&form);
  return opcodes;
}

Strings names_of(std::span<const ptx::RefusedFamily> families) {
  Strings names;
  for (const auto& family : families) {
    names.push_back(std::string(family.opcode) + (family.modifier.empty() ? "" : ".") + std::string(family.modifier) +
                    " (" + std::string(family.what) + ")");
  }
  return names;
}

nlohmann::ordered_json form_json(const Form& form) {
  nlohmann::ordered_json lists = nlohmann::ordered_json::object();
  for (const Form::Part& part : form.parts) {
    if (part.slot) lists[std::string(part.slot->name)] = choices_of(*part.slot);
  }
  return {{"opcode", form.opcode}, {"form", notation(form)}, {"lists", lists}};
}

int print_forms_json(std::span<const Form* const> forms) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Form* form : forms) list.push_back(form_json(*form));
  fmt::print("{}\n", core::json_text(list));
  return clean;
}

int print_all(bool json) {
  const auto opcodes = forms_by_opcode();
  std::vector<const Form*> forms;
  Table table({"opcode", ">forms", "types"});
  for (const auto& [opcode, own] : opcodes) {
    forms.insert(forms.end(), own.begin(), own.end());
    table.row({opcode, std::to_string(own.size()), fmt::format("{}", fmt::join(types_of(own), " "))});
  }
  if (json) return print_forms_json(forms);
  fmt::print("{} opcodes in {} forms (`ew explain ptx OPCODE` shows them):\n\n{}\n", opcodes.size(), forms.size(),
             table.text());
  fmt::print("Special registers:\n{}\n",
             wrapped(fmt::format("{} %envreg0 .. %envreg31", fmt::join(ptx::special_registers(), " ")), 4));
  fmt::print("Refused by name when a module loads (anything else that is not above is refused as unknown):\n{}{}",
             wrapped(fmt::format("{}", fmt::join(names_of(ptx::refused_families()), ", ")), 4),
             wrapped(fmt::format("{}", fmt::join(ptx::refused_special_registers(), ", ")), 4));
  return clean;
}

int print_opcode(std::span<const Form* const> forms, bool json) {
  if (json) return print_forms_json(forms);
  std::map<std::string_view, const Slot*> lists;
  for (const Form* form : forms) {
    fmt::print("  {}\n", notation(*form));
    for (const Form::Part& part : form->parts) {
      if (part.slot && choices_of(*part.slot).size() > short_list) lists[part.slot->name] = part.slot;
    }
  }
  if (!lists.empty()) fmt::print("\nwhere\n");
  for (const auto& [name, slot] : lists)
    fmt::print("  .{}\n{}", name, wrapped(fmt::format("{}", fmt::join(choices_of(*slot), " ")), 6));
  return clean;
}

int print_instruction(const std::string& what, bool json) {
  Strings words;
  for (std::size_t begin = 0; begin <= what.size();) {
    const std::size_t end = std::min(what.find('.', begin), what.size());
    words.push_back(what.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string opcode = words.front();
  words.erase(words.begin());
  const FormTable& table = FormTable::instance();
  const Form* found = nullptr;
  for (const Form* form : table.of(opcode)) {
    if (!found && ptx::match(*form, words)) found = form;
  }
  const std::string family(ptx::refused_family(opcode, words));
  const std::string nearest = found || !family.empty() ? "" : table.nearest(opcode, words);
  if (json) {
    const nlohmann::ordered_json answer{{"instruction", what},
                                        {"executed", found != nullptr},
                                        {"form", found ? notation(*found) : ""},
                                        {"refused", family},
                                        {"nearest", nearest}};
    fmt::print("{}\n", core::json_text(answer));
  } else if (found) {
    fmt::print("{} is executed: {}\n", what, notation(*found));
  } else if (!family.empty()) {
    fmt::print("{} is refused when a module loads: {} is not supported\n", what, family);
  } else {
    fmt::print("{} is refused when a module loads; the nearest form that is executed: {}\n", what, nearest);
  }
  return clean;
}

}  // namespace

int explain_ptx(const std::string& what, bool json) {
  if (what.empty()) return print_all(json);
  if (what.find('.') != what.npos || !ptx::refused_family(what, {}).empty()) return print_instruction(what, json);
  const std::vector<const Form*> forms = FormTable::instance().of(what);
  if (!forms.empty()) return print_opcode(forms, json);
  std::vector<std::string_view> names;
  for (const Form& form : FormTable::instance().forms()) names.push_back(form.opcode);
  throw UserError(fmt::format("\"{}\" is no opcode that is executed{}; `ew explain ptx` lists them", what,
                              core::did_you_mean(what, names)));
}

}  // namespace ew::cli
