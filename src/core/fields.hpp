// How a configuration struct describes itself. A component's struct has defaults and one
//   template <class Self, class Visitor> static void fields(Self& self, Visitor&& visit)
// that names every member once: visit("name", self.member, Range{1, 64}, "unit", "Sentence.", "Source."). The TOML
// reader, `ew explain`, the resolved configuration and --set all use that one list, erased to `Field`. A text whose
// words are the names of a table of models has Choices{names} in place of the range; a whole number whose unit is
// "bytes" may also be written as "64 KiB".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/types.hpp"
#include "core/units.hpp"

namespace ew::core {

/// Least and greatest value, in the unit that the file uses; each component of a Dim3. Texts and truth values have
/// none.
struct Range {
  double lowest = 0, highest = 0;
};

/// The words that a text field may have.
struct Choices {
  std::vector<std::string_view> names;
  bool models = false;  // the names of a table of models: a machine file does not list them
};
/// The names of a table of models.
inline Choices model_choices(std::vector<std::string_view> names) {
  return {std::move(names), true};
}

struct Field {
  using Target = std::variant<u32*, u64*, bool*, std::string*, Dim3*, Bytes*, Kilohertz*, Picoseconds*, BytesPerSecond*,
                              Femtojoules*, ComputeCapability*>;
  std::string section;
  std::string name;
  Target target;
  Range range;
  Choices choices;  // empty: any text
  std::string_view unit, sentence, source;

  std::string key() const { return section + "." + name; }
};

/// Collects what a struct's fields() names.
class FieldCollector {
 public:
  explicit FieldCollector(std::vector<Field>& fields, std::string_view section) : fields_(fields), section_(section) {}

  template <class T>
  void operator()(std::string_view name, T& member, Range range, std::string_view unit, std::string_view sentence,
                  std::string_view source) {
    fields_.push_back({std::string(section_), std::string(name), &member, range, {}, unit, sentence, source});
  }
  void operator()(std::string_view name, std::string& member, Choices choices, std::string_view unit,
                  std::string_view sentence, std::string_view source) {
    fields_.push_back(
        {std::string(section_), std::string(name), &member, {}, std::move(choices), unit, sentence, source});
  }

 private:
  std::vector<Field>& fields_;
  std::string_view section_;
};

/// The value as the file writes it: 64, "16 GiB", 1365, [1024, 1024, 64], true, "7.5".
std::string value_text(const Field&);
/// The unit in which the file writes it: "MHz", "ns", "GB/s", "pJ", "bytes", or the field's own word.
std::string_view unit_text(const Field&);
/// True: a size, which the file may write as "64 KiB".
bool is_bytes(const Field&);
/// "1 .. 64", "true or false", "text", "one of ...".
std::string expected_text(const Field&);

}  // namespace ew::core
