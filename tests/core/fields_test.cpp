// Fields of a component that stands outside the machine: words of a table of models, sizes and energies.
#include "core/fields.hpp"

#include <gtest/gtest.h>

#include "core/configuration.hpp"
#include "core/diagnostics.hpp"

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

}  // namespace
}  // namespace ew::core
