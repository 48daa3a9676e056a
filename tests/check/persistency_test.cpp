// The persistency models on litmus tests: every committed row; and random programs against a second, naive reading of
// the definitions (literal_persistency.hpp) and against what must hold between the models.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "check/crash_images.hpp"
#include "check/litmus_parser.hpp"
#include "check/persistency_litmus.hpp"
#include "core/diagnostics.hpp"
#include "literal_persistency.hpp"
#include "random_litmus.hpp"

namespace ew::check {
namespace {

std::vector<Litmus> committed(const std::string& name) {
  std::ifstream file(EW_LITMUS "/" + name);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return parse_litmus(text, name);
}

TEST(Persistency, AgreesWithEveryCommittedRow) {
  std::size_t cells = 0;
  for (const char* name : {"pm.glt", "pm-more.glt"}) {
    for (const Litmus& test : committed(name)) {
      const PersistencyVerdict verdict = judge_persistency(test, name);
      for (const CrashAnswer& a : verdict.crashes) {
        for (std::size_t m = 0; m < a.cells.size(); ++m) {
          EXPECT_TRUE(a.cells[m].agrees())
              << test.name << ": " << a.question << " under " << persistency_columns()[m]->name;
          cells += a.cells[m].expected.has_value();
        }
      }
      for (const ImagesAnswer& a : verdict.images) {
        for (std::size_t m = 0; m < a.cells.size(); ++m) {
          EXPECT_TRUE(a.cells[m].agrees())
              << test.name << ": images under " << persistency_columns()[m]->name << ": " << a.cells[m].found;
          cells += a.cells[m].expected.has_value();
        }
      }
    }
  }
  EXPECT_GE(cells, 1250u);
}

/// As literal_persistency.hpp has them.
struct NamedImages {
  std::set<LiteralImages::Image> images, latest;
};

std::map<std::string, NamedImages> engine_images(const Litmus& test) {
  const Program program = resolve(test, "test");
  const ImageLayout layout(program);
  const CrashImages images(program, layout);
  std::map<std::string, NamedImages> result;
  for (u32 m = 0; m < persistency_columns().size(); ++m) {
    NamedImages& named = result[std::string(persistency_columns()[m]->name)];
    for (const auto& [image, crash] : images.of_model(m)) {
      LiteralImages::Image values;
      for (u32 s = 0; s < image.size(); ++s)
        values[s < layout.locations.size() ? program.locations[layout.locations[s]]
                                           : program.outputs[s - layout.locations.size()]] = image[s];
      named.images.insert(values);
      if (crash.latest) named.latest.insert(values);
    }
  }
  return result;
}

void expect_literal(const Litmus& test) {
  const auto found = engine_images(test);
  const auto literal = literal_images(test);
  for (const auto& [model, images] : literal) {
    EXPECT_EQ(found.at(model).images, images.images) << model << "\n" << print(test);
    EXPECT_EQ(found.at(model).latest, images.latest) << model << "\n" << print(test);
  }
}

TEST(Persistency, HasTheImagesOfTheLiteralDefinitionInEveryCommittedTest) {
  for (const char* name : {"pm.glt", "pm-more.glt"})
    for (const Litmus& test : committed(name)) expect_literal(test);
}

TEST(Persistency, HasTheImagesOfTheLiteralDefinitionInRandomPrograms) {
  for (u64 seed = 0; seed < 1000 && !testing::Test::HasFailure(); ++seed) {
    RandomLitmus random(seed);
    const u32 threads = 1 + random.below(3);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_literal(random.persistency(threads, threads == 3 ? 2 : 2 + random.below(3)));
  }
}

TEST(Persistency, HasTheImagesOfTheLiteralDefinitionWherePersistsAreHandedOver) {
  for (u64 seed = 0; seed < 2000 && !testing::Test::HasFailure(); ++seed) {
    RandomLitmus random(seed);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_literal(random.hand_over());
  }
}

TEST(Persistency, WeakerModelsAllowMore) {
  static constexpr std::pair<const char*, const char*> within[] = {
      {"strict", "sbrp-sys"}, {"sbrp-sys", "sbrp"}, {"sbrp", "sbrp-lit"}, {"sbrp-strong", "sbrp"},
      {"strict", "epoch"},    {"gpm", "gpm-ddio"},  {"sbrp", "gpm-ddio"}, {"epoch", "gpm-ddio"}};
  for (u64 seed = 5000; seed < 6000 && !testing::Test::HasFailure(); ++seed) {
    RandomLitmus random(seed);
    const Litmus test = random.persistency(2 + random.below(2), 4);
    const auto found = engine_images(test);
    for (const auto& [inner, outer] : within)
      EXPECT_TRUE(std::ranges::includes(found.at(outer).images, found.at(inner).images))
          << inner << " within " << outer << "\n"
          << print(test);
  }
}

}  // namespace
}  // namespace ew::check
