// Fields of a component that stands outside the machine: words of a table of models, sizes and energies.
#include "core/fields.hpp"

#include <gtest/gtest.h>

#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/model_section.hpp"

namespace ew::core {
namespace {

struct Link {
  std::string kind = "crossbar";
  u32 line = 128;
  Femtojoules energy{55'300};

  std::vector<Field> fields() {
    std::vector<Field> list;
    FieldCollector visit(list, "link");
    visit("kind", kind, Choices{{"crossbar", "mesh"}}, "", "Which model.", "");
    visit("line", line, Range{64, 128}, "bytes", "Bytes of a line.", "");
    visit("energy", energy, Range{0, 1000}, "", "Of one access.", "");
    return list;
  }
};

std::string error_of(const std::string& text) {
  Link link;
  try {
    read_toml(text, "m.toml", link.fields());
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Fields, AWordOfATableIsRefusedWithTheNearest) {
  EXPECT_EQ(error_of("[link]\nkind = \"mesch\"\n"),
            "m.toml:2: unknown kind \"mesch\" (did you mean \"mesh\"?) (link.kind should be one of \"crossbar\", "
            "\"mesh\")");
  EXPECT_EQ(error_of("[link]\nkind = \"mesh\"\n"), "no error");
}

TEST(Fields, AWholeNumberOfBytesMayBeASize) {
  Link link;
  read_toml("[link]\nline = \"64 B\"\n", "m.toml", link.fields());
  EXPECT_EQ(link.line, 64u);
  read_toml("[link]\nline = 128\n", "m.toml", link.fields());
  EXPECT_EQ(link.line, 128u);
  EXPECT_NE(error_of("[link]\nline = \"1 KiB\"\n").find("64 .. 128, but is 1 KiB"), std::string::npos);
}

TEST(Fields, EnergiesAreExactDecimals) {
  Link link;
  read_toml("[link]\nenergy = 14.125\n", "m.toml", link.fields());
  EXPECT_EQ(link.energy.count, 14'125u);
  EXPECT_EQ(to_toml(link.fields()), "[link]\nkind = \"crossbar\"\nline = 128\nenergy = 14.125\n");
}

struct Keys {
  u32 depth = 3;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("depth", self.depth, Range{1, 8}, "entries", "How deep.", "");
  }
};
struct Model {
  std::string_view name;
  ModelSection section;
};

TEST(Fields, AModelsSectionIsPartOfItsDescriptorAlone) {
  const Model models[] = {{"plain", {}}, {"deep", section_of<Keys>("Of deep.")}};
  ModelSections sections;
  EXPECT_EQ(std::as_const(sections).of<Keys>().depth, 3u);
  std::vector<Field> fields;
  collect_sections(models, sections, fields);
  read_toml("[deep]\ndepth = 5\n", "m.toml", fields);
  EXPECT_EQ(std::as_const(sections).of<Keys>().depth, 5u);
  EXPECT_EQ(to_toml(fields), "[deep]\ndepth = 5\n");
  ModelSections copy = sections;
  copy.of<Keys>().depth = 7;
  EXPECT_EQ(sections.of<Keys>().depth, 5u) << "a machine's description is a value";
  EXPECT_THROW(apply_setting("deep.dept=4", fields), UserError);
}

}  // namespace
}  // namespace ew::core
